//! Tests of the quality measures.

use crate::findings::kit::Tale;
use taffrail_model::findings::{
    Outcome, Quality, QualityFold, SessionQuality, Step, TooLate, quality, total,
};
use taffrail_model::{Origin, Signal};

#[test]
fn a_session_is_reckoned_up() {
    let check = |tale: &Tale, expected: SessionQuality| assert_eq!(quality(tale.steps()), expected);
    check(&Tale::default(), SessionQuality::default());
    let open = || SessionQuality { outcome: UNANSWERED, ..SessionQuality::default() };
    check(&Tale::new(), open());
    check(&Tale::new().done("ok"), SessionQuality { turns: Some(1), ..SessionQuality::default() });
    let two = Tale::new()
        .run("cargo test", 1, "x")
        .run("cargo test", 1, "x")
        .run("cargo test", 0, "x")
        .done("ok")
        .later(9)
        .prompt("more")
        .run("make", 0, "")
        .done("ok");
    let fixed = || SessionQuality { fixed: Some(1), ..SessionQuality::default() };
    check(&two, SessionQuality { turns: Some(2), idle: vec![10_000], ..fixed() });
    let more = SessionQuality { idle: vec![10_000, 1000], outcome: UNANSWERED, ..fixed() };
    check(&two.prompt("and"), more);
    let settled = Signal::Settled { call: String::new(), input: String::new() };
    let asked = Tale::new().asks_approval("ls").later(4).live(Origin::Hook, settled, "");
    check(&asked, SessionQuality { approvals: vec![5000], ..open() });
}

/// The agent said nothing after the last prompt.
const UNANSWERED: Outcome = Outcome { changes: 0, commits: 0, is_unanswered: true };

#[test]
fn what_came_out_of_a_session_is_counted_where_calls_succeed() {
    let check = |tale: &Tale, expected: Outcome| {
        assert_eq!(quality(tale.steps()).outcome, expected);
    };
    let commit = |commits| Outcome { commits, ..UNANSWERED };
    check(&Tale::new(), UNANSWERED);
    check(&Tale::new().run("git commit -m x", 0, ""), commit(1));
    check(&Tale::new().run("git commit -m x", 1, ""), commit(0));
    let both = Tale::new().run("cargo test && git -C a commit -m x", 0, "");
    check(&both, commit(1));
    check(&both.done("ok"), Outcome { is_unanswered: false, ..commit(1) });
}

/// The answer of any call ended the wait of every request.
#[test]
fn the_latency_of_an_approval_ends_with_its_own_answer() {
    let called =
        |call: &str, input: &str| Signal::Called { call: call.into(), input: input.into() };
    let answered = |call: &str| Signal::Answered { call: call.into() };
    let asked = |input: &str| Signal::AskedApproval { input: input.into() };
    let settled = |input: &str| Signal::Settled { call: String::new(), input: input.into() };
    let check = |signals: &[(i64, Signal)], expected: &[u64]| {
        let hear = |tale: Tale, (wait, signal): &(i64, Signal)| {
            tale.later(*wait).live(Origin::Hook, signal.clone(), "")
        };
        let tale = signals.iter().fold(Tale::new(), hear);
        assert_eq!(quality(tale.steps()).approvals, expected, "{signals:?}");
    };
    let one = [(0, called("a", "x")), (0, asked("x"))];
    let other = [(0, called("b", "y")), (2, answered("b"))];
    check(&[&one[..], &other, &[(4, answered("a"))]].concat(), &[9000]);
    check(&[&one[..], &other, &[(4, settled("x"))]].concat(), &[9000]);
    check(&[&one[..], &other].concat(), &[]);
    let two = [(0, asked("y")), (1, settled("y")), (1, settled("x"))];
    check(&[&one[..], &two].concat(), &[2000, 5000]);
    // A reminder about an open request does not begin another wait.
    check(&[&one[..], &[(3, asked("x")), (0, settled("x"))]].concat(), &[5000]);
}

#[test]
fn what_is_not_known_is_absent() {
    assert_eq!(total(&[]), Quality::default());
    let none = SessionQuality::default;
    let one = SessionQuality { turns: Some(3), approvals: vec![5, 1, 9], ..none() };
    let other = SessionQuality { turns: Some(1), fixed: Some(2), idle: vec![7], ..none() };
    let expected = Quality {
        sessions: 3,
        turns_to_completion: Some(1),
        test_fix_loops: Some(2),
        approval_latency_ms: Some(5),
        idle_ms: Some(7),
    };
    assert_eq!(total(&[one, other, none()]), expected);
}

/// Twenty turns with a failing and a passing check each, and an approval in each.
fn long() -> Vec<Step> {
    let settled = Signal::Settled { call: String::new(), input: String::new() };
    let turn = |tale: Tale, number: i64| {
        let asked = tale.prompt("more").run("cargo test", 1, "x").asks_approval("ls").later(number);
        asked.live(Origin::Hook, settled.clone(), "").run("cargo test", 0, "x").done("ok")
    };
    (0..20).fold(Tale::default(), turn).steps()
}

/// Folds parts one after the other, each through its stored form.
fn in_parts<'a>(parts: impl IntoIterator<Item = &'a [Step]>) -> Result<SessionQuality, TooLate> {
    let mut json = serde_json::to_string(&QualityFold::default()).unwrap();
    for part in parts {
        let mut fold: QualityFold = serde_json::from_str(&json).unwrap();
        fold.add(part.to_vec())?;
        json = serde_json::to_string(&fold).unwrap();
    }
    Ok(serde_json::from_str::<QualityFold>(&json).unwrap().quality())
}

#[test]
fn any_cut_of_a_session_measures_the_same() {
    let steps = long();
    let whole = quality(steps.clone());
    assert_eq!((whole.turns, whole.fixed, whole.idle.len()), (Some(20), Some(20), 19));
    for size in [1, 2, 3, 7, 50, 1000] {
        assert_eq!(in_parts(steps.chunks(size)), Ok(whole.clone()), "{size}");
        let mut swapped = steps.clone();
        swapped.chunks_mut(size.min(12)).for_each(<[Step]>::reverse);
        assert_eq!(in_parts(swapped.chunks(5)), Ok(whole.clone()), "{size}, reversed");
    }
}

#[test]
fn a_step_that_comes_too_late_is_refused() {
    let steps = long();
    let (first, rest) = steps.split_at(1);
    let mut fold = QualityFold::default();
    fold.add(rest.to_vec()).unwrap();
    let before = fold.clone();
    assert_eq!(fold.add(first.to_vec()), Err(TooLate));
    assert_eq!(fold, before);
}
