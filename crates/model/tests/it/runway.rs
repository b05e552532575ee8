//! When a window will be full: replayed windows, and what always holds.
#![expect(clippy::unwrap_used, reason = "helpers fail the test they help")]

use proptest::prelude::*;
use taffrail_model::quota::{Observation, Reported, Runway, Window, windows};
use taffrail_model::{AgentId, Timestamp};

const BEGAN: i64 = 1_800_000_000;
/// Five hours and a week, in minutes.
const FIVE_HOURS: i64 = 300;
const WEEK: i64 = 7 * DAY;
const DAY: i64 = 24 * HOUR;
const HOUR: i64 = 60;

fn at(minute: i64) -> Timestamp {
    Timestamp::from_second(BEGAN + minute * 60).unwrap()
}

/// What an agent reports at a minute of a window that begins at minute `begins`.
fn seen(length: i64, begins: i64, minute: i64, used: f64) -> Observation {
    let reported = Reported {
        name: "seed",
        window_minutes: length.unsigned_abs(),
        used_percent: used,
        resets_at: at(begins + length),
        source: "parrot-file",
    };
    reported.of(&AgentId::new("parrot"), at(begins + minute)).unwrap()
}

/// A window of five hours with these reports.
fn window(reports: &[(i64, f64)]) -> Window {
    let current = reports.iter().map(|(minute, used)| seen(FIVE_HOURS, 0, *minute, *used));
    Window { current: current.collect(), earlier: Vec::new() }
}

#[test]
fn a_window_that_cannot_be_full_before_its_reset_has_no_forecast() {
    let check = |reports: &[(i64, f64)], now: i64, expected: Option<(i64, Option<i64>)>| {
        let minute = |it: Timestamp| (it.as_second() - BEGAN) / 60;
        let found = window(reports).runway(at(now));
        let found = found.map(|it| (minute(it.from), it.until.map(minute)));
        assert_eq!(found, expected, "{reports:?}");
    };
    check(&[], 0, None);
    check(&[(1, 1.0)], 2, None);
    check(&[(0, 1.0), (9, 50.0)], 9, None);
    check(&[(0, 10.0), (30, 10.0)], 30, None);
    // The last rise is 75 minutes ago.
    check(&[(0, 1.0), (10, 60.0)], 85, None);
    // A tenth in half an hour: the reset comes first.
    check(&[(0, 0.0), (30, 9.0)], 30, None);
    check(&[(0, 99.0), (30, 100.0)], 35, Some((30, Some(30))));
    check(&[(0, 99.0), (30, 100.0)], FIVE_HOURS, None);
    // Half of it in 50 minutes: 50 more, or 65 with a pause.
    check(&[(0, 0.0), (25, 25.0), (50, 50.0)], 50, Some((99, Some(115))));
}

/// How many percent of its window an account uses in a minute.
type Pace = fn(i64) -> f64;

