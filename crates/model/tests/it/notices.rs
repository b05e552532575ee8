//! Tests of notices, and their invariants for any events in any order.
#![expect(clippy::unwrap_used, reason = "helpers fail the test they help")]

use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use taffrail_model::approval::ApprovalId;
use taffrail_model::findings::{Finding, FindingKind};
use taffrail_model::notices::{
    Act, FRESH, Fold, GAP_MS, NoticeKind, Occasion, Quiet, SessionView, WINDOW_MS, Wanted, Wishes,
    occasions,
};
use taffrail_model::status::{Reading, Status, StatusRule, WaitingFor, WaitingKind};
use taffrail_model::{AgentId, Confidence, RuntimeIdentity, SessionId, Timestamp, TurnId};

const BEGAN: i64 = 1_800_000_000_000;

fn at(ms: i64) -> Timestamp {
    Timestamp::from_millisecond(BEGAN + ms).unwrap()
}

fn session(number: u32) -> SessionId {
    RuntimeIdentity::new(AgentId::new("parrot"), "", format!("s{number}")).session()
}

fn reading(status: Status, waits: Option<(WaitingKind, &str)>, confidence: Confidence) -> Reading {
    Reading {
        status,
        since: at(0),
        confidence,
        waiting_for: waits.map(|(kind, text)| WaitingFor::new(kind, text.to_owned())),
        rule: StatusRule::NothingKnown,
        rests_on: Vec::new(),
        until: None,
        failure: None,
    }
}

fn approval(text: &str) -> Reading {
    let waits = Some((WaitingKind::Approval, text));
    reading(Status::WaitingApproval, waits, Confidence::High)
}

fn finding(kind: FindingKind, says: &str) -> Finding {
    Finding {
        kind,
        session_id: session(1),
        since: at(0),
        confidence: Confidence::High,
        evidence: Vec::new(),
        says: says.to_owned(),
        proposes: None,
    }
}

fn seen<'a>(reading: &'a Reading, findings: &'a [Finding]) -> SessionView<'a> {
    SessionView { session: session(1), label: "api", reading, requests: &[], findings, turn: None }
}

fn kinds_and_words(seen: &SessionView<'_>, wishes: &Wishes) -> Vec<(NoticeKind, String)> {
    occasions(seen, wishes).into_iter().map(|it| (it.kind, it.says)).collect()
}

#[test]
fn what_waits_or_is_done_is_told_and_what_is_guessed_is_not() {
    let check = |reading: &Reading, findings: &[Finding], expected: &[(NoticeKind, &str)]| {
        let got = kinds_and_words(&seen(reading, findings), &Wishes::default());
        let got: Vec<_> = got.iter().map(|(kind, says)| (*kind, says.as_str())).collect();
        assert_eq!(got, expected, "{reading:?}");
    };
    check(&approval("ls"), &[], &[(NoticeKind::Waiting, "Asks for: ls")]);
    check(&approval(""), &[], &[(NoticeKind::Waiting, "It waits for an approval.")]);
    let risky = [finding(FindingKind::RiskyApproval, "It asks to run `rm`")];
    check(&approval("rm -rf /"), &risky, &[(NoticeKind::Risky, "Asks for: rm -rf /")]);
    let asks = |confidence| {
        reading(Status::Waiting, Some((WaitingKind::Question, "Which one?")), confidence)
    };
    let asked = [finding(FindingKind::QuestionAsked, "It asks: Which one?")];
    check(&asks(Confidence::Medium), &asked, &[(NoticeKind::Waiting, "Which one?")]);
    check(&asks(Confidence::Low), &[], &[]);
    check(&asks(Confidence::Unknown("tomorrow".to_owned())), &[], &[]);
    let guessed = Reading { confidence: Confidence::Low, ..approval("ls") };
    check(&guessed, &[], &[]);
    let rests = reading(Status::Waiting, Some((WaitingKind::Prompt, "")), Confidence::High);
    check(&rests, &[], &[]);
    let done = [finding(FindingKind::Finished, "Done after 3 minutes.")];
    check(&rests, &done, &[(NoticeKind::Finished, "Done after 3 minutes.")]);
    let limit = [finding(FindingKind::RateLimit, "It asks too often.")];
    check(&rests, &limit, &[]);
    check(&reading(Status::Running, None, Confidence::High), &[], &[]);
}

