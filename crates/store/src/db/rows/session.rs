//! A session's row in the index.

use crate::db::Columns;
use crate::db::codec::read_imported;
use rusqlite::Row;
use taffrail_model::cost::Cost;
use taffrail_model::facts::earlier;
use taffrail_model::status::Failure;
use taffrail_model::{
    Imported, Lifecycle, Lineage, LineageKind, Process, RuntimeSessionId, SessionId, Timestamp,
    Tokens,
};

/// A session as the index stores it.
#[derive(Debug, Clone, PartialEq)]
pub struct SessionRow {
    /// The row's number.
    pub row: i64,
    /// The durable session.
    pub id: SessionId,
    /// Its agent.
    pub agent: String,
    /// The agent's id for it.
    pub runtime_id: RuntimeSessionId,
    /// Its title.
    pub title: Option<String>,
    /// The title is the start of its first prompt.
    pub title_derived: bool,
    /// Its project folder.
    pub project_path: Option<String>,
    /// The last known branch.
    pub git_branch: Option<String>,
    /// The last known model.
    pub model: Option<String>,
    /// Its lifecycle.
    pub lifecycle: Lifecycle,
    /// When it began.
    pub started_at: Option<Timestamp>,
    /// When its latest event happened.
    pub last_event_at: Option<Timestamp>,
    /// Turns.
    pub turns: u64,
    /// Prompts.
    pub prompts: u64,
    /// Tool calls.
    pub tool_calls: u64,
    /// Errors, and calls that failed.
    pub failures: u64,
    /// The tokens it spent itself.
    pub tokens: Tokens,
    /// Its own cost: what its agent reports, else what the price table gives.
    pub cost_microdollars: Option<i64>,
    /// The same, by source.
    pub cost: Cost,
    /// The known cost of all sub-agents below it.
    pub workers_microdollars: Option<i64>,
    /// The session that started this sub-agent.
    pub parent: Option<SessionId>,
    /// Its lineage.
    pub lineage: Option<Lineage>,
    /// The locator of its history.
    pub source_uri: String,
    /// The last change number.
    pub sequence: u64,
    /// The last known process that runs it.
    pub process: Option<Process>,
    /// New events of it are captured.
    pub captured: bool,
    /// How it failed, if it has no later events and its process is gone.
    pub failure: Option<Failure>,
    /// When its agent or its process reported the end, if no event followed.
    pub ended_at: Option<Timestamp>,
    /// The status in the document, if the session is an imported one.
    pub imported: Option<Imported>,
}

/// Every column of a session that a reader needs.
pub(crate) const SESSION: &str = include_str!("session.sql");

/// Reads a row of [`SESSION`].
pub(crate) fn read_session(row: &Row<'_>) -> rusqlite::Result<SessionRow> {
    let row = Columns::of(row);
    Ok(SessionRow {
        row: row.get("id")?,
        id: SessionId::from_bytes(row.get("uuid")?),
        agent: row.get("agent")?,
        runtime_id: RuntimeSessionId::new(row.get::<String>("runtime_id")?),
        title: row.get("title")?,
        title_derived: row.get("title_derived")?,
        project_path: row.get("project_path")?,
        git_branch: row.get("git_branch")?,
        model: row.get("model")?,
        lifecycle: Lifecycle::from(row.get::<String>("lifecycle")?.as_str()),
        started_at: earlier(row.maybe_time("said_started_at")?, row.maybe_time("first_at")?),
        last_event_at: row.maybe_time("last_at")?,
        turns: row.count("turns")?,
        prompts: row.count("prompts")?,
        tool_calls: row.count("tool_calls")?,
        failures: row.count("failures")?,
        tokens: row.tokens()?,
        cost_microdollars: row.get("cost_microdollars")?,
        cost: row.cost()?,
        workers_microdollars: row.get("workers_microdollars")?,
        parent: row.get::<Option<_>>("parent")?.map(SessionId::from_bytes),
        lineage: lineage(&row)?,
        source_uri: row.get("source_uri")?,
        sequence: row.count("sequence")?,
        process: process(&row)?,
        captured: row.get("captured")?,
        failure: row.get::<Option<String>>("failure")?.as_deref().and_then(Failure::parse),
        ended_at: row.maybe_time("ended_at")?,
        imported: row.get::<Option<String>>("imported")?.as_deref().and_then(read_imported),
    })
}

fn lineage(row: &Columns<'_, '_>) -> rusqlite::Result<Option<Lineage>> {
    let kind: Option<String> = row.get("lineage_kind")?;
    let session: Option<_> = row.get("lineage_session")?;
    Ok(kind.zip(session).map(|(kind, session)| Lineage {
        kind: LineageKind::from(kind.as_str()),
        session_id: SessionId::from_bytes(session),
    }))
}

fn process(row: &Columns<'_, '_>) -> rusqlite::Result<Option<Process>> {
    let pid: Option<u32> = row.get("pid")?;
    let start: Option<i64> = row.get("process_start")?;
    Ok(pid.zip(start).map(|(pid, start)| Process { pid, start: start.unsigned_abs() }))
}
