//! OpenClaude: the transcripts of Claude Code below `~/.openclaude`.

use crate::claude_code::twin;
use taffrail_kit::{Agent, Descriptor, Evidence, HomeRule, Store};

/// The adapter for OpenClaude.
pub static ADAPTER: Agent = twin::agent(
    &DESCRIPTOR,
    &[
        twin::store("projects/{project}/agent-{worker}.jsonl"),
        twin::store("projects/{project}/{session}.jsonl"),
        Store {
            beside: &["projects/{project}/{parent}/subagents/agent-{worker}.meta.json"],
            ..twin::store("projects/{project}/{parent}/subagents/agent-{worker}.jsonl")
        },
        twin::store("projects/{project}/{parent}/subagents/workflows/*/agent-{worker}.jsonl"),
    ],
);

static DESCRIPTOR: Descriptor = Descriptor {
    id: "openclaude",
    label: "OpenClaude",
    short: "oclaude",
    scheme: "openclaude-jsonl",
    homes: &[&[HomeRule::env("OPENCLAUDE_CONFIG_DIR", ""), HomeRule::user(".openclaude")]],
    roots: &["projects"],
    processes: &["openclaude"],
    evidence: Evidence::Source,
    ..Descriptor::NOTHING
};
