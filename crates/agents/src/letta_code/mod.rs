//! Letta Code with its local backend: sessions as Pi writes them, one folder per conversation.

use crate::dialects::pi_session;
use taffrail_kit::{Agent, Descriptor, Evidence, HomeRule, Store};

/// The adapter for Letta Code.
pub static ADAPTER: Agent =
    Agent::new(&DESCRIPTOR, &[Store::lines("conversations/*/messages.jsonl", pi_session::read)]);

static DESCRIPTOR: Descriptor = Descriptor {
    id: "letta-code",
    label: "Letta Code",
    short: "letta",
    scheme: "letta-session",
    homes: &[&[
        HomeRule::env("LETTA_LOCAL_BACKEND_DIR", ""),
        HomeRule::user(".letta/lc-local-backend"),
    ]],
    // Beside the conversations are the keys of model providers.
    roots: &["conversations"],
    processes: &["letta"],
    evidence: Evidence::Source,
    ..Descriptor::NOTHING
};