/// A turn of a few seconds ended and waited, and no setting could announce it.
#[test]
fn a_short_turn_that_ends_and_waits_is_told_if_wished() {
    let all = Wishes { input: Wanted::Yes, ..Wishes::default() };
    let check = |reading: &Reading, findings: &[Finding], expected: &[NoticeKind]| {
        let got: Vec<NoticeKind> =
            occasions(&seen(reading, findings), &all).into_iter().map(|it| it.kind).collect();
        assert_eq!(got, expected, "{reading:?}");
        let usual = occasions(&seen(reading, findings), &Wishes::default());
        assert!(!usual.iter().any(|it| it.kind == NoticeKind::Input), "off unless asked for");
    };
    let rests = |rule, confidence| Reading {
        rule,
        ..reading(Status::Waiting, Some((WaitingKind::Prompt, "")), confidence)
    };
    for rule in [StatusRule::TurnOver, StatusRule::TurnFailed, StatusRule::AgentQuiet] {
        check(&rests(rule, Confidence::High), &[], &[NoticeKind::Input]);
        check(&rests(rule, Confidence::Low), &[], &[]);
    }
    // The person is present, or nothing was asked.
    check(&rests(StatusRule::Interrupted, Confidence::High), &[], &[]);
    check(&rests(StatusRule::NoPrompt, Confidence::High), &[], &[]);
    let done = [finding(FindingKind::Finished, "Done after 3 minutes.")];
    check(&rests(StatusRule::TurnOver, Confidence::High), &done, &[NoticeKind::Finished]);
    check(&approval("ls"), &[], &[NoticeKind::Waiting]);
}

/// A turn that is announced as input is not announced again as finished, nor at another time of its
/// end.
#[test]
fn the_end_of_a_turn_is_told_once() {
    let turn = Some(TurnId::of(session(1), "1"));
    let wishes = Wishes { input: Wanted::Yes, ..Wishes::default() };
    let rests = |ms| Reading {
        since: at(ms),
        rule: StatusRule::TurnOver,
        ..reading(Status::Waiting, Some((WaitingKind::Prompt, "")), Confidence::High)
    };
    let done = [finding(FindingKind::Finished, "Done after 3 minutes.")];
    let mut fold = Fold::default();
    let mut step = |ms: i64, reading: &Reading, findings: &[Finding]| {
        let view = SessionView { turn, ..seen(reading, findings) };
        fold.take(session(1), occasions(&view, &wishes), at(ms));
        fold.step(at(ms + WINDOW_MS), Quiet::No, &|_| false).len()
    };
    assert_eq!(step(0, &rests(0), &[]), 1);
    assert_eq!(step(20_000, &rests(900), &[]), 0);
    assert_eq!(step(40_000, &rests(900), &done), 0);
}

#[test]
fn what_is_not_wished_for_is_not_told() {
    let no = |change: fn(&mut Wishes)| {
        let mut wishes = Wishes::default();
        change(&mut wishes);
        wishes
    };
    let check = |reading: &Reading, findings: &[Finding], wishes: &Wishes, expected: usize| {
        assert_eq!(occasions(&seen(reading, findings), wishes).len(), expected, "{wishes:?}");
    };
    let done = [finding(FindingKind::Finished, "Done.")];
    let risky = [finding(FindingKind::RiskyApproval, "It asks to run `rm`")];
    let rests = reading(Status::Waiting, Some((WaitingKind::Prompt, "")), Confidence::High);
    check(&rests, &done, &no(|it| it.finished = Wanted::No), 0);
    check(&approval("ls"), &[], &no(|it| it.waiting = Wanted::No), 0);
    // Only risky requests are wanted, or all requests whatever their risk.
    check(&approval("rm"), &risky, &no(|it| it.waiting = Wanted::No), 1);
    check(&approval("rm"), &risky, &no(|it| it.risky = Wanted::No), 1);
    let neither = no(|it| (it.waiting, it.risky) = (Wanted::No, Wanted::No));
    check(&approval("rm"), &risky, &neither, 0);
    let limit = [finding(FindingKind::RateLimit, "It asks too often.")];
    let wishes = no(|it| it.findings = BTreeSet::from(["rate_limit".to_owned()]));
    check(&rests, &limit, &wishes, 1);
}

