//! Tests of the quality measures.

use crate::findings::kit::Tale;
use taffrail_model::findings::{Quality, SessionQuality, quality, total};
use taffrail_model::{Origin, Signal};

#[test]
fn a_session_is_reckoned_up() {
    let check = |tale: &Tale, expected: SessionQuality| assert_eq!(quality(tale.heard()), expected);
    check(&Tale::default(), SessionQuality::default());
    check(&Tale::new(), SessionQuality::default());
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
    let expected =
        SessionQuality { turns: Some(2), fixed: Some(1), approvals: vec![], idle: vec![10_000] };
    check(&two, expected);
    check(
        &two.prompt("and"),
        SessionQuality { turns: None, idle: vec![10_000, 1000], fixed: Some(1), approvals: vec![] },
    );
    let settled = Signal::Settled { call: String::new(), input: String::new() };
    let asked = Tale::new().asks_approval("ls").later(4).live(Origin::Hook, settled, "");
    check(&asked, SessionQuality { approvals: vec![5000], ..SessionQuality::default() });
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
        assert_eq!(quality(tale.heard()).approvals, expected, "{signals:?}");
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
    let one =
        SessionQuality { turns: Some(3), fixed: None, approvals: vec![5, 1, 9], idle: vec![] };
    let other = SessionQuality { turns: Some(1), fixed: Some(2), approvals: vec![], idle: vec![7] };
    let expected = Quality {
        sessions: 3,
        turns_to_completion: Some(1),
        test_fix_loops: Some(2),
        approval_latency_ms: Some(5),
        idle_ms: Some(7),
    };
    assert_eq!(total(&[one, other, SessionQuality::default()]), expected);
}
