//! Removes forgotten sessions from the index completely, so that they do not come back.

use super::Writer;
use super::{fork_families, quotas, sources};
use crate::db::StoreError;
use crate::db::open::truncate_log;
use crate::db::rows::source;
use rusqlite::{Connection, OptionalExtension, params};
use std::collections::HashSet;
use taffrail_model::observed::{ArchiveState, SourceState};
use taffrail_model::{SessionId, Timestamp};

/// The tables that hold a session's rows.
const TABLES: &[&str] = &[
    "events",
    "acts",
    "tool_calls",
    "tool_times",
    "quality",
    "usage",
    "spent",
    "source_sessions",
    "unbound",
    "finals",
    "topics",
];

impl Writer {
    /// Marks sessions as forgotten, for good. The steps that follow can be interrupted and
    /// repeated.
    ///
    /// # Errors
    /// When the ledger cannot be written.
    pub fn bury(&mut self, sessions: &[SessionId], now: Timestamp) -> Result<(), StoreError> {
        self.ledger.bury(sessions, now)
    }

    /// Rows of forgotten sessions that are still in the index.
    ///
    /// # Errors
    /// When a file cannot be read.
    pub fn unburied(&self) -> Result<Vec<i64>, StoreError> {
        let mut statement =
            self.index.prepare_cached("SELECT id FROM sessions WHERE uuid = ?1 OR parent = ?1")?;
        let mut out = Vec::new();
        for session in self.ledger.forgotten()?.ids() {
            let rows = statement.query_map([session.as_bytes()], |row| row.get(0))?;
            for row in rows {
                out.push(row?);
            }
        }
        Ok(out)
    }

    /// Rows of sessions whose latest event is older than an instant.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn sessions_before(&self, instant: Timestamp) -> Result<Vec<i64>, StoreError> {
        let mut statement = self.index.prepare("SELECT id FROM sessions WHERE last_at < ?1")?;
        let rows = statement.query_map([instant.as_microsecond()], |row| row.get(0))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// The sources of sessions.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn sources_of(&self, rows: &[i64]) -> Result<Vec<SourceState>, StoreError> {
        let mut out = Vec::new();
        for row in rows {
            out.extend(source::of_session(&self.index, *row)?.into_iter().map(|it| it.state));
        }
        Ok(out)
    }

    /// Records that the copy of a source was removed and must not be made again.
    ///
    /// # Errors
    /// When the index cannot be written.
    pub fn drop_copy(&mut self, (home, path, key): (&str, &str, &str)) -> Result<(), StoreError> {
        let query = "UPDATE sources SET kept = ?4 WHERE home = ?1 AND path = ?2 AND key = ?3 \
                     RETURNING id";
        let dropped = sources::kept_number(ArchiveState::Dropped);
        let mut statement = self.index.prepare_cached(query)?;
        let source: Option<i64> =
            statement.query_row(params![home, path, key, dropped], |row| row.get(0)).optional()?;
        drop(statement);
        source.map_or(Ok(()), |source| self.touch_sessions_of(source))
    }

    /// Removes sessions from the index; SQLite overwrites the freed pages.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn erase(&mut self, rows: &[i64], now: Timestamp) -> Result<(), StoreError> {
        self.begin()?;
        self.quotas = None;
        let mut heirs = HashSet::new();
        for row in rows {
            heirs.extend(disinherit(&self.index, *row, self.batch)?);
            clear_sources(&self.index, *row)?;
            quotas::forget(&self.index, *row)?;
            for table in TABLES {
                let query = format!("DELETE FROM {table} WHERE session = ?1");
                self.index.execute(&query, [row])?;
            }
            self.index.execute("DELETE FROM sessions WHERE id = ?1", [row])?;
        }
        let heirs: Vec<i64> = heirs.into_iter().filter(|it| !rows.contains(it)).collect();
        fork_families::settle(&self.index, &heirs, (self.batch, &self.boot))?;
        self.commit(now)?;
        truncate_log(&self.index)?;
        self.ledger.truncate_log()
    }
}

/// Makes copies of a session's records the property of the sessions that hold them; returns those.
fn disinherit(index: &Connection, row: i64, batch: i64) -> Result<Vec<i64>, StoreError> {
    let mut statement =
        index.prepare("SELECT DISTINCT session FROM events WHERE inherited_from = ?1")?;
    let heirs: Vec<i64> =
        statement.query_map([row], |row| row.get(0))?.collect::<Result<_, _>>()?;
    index.execute(
        "UPDATE events SET inherited_from = NULL, batch = ?2 WHERE inherited_from = ?1",
        params![row, batch],
    )?;
    for heir in &heirs {
        index.execute("UPDATE sessions SET last_batch = ?2 WHERE id = ?1", params![heir, batch])?;
        index.execute("UPDATE usage SET owned = 1 WHERE session = ?1", [heir])?;
    }
    Ok(heirs)
}

/// Clears the saved state of the readers of its sources; they start over with the next change. The
/// reader of a prompt history keeps none, and its copy loses only the lines of the session.
fn clear_sources(index: &Connection, row: i64) -> Result<(), StoreError> {
    let of_session = "(SELECT source FROM source_sessions WHERE session = ?1)";
    index.execute(&format!("DELETE FROM readers WHERE source IN {of_session}"), [row])?;
    let again = format!(
        "UPDATE sources SET read_whole_next = 1, kept = 0 \
         WHERE locator NOT LIKE 'prompts:%' AND id IN {of_session}"
    );
    index.execute(&again, [row])?;
    Ok(())
}
