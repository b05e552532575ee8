//! How long agents keep their transcripts, and which of them they delete next.

use serde_json::Value;
use std::collections::HashSet;
use std::io::Read;
use taffrail_adapters::Retention;
use taffrail_capture::{Discovery, Home, SourceFile, open_below};
use taffrail_model::{RuntimeIdentity, SessionId, Timestamp};

/// The size limit of a settings file.
const SETTINGS_LIMIT: u64 = 1024 * 1024;
const DAY: i64 = 86_400;
/// Deletions this many days ahead are reported.
const AHEAD: i64 = 7;

/// How long an agent keeps its history.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeptFor {
    /// The user set so many days.
    SetDays(u64),
    /// The agent's default.
    DefaultDays(u64),
    /// Nothing is deleted.
    Forever,
}

impl KeptFor {
    /// The days, unless nothing is deleted.
    #[must_use]
    pub fn days(self) -> Option<u64> {
        match self {
            Self::SetDays(days) | Self::DefaultDays(days) => Some(days),
            Self::Forever => None,
        }
    }
}

/// How long the agent of a home keeps its history; `None` if it has no clean-up.
#[must_use]
pub fn retention_of(home: &Home) -> Option<KeptFor> {
    let rule = home.adapter.descriptor().retention.as_ref().filter(|_| !home.journal)?;
    Some(kept_for(&agent_settings(home, rule.file), rule))
}

/// An agent's settings in a file of its home. A file that is absent or not JSON sets nothing.
#[must_use]
pub fn agent_settings(home: &Home, below: &str) -> Value {
    let read = || {
        let mut text = String::new();
        let file = open_below(&home.root, below).ok()?;
        file.take(SETTINGS_LIMIT).read_to_string(&mut text).ok()?;
        serde_json::from_str(&text).ok()
    };
    read().unwrap_or_default()
}

/// How many sessions lose their transcripts within seven days, by the time at which each file was
/// last written. Sub-agents go with their sessions.
#[must_use]
pub fn deleted_within_week(homes: &[Home], discovery: &Discovery, now: Timestamp) -> u64 {
    let ends: Vec<(String, i64)> = homes.iter().filter_map(|it| last_kept(it, now)).collect();
    let session = |it: &SourceFile| {
        let end = ends.iter().find(|(root, _)| *root == it.home)?.1;
        let is_due = it.fingerprint.modified_ns / 1_000_000_000 < end && !it.place.is_worker;
        it.place.session.as_ref().filter(|_| is_due).map(RuntimeIdentity::session)
    };
    let due: HashSet<SessionId> = discovery.found.iter().filter_map(session).collect();
    due.len() as u64
}

/// A home, and the second since when a transcript must be written to outlive the next seven days.
fn last_kept(home: &Home, now: Timestamp) -> Option<(String, i64)> {
    let days = i64::try_from(retention_of(home)?.days()?).ok()?.checked_sub(AHEAD)?;
    let end = now.as_second().checked_sub(days.checked_mul(DAY)?)?;
    Some((home.root.to_string_lossy().into_owned(), end))
}

fn kept_for(settings: &Value, rule: &Retention) -> KeptFor {
    let switch = rule.switch.and_then(|pointer| settings.pointer(pointer));
    if switch == Some(&Value::Bool(false)) {
        return KeptFor::Forever;
    }
    match settings.pointer(rule.pointer).and_then(days) {
        Some(days) => KeptFor::SetDays(days),
        None => rule.default_days.map_or(KeptFor::Forever, KeptFor::DefaultDays),
    }
}

fn days(value: &Value) -> Option<u64> {
    value.as_u64().or_else(|| value.as_str()?.trim_end_matches('d').parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_an_agents_settings_mean_for_its_history() {
        let rule = Retention {
            file: "settings.json",
            pointer: "/keep",
            switch: Some("/on"),
            default_days: Some(30),
            fix: "",
        };
        let check = |settings: Value, expected| assert_eq!(kept_for(&settings, &rule), expected);
        check(json!({}), KeptFor::DefaultDays(30));
        check(json!({"keep": 99999}), KeptFor::SetDays(99999));
        check(json!({"keep": "7d"}), KeptFor::SetDays(7));
        check(json!({"keep": "soon"}), KeptFor::DefaultDays(30));
        check(json!({"keep": 7, "on": false}), KeptFor::Forever);
    }
}
