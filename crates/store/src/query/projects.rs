//! Projects: the sums of their sessions, and the calls that edited their files.

use super::IndexReader;
use super::filter::{Filter, conditions};
use crate::db::codec::from_micros;
use crate::db::{Columns, StoreError};
use rusqlite::ToSql;
use taffrail_model::observed::Marks;
use taffrail_model::{EventId, Timestamp};

/// The sums of a project's sessions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectSums {
    /// Its folder; `None` for sessions without one.
    pub path: Option<String>,
    /// Its sessions without sub-agents.
    pub sessions: u64,
    /// Its sub-agents.
    pub workers: u64,
    /// The time of its latest event.
    pub last_event_at: Option<Timestamp>,
    /// Prompts to sessions; those to sub-agents come from agents.
    pub prompts: u64,
    /// Errors, and calls that failed.
    pub failures: u64,
    /// Tokens read and written, without those from a cache.
    pub tokens: u64,
    /// The known cost.
    pub cost_microdollars: Option<i64>,
}

/// A call of a tool that edited a file, as far as its excerpt goes.
#[derive(Debug)]
pub struct EditRow<'r> {
    /// The row of its session.
    pub session: i64,
    /// The call.
    pub id: EventId,
    /// When it was made.
    pub at: Timestamp,
    /// The beginning of its input.
    pub excerpt: &'r str,
}

/// The flags of the result of the call `c`. A result follows its call soon; looking further would read
/// the rest of the session for every call without one.
const RESULT: &str = "(SELECT r.marks FROM events r WHERE r.session = c.session \
    AND r.sequence > c.sequence AND r.sequence <= c.sequence + 500 AND r.parent = c.id \
    AND r.kind = 'tool.result' AND r.removed = 0 LIMIT 1)";

impl IndexReader {
    /// The sums of each project, the latest first.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn projects(&self, filter: &Filter) -> Result<Vec<ProjectSums>, StoreError> {
        let (clause, values) = conditions(filter);
        let query = format!(
            "SELECT project_path, sum(parent IS NULL) AS sessions, \
             sum(parent IS NOT NULL) AS workers, max(last_at) AS last_at, \
             sum(iif(parent IS NULL, prompts, 0)) AS prompts, sum(failures) AS failures, \
             sum(input_tokens + output_tokens) AS tokens, \
             sum(cost_microdollars) AS cost_microdollars \
             FROM sessions WHERE {clause} GROUP BY 1 \
             ORDER BY max(last_at) DESC, 1"
        );
        let mut statement = self.connection().prepare(&query)?;
        let values: Vec<&dyn ToSql> = values.iter().map(AsRef::as_ref).collect();
        let rows = statement.query_map(values.as_slice(), |row| read_sums(&Columns::of(row)))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Visits the calls that succeeded of tools whose name has one of these parts, in the sessions of a
    /// filter.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn each_edit(
        &self,
        filter: &Filter,
        parts: &[&str],
        visit: &mut dyn FnMut(&EditRow<'_>),
    ) -> Result<(), StoreError> {
        let (clause, values) = conditions(filter);
        let named: Vec<_> = parts.iter().map(|it| format!("label LIKE '%{it}%'")).collect();
        let query = format!(
            "SELECT session, id, at, excerpt, {RESULT} FROM events c \
             WHERE session IN (SELECT id FROM sessions WHERE {clause}) AND kind = 'tool.call' \
             AND removed = 0 AND ({})",
            named.join(" OR ")
        );
        let mut statement = self.connection().prepare(&query)?;
        let values: Vec<&dyn ToSql> = values.iter().map(AsRef::as_ref).collect();
        let mut rows = statement.query(values.as_slice())?;
        while let Some(row) = rows.next()? {
            let result = row.get::<_, Option<u8>>(4)?.map(Marks::from_bits);
            if !result.is_some_and(|it| !it.has(Marks::FAILED) && !it.has(Marks::DENIED)) {
                continue;
            }
            visit(&EditRow {
                session: row.get(0)?,
                id: EventId::from_bytes(row.get(1)?),
                at: from_micros(row.get(2)?),
                excerpt: row.get_ref(3)?.as_str().unwrap_or_default(),
            });
        }
        Ok(())
    }
}

fn read_sums(row: &Columns<'_, '_>) -> rusqlite::Result<ProjectSums> {
    Ok(ProjectSums {
        path: row.get("project_path")?,
        sessions: row.count("sessions")?,
        workers: row.count("workers")?,
        last_event_at: row.maybe_time("last_at")?,
        prompts: row.count("prompts")?,
        failures: row.count("failures")?,
        tokens: row.count("tokens")?,
        cost_microdollars: row.get("cost_microdollars")?,
    })
}