#[test]
fn what_is_told_is_short_redacted_and_safe_on_a_terminal() {
    let secret = "ghp_A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8";
    let text = format!("curl -H 'x: {secret}'\u{1b}]52;c;eA==\u{7}\nsecond {}", "y".repeat(9_000));
    let reading = approval(&text);
    let label = "a\u{1b}[31m\u{202e}pi";
    let it = occasions(&SessionView { label, ..seen(&reading, &[]) }, &Wishes::default()).remove(0);
    assert!(it.says.starts_with("Asks for: curl -H 'x: [redacted:"), "{}", it.says);
    assert!(it.says.chars().count() <= 160 && !it.says.contains(secret));
    for text in [&it.says, &it.label] {
        assert!(!text.chars().any(char::is_control), "{text:?}");
        assert!(!text.contains('\u{202e}'), "{text:?}");
    }
}

#[test]
fn a_request_is_one_whether_the_desk_or_the_status_tells_of_it() {
    let reading = approval("ls");
    let names = |requests: &[(ApprovalId, String, String)]| {
        let all = occasions(&SessionView { requests, ..seen(&reading, &[]) }, &Wishes::default());
        all.into_iter().map(|it| it.names).collect::<Vec<_>>()
    };
    let request = |id: &str| (ApprovalId::new(id), "low".to_owned(), "ls".to_owned());
    let wait = format!("wait:{}:{BEGAN}", session(1));
    assert_eq!(names(&[]), [vec![wait.clone()]]);
    let both = names(&[request("a"), request("b")]);
    assert_eq!(both, [vec!["approval:a".to_owned(), wait], vec!["approval:b".to_owned()]]);
    let risky = [(ApprovalId::new("a"), "high".to_owned(), "x".to_owned())];
    let it =
        occasions(&SessionView { requests: &risky, ..seen(&reading, &[]) }, &Wishes::default());
    assert_eq!(it[0].kind, NoticeKind::Risky);
}

fn occasion(of: u32, name: &str, kind: NoticeKind) -> Occasion {
    Occasion {
        names: vec![name.to_owned()],
        session: session(of),
        kind,
        label: format!("p{of}"),
        says: "words".to_owned(),
        approval: None,
        until: None,
    }
}

fn waits(of: u32) -> Occasion {
    occasion(of, &format!("w{of}"), NoticeKind::Waiting)
}

/// The actions as words: titles of sent notices, and `-` before those of withdrawn ones.
fn step(fold: &mut Fold, ms: i64) -> Vec<String> {
    stepped(fold, ms, Quiet::No, &|_| false)
}

fn stepped(
    fold: &mut Fold,
    ms: i64,
    quiet: Quiet,
    is_looked_at: &dyn Fn(&Occasion) -> bool,
) -> Vec<String> {
    let acts = fold.step(at(ms), quiet, is_looked_at).into_iter();
    acts.map(|it| match it {
        Act::Tell(notice) => format!("{} | {}", notice.title, notice.body),
        Act::Withdraw(notice) => format!("-{}", notice.title),
    })
    .collect()
}

#[test]
fn many_at_once_are_one_line() {
    let check = |given: &[Occasion], expected: &str| {
        let mut fold = Fold::default();
        let mut by_session: BTreeMap<SessionId, Vec<Occasion>> = BTreeMap::new();
        for it in given {
            by_session.entry(it.session).or_default().push(it.clone());
        }
        for (number, (session, all)) in by_session.into_iter().enumerate() {
            fold.take(session, all, at(i64::try_from(number).unwrap() * 100));
        }
        assert_eq!(step(&mut fold, WINDOW_MS - 1), [""; 0]);
        assert_eq!(step(&mut fold, WINDOW_MS), [expected]);
        assert_eq!(step(&mut fold, WINDOW_MS + GAP_MS), [""; 0]);
    };
    let done = |of| occasion(of, &format!("d{of}"), NoticeKind::Finished);
    let risky = |of| occasion(of, &format!("r{of}"), NoticeKind::Risky);
    let remark = |of| occasion(of, &format!("f{of}"), NoticeKind::Finding);
    check(&[waits(1)], "p1 waits for you | words");
    check(&[risky(1)], "p1 asks for something risky | words");
    check(&[done(1)], "p1 is done | words");
    check(&[remark(1)], "p1: a remark | words");
    check(&[waits(1), waits(2), waits(3)], "3 sessions wait | p1, p2, p3");
    let mixed = [waits(1), risky(2), done(3), done(4), remark(5)];
    let title = "2 sessions wait, 1 for something risky; 2 are done; 1 remark";
    check(&mixed, &format!("{title} | p1, p2, p3, p4, p5"));
    check(&[waits(1), done(2)], "1 session waits; 1 is done | p1, p2");
    let both = [waits(1), occasion(1, "other", NoticeKind::Waiting)];
    check(&both, "p1 waits for you | words (and 1 more)");
    let many: Vec<_> = (1..=7).map(waits).collect();
    check(&many, "7 sessions wait | p1, p2, p3, p4, p5 and 2 more");
}

