//! Qwen Code: one file of lines a session, below the folder of its project.

use crate::dialects::qwen_chat::read;
use crate::kit::{Agent, Store};
use crate::{Descriptor, Evidence, HomeRule, StartPlan, Traces};

/// The adapter for Qwen Code.
pub static ADAPTER: Agent = Agent {
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
    id: "qwen-code",
    label: "Qwen Code",
    short: "qwen",
    scheme: "qwen-code-chat",
    homes: &[&[
        HomeRule::env("QWEN_RUNTIME_DIR", ""),
        HomeRule::env("QWEN_HOME", ""),
        HomeRule::user(".qwen"),
    ]],
    roots: &["projects"],
    processes: &["qwen"],
    traces: Traces { instructions: &["QWEN.md"], ..Traces::NONE },
    evidence: Evidence::Recorded,
    ..Descriptor::NOTHING
};
