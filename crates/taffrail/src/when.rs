//! Times as people write and read them.

use taffrail_model::Timestamp;

const MINUTE: i64 = 60;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;
const TWO_MONTHS: i64 = 60 * DAY;

/// How long ago, short: `14s`, `2m`, `3h`, `5d`, `7w`.
pub(crate) fn ago(at: Timestamp, now: Timestamp) -> String {
    let seconds = (now.as_second() - at.as_second()).max(0);
    match seconds {
        ..MINUTE => format!("{seconds}s"),
        MINUTE..HOUR => format!("{}m", seconds / MINUTE),
        HOUR..DAY => format!("{}h", seconds / HOUR),
        DAY..TWO_MONTHS => format!("{}d", seconds / DAY),
        _ => format!("{}w", seconds / (7 * DAY)),
    }
}

/// Reads `7d`, `12h`, `30m`, a date, or a full time.
pub(crate) fn since(text: &str, now: Timestamp) -> Option<Timestamp> {
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

/// A day and a minute, in UTC.
pub(crate) fn minute(at: Timestamp) -> String {
    let text = at.to_string();
    text.get(..16).unwrap_or(&text).replace('T', " ")
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
    fn ages_are_short() {
        let now: Timestamp = "2026-11-15T12:00:00Z".parse().unwrap();
        let check = |at: &str, expected: &str| assert_eq!(ago(at.parse().unwrap(), now), expected);
        check("2026-11-15T11:59:46Z", "14s");
        check("2026-11-15T11:58:00Z", "2m");
        check("2026-11-15T09:00:00Z", "3h");
        check("2026-11-10T12:00:00Z", "5d");
        check("2026-01-10T12:00:00Z", "44w");
        check("2027-01-10T12:00:00Z", "0s");
    }
}
