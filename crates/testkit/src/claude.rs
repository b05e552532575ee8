//! Minimal lines of Claude Code, written by hand.

use serde_json::{Value, json};

/// The path of the transcript of a session in `/w/app`.
#[must_use]
pub fn path(session: &str) -> String {
    format!(".claude/projects/-w-app/{session}.jsonl")
}

/// A record of a conversation in `/w/app`.
#[derive(Debug, Clone, Copy)]
pub struct Line<'a> {
    /// The session.
    pub session: &'a str,
    /// The record.
    pub uuid: &'a str,
    /// The record before it.
    pub parent: Option<&'a str>,
    /// When, in seconds after 2026-10-01T10:00:00Z; at most an hour.
    pub second: u32,
}

impl Line<'_> {
    /// A prompt.
    #[must_use]
    pub fn prompt(self, text: &str) -> String {
        self.with(&json!({"type": "user", "message": {"role": "user", "content": text}}))
    }

    /// An answer of ten tokens that ends the turn.
    #[must_use]
    pub fn answer(self, text: &str) -> String {
        self.block(&json!({"type": "text", "text": text}), "end_turn")
    }

    /// A call of a tool.
    #[must_use]
    pub fn call(self, id: &str, tool: &str, input: &Value) -> String {
        let block = json!({"type": "tool_use", "id": id, "name": tool, "input": input});
        self.block(&block, "tool_use")
    }

    /// A tool's answer.
    #[must_use]
    pub fn result(self, id: &str, output: &str) -> String {
        let block = json!({"type": "tool_result", "tool_use_id": id, "content": output});
        self.with(&json!({"type": "user", "message": {"role": "user", "content": [block]}}))
    }

    fn block(self, block: &Value, stop: &str) -> String {
        let usage = json!({"input_tokens": 3, "output_tokens": 10, "cache_read_input_tokens": 100,
            "cache_creation_input_tokens": 5});
        let message = json!({"id": format!("msg_{}", self.uuid), "type": "message",
            "role": "assistant", "model": "claude-x-1", "content": [block], "stop_reason": stop,
            "usage": usage});
        let request = format!("req_{}", self.uuid);
        self.with(&json!({"type": "assistant", "message": message, "requestId": request}))
    }

    /// Any record: the common fields, and these.
    #[must_use]
    pub fn with(self, fields: &Value) -> String {
        let time = format!("2026-10-01T10:{:02}:{:02}.000Z", self.second / 60, self.second % 60);
        let mut record = json!({"parentUuid": self.parent, "isSidechain": false, "cwd": "/w/app",
            "sessionId": self.session, "version": "2.1.239", "gitBranch": "main",
            "uuid": self.uuid, "timestamp": time});
        for (name, value) in fields.as_object().into_iter().flatten() {
            record[name.as_str()] = value.clone();
        }
        format!("{record}\n")
    }
}

/// Prompts and answers in turn, from `first` to below `end`, all of them linked.
#[must_use]
pub fn talk(session: &str, first: u32, end: u32) -> String {
    let uuid = |number: u32| format!("00000000-0000-4000-8000-{number:012}");
    let said = |number: u32| {
        let parent = number.checked_sub(1).map(uuid);
        let (uuid, parent) = (uuid(number), parent.as_deref());
        let line = Line { session, uuid: &uuid, parent, second: number };
        match number % 2 {
            0 => line.prompt(&format!("Prompt number {number:04}.")),
            _ => line.answer(&format!("Answer number {number:04}.")),
        }
    };
    (first..end).map(said).collect()
}
