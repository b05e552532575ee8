//! Short sessions of every agent, with the texts of a test.

use crate::claude::Line;
use crate::goose::{GooseDb, Message, answer, call, text};
use serde_json::{Value, json};

/// A part of a session.
#[derive(Debug, Clone)]
pub enum Piece {
    /// A prompt.
    Prompt(String),
    /// An answer.
    Answer(String),
    /// A call of a tool with this input, and its output.
    Tool(String, Value, String),
}

/// The time of a record, this many seconds after ten o'clock.
#[must_use]
pub fn at(second: usize) -> String {
    format!("2026-10-01T10:{:02}:{:02}.000Z", second / 60, second % 60)
}

/// Lines of Claude Code; `name` and a number identify the records.
#[must_use]
pub fn claude(session: &str, name: &str, project: &str, pieces: &[Piece]) -> String {
    let mut out = String::new();
    for (number, piece) in pieces.iter().enumerate() {
        let (uuid, second) = (format!("{name}-{number}"), u32::try_from(number * 2).unwrap());
        let line = Line { session, uuid: &uuid, parent: None, second };
        match piece {
            Piece::Prompt(text) => out += &line.prompt(text),
            Piece::Answer(text) => out += &line.answer(text),
            Piece::Tool(tool, input, output) => {
                let (result, second) = (format!("{uuid}-r"), second + 1);
                out += &line.call(&format!("t-{uuid}"), tool, input);
                let line = Line { session, uuid: &result, parent: Some(&uuid), second };
                out += &line.result(&format!("t-{uuid}"), output);
            }
        }
    }
    out.replace("\"/w/app\"", &json!(project).to_string())
}

/// The path of a session's transcript.
#[must_use]
pub fn claude_path(session: &str) -> String {
    crate::claude::path(session)
}

/// A rollout of Codex.
#[must_use]
pub fn codex(thread: &str, project: &str, pieces: &[Piece]) -> String {
    let line = |number: usize, kind: &str, payload: Value| {
        format!("{}\n", json!({"timestamp": at(number), "type": kind, "payload": payload}))
    };
    let meta = json!({"id": thread, "cwd": project, "cli_version": "0.98.0", "source": "cli"});
    let mut out = line(0, "session_meta", meta);
    for (number, piece) in pieces.iter().enumerate() {
        let (second, call) = (number * 2 + 1, format!("c{number}"));
        match piece {
            Piece::Prompt(text) => {
                out += &line(second, "event_msg", json!({"type": "user_message", "message": text}));
            }
            Piece::Answer(text) => {
                out +=
                    &line(second, "event_msg", json!({"type": "agent_message", "message": text}));
            }
            Piece::Tool(tool, input, output) => {
                let asked = json!({"type": "function_call", "name": tool, "call_id": call,
                    "arguments": input.to_string()});
                out += &line(second, "response_item", asked);
                let told =
                    json!({"type": "function_call_output", "call_id": call, "output": output});
                out += &line(second + 1, "response_item", told);
            }
        }
    }
    out
}

/// The path of a rollout.
#[must_use]
pub fn codex_path(thread: &str) -> String {
    format!(".codex/sessions/2026/10/01/rollout-2026-10-01T10-00-00-{thread}.jsonl")
}

/// The head and the messages of a chat of Gemini CLI.
#[must_use]
pub fn gemini(session: &str, pieces: &[Piece]) -> (Value, Vec<Value>) {
    let head = json!({"sessionId": session, "projectHash": "x", "startTime": at(0),
        "lastUpdated": at(0), "kind": "main"});
    let messages = pieces.iter().enumerate();
    (head, messages.map(|(number, piece)| gemini_message(number, piece)).collect())
}

/// One message of a chat; its id is its number.
#[must_use]
pub fn gemini_message(number: usize, piece: &Piece) -> Value {
    let (id, time) = (format!("m{number}"), at(number * 2));
    let said = |text: &str, calls: Value| {
        json!({"id": id, "timestamp": time, "type": "gemini", "content": text, "model": "g",
            "toolCalls": calls})
    };
    match piece {
        Piece::Prompt(text) => {
            json!({"id": id, "timestamp": time, "type": "user", "content": [{"text": text}]})
        }
        Piece::Answer(text) => said(text, json!([])),
        Piece::Tool(tool, input, output) => {
            let response = json!({"id": "c", "name": tool, "response": {"output": output}});
            let call = json!({"id": format!("c{number}"), "name": tool, "args": input,
                "result": [{"functionResponse": response}], "status": "success", "timestamp": time});
            said("", json!([call]))
        }
    }
}

/// A chat as lines.
#[must_use]
pub fn gemini_lines(session: &str, pieces: &[Piece]) -> String {
    let (head, messages) = gemini(session, pieces);
    let lines = [head].into_iter().chain(messages);
    lines.map(|it| format!("{it}\n")).collect()
}

/// A chat as one document, as older versions wrote it.
#[must_use]
pub fn gemini_document(session: &str, pieces: &[Piece]) -> String {
    let (mut head, messages) = gemini(session, pieces);
    head["messages"] = json!(messages);
    head.to_string()
}

/// The path of a chat; `ending` selects lines or a document.
#[must_use]
pub fn gemini_path(session: &str, ending: &str) -> String {
    format!(".gemini/tmp/app/chats/session-2026-10-01T10-00-{}.{ending}", &session[..8])
}

/// Adds pieces to a session in the database of Goose, starting at a number; returns the rows.
pub fn goose(database: &GooseDb, session: &str, first: usize, pieces: &[Piece]) -> Vec<i64> {
    let mut rows = Vec::new();
    for (number, piece) in (first..).zip(pieces) {
        let at = 1_790_848_800 + i64::try_from(number).unwrap() * 2;
        let mut say = |role: &str, content: Value, later: i64| {
            rows.push(database.message(&Message { session, role, content, at: at + later }));
        };
        let id = format!("g{number}");
        match piece {
            Piece::Prompt(said) => say("user", json!([text(said)]), 0),
            Piece::Answer(said) => say("assistant", json!([text(said)]), 0),
            Piece::Tool(tool, input, output) => {
                say("assistant", json!([call(&id, tool, input)]), 0);
                say("user", json!([answer(&id, output)]), 1);
            }
        }
    }
    rows
}
