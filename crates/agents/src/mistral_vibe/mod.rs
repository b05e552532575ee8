//! Mistral Vibe: since version 3 a journal, chunks of history and snapshots of the state, which repeat
//! each other; before it, one file of lines.

mod lines;
mod unified;

use taffrail_kit::{Agent, Descriptor, Evidence, HomeRule, StartPlan, Store};

/// The adapter for Mistral Vibe.
pub static ADAPTER: Agent = Agent {
    start: Some(&StartPlan {
        resume: &["vibe", "--resume", "{id}"],
        resume_in: &[],
        brief: &["vibe", "{ask}"],
        repeated: &[],
    }),
    ..Agent::new(&DESCRIPTOR, &[JOURNAL, CHUNK, STATE, SUB_AGENT_LINES, LINES])
};

static DESCRIPTOR: Descriptor = Descriptor {
    id: "mistral-vibe",
    label: "Mistral Vibe",
    short: "vibe",
    scheme: "vibe-session",
    homes: &[&[HomeRule::env("VIBE_HOME", ""), HomeRule::user(".vibe")]],
    roots: &["logs/session"],
    rewrites_records: true,
    processes: &["vibe"],
    evidence: Evidence::Recorded,
    ..Descriptor::NOTHING
};

const META: &[&str] = &["logs/session/unified/{session}/meta.json"];

const JOURNAL: Store = Store {
    beside: META,
    ..Store::lines("logs/session/unified/{session}/journal/*.jsonl", unified::journal)
};

/// Chunks outlive the journal, so an entry that both have is taken from its chunk.
const CHUNK: Store = Store {
    beside: META,
    rank: 1,
    ..Store::document("logs/session/unified/{session}/chunks/*.json", "", unified::chunk)
};

/// The snapshot has no list of items of its own; all of it is the head.
const STATE: Store = Store {
    beside: META,
    head: Some(unified::state),
    ..Store::document(
        "logs/session/unified/{session}/generations/*/projection-state.json",
        "/items",
        unified::chunk,
    )
};

const SUB_AGENT_LINES: Store = Store {
    beside: &["logs/session/session_{parent}/agents/{session}/meta.json"],
    ..Store::lines("logs/session/session_{parent}/agents/{session}/messages.jsonl", lines::read)
};

const LINES: Store = Store {
    beside: &["logs/session/session_{session}/meta.json"],
    ..Store::lines("logs/session/session_{session}/messages.jsonl", lines::read)
};
