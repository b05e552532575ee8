//! Prompt histories: files in which an agent keeps every prompt, also of sessions whose transcripts
//! it deleted. Such a file is a source of many sessions.

use crate::{Timestamp, journal};

/// The scheme of the locators of prompt histories.
pub const SCHEME: &str = "prompts";
/// A session of which only prompts are left counts after this many seconds without a prompt: an
/// agent writes its prompt history at once and its transcript a little later.
pub const SETTLED_SECONDS: i64 = 600;

/// The locator of an agent's prompt history.
#[must_use]
pub fn locator(agent: &str, path: &str) -> String {
    format!("{SCHEME}:{agent}/{path}")
}

/// Whether a locator belongs to a prompt history.
#[must_use]
pub fn is_locator(locator: &str) -> bool {
    locator.strip_prefix(SCHEME).is_some_and(|rest| rest.starts_with(':'))
}

/// Whether a source holds many sessions and its reader keeps nothing but their facts: the journal
/// and prompt histories.
#[must_use]
pub fn is_shared(locator: &str) -> bool {
    is_locator(locator) || journal::is_locator(locator)
}

/// The instant before which the last prompt of such a session must be.
#[must_use]
pub fn settled(now: Timestamp) -> Timestamp {
    Timestamp::from_second(now.as_second().saturating_sub(SETTLED_SECONDS)).unwrap_or(now)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prompt_history_is_known_by_its_locator() {
        let locator = locator("toy", "history.jsonl");
        assert_eq!(locator, "prompts:toy/history.jsonl");
        let check = |locator: &str, expected: (bool, bool)| {
            assert_eq!((is_locator(locator), is_shared(locator)), expected, "{locator}");
        };
        check(&locator, (true, true));
        check("journal:toy/2026.jsonl", (false, true));
        check("prompted:toy", (false, false));
        check("toy-jsonl:-w/s1.jsonl", (false, false));
    }
}
