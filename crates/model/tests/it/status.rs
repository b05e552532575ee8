//! The status of a session, case by case: each is named after the behaviour of real agents.
#![expect(clippy::unwrap_used, reason = "helpers fail the test they help")]

use taffrail_model::evidence::{Evidence, Life};
use taffrail_model::status::{
    Failure, Given, Group, Reading, Status, Thresholds, WaitingFor, WaitingKind, Worker, group,
    read,
};
use taffrail_model::{Confidence, Origin, Signal, Timestamp};

use Confidence::{High, Low, Medium};
use Life::{Alive, Dead, Unknown};
use Status::{Exited, Idle, Running, Waiting, WaitingApproval};

/// An instant, in seconds after an arbitrary one.
fn at(seconds: f64) -> Timestamp {
    Timestamp::from_millisecond(1_800_000_000_000 + (seconds * 1000.0).round() as i64).unwrap()
}

fn said(source: Origin, seconds: f64, kind: &str, says: Signal, detail: &str) -> Evidence {
    let (kind, detail) = (kind.to_owned(), detail.to_owned());
    Evidence { source, kind, at: at(seconds), confidence: High, says, detail }
}

fn hook(seconds: f64, kind: &str, says: Signal) -> Evidence {
    said(Origin::Hook, seconds, kind, says, "")
}

fn told(seconds: f64, kind: &str, says: Signal) -> Evidence {
    said(Origin::Transcript, seconds, kind, says, "")
}

fn listed(seconds: f64, says: Signal) -> Evidence {
    said(Origin::Registry, seconds, "heartbeat", says, "")
}

fn with(mut evidence: Evidence, detail: &str) -> Evidence {
    detail.clone_into(&mut evidence.detail);
    evidence
}

fn called(call: &str, input: &str) -> Signal {
    Signal::Called { call: call.to_owned(), input: input.to_owned() }
}

fn answered(call: &str) -> Signal {
    Signal::Answered { call: call.to_owned() }
}

fn asked_approval(input: &str) -> Signal {
    Signal::AskedApproval { input: input.to_owned() }
}

fn asked(call: &str) -> Signal {
    Signal::Asked { call: call.to_owned(), options: Vec::new() }
}

/// The prompt of a turn, as hook and transcript report it.
fn prompted(seconds: f64) -> Vec<Evidence> {
    vec![
        told(seconds, "user.prompt", Signal::Prompted),
        hook(seconds + 0.02, "UserPromptSubmit", Signal::Prompted),
    ]
}

/// A call, as hook and transcript report it.
fn tool(seconds: f64, number: u32, command: &str) -> Vec<Evidence> {
    let (event, call) = (format!("event-{number}"), format!("toolu_{number}"));
    vec![
        with(told(seconds, "tool.call", called(&event, "")), command),
        with(hook(seconds + 0.1, "PreToolUse", called(&call, command)), command),
    ]
}

/// The request to run the call.
fn request(seconds: f64, command: &str) -> Evidence {
    with(hook(seconds, "PermissionRequest", asked_approval(command)), command)
}

fn given(evidence: &[Evidence], life: Life, now: f64) -> Reading {
    let thresholds = Thresholds::default();
    read(&Given { evidence, life, workers: &[], now: at(now), thresholds })
}

/// Checks the status, its start and its confidence at an instant.
#[track_caller]
fn check(evidence: &[Evidence], life: Life, now: f64, expected: (Status, f64, Confidence)) {
    let reading = given(evidence, life, now);
    let (status, since, confidence) = expected;
    let got = (reading.status, reading.since, reading.confidence.clone());
    assert_eq!(got, (status, at(since), confidence), "{}", reading.rule);
}

fn waits_for(kind: WaitingKind, text: &str) -> Option<WaitingFor> {
    Some(WaitingFor::new(kind, text.to_owned()))
}

/// A turn with a request for `npm test`, up to the open dialog.
fn blocked() -> Vec<Evidence> {
    let mut all = vec![hook(0.0, "SessionStart", Signal::Started)];
    all.extend(prompted(1.0));
    all.extend(tool(2.0, 1, "npm test"));
    all.push(request(2.3, "npm test"));
    all
}

