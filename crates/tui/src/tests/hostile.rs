//! Hostile text: none of it reaches the terminal as a control sequence.

use super::Desk;
use crate::samples;
use crate::state::message::{Answer, Message, News};
use crate::terminal::clean;
use serde_json::{Value, json};
use taffrail_api::EventLine;
use taffrail_model::Event;
use taffrail_testkit::hostile::payloads;

fn event(number: usize, kind: &str, text: &str, data: &Value) -> Event {
    serde_json::from_value(json!({
        "id": format!("{number:032x}"), "sessionId": samples::approval().id,
        "provider": "claude-code", "providerSessionId": "r1", "source": "transcript", "kind": kind,
        "createdAt": "2026-11-15T11:00:00Z", "observedAt": "2026-11-15T11:00:00Z", "sequence": 1,
        "generation": "g", "revision": 1, "text": text, "data": data, "confidence": "high",
        "provenance": {"source_kind": "runtime_transcript", "backend": "claude-code",
            "runtime_session_id": "r1", "runtime_source_uri": "file:///x",
            "source_cursor": {"byte_offset": 0, "length": 1}, "source_event_id": null,
            "observed_by_peer_id": "d", "observed_at": "2026-11-15T11:00:00Z"},
    }))
    .unwrap()
}

/// A board on which every foreign text is this payload.
fn desk(payload: &str) -> Desk {
    let session = samples::session(
        1,
        &json!({
            "title": payload, "project_path": format!("/home/ada/{payload}"), "git_branch": payload,
            "agent": payload, "group": "needs_you", "status": "waiting_approval", "executor": payload,
            "waiting_for": {"kind": "approval", "text": payload},
        }),
    );
    let mut request = samples::request(payload, "high");
    request.tool = payload.to_owned();
    request.sources = vec![payload.to_owned()];
    let mut desk = Desk::with((80, 24), vec![session], vec![request]);
    let data = json!({"tool": payload, "call_id": "c", "input": {"old_string": "a", "new_string": payload,
        "todos": [{"content": payload, "status": "done"}]}});
    let lines = [
        "user.prompt",
        "assistant.message",
        "assistant.thinking",
        "tool.call",
        "tool.result",
        "error",
        "notice",
    ];
    let id = samples::approval().id;
    let events = lines.iter().enumerate().map(|(at, kind)| event(at, kind, payload, &data));
    let lines: Vec<EventLine> = events.map(|it| EventLine::Event(Box::new(it))).collect();
    for line in &lines {
        if let EventLine::Event(event) = line {
            desk.tell(Message::News(News::Event(event.clone())));
        }
    }
    desk.tell(Message::Answer(Answer::Events { id, limit: 80, lines: lines.clone() }));
    desk.press(&["enter"]);
    let limit = crate::state::transcript_view::EVENTS;
    desk.tell(Message::Answer(Answer::Events { id, limit, lines }));
    desk.press(&["t", "esc"]);
    desk
}

#[test]
fn no_payload_reaches_the_terminal_raw() {
    let payloads = payloads();
    assert!(payloads.len() >= 150, "{}", payloads.len());
    for payload in payloads {
        let mut desk = desk(&payload);
        for (keys, size) in [
            (&["1"][..], (80, 24)),
            (&["1"], (200, 50)),
            (&["enter"], (80, 24)),
            (&["esc", "2"], (80, 24)),
            (&["3"], (80, 24)),
            (&["4"], (80, 24)),
            (&["1", "a"], (80, 24)),
            (&["esc", "d"], (80, 24)),
        ] {
            desk.state.size = size;
            desk.press(keys);
            for cell in &desk.buffer().content {
                let symbol = cell.symbol();
                assert!(
                    clean(symbol) == symbol && !symbol.contains(['\n', '\t']),
                    "{payload:?}: {symbol:?}"
                );
                assert!(symbol.chars().count() <= 6, "{payload:?}: {symbol:?}");
            }
        }
    }
}
