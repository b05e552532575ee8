//! Cline as a program: one document a session, and the hub's log of events, which has the requests
//! for approval.

mod hub;
mod messages;
mod server;

use taffrail_kit::agent_server::report;
use taffrail_kit::{Agent, Descriptor, Evidence, HomeRule, Reads, Shape, StartPlan, Store};

/// The adapter for Cline.
pub static ADAPTER: Agent = Agent {
    start: Some(&StartPlan {
        resume: &["cline", "--id", "{id}"],
        resume_in: &[],
        brief: &["cline", "{ask}"],
        repeated: &["--model=", "--provider="],
    }),
    server: Some(&server::SERVER),
    entries: Some(report::read_entry),
    ..Agent::new(&DESCRIPTOR, &[SUB_AGENT, SESSION, HUB])
};

static DESCRIPTOR: Descriptor = Descriptor {
    id: "cline",
    label: "Cline",
    short: "cline",
    scheme: "cline-session",
    homes: &[&[
        HomeRule::env("CLINE_DATA_DIR", ""),
        HomeRule::env("CLINE_DIR", "data"),
        HomeRule::user(".cline/data"),
    ]],
    roots: &["sessions", "db/hub-events-hub-production.db"],
    rewrites_records: true,
    processes: &["cline"],
    evidence: Evidence::Recorded,
    ..Descriptor::NOTHING
};

/// The id of a sub-agent is in the document alone.
const SUB_AGENT: Store = Store {
    head: Some(messages::head),
    beside: &["sessions/{folder}/{folder}.json"],
    ..Store::document("sessions/{folder}/agent_*.messages.json", "/messages", messages::read)
};

const SESSION: Store = Store {
    head: Some(messages::head),
    beside: &["sessions/{session}/{session}.json"],
    ..Store::document("sessions/{session}/*.messages.json", "/messages", messages::read)
};

const HUB: Store = Store::of(
    "db/hub-events-hub-production.db",
    Shape::Sqlite(&hub::PLAN),
    Reads::Items(hub::read),
);