#[test]
fn a_turn_with_hooks() {
    let mut all = vec![hook(0.0, "SessionStart", Signal::Started)];
    check(&all, Unknown, 0.5, (Waiting, 0.0, Medium));
    all.extend(prompted(1.0));
    check(&all, Unknown, 1.5, (Running, 1.0, High));
    all.extend(tool(2.0, 1, "npm test"));
    check(&all, Unknown, 2.5, (Running, 1.0, High));
    all.push(request(2.6, "npm test"));
    check(&all, Unknown, 3.0, (WaitingApproval, 2.6, High));
    let reading = given(&all, Unknown, 3.0);
    assert_eq!(reading.waiting_for, waits_for(WaitingKind::Approval, "npm test"));
    assert_eq!(group(&reading, at(3.0)), Group::NeedsYou);
    all.push(told(9.0, "tool.result", answered("event-1")));
    check(&all, Unknown, 9.1, (Running, 1.0, High));
    all.push(hook(9.1, "PostToolUse", answered("toolu_1")));
    check(&all, Unknown, 9.2, (Running, 1.0, High));
    all.push(hook(10.0, "Stop", Signal::WorkingOn));
    check(&all, Unknown, 10.1, (Running, 1.0, High));
    all.push(told(11.0, "assistant.message", Signal::TurnOver));
    check(&all, Unknown, 11.1, (Running, 1.0, High));
    all.push(hook(11.2, "Stop", Signal::TurnOver));
    check(&all, Unknown, 11.3, (Waiting, 11.2, High));
    let reading = given(&all, Unknown, 11.3);
    assert_eq!(reading.waiting_for, waits_for(WaitingKind::Prompt, ""));
    assert_eq!(group(&reading, at(11.3)), Group::YourTurn);
    all.push(hook(20.0, "SessionEnd", Signal::Ended));
    check(&all, Alive, 20.1, (Exited, 20.0, High));
}

#[test]
fn a_request_stands_until_it_is_settled_and_not_until_its_hook_is_gone() {
    let all = blocked();
    check(&all, Alive, 3600.0, (WaitingApproval, 2.3, High));
    check(&all, Unknown, 3600.0, (WaitingApproval, 2.3, Medium));
    let settle = |by: Evidence, expected: (Status, f64, Confidence)| {
        let now = (by.at.as_millisecond() - 1_800_000_000_000) as f64 / 1000.0 + 0.1;
        let mut all = blocked();
        all.push(by);
        check(&all, Alive, now, expected);
    };
    let running = (Running, 1.0, High);
    settle(hook(9.0, "PostToolUse", answered("toolu_1")), running.clone());
    settle(hook(9.0, "PostToolUseFailure", answered("toolu_1")), running.clone());
    settle(told(9.0, "tool.result", answered("event-1")), running.clone());
    let resolved = Signal::Settled { call: "event-1".to_owned(), input: String::new() };
    settle(told(9.0, "approval.resolved", resolved), running.clone());
    let denied = Signal::Settled { call: "toolu_1".to_owned(), input: "npm test".to_owned() };
    settle(hook(9.0, "PermissionDenied", denied), running.clone());
    settle(hook(9.0, "UserPromptSubmit", Signal::Prompted), running.clone());
    settle(listed(9.0, Signal::Busy), running);
    settle(told(9.0, "agent.stopped", Signal::Interrupted), (Waiting, 9.0, Medium));
    settle(hook(9.0, "Stop", Signal::TurnOver), (Waiting, 9.0, High));
    settle(listed(9.0, Signal::Quiet), (Waiting, 9.0, High));
    settle(hook(9.0, "SessionEnd", Signal::Ended), (Exited, 9.0, High));
    let open = (WaitingApproval, 2.3, High);
    settle(hook(9.0, "Notification", asked_approval("")), open.clone());
    settle(listed(2.5, asked_approval("")), open.clone());
    settle(hook(9.0, "PostToolUse", answered("toolu_9")), open.clone());
    settle(told(9.0, "tool.result", answered("event-9")), open.clone());
    settle(listed(2.0, Signal::Busy), open.clone());
    let doubtful = Evidence { confidence: Low, ..listed(3.0, Signal::Busy) };
    settle(doubtful, open.clone());
    let doubtful = Evidence { confidence: Low, ..listed(9.0, Signal::Busy) };
    settle(doubtful, (Running, 1.0, High));
    settle(hook(9.0, "CwdChanged", Signal::Alive), open);
}