#[test]
fn what_is_answered_before_it_was_told_is_never_told() {
    let mut fold = Fold::default();
    fold.take(session(1), vec![waits(1)], at(0));
    fold.take(session(2), vec![waits(2)], at(10));
    fold.take(session(1), Vec::new(), at(500));
    assert_eq!(step(&mut fold, 3_000), ["p2 waits for you | words"]);
}

#[test]
fn what_is_answered_after_it_was_told_is_withdrawn_and_a_moment_is_no_answer() {
    let mut fold = Fold::default();
    fold.take(session(1), vec![waits(1)], at(0));
    assert_eq!(step(&mut fold, WINDOW_MS).len(), 1);
    fold.take(session(1), Vec::new(), at(3_000));
    assert_eq!(step(&mut fold, 3_000), [""; 0]);
    // The status was different for a moment only.
    fold.take(session(1), vec![waits(1)], at(3_500));
    assert_eq!(step(&mut fold, 3_500), [""; 0]);
    fold.take(session(1), Vec::new(), at(60_000));
    assert_eq!(step(&mut fold, 60_000), [""; 0]);
    assert_eq!(fold.next(), Some(at(60_000 + WINDOW_MS)));
    assert_eq!(step(&mut fold, 60_000 + WINDOW_MS), ["-p1 waits for you"]);
    assert_eq!(step(&mut fold, 90_000), [""; 0]);
    assert_eq!(fold.next(), None);
}

#[test]
fn a_line_about_several_is_withdrawn_with_the_last_of_them() {
    let mut fold = Fold::default();
    fold.take(session(1), vec![waits(1)], at(0));
    fold.take(session(2), vec![waits(2)], at(0));
    assert_eq!(step(&mut fold, WINDOW_MS), ["2 sessions wait | p1, p2"]);
    fold.take(session(1), Vec::new(), at(3_000));
    assert_eq!(step(&mut fold, 9_000), [""; 0]);
    fold.take(session(2), Vec::new(), at(10_000));
    step(&mut fold, 10_000);
    assert_eq!(step(&mut fold, 13_000), ["-2 sessions wait"]);
}

#[test]
fn quiet_hours_keep_what_still_waits_and_drop_what_is_old() {
    let mut fold = Fold::default();
    let done =
        Occasion { until: Some(at(FRESH * 1000)), ..occasion(2, "d2", NoticeKind::Finished) };
    fold.take(session(1), vec![waits(1)], at(0));
    fold.take(session(2), vec![done], at(0));
    let hour = 3_600_000;
    assert_eq!(stepped(&mut fold, hour, Quiet::Yes, &|_| false), [""; 0]);
    assert_eq!(fold.next(), None);
    assert_eq!(step(&mut fold, 2 * hour), ["p1 waits for you | words"]);
    assert_eq!(step(&mut fold, 3 * hour), [""; 0]);
}

#[test]
fn what_is_looked_at_counts_as_told() {
    let mut fold = Fold::default();
    fold.take(session(1), vec![waits(1)], at(0));
    fold.take(session(2), vec![waits(2)], at(0));
    let looks = |it: &Occasion| it.session == session(1);
    let told = stepped(&mut fold, WINDOW_MS, Quiet::No, &looks);
    assert_eq!(told, ["p2 waits for you | words"]);
    assert_eq!(step(&mut fold, 60_000), [""; 0]);
}

