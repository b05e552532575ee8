//! A sound configuration for a `nats-server` of one team, as text.

use crate::hub::{ENTRY_LIMIT, Team};
use crate::roster::Member;
use std::fmt::Write;
use std::path::PathBuf;

/// What the administrator of a server decides.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NatsPlan {
    /// Where it listens, such as `0.0.0.0:4222`.
    pub listen: String,
    /// Where it tells about itself, on the machine itself only.
    pub monitor: u16,
    /// The folder of everything it keeps.
    pub store: PathBuf,
    /// Certificate and key (PEM); without them it may listen on the machine itself only.
    pub tls: Option<(PathBuf, PathBuf)>,
    /// The most gigabytes it keeps.
    pub gigabytes: u32,
}

/// The configuration: every current device of the roster comes in by its own key, writes only its
/// own logs, and can delete nothing.
#[must_use]
pub fn nats_conf<'a>(
    team: &Team,
    members: impl IntoIterator<Item = &'a Member>,
    plan: &NatsPlan,
) -> String {
    let mut out = String::from(
        "# Made by `taffrail hub config`. Make it again when devices come or go, then reload.\n",
    );
    head(&mut out, plan);
    // Writing to a String cannot fail.
    writeln!(out, "accounts {{\n  TAFFRAIL {{").ok();
    writeln!(
        out,
        "    jetstream {{ max_mem: 64M, max_file: {}G, max_streams: 3, max_consumers: 1000 }}",
        plan.gigabytes
    )
    .ok();
    writeln!(out, "    users: [").ok();
    for member in members.into_iter().filter(|it| it.is_current()) {
        user(&mut out, team, member);
    }
    writeln!(out, "    ]\n  }}\n}}").ok();
    out
}

fn head(out: &mut String, plan: &NatsPlan) {
    writeln!(out, "listen: {}", quoted(&plan.listen)).ok();
    writeln!(out, "http: \"127.0.0.1:{}\"", plan.monitor).ok();
    writeln!(out, "max_payload: {}", 2 * ENTRY_LIMIT).ok();
    // Without it a power cut loses what was acknowledged in the last two minutes.
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

fn user(out: &mut String, team: &Team, member: &Member) {
    let Some(door) = member.device.keys.door() else { return };
    let (team, device) = (team.as_str(), member.device.id.as_str());
    let publish = [
        format!("taffrail.{team}.log.{device}.>"),
        format!("$KV.taffrail_{team}.>"),
        format!("$O.taffrail_{team}.>"),
        "$JS.API.>".to_owned(),
        "$JS.ACK.>".to_owned(),
        "_INBOX.>".to_owned(),
    ];
    let never =
        ["$JS.API.STREAM.DELETE.>", "$JS.API.STREAM.PURGE.>", "$JS.API.STREAM.MSG.DELETE.>"];
    let list = |all: &mut dyn Iterator<Item = String>| all.collect::<Vec<_>>().join(", ");
    let allowed = list(&mut publish.iter().map(|it| quoted(it)));
    let denied = list(&mut never.iter().map(|it| quoted(it)));
    writeln!(out, "      # {device}").ok();
    writeln!(out, "      {{ nkey: {door}, permissions: {{").ok();
    writeln!(out, "          publish: {{ allow: [{allowed}], deny: [{denied}] }}").ok();
    writeln!(
        out,
        "          subscribe: {{ allow: [\"taffrail.{team}.>\", \"$KV.taffrail_{team}.>\", \"_INBOX.>\"] }} }} }}"
    )
    .ok();
}

/// A text in quotes, without what could end them.
fn quoted(text: &str) -> String {
    let plain: String =
        text.chars().filter(|it| !it.is_control() && !"\"\\".contains(*it)).collect();
    format!("\"{plain}\"")
}