#[test]
fn a_call_beside_it_does_not_settle_a_request() {
    let mut all = prompted(1.0);
    all.extend(tool(2.0, 1, "npm test"));
    all.extend(tool(2.05, 2, "cat README"));
    all.push(request(2.3, "npm test"));
    all.push(hook(2.4, "PostToolUse", answered("toolu_2")));
    all.push(told(2.5, "tool.result", answered("event-2")));
    check(&all, Alive, 3.0, (WaitingApproval, 2.3, High));
    all.push(hook(4.0, "PostToolBatch", answered("toolu_1")));
    check(&all, Alive, 4.1, (Running, 1.0, High));
}

#[test]
fn two_requests_are_settled_one_by_one() {
    let mut all = prompted(1.0);
    all.extend(tool(2.0, 1, "npm test"));
    all.extend(tool(2.05, 2, "npm install"));
    all.push(request(2.3, "npm test"));
    all.push(request(2.4, "npm install"));
    check(&all, Alive, 3.0, (WaitingApproval, 2.3, High));
    all.push(hook(4.0, "PostToolUse", answered("toolu_1")));
    check(&all, Alive, 4.1, (WaitingApproval, 2.4, High));
    all.push(told(5.0, "tool.result", answered("event-2")));
    check(&all, Alive, 5.1, (Running, 1.0, High));
}

#[test]
fn a_question_stays_a_question_with_its_options_when_the_agent_notifies() {
    let options = vec!["Red".to_owned(), "Blue".to_owned()];
    let asks = |call: &str| Signal::Asked { call: call.to_owned(), options: options.clone() };
    let mut all = prompted(1.0);
    all.push(with(told(2.0, "tool.call", asks("event-1")), "Which colour?"));
    all.push(with(hook(2.1, "PreToolUse", asks("toolu_1")), "Which colour?"));
    all.push(with(hook(2.2, "PermissionRequest", asks("")), "Which colour?"));
    all.push(with(listed(2.3, asked("")), "input needed"));
    let question = |now| {
        let reading = given(&all, Alive, now);
        (reading.status, reading.since, reading.waiting_for)
    };
    let text = "Which colour?".to_owned();
    let open = Some(WaitingFor { kind: WaitingKind::Question, text, options: options.clone() });
    assert_eq!(question(3.0), (Waiting, at(2.0), open.clone()));
    all.push(with(hook(8.3, "Notification", asked_approval("")), "Claude needs your permission"));
    let question = given(&all, Alive, 60.0);
    assert_eq!((question.status, question.since, question.waiting_for), (Waiting, at(2.0), open));
    all.push(hook(70.0, "PostToolUse", answered("toolu_1")));
    check(&all, Alive, 70.1, (Running, 1.0, High));
}

#[test]
fn a_reminder_of_a_question_that_was_answered_opens_no_dialog() {
    let mut all = prompted(1.0);
    all.push(with(hook(2.1, "PreToolUse", asked("toolu_1")), "Which colour?"));
    all.push(hook(8.2, "PostToolUse", answered("toolu_1")));
    all.push(hook(8.3, "Notification", asked_approval("")));
    check(&all, Alive, 8.4, (Running, 1.0, High));
}

#[test]
fn a_reminder_that_comes_late_opens_no_second_dialog() {
    let mut all = blocked();
    all.push(hook(8.2, "PostToolUse", answered("toolu_1")));
    all.push(hook(8.3, "Notification", asked_approval("")));
    check(&all, Alive, 8.4, (Running, 1.0, High));
    all.push(hook(60.0, "Notification", asked_approval("")));
    check(&all, Alive, 60.1, (WaitingApproval, 60.0, High));
}