/// A pattern of use, and the minutes from which the forecast must hold: in the first window that is
/// seen, and in one after two of the same kind. A change of the pace cannot be foreseen, nor can the
/// first pause after two hours of work.
struct Pattern(&'static str, i64, Pace, [i64; 2]);

const PATTERNS: &[Pattern] = &[
    Pattern("steady, full after 100 min", FIVE_HOURS, |_| 1.0, [30, 30]),
    Pattern("steady, full after 200 min", FIVE_HOURS, |_| 0.5, [30, 30]),
    Pattern("steady, full after 285 min", FIVE_HOURS, |_| 0.35, [30, 30]),
    Pattern("steady, never full", FIVE_HOURS, |_| 0.2, [30, 30]),
    Pattern("bursts of 2 min every 10", FIVE_HOURS, |it| on(it, 10, 2, 2.5), [30, 30]),
    Pattern("bursts of 3 min every 15", FIVE_HOURS, |it| on(it, 15, 3, 2.0), [30, 30]),
    Pattern("bursts of 5 min every 20", FIVE_HOURS, |it| on(it, 20, 5, 1.6), [30, 30]),
    Pattern("10 min of work, 5 of pause", FIVE_HOURS, |it| on(it, 15, 10, 0.9), [30, 30]),
    Pattern("20 min of work, 10 of pause", FIVE_HOURS, |it| on(it, 30, 20, 0.6), [30, 30]),
    Pattern("30 min of work, 15 of pause", FIVE_HOURS, |it| on(it, 45, 30, 0.5), [30, 30]),
    Pattern("50 min of work, 10 of pause", FIVE_HOURS, |it| on(it, 60, 50, 0.5), [30, 30]),
    Pattern("50 min of fast work, 10 of pause", FIVE_HOURS, |it| on(it, 60, 50, 0.8), [30, 30]),
    Pattern("an hour of lunch", FIVE_HOURS, lunch, [120, 30]),
    Pattern("slow, then fast", FIVE_HOURS, |it| if it < 60 { 0.2 } else { 0.8 }, [85, 85]),
    Pattern("fast, then slow", FIVE_HOURS, |it| if it < 60 { 0.8 } else { 0.2 }, [120, 120]),
    Pattern("a second session joins", FIVE_HOURS, |it| if it < 45 { 0.3 } else { 0.6 }, [75, 75]),
    Pattern("three sessions", FIVE_HOURS, three, [30, 30]),
    Pattern("a steady week, full", WEEK, |_| 0.02, [WEEK / 10, WEEK / 10]),
    Pattern("a steady week, nearly full", WEEK, |_| 0.011, [WEEK / 10, WEEK / 10]),
    Pattern("days of 8 h", WEEK, |it| on(it, DAY, 8 * HOUR, 0.05), [WEEK / 10, WEEK / 10]),
    Pattern("days of 12 h", WEEK, |it| on(it, DAY, 12 * HOUR, 0.03), [WEEK / 10, WEEK / 10]),
    Pattern("days of 8 h and a weekend", WEEK, weekend, [2 * DAY, WEEK / 10]),
    Pattern("evenings of 3 h", WEEK, |it| on(it, DAY, 3 * HOUR, 0.12), [WEEK / 10, WEEK / 10]),
];

/// So much at the beginning of each round.
fn on(minute: i64, round: i64, work: i64, pace: f64) -> f64 {
    if minute % round < work { pace } else { 0.0 }
}

fn lunch(minute: i64) -> f64 {
    if (100..160).contains(&minute) { 0.0 } else { 0.5 }
}

fn three(minute: i64) -> f64 {
    0.2 + on(minute, 20, 12, 0.2) + on(minute, 35, 20, 0.15)
}

fn weekend(minute: i64) -> f64 {
    if minute < 5 * DAY { on(minute, DAY, 8 * HOUR, 0.06) } else { 0.0 }
}

/// The reports of a window that begins at a minute, and the minute at which it is full or ends.
/// Agents report whole percents, and only while they work; in a week every ten minutes.
fn replayed(pattern: &Pattern, begins: i64) -> (Vec<Observation>, i64) {
    let Pattern(_, length, pace, _) = pattern;
    let (mut used, mut reports, mut minute) = (0.0, Vec::new(), 0);
    while minute < *length && used < 100.0 {
        if (pace(minute) > 0.0 && minute % every(*length) == 0) || reports.is_empty() {
            reports.push(seen(*length, begins, minute, f64::floor(used)));
        }
        used += pace(minute);
        minute += 1;
    }
    (reports, minute)
}

fn every(length: i64) -> i64 {
    if length == WEEK { 10 } else { 1 }
}

/// What the replayed forecasts were worth.
#[derive(Debug, Default)]
struct Worth {
    /// The largest error of an instant, and of a range, in percent of the window.
    worst: i64,
    worst_range: i64,
    /// How many forecasts were instants, ranges, and not known or after the reset.
    instants: usize,
    ranges: usize,
    none: usize,
}

fn worth(pattern: &Pattern, earlier: usize, since: i64) -> Worth {
    let Pattern(_, length, ..) = pattern;
    let begins = |window: usize| length * i64::try_from(window).unwrap();
    let earlier: Vec<_> = (0..earlier).map(|it| replayed(pattern, begins(it)).0).collect();
    let start = begins(earlier.len());
    let (reports, end) = replayed(pattern, start);
    let mut worth = Worth::default();
    for minute in (since..end).step_by(usize::try_from(6 * every(*length) - 5).unwrap()) {
        let now = at(start + minute);
        let known = reports.iter().filter(|it| it.at <= now);
        let window = Window { current: known.cloned().collect(), earlier: earlier.clone() };
        // A stale figure has no forecast on any screen.
        if !window.current.last().unwrap().is_stale(now) {
            note(&mut worth, window.runway(now), (start, end, *length));
        }
    }
    worth
}

fn note(worth: &mut Worth, runway: Option<Runway>, (start, end, length): (i64, i64, i64)) {
    let minute = |it: Timestamp| (it.as_second() - BEGAN) / 60 - start;
    let error = |minutes: i64| minutes.max(0) * 100 / length;
    match runway {
        Some(Runway { at: Some(at), .. }) => {
            worth.instants += 1;
            worth.worst = worth.worst.max(error((minute(at) - end).abs()));
        }
        Some(Runway { from, until, .. }) => {
            worth.ranges += 1;
            let until = until.map_or(length, minute);
            let missed = error((minute(from) - end).max(end - until));
            worth.worst_range = worth.worst_range.max(missed);
        }
        // Without a forecast the reset is expected to come first.
        None => {
            worth.none += 1;
            worth.worst = worth.worst.max(error(length - end));
        }
    }
}

#[test]
fn the_forecast_is_right_to_a_tenth_of_the_window() {
    let mut wrong = Vec::new();
    for pattern in PATTERNS {
        let Pattern(name, _, _, since) = pattern;
        for (earlier, since) in [(0, since[0]), (2, since[1])] {
            let worth = worth(pattern, earlier, since);
            println!("{name}, {earlier} earlier windows: {worth:?}");
            if worth.worst > 10 || worth.worst_range > 10 {
                wrong.push(format!("{name}, {earlier} earlier windows: {worth:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn half_an_hour_of_work_before_a_pause_does_not_look_like_steady_work() {
    let find = |name: &str| PATTERNS.iter().find(|it| it.0 == name).unwrap();
    let runway = |name: &str, earlier: usize| {
        let earlier = (0..earlier).map(|it| replayed(find(name), FIVE_HOURS * it as i64).0);
        let earlier: Vec<_> = earlier.collect();
        let start = FIVE_HOURS * i64::try_from(earlier.len()).unwrap();
        let current = replayed(find(name), start).0.into_iter().take(30).collect();
        let runway = Window { current, earlier }.runway(at(start + 30)).unwrap();
        let minute = |it: Timestamp| (it.as_second() - BEGAN) / 60 - start;
        (minute(runway.from), runway.until.map(minute), runway.at.map(minute))
    };
    let (steady, paused) = ("steady, full after 200 min", "30 min of work, 15 of pause");
    // The same reports say the same, and not one instant.
    assert_eq!(runway(steady, 0), runway(paused, 0));
    assert_eq!(runway(steady, 0).2, None);
    // Earlier windows tell them apart: they are full after 200 and after 290 minutes.
    assert_eq!((runway(steady, 2).2, runway(paused, 2).2), (Some(203), Some(282)));
}

fn reports() -> impl Strategy<Value = Vec<(i64, u32)>> {
    prop::collection::vec((0..FIVE_HOURS, 0_u32..11_000), 1..40)
}

fn known(reports: &[(i64, u32)], begins: i64) -> Vec<Observation> {
    let all = reports.iter();
    all.map(|(minute, used)| seen(FIVE_HOURS, begins, *minute, f64::from(*used) / 100.0)).collect()
}

proptest! {
    #[test]
    fn a_forecast_is_in_order_and_before_the_reset(
        past in reports(), current in reports(), later in 0..FIVE_HOURS
    ) {
        let all = [known(&past, 0), known(&current, FIVE_HOURS)].concat();
        let window = windows(all, at(2 * FIVE_HOURS)).remove(0);
        let (first, newest) = (window.current.first().unwrap(), window.current.last().unwrap());
        let now = Timestamp::from_second(newest.at.as_second() + later * 60).unwrap();
        if let Some(it) = window.runway(now) {
            prop_assert!(first.at <= it.from && it.from < newest.resets_at);
            prop_assert!(it.until.is_none_or(|until| it.from <= until && until < newest.resets_at));
            prop_assert!(it.at.is_none_or(|at| it.from <= at && at <= it.until.unwrap_or(newest.resets_at)));
        }
    }

    /// Steady work has a forecast from half an hour on, and one instant after an hour and a half.
    #[test]
    fn steady_work_is_not_silent(pace in 35_i64..200, part in 0.0_f64..1.0) {
        let end = ((100 * 100 + pace - 1) / pace).min(FIVE_HOURS);
        let minute = 30 + ((end - 31) as f64 * part) as i64;
        let reports: Vec<_> = (0..=minute).map(|it| (it, (pace * it / 100) as f64)).collect();
        let runway = window(&reports).runway(at(minute)).unwrap();
        let minutes = |it: Timestamp| (it.as_second() - BEGAN) / 60;
        let (from, until) = (minutes(runway.from), runway.until.map_or(FIVE_HOURS, minutes));
        prop_assert!((from - 3..=until + 3).contains(&end), "{}: {:?}", end, runway);
        prop_assert!(minute < 90 || runway.at.is_some(), "{:?}", runway);
        let error = runway.at.map_or(0, |it| (minutes(it) - end).abs());
        prop_assert!(error <= FIVE_HOURS / 10, "{}: {:?}", end, runway);
    }
}
