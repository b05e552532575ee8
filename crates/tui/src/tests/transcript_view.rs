//! Opening a session at a search hit, and continuing from there.

use super::Desk;
use crate::samples;
use crate::state::message::{Answer, Message};
use crate::state::transcript_view;
use serde_json::json;
use taffrail_api::{EventLine, SearchReply};
use taffrail_model::Event;

/// Turns with one prompt, one call with thirty lines of output, and one answer each.
fn turns(count: u32, needle: (u32, &str)) -> Vec<Event> {
    let of_turn = |turn: u32| {
        let said = |kind, more: u32, text: &str| {
            let data = json!({"tool": "Bash", "call_id": format!("c{turn}"), "failed": false});
            samples::event(turn * 10 + more, kind, text, &data)
        };
        let found = if turn == needle.0 { needle.1 } else { "nothing" };
        let output = format!("{}{found}\n{}", "a line\n".repeat(40), "after\n".repeat(5));
        [
            said("user.prompt", 0, &format!("prompt {turn}")),
            said("tool.call", 1, "cat log"),
            said("tool.result", 2, &output),
            said("assistant.message", 3, &format!("answer {turn}")),
        ]
    };
    (1..=count).flat_map(of_turn).collect()
}

/// Searches for a word, opens its only hit, and delivers the events of the session.
fn opened(word: &str, hit: &Event, events: &[Event]) -> Desk {
    let mut desk = Desk::with((80, 24), vec![samples::working()], Vec::new());
    desk.press(&["/"]);
    desk.type_in(word);
    let reply: SearchReply = serde_json::from_value(json!({
        "schema_version": 1, "total": 1, "total_is_at_least": false, "partial": false,
        "hits": [{"session_id": hit.session_id, "event_id": hit.id, "turn_id": null, "kind": hit.kind,
            "created_at": hit.created_at, "snippet": word, "matches": [], "stale": false,
            "agent": "claude-code", "title": "t", "project_path": "/x/etl", "source_uri": "file:///x",
            "source_cursor": {"byte_offset": 0, "length": 1}, "score": 1.0}],
    }))
    .unwrap();
    let first: String = word.chars().take(1).collect();
    for query in [first, word.to_owned()] {
        desk.tell(Message::Answer(Answer::Search { query, reply: reply.clone() }));
    }
    desk.press(&["down", "enter"]);
    let lines = events.iter().cloned().map(|it| EventLine::Event(Box::new(it))).collect();
    let (id, limit) = (hit.session_id, transcript_view::EVENTS);
    desk.tell(Message::Answer(Answer::Events { id, limit, lines }));
    desk
}

#[test]
fn a_hit_in_tool_output_is_opened_where_it_is() {
    let events = turns(25, (3, "zqneedle"));
    let hit = events.iter().find(|it| it.text.as_deref().is_some_and(|it| it.contains("zqn")));
    let desk = opened("zqneedle", hit.unwrap(), &events);
    let screen = desk.screen();
    assert!(screen.contains("│ zqneedle") && screen.contains("prompt 3"), "{screen}");
    assert!(!screen.contains("prompt 25"), "{screen}");
}

#[test]
fn n_and_capital_n_go_from_place_to_place_after_a_search() {
    let events = turns(25, (0, ""));
    let mut desk = opened("answer", &events[3], &events);
    let first = desk.screen();
    assert!(first.contains("answer 1"), "{first}");
    desk.press(&["n", "n", "n"]);
    assert!(desk.screen().lines().nth(5).unwrap().contains("answer 4"), "{}", desk.screen());
    desk.press(&["N", "N", "N"]);
    assert!(desk.screen().contains("answer 1"), "{}", desk.screen());
    desk.press(&["N"]);
    assert!(desk.screen().contains("no more"), "{}", desk.screen());
}