#[test]
fn the_agents_list_alone_tells_of_a_dialog() {
    let mut all = vec![told(1.0, "user.prompt", Signal::Prompted), listed(1.1, Signal::Busy)];
    all.push(with(told(2.0, "tool.call", called("event-1", "")), "npm test"));
    check(&all, Alive, 2.1, (Running, 1.0, High));
    all.push(with(listed(2.2, asked_approval("")), "permission prompt"));
    check(&all, Alive, 90.0, (WaitingApproval, 2.2, High));
    let reading = given(&all, Alive, 3.0);
    assert_eq!(reading.waiting_for, waits_for(WaitingKind::Approval, "npm test"));
    all.push(listed(91.0, Signal::Busy));
    check(&all, Alive, 91.1, (Running, 1.0, High));
    check(&all, Alive, 900.0, (Running, 1.0, Medium));
    all.push(listed(901.0, Signal::Quiet));
    check(&all, Alive, 9000.0, (Waiting, 901.0, High));
}

#[test]
fn a_killed_process_leaves_its_list_behind() {
    let mut all = blocked();
    all.push(listed(2.5, asked_approval("")));
    check(&all, Dead, 10.0, (Status::Unknown, 2.5, Medium));
    check(&all, Dead, 90_000.0, (Exited, 2.5, Medium));
    let died = said(Origin::Process, 8.0, "heartbeat", Signal::Died, "");
    all.push(died);
    check(&all, Dead, 10.0, (Exited, 8.0, High));
    check(&all, Unknown, 10.0, (Exited, 8.0, High));
    all.push(told(11.0, "tool.result", answered("event-1")));
    check(&all, Dead, 11.1, (Exited, 8.0, High));
    all.push(hook(11.2, "SessionStart", Signal::Started));
    check(&all, Alive, 11.3, (Waiting, 11.2, Medium));
    all.extend(prompted(12.0));
    check(&all, Alive, 12.1, (Running, 12.0, High));
}

fn died(seconds: f64) -> Evidence {
    said(Origin::Process, seconds, "heartbeat", Signal::Died, "")
}

#[test]
fn what_was_killed_gave_up_or_was_lost_is_failed_and_never_done() {
    let check = |evidence: &[Evidence], life, now, expected: (Option<Failure>, Group)| {
        let reading = given(evidence, life, now);
        let got = (reading.failure, group(&reading, at(now)));
        assert_eq!(got, expected, "{} at {now}: {evidence:?}", reading.rule);
    };
    let failed = |how| (Some(how), Group::Failed);
    let with = |more: &[Evidence]| [blocked(), more.to_vec()].concat();
    // Killed in the middle of a turn, observed or not, also long ago.
    check(&with(&[died(8.0)]), Dead, 9.0, failed(Failure::Crashed));
    check(&with(&[died(8.0)]), Unknown, 900_000.0, failed(Failure::Crashed));
    check(&with(&[]), Dead, 9.0, failed(Failure::Lost));
    check(&with(&[]), Dead, 900_000.0, failed(Failure::Lost));
    // An error ended the turn, whatever happened to its process.
    let gave_up = [prompted(1.0), vec![told(40.0, "error", Signal::Failed)]].concat();
    check(&gave_up, Alive, 41.0, failed(Failure::GaveUp));
    check(&gave_up, Unknown, 41.0, failed(Failure::GaveUp));
    check(&gave_up, Unknown, 900_000.0, failed(Failure::GaveUp));
    let left = [gave_up, vec![hook(50.0, "SessionEnd", Signal::Ended)]].concat();
    check(&left, Alive, 51.0, failed(Failure::GaveUp));
    // A process with active hooks that disappears without a report was lost.
    let rests = [prompted(1.0), vec![hook(2.0, "Stop", Signal::TurnOver)]].concat();
    check(&rests, Dead, 9.0, failed(Failure::Lost));
}

