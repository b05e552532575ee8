//! A search hit with its context, and the matches that are only counted.

use super::Desk;
use crate::samples;
use crate::state::message::{Answer, Ask, Message};
use serde_json::{Value, json};
use taffrail_model::EventId;

const EVENT: &str = "0000000000000000000000000000000b";

fn hit(number: u32, snippet: &str, weak: bool) -> Value {
    json!({
        "session_id": samples::working().id, "event_id": format!("{number:032x}"), "turn_id": null,
        "kind": "assistant.message", "created_at": "2026-11-08T10:00:00Z", "snippet": snippet,
        "matches": [[4, 13]], "stale": false, "agent": "claude-code", "title": "pipelines",
        "project_path": "/x/etl", "source_uri": "file:///x",
        "source_cursor": {"byte_offset": 0, "length": 1}, "score": 1.0, "weak": weak,
    })
}

/// A board that searched, at this size.
fn searched(size: (u16, u16)) -> Desk {
    let mut desk = Desk::with(size, vec![samples::working()], Vec::new());
    desk.press(&["/", "m"]);
    let hits = [
        hit(11, "the marmalade pipeline drops its last batch", false),
        hit(12, "the marmalade jar", true),
    ];
    let reply = json!({"schema_version": 1, "total": 9, "total_is_at_least": false,
        "partial": false, "weaker": 8, "hits": hits});
    let reply = serde_json::from_value(reply).unwrap();
    desk.tell(Message::Answer(Answer::Search { query: "m".into(), reply }));
    desk
}

fn window() -> Value {
    let event = |id: String, turn: u32, kind: &str, text: &str| {
        json!({"id": id, "sequence": turn, "turn": turn, "kind": kind, "text": text,
            "created_at": "2026-11-08T10:00:00Z", "tool": "Bash"})
    };
    let id = |number: u32| format!("{number:032x}");
    let answer = "## Found\n\nNow:\n\n- the **marmalade** pipeline drops its last batch\n\u{1b}[2J";
    json!({"schema_version": 1, "session_id": samples::working().id, "total": 5, "turns": 9,
    "anchor": EVENT, "events": [
        event(id(1), 6, "assistant.message", "of the turn before"),
        event(id(2), 7, "user.prompt", "why is a batch missing?"),
        event(id(3), 7, "tool.call", "cargo test"),
        event(EVENT.to_owned(), 7, "assistant.message", answer),
        event(id(4), 8, "user.prompt", "of the turn after"),
    ]})
}

#[test]
fn the_turn_of_a_hit_is_beside_the_list() {
    for (size, name) in [((80, 24), "small"), ((120, 40), "wide")] {
        let mut desk = searched(size);
        desk.press(&["down"]);
        let id = samples::working().id;
        let event = EventId::parse(EVENT).unwrap();
        let asked = Ask::Around { id, event };
        assert_eq!(desk.asked.iter().filter(|it| **it == asked).count(), 1);
        let window = serde_json::from_value(window()).unwrap();
        desk.tell(Message::Answer(Answer::Around { id, event, window }));
        insta::assert_snapshot!(format!("found-{name}"), desk.screen());
        let screen = desk.screen();
        assert!(!screen.contains("of the turn before"), "{screen}");
        assert!(!screen.contains('\u{1b}'), "{screen}");
    }
}

#[test]
fn weak_matches_are_counted_until_they_are_asked_for() {
    let mut desk = searched((120, 40));
    assert!(desk.screen().contains("8 weaker matches: Ctrl-a shows them"), "{}", desk.screen());
    assert!(!desk.screen().contains("marmalade jar"));
    desk.press(&["ctrl-a"]);
    assert!(desk.screen().contains("the marmalade jar"), "{}", desk.screen());
    desk.press(&["down", "ctrl-a"]);
    assert!(!desk.screen().contains("marmalade jar"), "{}", desk.screen());
}
