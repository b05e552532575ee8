//! Kilo: a fork of OpenCode with a database of its own.

use crate::dialects::opencode_plan::PLAN;
use crate::dialects::opencode_rows::read;
use taffrail_kit::{Agent, Descriptor, Evidence, HomeRule, Reads, Shape, StartPlan, Store};

/// The adapter for Kilo.
pub static ADAPTER: Agent = Agent {
    start: Some(&StartPlan {
        resume: &["kilo", "--session", "{id}"],
        resume_in: &[],
        brief: &["kilo", "--prompt", "{ask}"],
        repeated: &["--model="],
    }),
    ..Agent::new(&DESCRIPTOR, &[Store::of("kilo.db", Shape::Sqlite(&PLAN), Reads::Items(read))])
};

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
