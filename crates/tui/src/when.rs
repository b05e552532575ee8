//! Times as people read them: in the reader's time zone, with the day named.
//!
//! The zone is read from the environment once, at the edge; everything here is a function of it.

use jiff::civil::Weekday;
use jiff::tz::TimeZone;
use jiff::{Span, Zoned};
use taffrail_model::{Ahead, Timestamp};

const MINUTE: i64 = 60;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;
const TWO_MONTHS: i64 = 60 * DAY;
/// Within this many days, a weekday identifies the day.
const WEEK: i32 = 6;
/// Within this many days, a day and a month identify the year.
const YEAR: i32 = 330;

/// How many clock changes are looked up: twenty years of daylight saving time.
const CHANGES: usize = 40;

/// The width of `Clock::minute`, for alignment.
pub const MINUTE_WIDTH: usize = 16;
/// The width of `Clock::second`.
pub const SECOND_WIDTH: usize = 19;

/// A short duration: `14s`, `2m`, `3h`, `5d`, `7w`. It fits after "for" and before "ago".
pub fn ago(at: Timestamp, now: Timestamp) -> String {
    let seconds = (now.as_second() - at.as_second()).max(0);
    match seconds {
        ..MINUTE => format!("{seconds}s"),
        MINUTE..HOUR => format!("{}m", seconds / MINUTE),
        HOUR..DAY => format!("{}h", seconds / HOUR),
        DAY..TWO_MONTHS => format!("{}d", seconds / DAY),
        _ => format!("{}w", seconds / (7 * DAY)),
    }
}

/// A time in absolute form: `Sun 2026-11-15 06:54`.
pub fn dated(at: Timestamp, zone: &TimeZone) -> String {
    let local = at.to_zoned(zone.clone());
    format!("{} {}", weekday(&local), local.strftime("%Y-%m-%d %H:%M"))
}

/// The current instant and the reader's time zone.
#[derive(Debug, Clone)]
pub struct Clock {
    /// The current instant.
    pub now: Timestamp,
    /// The reader's time zone.
    pub zone: TimeZone,
}

impl Clock {
    /// The day and the minute: `today 06:54`, `yesterday 23:10`, `Tue 09:12`, `2026-11-03 09:12`.
    pub fn minute(&self, at: Timestamp) -> String {
        let local = self.local(at);
        format!("{} {}", self.day(&local), local.strftime("%H:%M"))
    }

    /// A time ahead: today only the minute, in the next days with the weekday, then the date alone.
    pub fn soon(&self, at: Timestamp) -> String {
        let local = self.local(at);
        let form = match -self.days_since(&local) {
            0 => "%H:%M",
            1..=WEEK => "%a %H:%M",
            _ => "%-d %b",
        };
        local.strftime(form).to_string()
    }

    /// The same with seconds.
    pub fn second(&self, at: Timestamp) -> String {
        let local = self.local(at);
        format!("{} {}", self.day(&local), local.strftime("%H:%M:%S"))
    }

    /// For a column: `14s`, `2m` and `3h` within a day, then `Tue`, then `3 Nov`, then `Nov'25`.
    pub fn age(&self, at: Timestamp) -> String {
        let local = self.local(at);
        if self.now.as_second() - at.as_second() < DAY {
            return ago(at, self.now);
        }
        match self.days_since(&local) {
            days if days <= WEEK => weekday(&local).to_owned(),
            days if days <= YEAR => local.strftime("%-d %b").to_string(),
            _ => local.strftime("%b'%y").to_string(),
        }
    }

    /// For a file that is kept: the date, the minute, and the UTC offset.
    pub fn stated(&self, at: Timestamp) -> String {
        let local = self.local(at);
        let minute = local.strftime("%Y-%m-%d %H:%M");
        match local.offset().seconds() {
            0 => format!("{minute} UTC"),
            _ => format!("{minute} UTC{}", local.strftime("%:z")),
        }
    }

    /// The instant at which a date begins here; `None` if the text is not a date.
    pub fn midnight(&self, date: &str) -> Option<Timestamp> {
        let date: jiff::civil::Date = (date.len() == 10).then(|| date.parse().ok())??;
        Some(date.to_zoned(self.zone.clone()).ok()?.timestamp())
    }

    /// The UTC offset of this zone, now and at its latest changes.
    pub fn ahead(&self) -> Ahead {
        let offset = |at: Timestamp| i64::from(self.zone.to_offset(at).seconds());
        let changes = self.zone.preceding(self.now).take(CHANGES);
        let a_moment_before = |at: Timestamp| at - jiff::SignedDuration::from_secs(1);
        let mut before: Vec<_> =
            changes.map(|it| it.timestamp()).map(|at| (at, offset(a_moment_before(at)))).collect();
        before.reverse();
        Ahead { before, since: offset(self.now) }
    }

    fn local(&self, at: Timestamp) -> Zoned {
        at.to_zoned(self.zone.clone())
    }

    fn day(&self, local: &Zoned) -> String {
        match self.days_since(local) {
            0 => "today".to_owned(),
            1 => "yesterday".to_owned(),
            2..=WEEK => weekday(local).to_owned(),
            _ => local.strftime("%Y-%m-%d").to_string(),
        }
    }

    /// How many midnights are between a time and now; negative for the future.
    fn days_since(&self, local: &Zoned) -> i32 {
        let today = self.local(self.now).date();
        today.since(local.date()).as_ref().map_or(i32::MAX, Span::get_days)
    }
}

