//! Answering several requests at once, sending prompts, and going back.

use super::Desk;
use crate::samples;
use crate::state::message::{Answer, Ask, Message, News};
use serde_json::json;
use taffrail_api::{Allowed, ApprovalRow, Receipt, Session};
use taffrail_model::approval::ApprovalId;
use taffrail_model::status::{WaitingFor, WaitingKind};

const SMALL: (u16, u16) = (80, 24);

/// A waiting session and its request.
fn waiting(number: u32, command: &str, risk: &str) -> (Session, ApprovalRow) {
    let session = samples::session(
        number,
        &json!({
            "project_path": format!("/home/ada/src/p{number}"), "group": "needs_you", "status": "waiting_approval",
            "waiting_for": {"kind": "approval", "text": command}, "status_since": format!("2026-11-15T11:{:02}:00Z", 50 - number),
        }),
    );
    let mut row = samples::request(command, risk);
    (row.session_id, row.id) = (session.id, ApprovalId::new(format!("a{number}")));
    (session, row)
}

fn three() -> Desk {
    let all = [(1, "npm test", "low"), (2, "git push --force", "high"), (3, "cargo fmt", "low")];
    let (sessions, requests) =
        all.map(|(at, what, risk)| waiting(at, what, risk)).into_iter().unzip();
    Desk::with(SMALL, sessions, requests)
}

fn decided(desk: &Desk) -> Vec<(String, Allowed, Option<String>)> {
    let read = |it: &Ask| match it {
        Ask::Decide { id, decision, reason } => Some((id.to_string(), *decision, reason.clone())),
        _ => None,
    };
    desk.asked.iter().filter_map(read).collect()
}

#[test]
fn marked_sessions_are_answered_at_once_after_all_was_shown() {
    let mut desk = three();
    desk.press(&["space", "space"]);
    assert!(desk.screen().contains("2 marked"), "{}", desk.screen());
    assert!(desk.screen().contains("●+p1") && desk.screen().contains("●+p2"), "{}", desk.screen());
    desk.press(&["a"]);
    let screen = desk.screen();
    for word in
        ["Approve 2", "p1", "$ npm test", "p2 risky", "$ git push --force", "y approve all 2"]
    {
        assert!(screen.contains(word), "no {word}:\n{screen}");
    }
    assert_eq!(decided(&desk), []);
    desk.press(&["y"]);
    let both = ["a1", "a2"].map(|it| (it.to_owned(), Allowed::Allow, None));
    assert_eq!(decided(&desk), both);
    assert!(!desk.screen().contains("marked"), "{}", desk.screen());
}

#[test]
fn only_the_key_that_is_named_answers_many() {
    let check = |keys: &[&str], expected: usize| {
        let mut desk = three();
        desk.press(&["space", "space"]);
        desk.press(keys);
        assert_eq!(decided(&desk).len(), expected, "{keys:?}");
    };
    check(&["a", "a"], 0);
    check(&["a", "enter"], 0);
    check(&["a", "esc", "y"], 0);
    check(&["d", "y", "esc"], 0);
    check(&["d", "n", "o", "enter"], 2);
    check(&["d", "enter"], 2);
}

#[test]
fn what_was_answered_elsewhere_is_not_answered_again() {
    let mut desk = three();
    desk.press(&["space", "space", "d"]);
    desk.tell(Message::Answer(Answer::Approvals(vec![waiting(2, "git push --force", "high").1])));
    assert!(desk.screen().contains("Deny 1"), "{}", desk.screen());
    desk.press(&["n", "o", "enter"]);
    assert_eq!(decided(&desk), [("a2".to_owned(), Allowed::Deny, Some("no".to_owned()))]);
    let mut desk = three();
    desk.press(&["space", "a"]);
    desk.tell(Message::Answer(Answer::Approvals(Vec::new())));
    desk.press(&["y"]);
    assert_eq!(decided(&desk), []);
}