#[test]
fn what_ended_well_or_goes_on_is_not_failed() {
    let check = |evidence: &[Evidence], life, now, expected: Group| {
        let reading = given(evidence, life, now);
        let got = (reading.failure, group(&reading, at(now)));
        assert_eq!(got, (None, expected), "{} at {now}: {evidence:?}", reading.rule);
    };
    let with = |more: &[Evidence]| [blocked(), more.to_vec()].concat();
    let rests = [prompted(1.0), vec![hook(2.0, "Stop", Signal::TurnOver)]].concat();
    let ended = hook(9.0, "SessionEnd", Signal::Ended);
    // A person ended the session: at rest, and in the middle of a turn.
    check(&[rests, vec![ended.clone(), died(9.1)]].concat(), Dead, 10.0, Group::Done);
    check(&with(&[ended, died(9.1)]), Dead, 10.0, Group::Done);
    // Without hooks nothing shows how the session ended, but its turn was over.
    let turn = vec![told(1.0, "user.prompt", Signal::Prompted), listed(1.1, Signal::Busy)];
    let over = told(2.0, "assistant.message", Signal::TurnOver);
    let quiet = [turn, vec![over, listed(2.1, Signal::Quiet)]].concat();
    check(&[quiet.clone(), vec![died(9.0)]].concat(), Dead, 10.0, Group::Done);
    let broken_off = told(9.0, "agent.stopped", Signal::Interrupted);
    check(&[quiet, vec![broken_off, died(9.5)]].concat(), Dead, 10.0, Group::Done);
    // The session was resumed.
    let again = hook(20.0, "SessionStart", Signal::Started);
    check(&with(&[died(8.0), again]), Alive, 21.0, Group::YourTurn);
    check(&[with(&[died(8.0)]), prompted(20.0)].concat(), Alive, 21.0, Group::Working);
    let gave_up = [prompted(1.0), vec![told(40.0, "error", Signal::Failed)]].concat();
    check(&[gave_up, prompted(60.0)].concat(), Alive, 61.0, Group::Working);
    check(&blocked(), Alive, 3.0, Group::NeedsYou);
}

#[test]
fn a_process_that_lives_is_not_the_one_that_died() {
    let mut all = vec![hook(0.0, "SessionStart", Signal::Started)];
    all.extend(prompted(1.0));
    all.push(said(Origin::Process, 2.0, "heartbeat", Signal::Died, ""));
    check(&all, Alive, 2.1, (Running, 1.0, High));
}

#[test]
fn the_end_of_a_session_outlasts_what_is_written_late() {
    let mut all = prompted(1.0);
    all.push(hook(2.0, "Stop", Signal::TurnOver));
    all.push(hook(3.0, "SessionEnd", Signal::Ended));
    all.push(told(3.5, "assistant.message", Signal::TurnOver));
    all.push(told(4.0, "user.prompt", Signal::Prompted));
    all.push(listed(4.0, Signal::Quiet));
    check(&all, Alive, 5.0, (Exited, 3.0, High));
    all.push(hook(6.0, "SessionStart", Signal::Started));
    check(&all, Alive, 6.1, (Waiting, 6.0, Medium));
}

#[test]
fn a_session_resumed_without_hooks_is_alive_again() {
    let mut all = prompted(1.0);
    all.push(hook(3.0, "SessionEnd", Signal::Ended));
    all.push(told(600.0, "user.prompt", Signal::Prompted));
    check(&all, Unknown, 601.0, (Running, 600.0, Low));
    check(&all, Dead, 601.0, (Running, 600.0, Low));
    check(&all, Dead, 700.0, (Status::Unknown, 600.0, Low));
    check(&all, Unknown, 600.0 + 86_400.0, (Exited, 600.0, Low));
}

#[test]
fn an_interrupt_and_a_refusal_fire_no_stop() {
    let mut all = blocked();
    let resolved = Signal::Settled { call: "event-1".to_owned(), input: String::new() };
    all.push(told(4.0, "tool.result", answered("event-1")));
    all.push(told(4.0, "approval.resolved", resolved));
    check(&all, Alive, 4.001, (Running, 1.0, High));
    all.push(told(4.01, "agent.stopped", Signal::Interrupted));
    all.push(told(4.02, "agent.stopped", Signal::TurnOver));
    check(&all, Alive, 4.1, (Waiting, 4.01, Medium));
    all.push(hook(4.2, "PostToolUseFailure", answered("toolu_1")));
    check(&all, Alive, 4.3, (Waiting, 4.01, Medium));
}

