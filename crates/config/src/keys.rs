//! The names of all settings, and a suggestion for a mistyped one.

use crate::error::ConfigError;

/// Every setting; `<id>` means an agent's id.
const KEYS: [&str; 59] = [
    "exclude",
    "archive.enabled",
    "archive.exclude",
    "archive.cap_mb",
    "retention.index_days",
    "retention.archive_days",
    "retention.journal_days",
    "retention.journal_mb",
    "run.scrollback_kb",
    "run.scrollback_total_mb",
    "otel.listen",
    "status.idle",
    "status.doubt",
    "status.turn_timeout",
    "summary.command",
    "summary.turns",
    "snapshots.history_folders",
    "approvals.unattended",
    "control.scripts",
    "notifications.desktop",
    "notifications.terminal",
    "notifications.webhook",
    "notifications.webhook_format",
    "notifications.webhook_secret_file",
    "notifications.command",
    "notifications.push",
    "notifications.ntfy",
    "notifications.ntfy_token_file",
    "notifications.telegram_chat",
    "notifications.telegram_token_file",
    "notifications.telegram_api",
    "notifications.waiting",
    "notifications.risky",
    "notifications.finished",
    "notifications.input",
    "notifications.findings",
    "notifications.quiet",
    "web.public_url",
    "hub.url",
    "hub.credentials",
    "hub.blobs",
    "hub.blob_credentials",
    "hub.keep_days",
    "hub.keep_mb",
    "sync.enabled",
    "sync.bodies",
    "sync.include",
    "sync.exclude",
    "sync.remote",
    "mcp.exclude",
    "queue.at_reset",
    "recall.brief",
    "recall.errors",
    "search.meaning",
    "board.theme",
    "agents.<id>.homes",
    "agents.<id>.server",
    "prices",
    "budgets",
];
/// A name is a suggestion only if at most one in this many letters differs.
const ALIKE: usize = 3;

/// The error for an unknown key; `None` if the key is known and its value is wrong.
pub fn unknown(key: &str) -> Option<ConfigError> {
    let is_known = KEYS.contains(&general(key).as_str());
    (!is_known).then(|| ConfigError::invalid(format!("unknown key `{key}`"), hint(key)))
}

/// The likely key, and where to find all of them.
fn hint(key: &str) -> String {
    let list = "docs/config.md lists every key";
    match nearest(key) {
        Some(near) => format!("did you mean `{near}`? {list}"),
        None => list.to_owned(),
    }
}

/// A key with the agent's id replaced by `<id>`.
fn general(key: &str) -> String {
    match key.split('.').collect::<Vec<_>>().as_slice() {
        ["agents", _, last] => format!("agents.<id>.{last}"),
        _ => key.to_owned(),
    }
}

fn nearest(key: &str) -> Option<&'static str> {
    let key = general(key);
    let is_last = |it: &&str| it.rsplit('.').next() == Some(key.as_str());
    if let Some(whole) = KEYS.into_iter().find(is_last) {
        return Some(whole);
    }
    let far = |it: &&'static str| distance(&key, it);
    let near = KEYS.into_iter().min_by_key(far)?;
    (distance(&key, near) * ALIKE <= near.len()).then_some(near)
}

/// The edit distance between two words.
fn distance(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (number, letter) in one.chars().enumerate() {
        let mut left = number + 1;
        let mut above = number;
        for (cell, there) in row.iter_mut().skip(1).zip(&other) {
            let changed = above + usize::from(letter != *there);
            above = *cell;
            *cell = changed.min(above + 1).min(left + 1);
            left = *cell;
        }
        if let Some(first) = row.first_mut() {
            *first = number + 1;
        }
    }
    row.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_as_far_from_another_as_it_takes_to_change_it() {
        let check = |one: &str, other: &str, expected: usize| {
            assert_eq!(distance(one, other), expected, "{one} {other}");
            assert_eq!(distance(other, one), expected, "{other} {one}");
        };
        check("", "", 0);
        check("", "abc", 3);
        check("hub.url", "hub.url", 0);
        check("hub.ulr", "hub.url", 2);
        check("kitten", "sitting", 3);
    }

    #[test]
    fn a_key_nobody_knows_leads_to_the_one_that_was_meant() {
        let check = |key: &str, expected: &str| {
            let said = match unknown(key) {
                Some(ConfigError::Invalid { message, hint }) => format!("{message}; {hint}"),
                _ => String::new(),
            };
            assert_eq!(said, expected, "{key}");
        };
        check("hub.url", "");
        check("agents.codex.homes", "");
        let list = "docs/config.md lists every key";
        check(
            "notifcations.desktop",
            &format!(
                "unknown key `notifcations.desktop`; did you mean `notifications.desktop`? {list}"
            ),
        );
        check(
            "desktop",
            &format!("unknown key `desktop`; did you mean `notifications.desktop`? {list}"),
        );
        check(
            "agents.codex.home",
            &format!("unknown key `agents.codex.home`; did you mean `agents.<id>.homes`? {list}"),
        );
        check("colour", &format!("unknown key `colour`; {list}"));
    }
}
