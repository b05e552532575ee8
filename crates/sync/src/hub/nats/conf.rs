//! A secure configuration for a `nats-server` of one team or of several, as text.

use super::layout::Layout;
use super::mailbox::ROOT as PAIRING;
use super::users::{DeviceUser, TeamUsers};
use crate::hub::{ENTRY_LIMIT, Team};
use crate::keys::NatsUserKey;
use crate::roster::{Door, Role, Roster};
use std::fmt::Write;
use std::path::PathBuf;

/// The administrator's choices for a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NatsPlan {
    /// The listen address, such as `0.0.0.0:4222`.
    pub listen: String,
    /// The port of its HTTP monitoring, on the local machine only.
    pub monitor: u16,
    /// The folder of its data.
    pub store: PathBuf,
    /// Certificate and key (PEM); without them it may only listen locally.
    pub tls: Option<(PathBuf, PathBuf)>,
    /// The most gigabytes it stores.
    pub gigabytes: u32,
    /// Who may remove what retention gives up.
    pub retention: Removal,
}

/// Who may remove data from a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Removal {
    /// No device.
    #[default]
    Nobody,
    /// The admin devices of the team, by purging.
    ByAdmins,
}

/// The configuration of one team's server: every current device of the roster authenticates with its
/// own key and may publish only what it needs. No device can delete or replace messages in a log or a
/// blob, or change a stream; only admins create streams, write the roster and, if the plan says so,
/// purge what retention gives up. The holder of a recovery key may only read.
#[must_use]
pub fn nats_conf(team: &Team, roster: &Roster, plan: &NatsPlan) -> String {
    let mut out = begin(plan, 3 * layouts(team).len());
    let door = Door::of(roster).user_key();
    whole_team(&mut out, &TeamUsers::of(team, roster), (plan.retention, door.as_ref()));
    end(out)
}

/// How many connections each device of a team with a quota may have; a daemon has one, and each command one.
const CONNECTIONS: usize = 16;

/// The configuration of a server for several teams, each in an account of its own: none sees anything of
/// another one, and none stores more than its quota or takes all connections. Each team has streams of its
/// own, which cost memory and time to restart.
#[must_use]
pub fn account_conf(teams: &[TeamUsers], quota: Megabytes, plan: &NatsPlan) -> String {
    let mut out = begin_file(plan);
    for team in teams {
        let name = quoted(&format!("TAFFRAIL_{}", team.team.as_str()));
        let streams = 3 * layouts(&team.team).len();
        let most = CONNECTIONS * team.devices.len().max(4);
        begin_account(&mut out, &name, (&format!("{}M", quota.0), streams), Some(most));
        // A purge stays within the account: each team may have its own retention.
        whole_team(&mut out, team, (Removal::ByAdmins, None));
        end_account(&mut out);
    }
    writeln!(out, "}}").ok();
    out
}

/// How much a team may store on a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Megabytes(pub u32);

/// Where a team's data can be. The streams of earlier versions stay in use where they exist.
fn layouts(team: &Team) -> [Layout; 2] {
    [Layout::shared(team, 1), Layout::own(team)]
}

/// The users of a team that shares its account with nobody.
fn whole_team(
    out: &mut String,
    team: &TeamUsers,
    (retention, door): (Removal, Option<&NatsUserKey>),
) {
    let layouts = layouts(&team.team);
    let grants = |_: &NatsUserKey, role: Option<(&str, Role)>| -> Grant {
        let grants = layouts.iter().map(|it| one_team(it, role, retention));
        let mut grant = grants.reduce(Grant::and).unwrap_or_default();
        grant.subscribe.push("_INBOX.>".to_owned());
        if matches!(role, Some((_, Role::Admin))) {
            // Who answers devices with a code has to hear them.
            grant.publish.push(format!("{PAIRING}.>"));
            grant.subscribe.push(format!("{PAIRING}.>"));
        }
        grant
    };
    users(out, team, &grants);
    if let Some(door) = door {
        pairing_user(out, door);
    }
}