#[test]
fn an_error_of_the_provider_ends_a_turn_and_a_retry_does_not() {
    let mut all = prompted(1.0);
    all.push(told(2.0, "error", Signal::Busy));
    check(&all, Alive, 2.1, (Running, 1.0, High));
    all.push(told(40.0, "error", Signal::Failed));
    check(&all, Alive, 41.0, (Waiting, 40.0, Medium));
}

#[test]
fn an_open_turn_is_believed_less_by_and_by() {
    let all = [prompted(1.0), tool(2.0, 1, "make")].concat();
    check(&all, Alive, 32.0, (Running, 1.0, High));
    check(&all, Alive, 34.0, (Running, 1.0, Medium));
    check(&all, Alive, 200.0, (Running, 1.0, Low));
    check(&all, Alive, 100_000.0, (Running, 1.0, Low));
    check(&all, Unknown, 80_000.0, (Running, 1.0, Low));
    check(&all, Unknown, 100_000.0, (Exited, 2.1, Low));
}

#[test]
fn a_transcript_alone_is_a_guess() {
    let prompt = told(0.0, "user.prompt", Signal::Prompted);
    let call = told(1.0, "tool.call", called("event-1", ""));
    let all = [prompt.clone(), call];
    check(&all, Unknown, 5.0, (Running, 0.0, Low));
    check(&all, Unknown, 31.9, (Running, 0.0, Low));
    check(&all, Unknown, 33.0, (Status::Unknown, 1.0, Low));
    check(&all, Unknown, 86_402.0, (Exited, 1.0, Low));
    let over = [prompt.clone(), told(1.0, "assistant.message", Signal::TurnOver)];
    check(&over, Unknown, 5.0, (Waiting, 1.0, Low));
    // A turn that ended some time ago is done; whether an unseen process waits is unknown.
    check(&over, Unknown, 130.0, (Exited, 1.0, Low));
    check(&over, Dead, 130.0, (Exited, 1.0, Medium));
    let question = [prompt, with(told(1.0, "tool.call", asked("event-1")), "Which?")];
    check(&question, Unknown, 5.0, (Waiting, 1.0, Low));
    check(&question, Unknown, 130.0, (Status::Unknown, 1.0, Low));
    let waiting = given(&question, Unknown, 5.0).waiting_for;
    assert_eq!(waiting, waits_for(WaitingKind::Question, "Which?"));
}

#[test]
fn a_question_waits_and_is_no_approval() {
    let mut all = prompted(1.0);
    all.push(told(2.0, "tool.call", asked("event-1")));
    all.push(with(hook(2.1, "PreToolUse", asked("toolu_1")), "Which?"));
    all.push(with(hook(2.2, "PermissionRequest", asked("")), "Which?"));
    all.push(with(listed(2.3, asked("")), "input needed"));
    check(&all, Alive, 500.0, (Waiting, 2.0, High));
    let reading = given(&all, Alive, 3.0);
    assert_eq!(reading.waiting_for, waits_for(WaitingKind::Question, "Which?"));
    assert_eq!(group(&reading, at(3.0)), Group::NeedsYou);
    let answers = [
        hook(501.0, "PostToolUse", answered("toolu_1")),
        told(501.0, "tool.result", answered("event-1")),
        listed(501.0, Signal::Busy),
    ];
    for answer in answers {
        let mut all = all.clone();
        all.push(answer);
        check(&all, Alive, 501.1, (Running, 1.0, High));
    }
}

#[test]
fn folding_the_context_fires_no_stop() {
    let mut all = vec![hook(0.0, "SessionStart", Signal::Started)];
    all.push(hook(1.0, "PreCompact", Signal::Compacting));
    check(&all, Alive, 2.0, (Running, 1.0, High));
    all.push(hook(3.0, "SessionStart", Signal::Alive));
    all.push(hook(3.1, "PostCompact", Signal::Compacted));
    check(&all, Alive, 3.2, (Waiting, 0.0, Medium));
    all.extend(prompted(4.0));
    all.push(hook(5.0, "PreCompact", Signal::Compacting));
    all.push(told(6.0, "context.compacted", Signal::Compacted));
    check(&all, Alive, 6.1, (Running, 4.0, High));
}

