//! A session's row in the index.

use crate::db::Columns;
use rusqlite::Row;
use taffrail_model::facts::earlier;
use taffrail_model::status::Failure;
use taffrail_model::{
    Lifecycle, Lineage, LineageKind, Process, RuntimeSessionId, SessionId, Timestamp, Tokens,
};

/// A session as the index knows it.
#[derive(Debug, Clone, PartialEq)]
pub struct SessionRow {
    /// The row's number.
    pub row: i64,
    /// The durable session.
    pub id: SessionId,
    /// Its agent.
    pub agent: String,
    /// Its agent's id for it.
    pub runtime_id: RuntimeSessionId,
    /// Its title.
    pub title: Option<String>,
    /// The title is the beginning of its first prompt.
    pub title_derived: bool,
    /// Where it works.
    pub project_path: Option<String>,
    /// The branch last seen.
    pub git_branch: Option<String>,
    /// The model last seen.
    pub model: Option<String>,
    /// Where it is in its life.
    pub lifecycle: Lifecycle,
    /// When it began.
    pub started_at: Option<Timestamp>,
    /// Its latest event.
    pub last_event_at: Option<Timestamp>,
    /// Turns.
    pub turns: u64,
    /// Prompts.
    pub prompts: u64,
    /// Tool calls.
    pub tool_calls: u64,
    /// What it spent itself.
    pub tokens: Tokens,
    /// What its agent says it cost.
    pub cost_microdollars: Option<i64>,
    /// The session it works for.
    pub parent: Option<SessionId>,
    /// Where it comes from.
    pub lineage: Option<Lineage>,
    /// Where its history is.
    pub source_uri: String,
    /// The last change number.
    pub sequence: u64,
    /// The process that runs it, last seen.
    pub process: Option<Process>,
    /// What is new in it is captured.
    pub captured: bool,
    /// How it broke down, if nothing more comes of it and its process is gone.
    pub failure: Option<Failure>,
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
        tokens: row.tokens()?,
        cost_microdollars: row.get("cost_microdollars")?,
        parent: row.get::<Option<_>>("parent")?.map(SessionId::from_bytes),
        lineage: lineage(&row)?,
        source_uri: row.get("source_uri")?,
        sequence: row.count("sequence")?,
        process: process(&row)?,
        captured: row.get("captured")?,
        failure: row.get::<Option<String>>("failure")?.as_deref().and_then(Failure::parse),
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
