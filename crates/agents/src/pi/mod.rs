//! Pi: lines below `~/.pi/agent/sessions`, one folder per project.

use crate::dialects::pi_session;
use taffrail_kit::{Agent, Descriptor, Evidence, HomeRule, StartPlan, Store};

/// The adapter for Pi.
pub static ADAPTER: Agent = Agent {
    start: Some(&StartPlan {
        resume: &["pi", "--session", "{id}"],
        resume_in: &[],
        brief: &["pi", "{ask}"],
        repeated: &["--model=", "--provider="],
    }),
    ..Agent::new(&DESCRIPTOR, &[Store::lines("sessions/*/*.jsonl", pi_session::read)])
};

static DESCRIPTOR: Descriptor = Descriptor {
    id: "pi",
    label: "Pi",
    short: "pi",
    note_tool: "pi",
    scheme: "pi-session",
    homes: &[&[HomeRule::env("PI_CODING_AGENT_DIR", ""), HomeRule::user(".pi/agent")]],
    roots: &["sessions"],
    processes: &["pi"],
    evidence: Evidence::Recorded,
    ..Descriptor::NOTHING
};
