//! Oh My Pi: a fork of Pi with sessions below `~/.omp/agent/sessions`.

use crate::dialects::pi_session;
use taffrail_kit::{Agent, Descriptor, Evidence, HomeRule, StartPlan, Store};

/// The adapter for Oh My Pi.
pub static ADAPTER: Agent = Agent {
    start: Some(&StartPlan {
        resume: &["omp", "--resume", "{id}"],
        resume_in: &[],
        brief: &["omp", "{ask}"],
        repeated: &["--model=", "--smol=", "--slow="],
    }),
    ..Agent::new(&DESCRIPTOR, &[Store::lines("sessions/*/*.jsonl", pi_session::read)])
};

static DESCRIPTOR: Descriptor = Descriptor {
    id: "oh-my-pi",
    label: "Oh My Pi",
    short: "omp",
    scheme: "omp-session",
    // `PI_CODING_AGENT_DIR` moves this folder, too, but does not say which of both programs wrote it.
    homes: &[&[HomeRule::user(".omp/agent")]],
    roots: &["sessions"],
    processes: &["omp"],
    evidence: Evidence::Source,
    ..Descriptor::NOTHING
};
