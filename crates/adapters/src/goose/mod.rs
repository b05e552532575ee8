//! Goose: all sessions of a machine in one SQLite database.

mod approvals;
mod block;
mod hooks;
mod install;
mod message;
mod row;
mod screen;
mod session;

use taffrail_kit::lenient::record_in;
use taffrail_kit::{
    Agent, Descriptor, Evidence, HomeRule, Reads, Shape, Speaker, SqlitePlan, StartPlan, Store,
    Traces,
};
use taffrail_model::{AgentId, RuntimeIdentity};

const ID: &str = "goose";
const DATABASE: &str = "sessions/sessions.db";
const SESSIONS: &str = "sessions";

/// The adapter for Goose.
pub static ADAPTER: Agent = Agent {
    known: KNOWN_FIELDS,
    entries: Some(hooks::read_entry),
    store: Some(DATABASE),
    hooks: Some(&install::PLAN),
    mcp: Some(&install::MCP),
    approvals: Some(&approvals::PLAN),
    start: Some(&StartPlan {
        resume: &["goose", "session", "--resume", "--session-id", "{id}"],
        resume_in: &[],
        brief: &["goose", "run", "--interactive", "--instructions", "{file}"],
        repeated: &["--max-turns=", "--debug"],
    }),
    screen: Some(screen::read),
    ..Agent::new(&DESCRIPTOR, &[Store::of(DATABASE, Shape::Sqlite(&PLAN), Reads::Bytes(read))])
};

static DESCRIPTOR: Descriptor = Descriptor {
    id: ID,
    label: "Goose",
    short: "goose",
    scheme: "goose-sqlite",
    homes: &[&[
        HomeRule::env("GOOSE_PATH_ROOT", "data"),
        HomeRule::env("XDG_DATA_HOME", "goose"),
        HomeRule::user(".local/share/goose"),
    ]],
    roots: &["sessions"],
    scoped_ids: true,
    rewrites_records: true,
    processes: &["goose"],
    traces: Traces { programs: &[], marks: &["GOOSE_TERMINAL"], instructions: &[".goosehints"] },
    evidence: Evidence::Recorded,
    ..Descriptor::NOTHING
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

/// Reads one row; `None` if it cannot be parsed.
fn read(row: &[u8], speaker: &mut Speaker<'_, '_>) -> Option<()> {
    match speaker.table() {
        SESSIONS => session::read(row, speaker),
        _ => message::read(&record_in(row)?, speaker),
    }
}

fn identity(scope: &str, session: &str) -> RuntimeIdentity {
    RuntimeIdentity::new(AgentId::new(ID), scope, session)
}

#[cfg(test)]
mod tests {
    use super::*;
    use taffrail_kit::Adapter;

    #[test]
    fn only_the_database_is_history() {
        let locator = |path| ADAPTER.place(path).map(|place| place.locator);
        assert_eq!(locator(DATABASE).as_deref(), Some("goose-sqlite:sessions/sessions.db"));
        assert_eq!(locator("sessions/sessions.db-wal"), None);
        assert_eq!(locator("sessions/20250101_1.jsonl"), None);
    }
}