fn weekday(local: &Zoned) -> &'static str {
    match local.weekday() {
        Weekday::Monday => "Mon",
        Weekday::Tuesday => "Tue",
        Weekday::Wednesday => "Wed",
        Weekday::Thursday => "Thu",
        Weekday::Friday => "Fri",
        Weekday::Saturday => "Sat",
        Weekday::Sunday => "Sun",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A Sunday noon in UTC.
    const NOW: &str = "2026-11-15T12:00:00Z";

    fn clock(zone: &str) -> Clock {
        Clock { now: NOW.parse().unwrap(), zone: TimeZone::posix(zone).unwrap() }
    }

    #[test]
    fn spans_are_short() {
        let check = |at: &str, expected: &str| {
            assert_eq!(ago(at.parse().unwrap(), NOW.parse().unwrap()), expected, "{at}");
        };
        check("2026-11-15T11:59:46Z", "14s");
        check("2026-11-15T11:58:00Z", "2m");
        check("2026-11-15T09:00:00Z", "3h");
        check("2026-11-10T12:00:00Z", "5d");
        check("2026-01-10T12:00:00Z", "44w");
        check("2027-01-10T12:00:00Z", "0s");
    }

    #[test]
    fn a_time_names_its_day_by_the_clock_of_the_reader() {
        let check = |zone: &str, at: &str, expected: &str| {
            let told = clock(zone).minute(at.parse().unwrap());
            assert_eq!(told, expected, "{zone} {at}");
            assert!(told.len() <= MINUTE_WIDTH, "{told}");
        };
        check("UTC0", "2026-11-15T11:54:00Z", "today 11:54");
        check("UTC0", "2026-11-14T23:59:59Z", "yesterday 23:59");
        check("UTC0", "2026-11-13T08:00:00Z", "Fri 08:00");
        check("UTC0", "2026-11-09T08:00:00Z", "Mon 08:00");
        check("UTC0", "2026-11-08T08:00:00Z", "2026-11-08 08:00");
        check("UTC0", "2026-11-16T08:00:00Z", "2026-11-16 08:00");
        check("EST5EDT,M3.2.0,M11.1.0", "2026-11-15T03:00:00Z", "yesterday 22:00");
        check("EST5EDT,M3.2.0,M11.1.0", "2026-07-01T12:00:00Z", "2026-07-01 08:00");
        check("XST-5:30", "2026-11-14T18:30:00Z", "today 00:00");
        check("XWT8", "2026-11-15T07:59:00Z", "yesterday 23:59");
    }

    #[test]
    fn a_time_may_have_its_seconds() {
        let told = clock("XST-5:30").second("2026-11-03T06:30:09Z".parse().unwrap());
        assert_eq!((told.as_str(), told.len()), ("2026-11-03 12:00:09", SECOND_WIDTH));
    }

    #[test]
    fn a_column_of_ages_goes_from_spans_to_days_to_dates() {
        let check = |at: &str, expected: &str| {
            assert_eq!(clock("UTC0").age(at.parse().unwrap()), expected, "{at}");
        };
        check("2026-11-15T11:59:46Z", "14s");
        check("2026-11-14T12:00:01Z", "23h");
        check("2026-11-14T12:00:00Z", "Sat");
        check("2026-11-09T12:00:00Z", "Mon");
        check("2026-11-08T12:00:00Z", "8 Nov");
        check("2026-01-10T12:00:00Z", "10 Jan");
        check("2025-11-10T12:00:00Z", "Nov'25");
        check("2027-01-10T12:00:00Z", "0s");
    }

    #[test]
    fn a_file_says_its_zone() {
        let check = |zone: &str, expected: &str| {
            assert_eq!(clock(zone).stated("2026-11-15T11:54:00Z".parse().unwrap()), expected);
        };
        check("UTC0", "2026-11-15 11:54 UTC");
        check("EST5EDT,M3.2.0,M11.1.0", "2026-11-15 06:54 UTC-05:00");
        check("XST-5:30", "2026-11-15 17:24 UTC+05:30");
    }

    #[test]
    fn a_clock_knows_when_it_was_changed() {
        let zone = TimeZone::posix("EST5EDT,M3.2.0,M11.1.0").unwrap();
        let ahead = Clock { now: NOW.parse().unwrap(), zone }.ahead();
        let check = |at: &str, hours: i64| {
            assert_eq!(ahead.at(at.parse().unwrap()), hours * 3600, "{at}");
        };
        check("2026-11-15T12:00:00Z", -5);
        check("2026-11-01T05:59:59Z", -4);
        check("2026-11-01T06:00:00Z", -5);
        check("2026-07-01T00:00:00Z", -4);
        check("2020-01-01T00:00:00Z", -5);
        assert_eq!(clock("XST-5:30").ahead(), Ahead { before: Vec::new(), since: 19_800 });
    }

    #[test]
    fn a_date_begins_at_midnight_here() {
        let midnight = |zone: &str, date: &str| clock(zone).midnight(date).map(|it| it.to_string());
        assert_eq!(midnight("XST-5:30", "2026-11-01").as_deref(), Some("2026-10-31T18:30:00Z"));
        assert_eq!(midnight("UTC0", "2026-11-01").as_deref(), Some("2026-11-01T00:00:00Z"));
        assert_eq!(midnight("UTC0", "2026-11-31"), None);
        assert_eq!(midnight("UTC0", "7d"), None);
    }
}
