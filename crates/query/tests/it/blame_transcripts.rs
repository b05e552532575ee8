//! Transcripts of two agents, line by line, as they leave them on disk.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test that cannot go on must stop"
)]

use serde_json::{Value, json};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

/// The agent that wrote a transcript.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Claude Code, which records the file before each change.
    Recording,
    /// Claude Code without its own copy of results.
    Plain,
    /// Codex, which writes patches.
    Patching,
}

/// A transcript that grows.
#[derive(Debug)]
pub(crate) struct Transcript {
    pub(crate) id: String,
    pub(crate) kind: Kind,
    pub(crate) turn: usize,
    file: PathBuf,
    folder: String,
    lines: usize,
    parent: Option<String>,
}

/// What a tool does.
pub(crate) struct Call<'a> {
    pub(crate) path: &'a str,
    /// The text before; `None` for a new file.
    pub(crate) before: Option<&'a str>,
    pub(crate) after: &'a str,
    /// A part before and after it; the whole file is written without one.
    pub(crate) part: Option<(&'a str, &'a str)>,
}

impl Transcript {
    pub(crate) fn new(home: &Path, folder: &str, kind: Kind, number: usize) -> Self {
        let id = format!("00000000-0000-4000-8000-{number:012}");
        let file = match kind {
            Kind::Recording | Kind::Plain => {
                let name: String =
                    folder.chars().map(|it| if it.is_alphanumeric() { it } else { '-' }).collect();
                home.join(format!(".claude/projects/{name}/{id}.jsonl"))
            }
            Kind::Patching => home
                .join(format!(".codex/sessions/2026/10/01/rollout-2026-10-01T10-00-00-{id}.jsonl")),
        };
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        let folder = folder.to_owned();
        let mut new = Self { id, kind, turn: 0, file, folder, lines: 0, parent: None };
        if kind == Kind::Patching {
            let meta = json!({"id": new.id, "session_id": new.id, "cwd": new.folder,
                "timestamp": "2026-10-01T10:00:00.000Z", "originator": "codex-tui",
                "cli_version": "0.166.0", "source": "cli", "model_provider": "openai"});
            new.codex("2026-10-01T10:00:00.000Z", "session_meta", &meta);
        }
        new
    }

    pub(crate) fn prompt(&mut self, time: &str, text: &str) {
        self.turn += 1;
        if self.kind == Kind::Patching {
            let id = format!("turn-{}-{}", self.id, self.turn);
            let context = json!({"turn_id": id, "cwd": self.folder, "model": "gpt-5.5"});
            self.codex(time, "turn_context", &context);
            let content = json!([{"type": "input_text", "text": text}]);
            let item = json!({"type": "message", "role": "user", "content": content});
            self.codex(time, "response_item", &item);
            let message = json!({"type": "user_message", "message": text, "images": []});
            return self.codex(time, "event_msg", &message);
        }
        self.claude(time, json!({"type": "user", "message": {"role": "user", "content": text}}));
    }

    pub(crate) fn call(&mut self, time: &str, call: &Call<'_>) {
        // Agents draw these ids: equal ones in two sessions would be one copied call.
        let id = format!("call_{}_{}", self.id, self.lines);
        if self.kind == Kind::Patching {
            let asked = json!({"type": "custom_tool_call", "status": "completed", "call_id": id,
                "name": "apply_patch", "input": patch(call)});
            self.codex(time, "response_item", &asked);
            let output = json!({"output": "Success.", "metadata": {"exit_code": 0}}).to_string();
            let answered =
                json!({"type": "custom_tool_call_output", "call_id": id, "output": output});
            return self.codex(time, "response_item", &answered);
        }
        let file = format!("{}/{}", self.folder, call.path);
        let (tool, input) = match call.part {
            Some((old, new)) => {
                ("Edit", json!({"file_path": file, "old_string": old, "new_string": new}))
            }
            None => ("Write", json!({"file_path": file, "content": call.after})),
        };
        let block = json!({"type": "tool_use", "id": id, "name": tool, "input": input});
        let message = json!({"id": format!("msg_{}", self.lines), "type": "message",
            "role": "assistant", "model": "claude-x-1", "content": [block],
            "stop_reason": "tool_use", "usage": {"input_tokens": 3, "output_tokens": 10}});
        self.claude(time, json!({"type": "assistant", "message": message, "requestId": id}));
        let block = json!({"type": "tool_result", "tool_use_id": id, "content": "ok"});
        let mut answer = json!({"type": "user", "message": {"role": "user", "content": [block]}});
        if self.kind == Kind::Recording {
            let kind = if call.before.is_none() { "create" } else { "update" };
            answer["toolUseResult"] =
                json!({"type": kind, "filePath": file, "originalFile": call.before});
        }
        self.claude(time, answer);
    }

    fn claude(&mut self, time: &str, mut record: Value) {
        let uuid = format!("{}-{}", self.id, self.lines);
        let common = json!({"parentUuid": self.parent, "isSidechain": false, "cwd": self.folder,
            "sessionId": self.id, "version": "2.1.239", "gitBranch": "main", "uuid": uuid,
            "timestamp": time});
        for (name, value) in common.as_object().unwrap() {
            record[name.as_str()] = value.clone();
        }
        self.parent = Some(uuid);
        self.put(&record);
    }

    fn codex(&mut self, time: &str, kind: &str, payload: &Value) {
        self.put(&json!({"timestamp": time, "type": kind, "payload": payload}));
    }

    fn put(&mut self, record: &Value) {
        self.lines += 1;
        let mut file = fs::OpenOptions::new().create(true).append(true).open(&self.file).unwrap();
        writeln!(file, "{record}").unwrap();
    }
}

fn patch(call: &Call<'_>) -> String {
    let marked = |mark: char, text: &str| -> String {
        text.lines().map(|it| format!("{mark}{it}\n")).collect()
    };
    let body = match (call.part, call.before) {
        (Some((old, new)), _) => {
            format!("*** Update File: {}\n@@\n{}{}", call.path, marked('-', old), marked('+', new))
        }
        (None, Some(_)) => format!(
            "*** Delete File: {0}\n*** Add File: {0}\n{1}",
            call.path,
            marked('+', call.after)
        ),
        (None, None) => format!("*** Add File: {}\n{}", call.path, marked('+', call.after)),
    };
    format!("*** Begin Patch\n{body}*** End Patch\n")
}
