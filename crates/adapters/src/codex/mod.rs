//! Codex, by OpenAI: one rollout file per thread, in three generations of one format.
//!
//! `README.md` lists the events of each record.

mod approvals;
mod bare;
mod calls;
mod events;
mod hooks;
mod install;
mod items;
mod limits;
mod meta;
mod prompt_history;
mod recent;
mod record;
mod rollout;
mod screen;
mod server;
mod stores;
mod summary;
mod telemetry;
mod tools;
mod transfer;
mod turns;
mod usage;

pub(crate) use stores::STORES;

use taffrail_kit::{Agent, Descriptor, Evidence, HomeRule, StartPlan, Traces};
use taffrail_model::{AgentId, RuntimeIdentity};

/// The adapter for Codex.
pub static ADAPTER: Agent = Agent {
    known: KNOWN_FIELDS,
    entries: Some(hooks::read_entry),
    prompts: Some(&prompt_history::FILE),
    hooks: Some(&install::PLAN),
    mcp: Some(&install::MCP),
    recall: Some(&install::RECALL),
    approvals: Some(&approvals::PLAN),
    server: Some(&server::SERVER),
    start: Some(&StartPlan {
        resume: &["codex", "resume", "{id}"],
        resume_in: &["codex", "resume", "--cd", "{folder}", "{id}"],
        brief: &["codex", "{ask}"],
        // A profile may decide what needs no approval.
        repeated: &["--model=", "-m=", "--search", "--oss", "--no-alt-screen"],
    }),
    transfer: Some(&transfer::PLAN),
    telemetry: Some(&telemetry::PLAN),
    screen: Some(screen::read),
    interrupt: Some("Escape"),
    ..Agent::new(&DESCRIPTOR, STORES)
};

static DESCRIPTOR: Descriptor = Descriptor {
    id: "codex",
    label: "Codex",
    short: "codex",
    note_tool: "codex",
    scheme: "codex-rollout",
    homes: &[&[HomeRule::env("CODEX_HOME", ""), HomeRule::user(".codex")]],
    roots: &["sessions", "archived_sessions", prompt_history::FILE.path],
    processes: &["codex"],
    traces: Traces {
        programs: &[],
        marks: &["CODEX_SANDBOX", "CODEX_SANDBOX_NETWORK_DISABLED"],
        instructions: &["AGENTS.md"],
    },
    evidence: Evidence::Recorded,
    ..Descriptor::NOTHING
};

/// The fields of a line that events cover, in the envelope and in the bare items of 2025.
pub(crate) const KNOWN_FIELDS: &[&str] = &[
    "timestamp",
    "ordinal",
    "type",
    "payload",
    "record_type",
    "id",
    "instructions",
    "git",
    "role",
    "content",
    "summary",
    "encrypted_content",
    "name",
    "arguments",
    "input",
    "action",
    "status",
    "call_id",
    "output",
];

/// The identity of a thread; Codex generates globally unique thread ids.
fn identity(thread: &str) -> RuntimeIdentity {
    RuntimeIdentity::new(AgentId::new(DESCRIPTOR.id), "", thread)
}

#[cfg(test)]
mod tests {
    use super::*;
    use taffrail_kit::{Adapter, Encoding, Place, Shape};

    const THREAD: &str = "01a1dc4a-98ab-7a52-8833-052a06111408";
    const ROLLOUT: &str = "01a1dc4b-3c60-73c1-bef7-316833c184cf";

    fn place(path: &str) -> Option<Place> {
        ADAPTER.place(path)
    }

    #[test]
    fn a_rollout_is_known_by_its_name() {
        let file = format!("rollout-2026-11-14T23-00-38-{THREAD}.jsonl");
        let place = place(&format!("sessions/2026/11/14/{file}")).unwrap();
        assert_eq!(place.locator, format!("codex-rollout:2026/11/14/{file}"));
        assert_eq!(place.shape, Shape::Lines(Encoding::Plain));
        assert_eq!(place.session, Some(identity(THREAD)));
        assert_eq!((place.is_worker, place.rank), (false, 0));
    }

    #[test]
    fn an_archived_revert_keeps_its_thread_and_counts_more() {
        let file = format!("rollout-2026-11-14T23-00-38-{THREAD}_{ROLLOUT}.jsonl.zst");
        let place = place(&format!("archived_sessions/{file}")).unwrap();
        assert_eq!(place.locator, format!("codex-rollout:archived/{file}"));
        assert_eq!(place.shape, Shape::Lines(Encoding::Zstd));
        assert_eq!((place.session, place.rank), (Some(identity(THREAD)), 1));
    }

    #[test]
    fn anything_else_is_not_history() {
        let file = format!("rollout-2026-11-14T23-00-38-{THREAD}.jsonl");
        assert_eq!(place(&format!("sessions/2026/11/{file}")), None);
        assert_eq!(place(&format!("sessions/2026/11/014/{file}")), None);
        assert_eq!(place(&format!("archived_sessions/2026/{file}")), None);
        assert_eq!(place(&format!("sessions/2026/11/14/{THREAD}.jsonl")), None);
        assert_eq!(place(&file), None);
        assert_eq!(place("history.jsonl"), None);
    }
}
