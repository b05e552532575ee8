//! Kilo: a fork of OpenCode with a database of its own.

use crate::dialects::opencode_plan::PLAN;
use crate::dialects::opencode_rows::read;
use crate::dialects::opencode_server;
use taffrail_kit::agent_server::report;
use taffrail_kit::{
    Agent, Descriptor, Evidence, HomeRule, Reads, ServerPlan, Shape, StartPlan, Store,
};

/// The adapter for Kilo.
pub static ADAPTER: Agent = Agent {
    start: Some(&StartPlan {
        resume: &["kilo", "--session", "{id}"],
        resume_in: &[],
        brief: &["kilo", "--prompt", "{ask}"],
        repeated: &["--model="],
    }),
    server: Some(&SERVER),
    entries: Some(report::read_entry),
    ..Agent::new(&DESCRIPTOR, &[Store::of("kilo.db", Shape::Sqlite(&PLAN), Reads::Items(read))])
};

static SERVER: ServerPlan =
    opencode_server::plan(|state, text| opencode_server::read("kilo", state, text));

static DESCRIPTOR: Descriptor = Descriptor {
    id: "kilo",
    label: "Kilo",
    short: "kilo",
    scheme: "kilo-sqlite",
    homes: &[&[HomeRule::env("XDG_DATA_HOME", "kilo"), HomeRule::user(".local/share/kilo")]],
    roots: &["kilo.db"],
    rewrites_records: true,
    processes: &["kilo"],
    evidence: Evidence::Recorded,
    ..Descriptor::NOTHING
};
