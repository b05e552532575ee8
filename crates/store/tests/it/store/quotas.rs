//! Limits of accounts: a bounded history, whatever is read in whatever order.

use crate::store::builder::{Desk, at, piece, reader, who};
use proptest::prelude::*;
use taffrail_model::quota::{Observation, Reported, burnt, windows};

/// Five hours.
const WINDOW: i64 = 18_000;

/// Session `name` saw so many percent, of the window that its time is in.
fn seen(name: &str, second: i64, used: f64) -> Observation {
    let resets_at = at((second.div_euclid(WINDOW) + 1) * WINDOW);
    let (limit, source) = ("seed", "file");
    let reported =
        Reported { name: limit, window_minutes: 300, used_percent: used, resets_at, source };
    reported.by(&who(name), at(second)).unwrap()
}

/// Writes each in a batch of its own.
fn write(desk: &mut Desk, all: &[Observation], now: i64) {
    for quota in all {
        let mut observed = piece("a", &who("a")).made();
        observed.quotas.push(quota.clone());
        desk.writer.begin().unwrap();
        desk.writer.append(&observed, at(now)).unwrap();
        desk.writer.commit(at(now)).unwrap();
    }
}

fn known(desk: &Desk) -> Vec<Observation> {
    let mut all = desk.reader().quotas().unwrap();
    all.sort_by(|a, b| a.order().cmp(&b.order()));
    all
}

#[test]
fn what_is_seen_is_kept_for_six_windows_and_equal_figures_once_at_each_end() {
    let check = |written: &[Observation], expected: &[Observation]| {
        let mut desk = Desk::new();
        write(&mut desk, written, 10 * WINDOW);
        assert_eq!(known(&desk), expected);
    };
    let [first, second, third] =
        [(60, 1.0), (120, 2.0), (180, 2.0)].map(|it| seen("a", it.0, it.1));
    let all = [first.clone(), second.clone(), third];
    check(&all, &all);
    let run: Vec<_> = (2..90).map(|minute| seen("b", minute * 60, 2.0)).collect();
    let last = run.last().unwrap().clone();
    check(
        &[std::slice::from_ref(&first), run.as_slice()].concat(),
        &[first.clone(), run[0].clone(), last],
    );
    // At most one of a session in a minute: the latest.
    let (early, late) = (seen("a", 60, 1.0), seen("a", 90, 1.5));
    check(&[late.clone(), early], &[late]);
    // Older than six windows, and from the future.
    let now = seen("a", 7 * WINDOW, 7.0);
    check(&[first.clone(), now.clone(), second], &[now]);
    check(&[first.clone(), seen("a", 10 * WINDOW + 301, 7.0)], &[first]);
}

#[test]
fn a_file_that_names_many_limits_is_not_believed() {
    let mut desk = Desk::new();
    let many = (0..500).map(|number| {
        let mut it = seen("a", 60, 1.0);
        it.limit.name = format!("limit {number}");
        it
    });
    write(&mut desk, &many.collect::<Vec<_>>(), WINDOW);
    assert_eq!(known(&desk).len(), 64);
}

#[test]
fn a_session_that_is_forgotten_leaves_its_figures_and_not_its_name() {
    let mut desk = Desk::new();
    write(&mut desk, &[seen("a", 60, 1.0), seen("b", 120, 2.0)], WINDOW);
    let row = desk.session(&who("a")).row;
    desk.writer.erase(&[row], at(WINDOW)).unwrap();
    let nobody = Observation { session: None, ..seen("a", 60, 1.0) };
    assert_eq!(known(&desk), [nobody, seen("b", 120, 2.0)]);
}

#[test]
fn the_batch_of_limits_changes_only_with_them() {
    let mut desk = Desk::new();
    let batch = |desk: &Desk| reader(desk.folder.path()).quotas_batch().unwrap();
    assert_eq!(batch(&desk), None);
    write(&mut desk, &[seen("a", 60, 1.0)], WINDOW);
    let first = batch(&desk);
    assert!(first.is_some());
    write(&mut desk, &[seen("a", 60, 1.0)], WINDOW);
    assert_eq!(batch(&desk), first);
    write(&mut desk, &[seen("a", 120, 1.0)], WINDOW);
    assert_ne!(batch(&desk), first);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// What is not kept changes no answer: all at once and one by one say the same.
    #[test]
    fn leaving_out_repetitions_changes_no_answer(
        steps in prop::collection::vec((1..20_i64, 0..3_u32, any::<bool>()), 1..60)
    ) {
        let (mut minute, mut used, mut all) = (0, 0, Vec::new());
        for (minutes, more, is_first) in steps {
            minute += minutes;
            used += more;
            all.push(seen(if is_first { "a" } else { "b" }, minute * 60, f64::from(used)));
        }
        let now = at(minute * 60);
        let mut desk = Desk::new();
        write(&mut desk, &all, minute * 60);
        let kept = windows(known(&desk), now).remove(0);
        let whole = windows(all, now).remove(0);
        prop_assert_eq!(kept.current.last(), whole.current.last());
        prop_assert_eq!(burnt(&kept.current), burnt(&whole.current));
        prop_assert_eq!(kept.runway(now), whole.runway(now));
    }
}
