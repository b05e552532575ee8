//! Claude Cowork: the transcripts of Claude Code, one home for each session of the desktop program.

use crate::claude_code::twin;
use taffrail_kit::{Agent, Descriptor, Evidence, HomeRule, Os, Store};

/// The adapter for Claude Cowork.
pub static ADAPTER: Agent = twin::agent(
    &DESCRIPTOR,
    &[
        Store {
            beside: &[META],
            ..twin::store(
                "local-agent-mode-sessions/{org}/{space}/local_{local}/.claude/projects/{project}/agent-{worker}.jsonl",
            )
        },
        Store {
            beside: &[META],
            ..twin::store(
                "local-agent-mode-sessions/{org}/{space}/local_{local}/.claude/projects/{project}/{session}.jsonl",
            )
        },
        Store {
            beside: &[
                META,
                "local-agent-mode-sessions/{org}/{space}/local_{local}/.claude/projects/{project}/{parent}/subagents/agent-{worker}.meta.json",
            ],
            ..twin::store(
                "local-agent-mode-sessions/{org}/{space}/local_{local}/.claude/projects/{project}/{parent}/subagents/agent-{worker}.jsonl",
            )
        },
    ],
);

/// The desktop program's description of a session, beside the session's home.
const META: &str = "local-agent-mode-sessions/{org}/{space}/local_{local}.json";

static DESCRIPTOR: Descriptor = Descriptor {
    id: "claude-cowork",
    label: "Claude Cowork",
    short: "cowork",
    scheme: "cowork-jsonl",
    homes: &[
        &[
            HomeRule::user("Library/Application Support/Claude").on(Os::MacOs),
            HomeRule::env("XDG_CONFIG_HOME", "Claude").on(Os::Linux),
            HomeRule::user(".config/Claude").on(Os::Linux),
            HomeRule::env("APPDATA", "Claude").on(Os::Windows),
        ],
        &[HomeRule::env("LOCALAPPDATA", "Packages/Claude_pzs8sxrjxfjjc/LocalCache/Roaming/Claude")
            .on(Os::Windows)],
    ],
    roots: &["local-agent-mode-sessions"],
    evidence: Evidence::Source,
    ..Descriptor::NOTHING
};
