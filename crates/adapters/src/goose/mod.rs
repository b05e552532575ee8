//! Goose: all sessions of a machine in one SQLite database.

mod approvals;
mod block;
mod hooks;
mod install;
mod message;
mod row;
mod screen;
mod session;
mod transcript;

use crate::journal::JournalReader;
use crate::{
    Adapter, ApprovalPlan, Descriptor, Evidence, HomeRule, HookPlan, Place, Reader, Screen,
    ScreenState, Shape, Source, SqlitePlan, StartPlan, Traces, records,
};
use serde_json::{Map, Value};
use taffrail_model::{AgentId, RuntimeIdentity, journal};

const ID: &str = "goose";
const SCHEME: &str = "goose-sqlite";
const DATABASE: &str = "sessions/sessions.db";
const SESSIONS: &str = "sessions";

static DESCRIPTOR: Descriptor = Descriptor {
    id: ID,
    label: "Goose",
    short: "goose",
    scheme: SCHEME,
    homes: &[&[
        HomeRule::env("GOOSE_PATH_ROOT", "data"),
        HomeRule::env("XDG_DATA_HOME", "goose"),
        HomeRule::user(".local/share/goose"),
    ]],
    roots: &["sessions"],
    in_projects: false,
    scoped_ids: true,
    rewrites_records: true,
    processes: &["goose"],
    traces: Traces { programs: &[], marks: &["GOOSE_TERMINAL"], instructions: &[".goosehints"] },
    live: None,
    retention: None,
    advice: &[],
    evidence: Evidence::Recorded,
};

/// Queries all columns, because every version of Goose adds some; only the required ones are named.
/// `octet_length` returns a size without reading the text itself.
static PLAN: SqlitePlan = SqlitePlan {
    sessions: "SELECT s.*, s.id AS taffrail_key, 'sessions' AS taffrail_table, \
               s.rowid AS taffrail_rowid, \
               (SELECT coalesce(s.updated_at, '') || ' ' || count(*) || ' ' \
               || coalesce(max(m.id), 0) || ' ' || coalesce(sum(octet_length(m.content_json)), 0) \
               FROM messages m WHERE m.session_id = s.id) AS taffrail_version \
               FROM sessions s ORDER BY s.updated_at DESC, s.id DESC",
    rows: "SELECT m.*, 'messages' AS taffrail_table, m.id AS taffrail_rowid \
           FROM messages m WHERE m.session_id = ?1 ORDER BY m.id",
    row: &[
        (
            SESSIONS,
            "SELECT s.*, 'sessions' AS taffrail_table, s.rowid AS taffrail_rowid \
             FROM sessions s WHERE s.rowid = ?1",
        ),
        (
            "messages",
            "SELECT m.*, 'messages' AS taffrail_table, m.id AS taffrail_rowid \
             FROM messages m WHERE m.id = ?1",
        ),
    ],
};

/// The columns that events and facts cover, or that only serve the agent.
const KNOWN_FIELDS: &[&str] = &[
    "accumulated_cost",
    "content_json",
    "created_at",
    "created_timestamp",
    "description",
    "extension_data",
    "id",
    "metadata_json",
    "model_config_json",
    "name",
    "parent_session_id",
    "role",
    "session_id",
    "session_type",
    "timestamp",
    "updated_at",
    "user_set_name",
    "working_dir",
];

/// The adapter for Goose.
#[derive(Debug)]
pub struct Goose;

/// The one adapter for Goose.
pub static ADAPTER: Goose = Goose;

static START: StartPlan = StartPlan {
    resume: &["goose", "session", "--resume", "--session-id", "{id}"],
    resume_in: &[],
    brief: &["goose", "run", "--interactive", "--instructions", "{file}"],
    repeated: &["--max-turns=", "--debug"],
};

impl Adapter for Goose {
    fn descriptor(&self) -> &'static Descriptor {
        &DESCRIPTOR
    }

    fn place(&self, path: &str) -> Option<Place> {
        (path == DATABASE).then(|| Place {
            shape: Shape::Sqlite(&PLAN),
            locator: format!("{SCHEME}:{DATABASE}"),
            session: None,
            is_worker: false,
            rank: 0,
            beside: Vec::new(),
        })
    }

    fn reader(&self, source: &Source<'_>, saved: Option<&str>) -> Box<dyn Reader> {
        Box::new(transcript::Transcript::new(source, saved))
    }

    fn journal(&self) -> Box<dyn Reader> {
        Box::new(JournalReader::new(&DESCRIPTOR, hooks::read_entry))
    }

    fn store(&self) -> Option<&'static str> {
        Some(DATABASE)
    }

    fn hook_plan(&self) -> Option<&'static HookPlan> {
        Some(&install::PLAN)
    }

    fn approval_plan(&self) -> Option<&'static ApprovalPlan> {
        Some(&approvals::PLAN)
    }

    fn read_screen(&self, screen: &Screen<'_>) -> ScreenState {
        screen::read(screen)
    }

    fn start_plan(&self) -> Option<&'static StartPlan> {
        Some(&START)
    }

    fn extra(&self, record: &[u8]) -> Map<String, Value> {
        records::extra_fields(record, &[KNOWN_FIELDS, journal::FIELDS].concat())
    }
}

fn identity(scope: &str, session: &str) -> RuntimeIdentity {
    RuntimeIdentity::new(AgentId::new(ID), scope, session)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_database_is_history() {
        let locator = |path| ADAPTER.place(path).map(|place| place.locator);
        assert_eq!(locator(DATABASE).as_deref(), Some("goose-sqlite:sessions/sessions.db"));
        assert_eq!(locator("sessions/sessions.db-wal"), None);
        assert_eq!(locator("sessions/20250101_1.jsonl"), None);
    }
}