#[test]
fn after_a_restart_nothing_is_told_twice_and_all_can_be_withdrawn() {
    let mut before = Fold::default();
    before.take(session(1), vec![waits(1)], at(0));
    assert_eq!(step(&mut before, WINDOW_MS).len(), 1);
    assert!(before.take_changed() && !before.take_changed());
    let text = serde_json::to_string(before.kept()).unwrap();
    let mut fold = Fold::after(serde_json::from_str(&text).unwrap());
    // The same request, with another name beside the announced one.
    let known = Occasion { names: vec!["a".to_owned(), "w1".to_owned()], ..waits(1) };
    fold.take(session(1), vec![known], at(20_000));
    assert_eq!(step(&mut fold, 40_000), [""; 0]);
    // Only the other name remains.
    fold.take(session(1), vec![occasion(1, "a", NoticeKind::Waiting)], at(50_000));
    assert_eq!(step(&mut fold, 90_000), [""; 0]);
    fold.take(session(1), Vec::new(), at(91_000));
    step(&mut fold, 91_000);
    assert_eq!(step(&mut fold, 95_000), ["-p1 waits for you"]);
}

/// One step: a session has these occasions from now on, and time passes.
#[derive(Debug, Clone)]
struct Happens {
    session: u32,
    names: Vec<u8>,
    later: i64,
    quiet: bool,
    looked_at: bool,
}

fn happenings() -> impl Strategy<Value = Vec<Happens>> {
    let one = (
        0u32..4,
        prop::collection::vec(0u8..3, 0..3),
        0i64..6_000,
        prop::bool::weighted(0.2),
        prop::bool::weighted(0.2),
    );
    let one = one.prop_map(|(session, names, later, quiet, looked_at)| Happens {
        session,
        names,
        later,
        quiet,
        looked_at,
    });
    prop::collection::vec(one, 0..60)
}

/// All actions with their times; each step may be repeated, and the fold may restart after any
/// step.
fn replay(all: &[Happens], times: usize, restarts: bool) -> Vec<(i64, Act)> {
    let mut fold = Fold::default();
    let mut out = Vec::new();
    let mut ms = 0;
    for it in all {
        let occasions: Vec<_> = it
            .names
            .iter()
            .map(|name| {
                occasion(it.session, &format!("{}.{name}", it.session), NoticeKind::Waiting)
            })
            .collect();
        for _ in 0..times {
            fold.take(session(it.session), occasions.clone(), at(ms));
        }
        ms += it.later;
        let quiet = if it.quiet { Quiet::Yes } else { Quiet::No };
        for _ in 0..times {
            let acts = fold.step(at(ms), quiet, &|_| it.looked_at);
            out.extend(acts.into_iter().map(|act| (ms, act)));
        }
        if restarts {
            fold = Fold::after(fold.kept().clone());
        }
    }
    out
}

proptest! {
    #[test]
    fn the_same_changes_give_the_same_notices_and_twice_is_once(all in happenings()) {
        let once = replay(&all, 1, false);
        prop_assert_eq!(&once, &replay(&all, 1, false));
        prop_assert_eq!(&once, &replay(&all, 2, false));
    }

    #[test]
    fn nothing_is_told_twice_also_over_restarts(all in happenings(), restarts in any::<bool>()) {
        let mut told = BTreeSet::new();
        let mut latest: Option<i64> = None;
        for (ms, act) in replay(&all, 1, restarts) {
            let Act::Tell(notice) = act else { continue };
            prop_assert!(restarts || latest.is_none_or(|it| ms - it >= GAP_MS));
            latest = Some(ms);
            prop_assert!(told.insert(notice.id.clone()), "{:?}", notice);
            prop_assert!(!notice.about.is_empty());
        }
    }

    #[test]
    fn only_what_was_told_is_withdrawn_and_once(all in happenings()) {
        let mut shown = BTreeSet::new();
        for (_, act) in replay(&all, 1, false) {
            match act {
                Act::Tell(notice) => prop_assert!(shown.insert(notice.id)),
                Act::Withdraw(notice) => prop_assert!(shown.remove(&notice.id)),
            }
        }
    }
}