#[test]
fn a_stop_with_work_going_on_is_no_end() {
    let mut all = prompted(1.0);
    all.push(told(2.0, "assistant.message", Signal::TurnOver));
    check(&all, Alive, 2.01, (Running, 1.0, Medium));
    check(&all, Alive, 8.0, (Waiting, 2.0, Medium));
    all.push(hook(2.05, "Stop", Signal::WorkingOn));
    all.push(told(2.1, "agent.stopped", Signal::TurnOver));
    all.push(listed(2.2, Signal::Quiet));
    check(&all, Alive, 9.0, (Running, 1.0, High));
    check(&all, Alive, 60.0, (Running, 1.0, Medium));
    all.extend(prompted(70.0));
    check(&all, Alive, 70.1, (Running, 1.0, High));
    all.push(hook(71.0, "Stop", Signal::TurnOver));
    check(&all, Alive, 71.1, (Waiting, 71.0, High));
    all.push(told(71.2, "assistant.message", Signal::Busy));
    check(&all, Alive, 71.3, (Waiting, 71.0, High));
    all.push(told(90.0, "notice", Signal::Busy));
    check(&all, Alive, 90.1, (Running, 90.0, Medium));
}

#[test]
fn a_start_that_is_said_late_takes_no_prompt_away() {
    let all =
        [told(1.0, "user.prompt", Signal::Prompted), hook(1.3, "SessionStart", Signal::Started)];
    check(&all, Alive, 1.4, (Running, 1.0, High));
}

#[test]
fn nothing_asked_is_idle_in_the_end() {
    let all = [hook(0.0, "SessionStart", Signal::Started)];
    check(&all, Alive, 60.0, (Waiting, 0.0, Medium));
    check(&all, Alive, 121.0, (Idle, 0.0, High));
    check(&all, Unknown, 600.0, (Waiting, 0.0, Medium));
    let all = [listed(0.0, Signal::Alive)];
    check(&all, Alive, 60.0, (Status::Unknown, 0.0, Low));
    check(&all, Alive, 121.0, (Idle, 0.0, High));
    check(&[], Alive, 5.0, (Status::Unknown, 5.0, Low));
}

fn worker(status: Status, since: f64, confidence: Confidence, asks: Option<&str>) -> Worker {
    let waiting_for = asks.and_then(|text| waits_for(WaitingKind::Approval, text));
    Worker { status, since: at(since), confidence, waiting_for }
}

#[test]
fn workers_speak_for_their_parent() {
    let over = [prompted(1.0), vec![hook(5.0, "Stop", Signal::TurnOver)]].concat();
    let ended = [over.clone(), vec![hook(6.0, "SessionEnd", Signal::Ended)]].concat();
    let check = |evidence: &[Evidence], worker: Worker, expected: (Status, f64, &str)| {
        let given = Given {
            evidence,
            life: Alive,
            workers: &[worker],
            now: at(10.0),
            thresholds: Thresholds::default(),
        };
        let reading = read(&given);
        let text = reading.waiting_for.map(|it| it.text).unwrap_or_default();
        let expected = (expected.0, at(expected.1), expected.2.to_owned());
        assert_eq!((reading.status, reading.since, text), expected, "{}", reading.rule);
    };
    check(&over, worker(Running, 2.0, High, None), (Running, 1.0, ""));
    check(&over, worker(Running, 2.0, Low, None), (Waiting, 5.0, ""));
    check(
        &over,
        worker(WaitingApproval, 7.0, High, Some("rm -r")),
        (WaitingApproval, 7.0, "rm -r"),
    );
    check(&over, worker(Waiting, 7.0, High, None), (Waiting, 5.0, ""));
    check(&ended, worker(Running, 7.0, High, None), (Exited, 6.0, ""));
    check(&[], worker(Running, 7.0, High, None), (Running, 7.0, ""));
}

/// What our terminal shows.
fn shown(seconds: f64, says: Signal, detail: &str) -> Evidence {
    let evidence = said(Origin::Pty, seconds, "heartbeat", says, detail);
    Evidence { confidence: Low, ..evidence }
}

