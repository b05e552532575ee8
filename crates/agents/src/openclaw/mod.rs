//! OpenClaw: sessions as Pi writes them, one folder per agent, in the store before its database.

use crate::dialects::pi_session;
use taffrail_kit::{Agent, Descriptor, Evidence, HomeRule, Store};

/// The adapter for OpenClaw.
pub static ADAPTER: Agent =
    Agent::new(&DESCRIPTOR, &[Store::lines("agents/*/sessions/*.jsonl", pi_session::read)]);

static DESCRIPTOR: Descriptor = Descriptor {
    id: "openclaw",
    label: "OpenClaw",
    short: "openclaw",
    scheme: "openclaw-session",
    homes: &[&[HomeRule::env("OPENCLAW_STATE_DIR", ""), HomeRule::user(".openclaw")]],
    // Beside the sessions are the keys of model providers; only sessions match the store.
    roots: &["agents"],
    processes: &["openclaw"],
    evidence: Evidence::Source,
    ..Descriptor::NOTHING
};