#[test]
fn nothing_is_answered_that_does_not_fit_the_screen() {
    let long = "x ".repeat(1_200);
    let (sessions, requests) =
        [waiting(1, &long, "low"), waiting(2, "ls", "low")].into_iter().unzip();
    let mut desk = Desk::with(SMALL, sessions, requests);
    desk.press(&["space", "space", "a"]);
    assert!(desk.screen().contains("too many to be shown"), "{}", desk.screen());
    desk.press(&["y"]);
    assert_eq!(decided(&desk), []);
}

/// Two keys in a row answer one request: the next one appeared without the user.
#[test]
fn a_second_key_does_not_answer_the_next_request() {
    let mut desk = three();
    desk.press(&["a"]);
    let rest = [waiting(2, "git push --force", "high"), waiting(3, "cargo fmt", "low")];
    let done = samples::session(1, &json!({"group": "working", "status": "running"}));
    desk.tell(Message::News(News::Status(Box::new(done))));
    desk.tell(Message::Answer(Answer::Approvals(rest.map(|it| it.1).into())));
    desk.press(&["a", "y"]);
    assert_eq!(decided(&desk), [("a1".to_owned(), Allowed::Allow, None)]);
    // A user who moves to a request means it.
    desk.press(&["j", "a"]);
    assert_eq!(decided(&desk).last().map(|it| it.0.as_str()), Some("a3"));
}

#[test]
fn marks_and_filters_go_back_and_decisions_do_not() {
    let mut desk = three();
    desk.press(&["space", "space", "z"]);
    assert!(desk.screen().contains("1 marked"), "{}", desk.screen());
    desk.press(&["f"]);
    desk.type_in("p3");
    desk.press(&["enter"]);
    assert!(!desk.screen().contains("p1 "), "{}", desk.screen());
    desk.press(&["esc", "z"]);
    assert!(!desk.screen().contains("p1 "), "{}", desk.screen());
    desk.press(&["z"]);
    assert!(desk.screen().contains("p1 "), "{}", desk.screen());
    desk.press(&["z", "z"]);
    assert!(!desk.screen().contains("marked"), "{}", desk.screen());
    assert!(desk.screen().contains("what was decided stays decided"), "{}", desk.screen());
}

fn receipt(state: &str, reason: Option<&str>) -> Box<Receipt> {
    serde_json::from_value(json!({
        "schema_version": 1, "correlation_id": "m1", "from": {}, "to": {}, "delivery_state": state,
        "reason": reason, "accepted_at": "2026-11-15T12:00:00Z",
        "provenance": {"source_kind": "ctm_input", "source_event_id": null,
            "observed_by_peer_id": null, "observed_at": "2026-11-15T12:00:00Z"},
    }))
    .unwrap()
}

#[test]
fn a_prompt_is_sent_and_followed_until_it_is_taken_up() {
    let mut desk = Desk::with(SMALL, vec![samples::approval(), samples::working()], Vec::new());
    let id = samples::working().id;
    desk.press(&["j", "s"]);
    assert!(desk.screen().contains("Send to parser"), "{}", desk.screen());
    desk.type_in("run it's tests");
    desk.press(&["enter"]);
    assert!(desk.asked.contains(&Ask::Send { id, text: "run it's tests".into() }));
    let says = |desk: &mut Desk, state: &str, reason, expected: &str| {
        desk.tell(Message::Answer(Answer::Receipt { id, receipt: receipt(state, reason) }));
        assert!(desk.screen().contains(expected), "{}", desk.screen());
    };
    says(&mut desk, "accepted", Some("it works"), "parser: waits: it works");
    let asked = Ask::Receipt { id, name: "m1".into() };
    assert!(!desk.asked.contains(&asked), "nothing moved yet");
    desk.tell(Message::News(News::Status(Box::new(samples::working()))));
    assert!(desk.asked.contains(&asked));
    says(&mut desk, "picked_up", None, "parser: sent; the agent has started on it");
    desk.asked.clear();
    desk.tell(Message::News(News::Status(Box::new(samples::working()))));
    assert!(!desk.asked.contains(&asked), "it has arrived");
    desk.press(&["@"]);
    assert!(
        desk.screen().contains("taffrail send 00000000 'run it'\\''s tests'"),
        "{}",
        desk.screen()
    );
}

