//! Windows of limits: which observation counts, who used what, and when a window will be full.
#![expect(clippy::unwrap_used, reason = "helpers fail the test they help")]

use proptest::prelude::*;
use taffrail_model::quota::{Limit, Observation, Percent, QuotaSource, Reported, burnt, windows};
use taffrail_model::{AgentId, RuntimeIdentity, SessionId, Timestamp};

const BEGAN: i64 = 1_800_000_000;
/// Five hours.
const WINDOW: i64 = 18_000;

fn at(seconds: i64) -> Timestamp {
    Timestamp::from_second(BEGAN + seconds).unwrap()
}

fn who(name: &str) -> RuntimeIdentity {
    RuntimeIdentity::new(AgentId::new("parrot"), "", name)
}

fn session(name: &str) -> SessionId {
    who(name).session()
}

fn reported(used: f64, resets: i64) -> Reported<'static> {
    let (name, source) = ("seed", "parrot-file");
    Reported { name, window_minutes: 300, used_percent: used, resets_at: at(resets), source }
}

/// Session `name` saw `used` percent at a second of a window of five hours.
fn seen(name: &str, seconds: i64, used: f64) -> Observation {
    reported(used, WINDOW).by(&who(name), at(seconds)).unwrap()
}

#[test]
fn a_report_that_cannot_be_true_is_ignored() {
    let check = |change: &dyn Fn(&mut Reported<'static>), expected: bool| {
        let mut it = reported(64.0, WINDOW);
        change(&mut it);
        assert_eq!(it.by(&who("a"), at(0)).is_some(), expected, "{it:?}");
    };
    check(&|_| {}, true);
    check(&|it| it.used_percent = 0.0, true);
    check(&|it| it.used_percent = 104.5, true);
    check(&|it| it.used_percent = -1.0, false);
    check(&|it| it.used_percent = f64::NAN, false);
    check(&|it| it.used_percent = f64::INFINITY, false);
    check(&|it| it.window_minutes = 0, false);
    check(&|it| it.window_minutes = u64::MAX, false);
    check(&|it| it.resets_at = at(-1), true);
    check(&|it| it.resets_at = at(2 * WINDOW), true);
    check(&|it| it.resets_at = at(3 * WINDOW), false);
    let limit = Limit { agent: AgentId::new("parrot"), window_minutes: 300, name: "seed".into() };
    let expected = Observation {
        limit,
        used: Percent::hundredths(6_400),
        resets_at: at(WINDOW),
        at: at(5),
        source: QuotaSource::new("parrot-file"),
        session: Some(session("a")),
    };
    assert_eq!(reported(64.0, WINDOW).by(&who("a"), at(5)), Some(expected));
}

#[test]
fn a_figure_is_stale_after_its_reset_and_after_a_fifth_of_its_window() {
    let check = |minutes: u64, seconds: i64, expected: bool| {
        let limit = Reported { window_minutes: minutes, ..reported(1.0, minutes as i64 * 60) };
        let seen = limit.by(&who("a"), at(0)).unwrap();
        assert_eq!(seen.is_stale(at(seconds)), expected, "{minutes} min, {seconds} s later");
    };
    check(300, 0, false);
    check(300, 3_600, false);
    check(300, 3_601, true);
    check(300, WINDOW, true);
    check(10_080, 3_601, false);
    check(10_080, 86_400, false);
    check(10_080, 86_401, true);
    let reset = reported(1.0, 10).by(&who("a"), at(0)).unwrap();
    assert_eq!([9, 10].map(|it| reset.is_stale(at(it))), [false, true]);
}

#[test]
fn a_rise_belongs_to_the_session_that_reported_it() {
    let check = |history: &[(&str, i64, f64)], expected: &[(&str, f64)]| {
        let history: Vec<_> = history.iter().map(|(who, at, used)| seen(who, *at, *used)).collect();
        let expected: Vec<_> =
            expected.iter().map(|(who, it)| (session(who), Percent::of(*it).unwrap())).collect();
        assert_eq!(burnt(&history), expected, "{history:?}");
    };
    check(&[], &[]);
    // What was used before the first report belongs to nobody, unless the window began with it.
    check(&[("a", 7_200, 35.0)], &[]);
    check(&[("a", 60, 1.0)], &[("a", 1.0)]);
    check(&[("a", 7_200, 35.0), ("b", 7_260, 61.0), ("b", 7_320, 64.0)], &[("b", 29.0)]);
    check(&[("a", 60, 1.0), ("b", 90, 3.5), ("a", 120, 4.0)], &[("b", 2.5), ("a", 1.5)]);
    // An idle session repeats an old figure.
    check(&[("a", 60, 9.0), ("b", 90, 2.0), ("a", 120, 10.0)], &[("a", 10.0)]);
    check(&[("a", 60, 9.0), ("b", 90, 9.0)], &[("a", 9.0)]);
}

fn observations() -> impl Strategy<Value = Vec<Observation>> {
    let one = (0..WINDOW, 0_u32..11_000, prop::sample::select(vec!["a", "b", "c"]), any::<bool>());
    let one = one.prop_map(|(seconds, used, name, is_next)| {
        let resets = if is_next { 2 * WINDOW } else { WINDOW };
        let seconds = if is_next { seconds + WINDOW } else { seconds };
        reported(f64::from(used) / 100.0, resets).by(&who(name), at(seconds)).unwrap()
    });
    prop::collection::vec(one, 1..30)
}

proptest! {
    #[test]
    fn the_newest_counts_in_any_order(mut all in observations(), mixed in any::<prop::sample::Index>()) {
        let first = windows(all.clone(), at(2 * WINDOW));
        let cut = mixed.index(all.len());
        all.rotate_left(cut);
        prop_assert_eq!(&windows(all.clone(), at(2 * WINDOW)), &first);
        let newest = all.iter().max_by(|a, b| a.order().cmp(&b.order())).unwrap();
        let window = &first.first().unwrap().current;
        prop_assert_eq!(window.last(), Some(newest));
        prop_assert!(window.iter().all(|it| it.is_of_window(newest)));
    }

    #[test]
    fn sessions_use_no_more_than_the_fullest_report(all in observations()) {
        for window in windows(all, at(2 * WINDOW)) {
            let total = burnt(&window.current).iter().map(|it| it.1.as_hundredths()).sum::<u32>();
            let most = window.current.iter().map(|it| it.used.as_hundredths()).max().unwrap();
            prop_assert!(total <= most, "{} of {}", total, most);
        }
    }

    #[test]
    fn repeated_figures_change_nothing(all in observations()) {
        let once = windows(all.clone(), at(2 * WINDOW)).remove(0);
        let twice = windows([all.clone(), all].concat(), at(2 * WINDOW)).remove(0);
        prop_assert_eq!(burnt(&once.current), burnt(&twice.current));
        let now = once.current.last().unwrap().at;
        prop_assert_eq!(once.runway(now), twice.runway(now));
    }
}