/// The configuration of a server for several teams that do not trust each other, with this many shared
/// streams of each kind: the permissions bind every device to its own team, so addresses have to name
/// the number of streams. The admins of the first team make the streams.
#[must_use]
pub fn cell_conf(teams: &[TeamUsers], streams: u16, plan: &NatsPlan) -> String {
    let cell: Vec<Layout> = Layout::cell(streams).collect();
    let mut out = begin(plan, 3 * cell.len());
    for (number, team) in teams.iter().enumerate() {
        let layout = Layout::shared(&team.team, streams);
        let grants = |nats_user: &NatsUserKey, role: Option<(&str, Role)>| -> Grant {
            let mut grant = bound(&layout, role);
            // Answers go below the user's own subject, so that nobody else receives them.
            grant.subscribe.push(format!("_INBOX.{nats_user}.>"));
            if number == 0 && matches!(role, Some((_, Role::Admin))) {
                grant.publish.extend(cell.iter().flat_map(made));
            }
            grant
        };
        users(&mut out, team, &grants);
    }
    end(out)
}

fn begin(plan: &NatsPlan, streams: usize) -> String {
    let mut out = begin_file(plan);
    begin_account(&mut out, "TAFFRAIL", (&format!("{}G", plan.gigabytes), streams), None);
    out
}

fn begin_file(plan: &NatsPlan) -> String {
    let mut out = String::from(
        "# Made by `taffrail hub config`. Make it again when devices come or go, then reload.\n",
    );
    head(&mut out, plan);
    // Writing to a String cannot fail.
    writeln!(out, "accounts {{").ok();
    out
}

fn begin_account(
    out: &mut String,
    name: &str,
    (file, streams): (&str, usize),
    connections: Option<usize>,
) {
    // Writing to a String cannot fail.
    writeln!(out, "  {name} {{").ok();
    if let Some(most) = connections {
        writeln!(out, "    limits {{ max_connections: {most} }}").ok();
    }
    let limits = format!("max_mem: 64M, max_file: {file}, max_streams: {streams}");
    writeln!(out, "    jetstream {{ {limits} }}").ok();
    writeln!(out, "    users: [").ok();
}

fn end_account(out: &mut String) {
    // Writing to a String cannot fail.
    writeln!(out, "    ]\n  }}").ok();
}

fn end(mut out: String) -> String {
    end_account(&mut out);
    // Writing to a String cannot fail.
    writeln!(out, "}}").ok();
    out
}

fn head(out: &mut String, plan: &NatsPlan) {
    // Writing to a String cannot fail.
    writeln!(out, "listen: {}", quoted(&plan.listen)).ok();
    writeln!(out, "http: \"127.0.0.1:{}\"", plan.monitor).ok();
    writeln!(out, "max_payload: {}", 2 * ENTRY_LIMIT).ok();
    // Without it, a power failure loses the acknowledged data of the last two minutes.
    let store = quoted(&plan.store.to_string_lossy());
    writeln!(
        out,
        "jetstream {{ store_dir: {store}, sync_interval: always, max_file_store: {}G }}",
        plan.gigabytes
    )
    .ok();
    if let Some((certificate, key)) = &plan.tls {
        let (certificate, key) =
            (quoted(&certificate.to_string_lossy()), quoted(&key.to_string_lossy()));
        writeln!(out, "tls {{ cert_file: {certificate}, key_file: {key} }}").ok();
    }
}

/// The subjects that a user may publish to and subscribe to.
#[derive(Debug, Default)]
struct Grant {
    publish: Vec<String>,
    subscribe: Vec<String>,
}

impl Grant {
    fn and(mut self, other: Self) -> Self {
        self.publish.extend(other.publish);
        self.subscribe.extend(other.subscribe);
        self
    }
}

/// The permissions on a server of one team; without a role, to read only.
fn one_team(layout: &Layout, role: Option<(&str, Role)>, retention: Removal) -> Grant {
    let ask = |what: &'static str| {
        layout.streams().into_iter().map(move |it| format!("$JS.API.{what}.{it}"))
    };
    let asks = ["STREAM.INFO", "STREAM.MSG.GET", "DIRECT.GET"];
    let mut publish: Vec<String> = asks.into_iter().flat_map(ask).collect();
    // How much is stored, for `hub doctor`.
    publish.push("$JS.API.INFO".to_owned());
    if let Some((device, role)) = role {
        publish.extend(written(layout, device, role));
        if role == Role::Admin {
            publish.extend(made(layout));
        }
        if role == Role::Admin && retention == Removal::ByAdmins {
            publish.extend(ask("STREAM.PURGE"));
            publish.extend(scanned(layout));
        }
    }
    Grant { publish, subscribe: heard(layout) }
}

