//! Every kind of finding once, in records as an agent writes them. Kinds in the recordings of real
//! sessions are not repeated here.

use super::Recorder;
use serde_json::{Map, Value, json};
use taffrail_adapters::{Source, by_id};
use taffrail_testkit::claude::Line;

const SESSION: &str = "11111111-1111-4111-8111-111111111111";

/// 2026-10-01T10:00:00Z, the time of the first line.
const BEGAN_MS: u64 = 1790848800000;

/// A session as transcript lines and hook entries.
#[derive(Default)]
struct Script {
    lines: String,
    hooks: String,
    second: u32,
}

impl Script {
    fn begun() -> Self {
        Self::default().add(|line| line.prompt("do it"))
    }

    fn add(mut self, text: impl FnOnce(Line<'_>) -> String) -> Self {
        let uuid = format!("00000000-0000-4000-8000-{:012}", self.second);
        let line = Line { session: SESSION, uuid: &uuid, parent: None, second: self.second };
        self.lines += &text(line);
        self.later(1)
    }

    fn later(mut self, seconds: u32) -> Self {
        self.second += seconds;
        self
    }

    fn call(self, tool: &str, input: &Value, (output, failed): (&str, bool)) -> Self {
        let id = format!("toolu_{}", self.second);
        let result = json!({"type": "tool_result", "tool_use_id": id, "content": output,
            "is_error": failed});
        let result_line = json!({"type": "user", "message": {"role": "user", "content": [result]}});
        self.add(|line| line.call(&id, tool, input)).add(|line| line.with(&result_line))
    }

    fn fails(self, command: &str, output: &str) -> Self {
        self.call("Bash", &json!({"command": command}), (output, true))
    }

    fn edits(self) -> Self {
        let file = format!("new {}", self.second);
        let input = json!({"file_path": "/w/app/a.rs", "old_string": "x", "new_string": file});
        self.call("Edit", &input, ("ok", false))
    }

    /// The agent gives up because of its provider.
    fn gives_up(self, kind: &str, text: &str) -> Self {
        let message = json!({"id": "msg", "type": "message", "role": "assistant",
            "model": "<synthetic>", "content": [{"type": "text", "text": text}],
            "stop_reason": "stop_sequence", "usage": {"input_tokens": 0, "output_tokens": 0}});
        let fields = json!({"type": "assistant", "message": message, "isApiErrorMessage": true,
            "error": kind});
        self.add(|line| line.with(&fields))
    }

    fn hook(self, event: &str, fields: &Value) -> Self {
        let common = json!({"session_id": SESSION, "hook_event_name": event, "cwd": "/w/app"});
        let all = common.as_object().into_iter().chain(fields.as_object()).flatten();
        let all: Map<String, Value> = all.map(|(a, b)| (a.clone(), b.clone())).collect();
        self.note("hook", &Value::Object(all))
    }

    /// The agent's own list of live sessions reports that it is busy.
    fn listed(self) -> Self {
        let at = BEGAN_MS + u64::from(self.second) * 1000;
        let entry = json!({"pid": 417, "sessionId": SESSION, "cwd": "/w/app", "status": "busy",
            "statusUpdatedAt": at});
        self.note("registry", &entry)
    }

    fn note(mut self, via: &str, payload: &Value) -> Self {
        let at = format!("2026-10-01T10:{:02}:{:02}.500Z", self.second / 60, self.second % 60);
        let entry = json!({"at": at, "nonce": format!("h{}", self.second), "agent": "claude-code",
            "via": via, "payload": payload});
        self.hooks += &format!("{entry}\n");
        self.later(1)
    }

    fn times(self, count: usize, step: impl Fn(Self) -> Self) -> Self {
        (0..count).fold(self, |it, _| step(it))
    }
}

#[test]
fn every_kind_is_found_where_it_is_right() {
    let check = |script: Script, expected: &[&str]| {
        let adapter = by_id("claude-code").unwrap();
        let path = format!("projects/-w-app/{SESSION}.jsonl");
        let source = Source { path: &path, key: "", scope: "", beside: &[], written: None };
        let mut recorder = Recorder::default();
        recorder.read(adapter.journal(), script.hooks.as_bytes());
        recorder.read(adapter.reader(&source, None), script.lines.as_bytes());
        let found: Vec<String> = recorder.found().into_iter().collect();
        assert_eq!(found, expected, "{}", script.lines);
    };
    let begun = Script::begun;
    check(begun().times(4, |it| it.fails("make all", "make: *** [all] Error 1")), &["loop"]);
    let fails = |it: Script| it.edits().fails("cargo test", "test adds ... FAILED");
    check(begun().times(4, fails), &["repeated_test_failure"]);
    let types = |it: Script| it.edits().fails("cargo check", "error[E0308]: mismatched types");
    check(begun().times(4, types), &["type_error"]);
    let lacks =
        |it: Script| it.fails("python m.py", "ModuleNotFoundError: No module named 'httpx'");
    check(begun().times(2, lacks), &["missing_dependency"]);
    let conflict = "CONFLICT (content): Merge conflict in a.rs\nAutomatic merge failed";
    check(begun().fails("git merge main", conflict), &["merge_conflict"]);
    let refused = "fatal: Authentication failed for 'https://example.org/a.git/'";
    check(begun().fails("git push", refused), &["auth_failure"]);
    check(begun().gives_up("rate_limit", "API Error: 429"), &["rate_limit"]);
    check(begun().gives_up("unknown", "API Error: Connection error."), &["network_failure"]);
    check(begun().gives_up("invalid_request", "Prompt is too long"), &["context_nearly_full"]);
    let prompted = || begun().hook("UserPromptSubmit", &json!({"prompt": "do it"}));
    let done = prompted().later(100).add(|line| line.answer("Done."));
    check(done.hook("Stop", &json!({})), &["finished"]);
    let risky = json!({"tool_name": "Bash", "tool_input": {"command": "rm -rf /data"}});
    let asks = prompted().hook("PermissionRequest", &risky);
    check(asks, &["approval_backlog", "risky_approval"]);
    check(prompted().listed(), &["stuck"]);
}
