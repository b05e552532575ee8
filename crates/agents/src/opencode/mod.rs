//! OpenCode: all sessions of a machine in one SQLite database.

mod install;

use crate::dialects::opencode_plan::PLAN;
use crate::dialects::opencode_rows::read;
use crate::dialects::opencode_server;
use taffrail_kit::agent_server::report;
use taffrail_kit::{
    Agent, Descriptor, Evidence, HomeRule, Reads, ServerPlan, Shape, StartPlan, Store,
};

/// The adapter for OpenCode.
pub static ADAPTER: Agent = Agent {
    start: Some(&StartPlan {
        resume: &["opencode", "--session", "{id}"],
        resume_in: &[],
        brief: &["opencode", "--prompt", "{ask}"],
        repeated: &["--model="],
    }),
    mcp: Some(&install::MCP),
    server: Some(&SERVER),
    entries: Some(report::read_entry),
    ..Agent::new(
        &DESCRIPTOR,
        &[
            Store::of("opencode.db", Shape::Sqlite(&PLAN), Reads::Items(read)),
            // Builds of another channel than the released ones.
            Store::of("opencode-*.db", Shape::Sqlite(&PLAN), Reads::Items(read)),
        ],
    )
};

static SERVER: ServerPlan =
    opencode_server::plan(|state, text| opencode_server::read("opencode", state, text));

static DESCRIPTOR: Descriptor = Descriptor {
    id: "opencode",
    label: "OpenCode",
    short: "opencode",
    note_tool: "opencode",
    scheme: "opencode-sqlite",
    homes: &[&[
        HomeRule::env("XDG_DATA_HOME", "opencode"),
        HomeRule::user(".local/share/opencode"),
    ]],
    roots: &["opencode.db", "opencode-dev.db", "opencode-local.db"],
    rewrites_records: true,
    processes: &["opencode"],
    evidence: Evidence::Recorded,
    ..Descriptor::NOTHING
};
