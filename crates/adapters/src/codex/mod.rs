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
mod memory;
mod meta;
mod name;
mod reader;
mod recent;
mod record;
mod screen;
mod server;
mod summary;
mod telemetry;
mod tools;
mod transfer;
mod usage;

use name::RolloutName;
use reader::RolloutReader;
use serde_json::{Map, Value};
use taffrail_kit::journal::JournalReader;
use taffrail_kit::{
    Adapter, ApprovalPlan, Descriptor, Evidence, HomeRule, HookPlan, Place, Reader, Screen,
    ScreenState, ServerPlan, Shape, Source, StartPlan, TelemetryPlan, Traces, TransferPlan,
    records,
};
use taffrail_model::{AgentId, RuntimeIdentity, journal};

/// The one adapter of this folder.
pub static ADAPTER: Codex = Codex;

/// Reads the rollouts of Codex.
#[derive(Debug)]
pub struct Codex;

static DESCRIPTOR: Descriptor = Descriptor {
    id: "codex",
    label: "Codex",
    short: "codex",
    scheme: "codex-rollout",
    homes: &[&[HomeRule::env("CODEX_HOME", ""), HomeRule::user(".codex")]],
    roots: &["sessions", "archived_sessions"],
    in_projects: false,
    scoped_ids: false,
    rewrites_records: false,
    processes: &["codex"],
    traces: Traces {
        programs: &[],
        marks: &["CODEX_SANDBOX", "CODEX_SANDBOX_NETWORK_DISABLED"],
        instructions: &["AGENTS.md"],
    },
    live: None,
    retention: None,
    advice: &[],
    evidence: Evidence::Recorded,
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

static START: StartPlan = StartPlan {
    resume: &["codex", "resume", "{id}"],
    resume_in: &["codex", "resume", "--cd", "{folder}", "{id}"],
    brief: &["codex", "{ask}"],
    // A profile may decide what needs no approval.
    repeated: &["--model=", "-m=", "--search", "--oss", "--no-alt-screen"],
};

impl Adapter for Codex {
    fn descriptor(&self) -> &'static Descriptor {
        &DESCRIPTOR
    }

    fn place(&self, path: &str) -> Option<Place> {
        let (folder, file) = path.rsplit_once('/')?;
        let name = RolloutName::parse(file)?;
        Some(Place {
            shape: Shape::Lines(name.encoding),
            locator: format!("{}:{}/{file}", DESCRIPTOR.scheme, shelf(folder)?),
            session: Some(identity(name.thread)),
            is_worker: false,
            rank: u8::from(name.rollout.is_some()),
            beside: Vec::new(),
        })
    }

    fn reader(&self, source: &Source<'_>, saved: Option<&str>) -> Box<dyn Reader> {
        Box::new(RolloutReader::new(source.path, saved))
    }

    fn journal(&self) -> Box<dyn Reader> {
        Box::new(JournalReader::new(&DESCRIPTOR, hooks::read_entry))
    }

    fn hook_plan(&self) -> Option<&'static HookPlan> {
        Some(&install::PLAN)
    }

    fn approval_plan(&self) -> Option<&'static ApprovalPlan> {
        Some(&approvals::PLAN)
    }

    fn server_plan(&self) -> Option<&'static ServerPlan> {
        Some(&server::SERVER)
    }

    fn telemetry_plan(&self) -> Option<&'static TelemetryPlan> {
        Some(&telemetry::PLAN)
    }

    fn read_screen(&self, screen: &Screen<'_>) -> ScreenState {
        screen::read(screen)
    }

    fn start_plan(&self) -> Option<&'static StartPlan> {
        Some(&START)
    }

    fn transfer_plan(&self) -> Option<&'static TransferPlan> {
        Some(&transfer::PLAN)
    }

    fn extra(&self, record: &[u8]) -> Map<String, Value> {
        records::extra_fields(record, &[KNOWN_FIELDS, journal::FIELDS].concat())
    }
}

/// Returns the folder's name in locators: the date, or `archived`.
fn shelf(folder: &str) -> Option<&str> {
    match folder.strip_prefix("sessions/") {
        Some(date) => is_date(date).then_some(date),
        None => (folder == "archived_sessions").then_some("archived"),
    }
}

fn is_date(folder: &str) -> bool {
    let lengths = folder.split('/').map(str::len);
    lengths.eq([4, 2, 2]) && folder.bytes().all(|b| b == b'/' || b.is_ascii_digit())
}

/// The identity of a thread; Codex generates globally unique thread ids.
fn identity(thread: &str) -> RuntimeIdentity {
    RuntimeIdentity::new(AgentId::new(DESCRIPTOR.id), "", thread)
}

/// A reader of a rollout that another agent wrote.
pub(crate) fn twin(agent: &str, source: &Source<'_>, saved: Option<&str>) -> Box<dyn Reader> {
    Box::new(RolloutReader::of(agent, source.path, saved))
}

#[cfg(test)]
mod tests {
    use super::*;
    use taffrail_kit::Encoding;

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
        assert_eq!(place(&format!("sessions/2026/11/xx/{file}")), None);
        assert_eq!(place(&format!("archived_sessions/2026/{file}")), None);
        assert_eq!(place(&format!("sessions/2026/11/14/{THREAD}.jsonl")), None);
        assert_eq!(place(&file), None);
        assert_eq!(place("history.jsonl"), None);
    }
}