#[test]
fn a_screen_alone_tells_a_little() {
    let check = |evidence: &[Evidence], life, now: f64, expected: (Status, Confidence, &str)| {
        let workers = &[];
        let thresholds = Thresholds::default();
        let it = read(&Given { evidence, life, workers, now: at(now), thresholds });
        let text = it.waiting_for.as_ref().map(|it| it.text.as_str()).unwrap_or_default();
        assert_eq!((it.status, it.confidence.clone(), text), expected, "{it:?}");
    };
    let unknown = Status::Unknown;
    let ready = || shown(1.0, Signal::Quiet, "");
    let works = || shown(2.0, Signal::Busy, "");
    let asks = || shown(3.0, asked_approval(""), "touch x");
    check(&[ready()], Alive, 2.0, (Waiting, Low, ""));
    check(&[ready()], Alive, 5000.0, (Waiting, Low, ""));
    check(&[ready(), works()], Alive, 400.0, (Running, Low, ""));
    check(&[ready(), works(), asks()], Alive, 4.0, (WaitingApproval, Low, "touch x"));
    let again = shown(5.0, Signal::Busy, "");
    check(&[ready(), works(), asks(), again], Alive, 6.0, (Running, Low, ""));
    check(&[shown(1.0, asked(""), "")], Alive, 2.0, (Waiting, Low, ""));
    check(&[works(), shown(3.0, Signal::Alive, "")], Alive, 500.0, (unknown, Low, ""));
    check(&[works()], Dead, 3.0, (unknown, Medium, ""));
    let died = said(Origin::Process, 9.0, "heartbeat", Signal::Died, "");
    check(&[works(), died], Dead, 10.0, (Exited, High, ""));
    let left = said(Origin::Process, 9.0, "heartbeat", Signal::Ended, "");
    check(&[works(), left, shown(20.0, Signal::Busy, "")], Alive, 30.0, (Exited, High, ""));
}

#[test]
fn a_repeated_screen_is_activity_and_changes_no_status() {
    let works = [2.0, 22.0, 42.0].map(|at| shown(at, Signal::Busy, ""));
    let thresholds = Thresholds::default();
    let it =
        read(&Given { evidence: &works, life: Alive, workers: &[], now: at(50.0), thresholds });
    assert_eq!((it.status, it.since, it.confidence), (Running, at(2.0), Low));
    // An open turn that only the transcript shows is in doubt after 30 s, unless output continues.
    let open = [told(0.0, "user.prompt", Signal::Prompted)];
    let printed = [1.0, 21.0, 41.0].map(|at| shown(at, Signal::Alive, ""));
    let status = |evidence: &[Evidence]| {
        let life = Life::Unknown;
        read(&Given { evidence, life, workers: &[], now: at(50.0), thresholds }).status
    };
    assert_eq!(status(&open), Status::Unknown);
    assert_eq!(status(&[&open[..], &printed[..]].concat()), Running);
}

#[test]
fn a_screen_gives_way_to_who_is_sure() {
    let status = |evidence: &[Evidence], life, now: f64| {
        let thresholds = Thresholds::default();
        let it = read(&Given { evidence, life, workers: &[], now: at(now), thresholds });
        (it.status, it.confidence)
    };
    let mut hooked = prompted(0.0);
    hooked.push(shown(1.0, Signal::Quiet, ""));
    assert_eq!(status(&hooked, Alive, 2.0), (Running, High));
    // A call without a result is running, or waits for an approval: the screen shows which.
    let mut open = vec![told(0.0, "user.prompt", Signal::Prompted)];
    open.push(told(1.0, "tool.call", called("c", "")));
    assert_eq!(status(&open, Alive, 2.0), (Running, Low));
    open.push(shown(1.5, asked_approval(""), "touch x"));
    assert_eq!(status(&open, Alive, 2.0), (WaitingApproval, Low));
    open.push(told(3.0, "tool.result", answered("c")));
    open.push(shown(3.1, Signal::Busy, ""));
    assert_eq!(status(&open, Alive, 4.0), (Running, Medium));
}
