//! Qwen Code: one file of lines a session, below the folder of its project.

mod approvals;
mod hooks;
mod install;

pub use hooks::is_transcript;

use crate::dialects::qwen_chat::read;
use taffrail_kit::{Agent, Descriptor, Evidence, HomeRule, StartPlan, Store, Traces};

const ID: &str = "qwen-code";

/// The adapter for Qwen Code.
pub static ADAPTER: Agent = Agent {
    entries: Some(hooks::read_entry),
    hooks: Some(&install::PLAN),
    mcp: Some(&install::MCP),
    own_payload: Some(hooks::is_own),
    approvals: Some(&approvals::PLAN),
    start: Some(&StartPlan {
        resume: &["qwen", "--resume", "{id}"],
        resume_in: &[],
        brief: &["qwen", "--prompt-interactive", "{ask}"],
        repeated: &["--model="],
    }),
    ..Agent::new(
        &DESCRIPTOR,
        &[
            Store::lines("projects/*/chats/{session}.jsonl", read),
            Store::lines("projects/*/chats/archive/{session}.jsonl", read),
        ],
    )
};

static DESCRIPTOR: Descriptor = Descriptor {
    id: ID,
    label: "Qwen Code",
    short: "qwen",
    scheme: "qwen-code-chat",
    homes: &[&[
        HomeRule::env("QWEN_RUNTIME_DIR", ""),
        HomeRule::env("QWEN_HOME", ""),
        HomeRule::user(".qwen"),
    ]],
    roots: &["projects"],
    // The launcher starts the program itself, which has the name of its package.
    processes: &["qwen", "qwen-code"],
    traces: Traces { instructions: &["QWEN.md"], ..Traces::NONE },
    evidence: Evidence::Recorded,
    ..Descriptor::NOTHING
};

#[cfg(test)]
mod tests {
    use super::*;
    use taffrail_kit::Adapter;

    #[test]
    fn what_another_agent_says_is_not_its_own() {
        let check = |path: &str, expected: bool| {
            let own =
                r#"{"session_id": "s", "hook_event_name": "Stop", "transcript_path": "PATH"}"#;
            assert_eq!(ADAPTER.is_own_payload(&own.replace("PATH", path)), expected, "{path}");
        };
        check("/h/.qwen/projects/-w/chats/s.jsonl", true);
        check("/srv/runtime/projects/-w/chats/s.jsonl", true);
        check("/h/.qwen/projects/-w/chats/archive/s.jsonl", true);
        check("", true);
        check("/h/.claude/projects/-w/s.jsonl", false);
        check("/h/.gemini/tmp/w/chats/session-1-s.jsonl", false);
        assert!(ADAPTER.is_own_payload(r#"{"session_id": "s", "hook_event_name": "Stop"}"#));
        assert!(ADAPTER.is_own_payload("not json"));
    }
}
