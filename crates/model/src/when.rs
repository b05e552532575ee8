//! Instants as people write them.

use crate::Timestamp;

const MINUTE: i64 = 60;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;

/// Parses `7d`, `12h`, `30m`, a date, or a full time.
#[must_use]
pub fn since(text: &str, now: Timestamp) -> Option<Timestamp> {
    if let Ok(at) = text.parse() {
        return Some(at);
    }
    if text.len() == 10
        && let Ok(at) = format!("{text}T00:00:00Z").parse()
    {
        return Some(at);
    }
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
    Timestamp::from_second(now.as_second().checked_sub(number.checked_mul(seconds)?)?).ok()
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
}
