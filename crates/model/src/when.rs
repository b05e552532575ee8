//! Instants as people write them.

use crate::Timestamp;

const MINUTE: i64 = 60;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;

/// Parses `7d`, `12h`, `30m`, a date, or a full time. A span ends now.
#[must_use]
pub fn since(text: &str, now: Timestamp) -> Option<Timestamp> {
    let ago = || now.as_second().checked_sub(span(text)?);
    instant(text).or_else(|| Timestamp::from_second(ago()?).ok())
}

/// Parses the same. A span begins now.
#[must_use]
pub fn from_now(text: &str, now: Timestamp) -> Option<Timestamp> {
    let later = || now.as_second().checked_add(span(text)?);
    instant(text).or_else(|| Timestamp::from_second(later()?).ok())
}

/// A full time, or the start of a day in UTC.
fn instant(text: &str) -> Option<Timestamp> {
    let day = || (text.len() == 10).then(|| format!("{text}T00:00:00Z"));
    text.parse().ok().or_else(|| day()?.parse().ok())
}

/// A span, in seconds.
fn span(text: &str) -> Option<i64> {
    let (number, unit) = text.split_at_checked(text.len().checked_sub(1)?)?;
    let seconds = match unit {
        "s" => 1,
        "m" => MINUTE,
        "h" => HOUR,
        "d" => DAY,
        "w" => 7 * DAY,
        _ => return None,
    };
    let number: i64 = number.parse().ok().filter(|number| *number >= 0)?;
    number.checked_mul(seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_as_they_are_meant() {
        let now: Timestamp = "2026-11-15T12:00:00Z".parse().unwrap();
        let check = |text: &str, expected: Option<&str>| {
            assert_eq!(since(text, now).map(|at| at.to_string()).as_deref(), expected, "{text}");
        };
        check("7d", Some("2026-11-08T12:00:00Z"));
        check("90m", Some("2026-11-15T10:30:00Z"));
        check("2026-11-01", Some("2026-11-01T00:00:00Z"));
        check("2026-11-01T01:02:03Z", Some("2026-11-01T01:02:03Z"));
        check("soon", None);
        check("", None);
        check("-3d", None);
        check("99999999999999999d", None);
        check("é", None);
    }

    #[test]
    fn a_span_is_ahead_where_a_time_to_come_is_meant() {
        let now: Timestamp = "2026-11-15T12:00:00Z".parse().unwrap();
        let check = |text: &str, expected: Option<&str>| {
            assert_eq!(from_now(text, now).map(|at| at.to_string()).as_deref(), expected, "{text}");
        };
        check("90m", Some("2026-11-15T13:30:00Z"));
        check("2026-11-20", Some("2026-11-20T00:00:00Z"));
        check("2026-11-15T12:30:00+01:00", Some("2026-11-15T11:30:00Z"));
        check("soon", None);
        check("99999999999999999d", None);
    }
}