/// The permissions on a server of several teams: each request names the team in its subject.
fn bound(layout: &Layout, role: Option<(&str, Role)>) -> Grant {
    let direct = roots(layout).map(|(stream, root)| format!("$JS.API.DIRECT.GET.{stream}.{root}>"));
    let mut publish: Vec<String> = direct.to_vec();
    publish.extend(scanned(layout));
    if let Some((device, role)) = role {
        publish.extend(written(layout, device, role));
    }
    Grant { publish, subscribe: heard(layout) }
}

/// Each stream with the beginning of the team's subjects in it.
fn roots(layout: &Layout) -> [(&str, &str); 4] {
    [
        (&layout.log_stream, &layout.log_root),
        (&layout.key_stream, &layout.key_root),
        (&layout.blob_stream, &layout.blob_root),
        (&layout.blob_stream, &layout.piece_root),
    ]
}

/// Consumers of the team's subjects: what is read is in the subject that creates one.
fn scanned(layout: &Layout) -> Vec<String> {
    let create = roots(layout);
    let create = create.map(|(stream, root)| format!("$JS.API.CONSUMER.CREATE.{stream}.*.{root}>"));
    let pull = ["CONSUMER.MSG.NEXT", "CONSUMER.DELETE"];
    let pull = pull.into_iter().flat_map(|what| {
        layout.streams().into_iter().map(move |it| format!("$JS.API.{what}.{it}.*"))
    });
    create.into_iter().chain(pull).collect()
}

/// The requests that make streams.
fn made(layout: &Layout) -> [String; 3] {
    layout.streams().map(|it| format!("$JS.API.STREAM.CREATE.{it}"))
}

/// The subjects of data that a device may write.
fn written(layout: &Layout, device: &str, role: Role) -> Vec<String> {
    let key = |name: &str| format!("{}{name}", layout.key_root);
    let mut out = vec![
        format!("{}{device}.>", layout.log_root),
        format!("{}{device}", layout.beat_root),
        key(&format!("key.{device}.>")),
        key(&format!("read.{device}")),
    ];
    out.extend(["lease.>", "decision.>", "doctor.>"].map(key));
    out.extend([&layout.blob_root, &layout.piece_root].map(|it| format!("{it}>")));
    if role == Role::Admin {
        out.extend(["roster", "retention", "removed.>", "move", "arrival"].map(key));
    }
    out
}

fn heard(layout: &Layout) -> Vec<String> {
    [&layout.log_root, &layout.key_root, &layout.beat_root].map(|it| format!("{it}>")).to_vec()
}

/// The permissions of a user by its key, its device and its role; without a role, to read only.
type Grants<'a> = dyn Fn(&NatsUserKey, Option<(&str, Role)>) -> Grant + 'a;

/// Writes the users of a team.
fn users(out: &mut String, team: &TeamUsers, grants: &Grants<'_>) {
    for DeviceUser { id, key, admin } in &team.devices {
        let role = if *admin { Role::Admin } else { Role::Member };
        user(out, (id.as_str(), key), &grants(key, Some((id.as_str(), role))));
    }
    for key in &team.recovery {
        user(out, ("a recovery key, to read only", key), &grants(key, None));
    }
}

fn user(out: &mut String, (about, nats_user): (&str, &NatsUserKey), grant: &Grant) {
    let list = |all: &[String]| all.iter().map(|it| quoted(it)).collect::<Vec<_>>().join(", ");
    // Writing to a String cannot fail.
    writeln!(out, "      # {about}").ok();
    writeln!(out, "      {{ nkey: {nats_user}, permissions: {{").ok();
    writeln!(out, "          publish: {{ allow: [{}] }}", list(&grant.publish)).ok();
    writeln!(out, "          subscribe: {{ allow: [{}] }} }} }}", list(&grant.subscribe)).ok();
}

/// A device that has only a code may use the place where two devices meet, and nothing else.
fn pairing_user(out: &mut String, door: &NatsUserKey) {
    // Writing to a String cannot fail.
    writeln!(out, "      # a device with a code of `taffrail link`, to ask to join only").ok();
    writeln!(out, "      {{ nkey: {door}, permissions: {{").ok();
    writeln!(out, "          publish: {{ allow: [\"{PAIRING}.*.get.*\", \"{PAIRING}.*.put.*\"] }}")
        .ok();
    writeln!(out, "          subscribe: {{ allow: [\"{PAIRING}.inbox.>\"] }} }} }}").ok();
}

/// A quoted text, without characters that could end the quotes.
fn quoted(text: &str) -> String {
    let plain: String =
        text.chars().filter(|it| !it.is_control() && !"\"\\".contains(*it)).collect();
    format!("\"{plain}\"")
}
