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

/// A day and a minute, in UTC.
pub(crate) fn minute(at: Timestamp) -> String {
    let text = at.to_string();
    text.get(..16).unwrap_or(&text).replace('T', " ")
}

#[cfg(test)]
mod tests {
    use super::*;

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