#[test]
fn a_question_is_answered_with_the_number_of_an_answer() {
    let mut asks = samples::working();
    asks.waiting_for = Some(WaitingFor {
        options: vec!["Red".to_owned(), "Blue".to_owned()],
        ..WaitingFor::new(WaitingKind::Question, "Which colour?".to_owned())
    });
    asks.executor = Some("tmux:%4".to_owned());
    let id = asks.id;
    let mut desk = Desk::with(SMALL, vec![asks], Vec::new());
    desk.press(&["s"]);
    for row in ["parser asks", "Which colour?", "1  Red", "2  Blue", "pressed in tmux:%4"] {
        assert!(desk.screen().contains(row), "{row}: {}", desk.screen());
    }
    desk.press(&["3", "x", "esc"]);
    let chosen = Ask::Choose { id, option: 2, text: "Blue".to_owned() };
    assert!(!desk.asked.iter().any(|it| matches!(it, Ask::Choose { .. })), "{:?}", desk.asked);
    desk.press(&["s", "2"]);
    assert!(desk.asked.contains(&chosen), "{:?}", desk.asked);
    let why = "its screen does not show this answer".to_owned();
    desk.tell(Message::Answer(Answer::Failed { asked: chosen.clone(), why }));
    assert!(desk.screen().contains("not answered: its screen"), "{}", desk.screen());
    desk.tell(Message::Answer(Answer::Pressed(chosen)));
    assert!(desk.screen().contains("parser: answered Blue"), "{}", desk.screen());
}

#[test]
fn a_turn_is_interrupted_and_said_to_be_once_it_is() {
    let mut desk = Desk::with(SMALL, vec![samples::working()], Vec::new());
    let asked = Ask::Interrupt(samples::working().id);
    desk.press(&["i"]);
    assert!(desk.asked.contains(&asked), "{:?}", desk.asked);
    assert!(!desk.screen().contains("parser: interrupted"), "{}", desk.screen());
    desk.tell(Message::Answer(Answer::Pressed(asked)));
    assert!(desk.screen().contains("parser: interrupted"), "{}", desk.screen());
}

#[test]
fn what_could_not_be_sent_is_not_lost() {
    let mut desk = Desk::with(SMALL, vec![samples::working()], Vec::new());
    let (asked, why) = (
        Ask::Send { id: samples::working().id, text: "go on".into() },
        "nobody runs it".to_owned(),
    );
    desk.press(&["s", "g", "o", "esc", "s"]);
    assert!(desk.screen().contains("› go"), "{}", desk.screen());
    desk.type_in(" on");
    desk.press(&["enter"]);
    desk.tell(Message::Answer(Answer::Failed { asked, why }));
    assert!(desk.screen().contains("not sent: nobody runs it"), "{}", desk.screen());
    desk.press(&["s"]);
    assert!(desk.screen().contains("› go on"), "{}", desk.screen());
    desk.press(&["ctrl-u", "enter", "s"]);
    assert!(!desk.screen().contains("go on"), "{}", desk.screen());
}

#[test]
fn one_comes_back_to_where_one_was() {
    let sessions = (1..9).map(|at| waiting(at, "ls", "low").0).collect();
    let mut desk = Desk::with(SMALL, sessions, Vec::new());
    desk.press(&["4", "j", "j"]);
    let before = desk.state.target();
    desk.press(&["enter", "esc"]);
    assert_eq!(desk.state.target(), before);
    // After scrolling beyond the end, the first key up moves back.
    desk.press(&["6", "G", "G", "k"]);
    assert_eq!(desk.state.from, 0);
}
