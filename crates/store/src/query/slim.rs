//! What a session is sorted, filtered and counted by: a few columns of every row, read without a copy.

use super::IndexReader;
use super::filter::{Filter, conditions};
use crate::db::StoreError;
use crate::db::codec::from_micros;
use crate::db::rows::SessionRow;
use rusqlite::types::ValueRef;
use rusqlite::{Row, ToSql};
use taffrail_model::{Lifecycle, SessionId, Timestamp};

/// A session's columns in a list of all.
#[derive(Debug)]
pub struct SlimRow<'r> {
    /// The row's number.
    pub row: i64,
    /// The durable session.
    pub id: SessionId,
    /// Its agent.
    pub agent: &'r str,
    /// Its title; a person's wins over the agent's.
    pub title: Option<&'r str>,
    /// Its project folder.
    pub project_path: Option<&'r str>,
    /// The last known branch.
    pub git_branch: Option<&'r str>,
    /// The last known model.
    pub model: Option<&'r str>,
    /// The locator of its history.
    pub source_uri: &'r str,
    /// Its lifecycle in its sources, without repairs.
    pub lifecycle: Lifecycle,
    /// When its latest event happened.
    pub last_event_at: Option<Timestamp>,
    /// Microseconds by which lists are sorted: the latest event, else the beginning.
    pub last: i64,
    /// Microseconds from the first to the last event.
    pub duration: Option<i64>,
    /// Tokens read and written, without those from a cache.
    pub tokens: i64,
    /// Its own cost.
    pub cost_microdollars: Option<i64>,
    /// Errors, and calls that failed.
    pub failures: i64,
    /// New events of it are captured.
    pub captured: bool,
    /// It was imported.
    pub is_imported: bool,
}

const SLIM: &str = "SELECT id, uuid, agent, title, project_path, git_branch, model, source_uri, \
  lifecycle, last_at, coalesce(last_at, said_started_at, 0), \
  last_at - min(coalesce(said_started_at, first_at), coalesce(first_at, said_started_at)), \
  input_tokens + output_tokens, cost_microdollars, failures, captured, imported IS NOT NULL \
  FROM sessions";

impl IndexReader {
    /// Visits every session of a filter, in no order.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn each_session(
        &self,
        filter: &Filter,
        visit: &mut dyn FnMut(&SlimRow<'_>),
    ) -> Result<(), StoreError> {
        let (clause, values) = conditions(filter);
        let query = format!("{SLIM} WHERE {clause} {}", self.shown(filter));
        let mut statement = self.connection().prepare(&query)?;
        let values: Vec<&dyn ToSql> = values.iter().map(AsRef::as_ref).collect();
        let mut rows = statement.query(values.as_slice())?;
        while let Some(row) = rows.next()? {
            let mut slim = read(row)?;
            slim.title = self.titles.get(&slim.id).map(String::as_str).or(slim.title);
            visit(&slim);
        }
        Ok(())
    }
}

impl IndexReader {
    /// The imported sessions.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn imported(&self) -> Result<Vec<SessionRow>, StoreError> {
        self.sessions_where("imported IS NOT NULL", &[])
    }
}

fn read<'r>(row: &'r Row<'_>) -> rusqlite::Result<SlimRow<'r>> {
    let last_at: Option<i64> = row.get(9)?;
    Ok(SlimRow {
        row: row.get(0)?,
        id: SessionId::from_bytes(row.get(1)?),
        agent: text(row, 2)?.unwrap_or_default(),
        title: text(row, 3)?,
        project_path: text(row, 4)?,
        git_branch: text(row, 5)?,
        model: text(row, 6)?,
        source_uri: text(row, 7)?.unwrap_or_default(),
        lifecycle: Lifecycle::from(text(row, 8)?.unwrap_or_default()),
        last_event_at: last_at.map(from_micros),
        last: row.get(10)?,
        duration: row.get(11)?,
        tokens: row.get(12)?,
        cost_microdollars: row.get(13)?,
        failures: row.get(14)?,
        captured: row.get(15)?,
        is_imported: row.get(16)?,
    })
}

fn text<'r>(row: &'r Row<'_>, column: usize) -> rusqlite::Result<Option<&'r str>> {
    Ok(match row.get_ref(column)? {
        // Text that is not valid is not shown.
        ValueRef::Text(bytes) => std::str::from_utf8(bytes).ok(),
        ValueRef::Null | ValueRef::Integer(_) | ValueRef::Real(_) | ValueRef::Blob(_) => None,
    })
}
