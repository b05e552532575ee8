//! A secure configuration for a `nats-server` of one team, as text.

use crate::hub::{ENTRY_LIMIT, Team};
use crate::keys::NatsUserKey;
use crate::roster::{Role, Roster};
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
}

/// The configuration: every current device of the roster authenticates with its own key and may
/// publish only what it needs. No device can delete, purge or replace messages in a log or a blob,
/// or change a stream; only admins create streams and write the roster. The holder of a recovery
/// key may only read.
#[must_use]
pub fn nats_conf(team: &Team, roster: &Roster, plan: &NatsPlan) -> String {
    let mut out = String::from(
        "# Made by `taffrail hub config`. Make it again when devices come or go, then reload.\n",
    );
    head(&mut out, plan);
    // Writing to a String cannot fail.
    writeln!(out, "accounts {{\n  TAFFRAIL {{").ok();
    let gigabytes = plan.gigabytes;
    writeln!(out, "    jetstream {{ max_mem: 64M, max_file: {gigabytes}G, max_streams: 3 }}").ok();
    writeln!(out, "    users: [").ok();
    for member in roster.members().filter(|it| it.is_current()) {
        let device = member.device.id.as_str();
        let Some(nats_user) = member.device.keys.nats_user() else { continue };
        user(&mut out, team, (device, nats_user), &published(team, device, member.role));
    }
    for nats_user in roster.recovery_nats_keys().filter_map(|(_, nats_user)| nats_user) {
        user(&mut out, team, ("a recovery key, to read only", nats_user), &asked(team));
    }
    // Writing to a String cannot fail.
    writeln!(out, "    ]\n  }}\n}}").ok();
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

/// The requests that everyone may send: metadata and bytes.
fn asked(team: &Team) -> Vec<String> {
    let ask = |what: &'static str| {
        streams(team).into_iter().map(move |it| format!("$JS.API.{what}.{it}"))
    };
    ["STREAM.INFO", "STREAM.MSG.GET", "DIRECT.GET"].into_iter().flat_map(ask).collect()
}

fn streams(team: &Team) -> [String; 3] {
    let team = team.as_str();
    [format!("TAFFRAIL_{team}"), format!("KV_taffrail_{team}"), format!("OBJ_taffrail_{team}")]
}

/// The subjects that a device may publish to.
fn published(team: &Team, device: &str, role: Role) -> Vec<String> {
    let mut out = asked(team);
    let make = streams(team).map(|it| format!("$JS.API.STREAM.CREATE.{it}"));
    let team = team.as_str();
    let key = |name: &str| format!("$KV.taffrail_{team}.key.{name}");
    out.push(format!("taffrail.{team}.log.{device}.>"));
    out.push(format!("taffrail.{team}.beat.{device}"));
    out.push(key(&format!("key.{device}.>")));
    out.extend(["lease.>", "decision.>", "doctor.>"].map(key));
    out.push(format!("$O.taffrail_{team}.>"));
    if role == Role::Admin {
        out.extend(make);
        out.push(key("roster"));
    }
    out
}

fn user(
    out: &mut String,
    team: &Team,
    (about, nats_user): (&str, &NatsUserKey),
    publish: &[String],
) {
    let team = team.as_str();
    let list = |all: &[String]| all.iter().map(|it| quoted(it)).collect::<Vec<_>>().join(", ");
    let heard = [format!("taffrail.{team}.>"), format!("$KV.taffrail_{team}.>"), "_INBOX.>".into()];
    // Writing to a String cannot fail.
    writeln!(out, "      # {about}").ok();
    writeln!(out, "      {{ nkey: {nats_user}, permissions: {{").ok();
    writeln!(out, "          publish: {{ allow: [{}] }}", list(publish)).ok();
    writeln!(out, "          subscribe: {{ allow: [{}] }} }} }}", list(&heard)).ok();
}

/// A quoted text, without characters that could end the quotes.
fn quoted(text: &str) -> String {
    let plain: String =
        text.chars().filter(|it| !it.is_control() && !"\"\\".contains(*it)).collect();
    format!("\"{plain}\"")
}
