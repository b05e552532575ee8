//! Grok Build: one folder a session, with its history and its log of events.

mod events;
mod updates;

use taffrail_kit::{Agent, Descriptor, Evidence, HomeRule, StartPlan, Store};

/// The adapter for Grok Build.
pub static ADAPTER: Agent = Agent {
    start: Some(&StartPlan {
        resume: &["grok", "-r", "{id}"],
        resume_in: &[],
        brief: &["grok", "{ask}"],
        repeated: &["--model="],
    }),
    ..Agent::new(&DESCRIPTOR, &[UPDATES, EVENTS])
};

static DESCRIPTOR: Descriptor = Descriptor {
    id: "grok-build",
    label: "Grok Build",
    short: "grok",
    scheme: "grok-session",
    homes: &[&[HomeRule::env("GROK_HOME", ""), HomeRule::user(".grok")]],
    roots: &["sessions"],
    processes: &["grok"],
    evidence: Evidence::Recorded,
    ..Descriptor::NOTHING
};

const UPDATES: Store = Store {
    time: Some("/timestamp"),
    beside: &["sessions/{project}/{session}/summary.json"],
    rank: 1,
    ..Store::lines("sessions/{project}/{session}/updates.jsonl", updates::read)
};

const EVENTS: Store = Store {
    time: Some("/ts"),
    ..Store::lines("sessions/{project}/{session}/events.jsonl", events::read)
};
