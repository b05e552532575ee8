//! MiMo Code: a fork of OpenCode whose sub-agents share the session of their parent.

use crate::dialects::opencode_plan::{self, message_where};
use crate::dialects::opencode_rows::read;
use taffrail_kit::{
    Agent, Descriptor, Evidence, HomeRule, Reads, Shape, SqlitePlan, StartPlan, Store,
};

/// The adapter for MiMo Code.
pub static ADAPTER: Agent = Agent {
    start: Some(&StartPlan {
        resume: &["mimo", "--session", "{id}"],
        resume_in: &[],
        brief: &["mimo", "--prompt", "{ask}"],
        repeated: &["--model="],
    }),
    ..Agent::new(&DESCRIPTOR, &[Store::of("mimocode.db", Shape::Sqlite(&PLAN), Reads::Items(read))])
};

static DESCRIPTOR: Descriptor = Descriptor {
    id: "mimo-code",
    label: "MiMo Code",
    short: "mimo",
    scheme: "mimo-sqlite",
    homes: &[&[
        HomeRule::env("MIMOCODE_HOME", "data"),
        HomeRule::env("XDG_DATA_HOME", "mimocode"),
        HomeRule::user(".local/share/mimocode"),
    ]],
    roots: &["mimocode.db"],
    rewrites_records: true,
    processes: &["mimo"],
    evidence: Evidence::Source,
    ..Descriptor::NOTHING
};

/// One agent after the other, so that the turn of each stays together.
const PLAN: SqlitePlan = SqlitePlan {
    rows: message_where!(
        "m.session_id = ?1 ORDER BY m.agent_id <> 'main', m.agent_id, m.time_created, m.id"
    ),
    ..opencode_plan::PLAN
};
