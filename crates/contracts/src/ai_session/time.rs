//! Timestamps and dates in the contract's files.

use crate::report::Level;
use crate::shape::Form;
use std::sync::LazyLock;
use taffrail_model::Timestamp;

/// A calendar date, and what follows it.
macro_rules! day {
    ($before:literal, $after:literal) => {
        concat!(
            "^",
            $before,
            "(?:",
            "[0-9]{4}-(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|",
            "[0-9]{4}-(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|",
            "[0-9]{4}-02-(?:0[1-9]|1[0-9]|2[0-8])|",
            "[0-9]{2}(?:0[48]|[2468][048]|[13579][26])-02-29|",
            "(?:[02468][048]|[13579][26])00-02-29",
            ")",
            $after,
            "$"
        )
    };
}

const DAY: &str = day!("", "");
const ID: &str = day!("[a-z0-9]+(?:-[a-z0-9]+)*-", "");
const ANY: &str = day!(
    "",
    "T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:[.][0-9]{1,9})?(?:Z|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9])?"
);
const WHOLE: &str = "(?:Z|[+-][0-9]{2}:[0-9]{2})$";

static ID_FORM: LazyLock<Form> = LazyLock::new(id);
static ANY_FORM: LazyLock<Form> = LazyLock::new(|| any(Level::Must));

/// The forms of a timestamp: a date and a time, and in strict validation its UTC offset.
pub(super) fn instants() -> Vec<Form> {
    let hint = "Write its distance from UTC, too: 2025-01-09T10:00:00Z.";
    vec![any(Level::Must), Form::new("timestamp-utc", Level::Strict, WHOLE, hint)]
}

/// The form of a date.
pub(super) fn day() -> Form {
    Form::new("date", Level::Must, DAY, "Write an ISO 8601 date such as 2025-01-09.")
}

/// The form of a feature's id.
pub(super) fn id() -> Form {
    let hint = "Write a lower-case slug with hyphens and a date: ai-orchestrator-2025-01-09.";
    Form::new("feature-id", Level::Must, ID, hint)
}

fn any(level: Level) -> Form {
    Form::new("timestamp", level, ANY, "Write an ISO 8601 timestamp such as 2025-01-09T10:00:00Z.")
}

/// Whether a text is a slug, a hyphen and a calendar date.
#[must_use]
pub fn is_feature_id(text: &str) -> bool {
    ID_FORM.fits(text)
}

/// Parses an ISO 8601 date and time; without an offset it is UTC.
#[must_use]
pub fn instant(text: &str) -> Option<Timestamp> {
    if !ANY_FORM.fits(text) {
        return None;
    }
    text.parse().or_else(|_| format!("{text}Z").parse()).ok()
}

/// The timestamp to write now: in whole microseconds, and later than the previous one.
#[must_use]
pub fn after(now: Timestamp, before: Option<Timestamp>) -> Timestamp {
    let micro = |at: Timestamp| Timestamp::from_microsecond(at.as_microsecond()).unwrap_or(at);
    let now = micro(now);
    let Some(before) = before else { return now };
    let next = Timestamp::from_microsecond(before.as_microsecond().saturating_add(1));
    now.max(next.unwrap_or(before))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn instants_are_read_as_they_are_written() {
        let check = |text: &str, expected: Option<&str>| {
            let read = instant(text).map(|at| at.to_string());
            assert_eq!(read.as_deref(), expected, "{text}");
        };
        check("2025-01-09T10:00:00Z", Some("2025-01-09T10:00:00Z"));
        check("2025-01-09T10:00:00.25+01:00", Some("2025-01-09T09:00:00.25Z"));
        check("2025-01-09T10:00:00", Some("2025-01-09T10:00:00Z"));
        check("2025-01-09T10:00:00.5", Some("2025-01-09T10:00:00.5Z"));
        for text in ["", "2025-01-09", "yesterday", "2025-13-09T10:00:00Z", "2025-01-09T10:00"] {
            check(text, None);
        }
        check("2025-02-29T10:00:00Z", None);
        check("2025-01-09 10:00:00Z", None);
        check("2025-01-09T10:00:00ZZ", None);
        check("2025-01-09T10:00:00+01:00[Europe/Paris]", None);
    }

    #[test]
    fn instants_never_step_back() {
        let check = |now: &str, before: Option<&str>, expected: &str| {
            let at = |text: &str| text.parse::<Timestamp>().unwrap();
            assert_eq!(after(at(now), before.map(at)).to_string(), expected);
        };
        let noon = "2026-11-15T12:00:00Z";
        check("2026-11-15T12:00:00.123456789Z", None, "2026-11-15T12:00:00.123456Z");
        check(noon, Some("2026-11-15T11:00:00Z"), noon);
        check(noon, Some(noon), "2026-11-15T12:00:00.000001Z");
        check(noon, Some("2026-11-15T12:00:00.000000999Z"), "2026-11-15T12:00:00.000001Z");
        check(noon, Some("2026-11-16T00:00:00.5Z"), "2026-11-16T00:00:00.500001Z");
    }

    #[test]
    fn ids_are_told_from_other_names() {
        let check =
            |text: &str, expected: bool| assert_eq!(is_feature_id(text), expected, "{text}");
        check("ai-orchestrator-2025-01-09", true);
        check("9-2025-01-09", true);
        for text in [
            "",
            "2025-01-09",
            "-2025-01-09",
            "a-2025-1-9",
            "a-2025-13-09",
            "a-2025-02-30",
            "A-2025-01-09",
            "a_b-2025-01-09",
            "a--b-2025-01-09",
            "a/../b-2025-01-09",
            "ü-2025-01-09",
            "a-2025-01-09 ",
            "a-2025-01-09\n",
            "a-2025-01-09T",
        ] {
            check(text, false);
        }
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_again(micros in 0_i64..4_000_000_000_000_000) {
            let at = Timestamp::from_microsecond(micros).unwrap();
            prop_assert_eq!(instant(&at.to_string()), Some(at));
        }
    }
}
