//! Reads the index without taking any lock.

use super::filter::{Filter, conditions};
use crate::db::codec::{count, from_micros};
use crate::db::rows::{SESSION, SessionRow, read_session};
use crate::db::{StoreError, Used, meta, open, schema};
use crate::index::{PRICES, read_quality};
use crate::ledger::{Ledger, Repairs};
use rusqlite::{Connection, Row, ToSql};
use std::collections::HashMap;
use std::path::Path;
use taffrail_model::findings::SessionQuality;
use taffrail_model::{SessionId, Timestamp};

/// How many sessions name the projects that count as known.
const RECENT_SESSIONS: u32 = 4096;

/// Reads indexes only: rows of sessions and sources are large, and every command asks this.
const PROJECT_FOLDERS: &str = "SELECT project_path FROM (SELECT project_path FROM sessions \
  ORDER BY coalesce(last_at, said_started_at, 0) DESC, uuid LIMIT ?2) \
  WHERE project_path LIKE '/%' UNION SELECT home FROM sources WHERE agent = ?1";

/// The index, open for reading only.
#[derive(Debug)]
pub struct IndexReader {
    pub(crate) connection: Used,
    generation: String,
    /// Repairs by people: they outrank the sources.
    pub(crate) repairs: Repairs,
    /// Titles by people: they win over those of agents.
    pub(crate) titles: HashMap<SessionId, String>,
}

/// Totals of one agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentRow {
    /// The agent.
    pub agent: String,
    /// Its sessions, including sub-agents.
    pub sessions: u64,
    /// The time of its latest event.
    pub last_event_at: Option<Timestamp>,
}

/// Records of a type that no adapter knows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownRow {
    /// The agent that wrote them.
    pub agent: String,
    /// The agent's version, or empty.
    pub version: String,
    /// The type as the agent writes it.
    pub raw_type: String,
    /// How many.
    pub count: u64,
}

impl IndexReader {
    /// Opens the index, if it exists with our schema.
    ///
    /// # Errors
    /// When the file exists and cannot be read.
    pub fn open(folder: &Path) -> Result<Option<Self>, StoreError> {
        let path = folder.join("index.db");
        if !path.exists() {
            return Ok(None);
        }
        let connection = Used::reading(&path)?;
        if open::version(&connection)? != schema::INDEX_VERSION {
            return Ok(None);
        }
        let generation = meta::get(&connection, "generation")?.unwrap_or_default();
        let ledger = Ledger::open_read_only(folder)?;
        let titles = ledger.as_ref().map(Ledger::titles).transpose()?.unwrap_or_default();
        let repairs = ledger.map(|it| it.repairs()).transpose()?.unwrap_or_default();
        Ok(Some(Self { connection, generation, repairs, titles }))
    }

    /// For queries elsewhere in this crate.
    pub(crate) fn connection(&self) -> &Connection {
        &self.connection
    }

    /// Whether every answer has the price that the prices with this stamp give.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn is_priced(&self, stamp: &str) -> Result<bool, StoreError> {
        Ok(meta::get(&self.connection, PRICES)?.unwrap_or_default() == stamp)
    }

    /// The current generation.
    #[must_use]
    pub fn generation(&self) -> &str {
        &self.generation
    }

    /// Sessions, the latest first.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn sessions(&self, filter: &Filter) -> Result<Vec<SessionRow>, StoreError> {
        let (clause, values) = conditions(filter);
        let limit = filter.limit.map_or(String::new(), |limit| format!(" LIMIT {limit}"));
        let order = "ORDER BY coalesce(last_at, said_started_at, 0) DESC, uuid";
        let shown = self.shown(filter);
        let query = format!("{SESSION} WHERE {clause} {shown} {order}{limit}");
        let mut statement = self.connection.prepare(&query)?;
        let values: Vec<&dyn ToSql> = values.iter().map(AsRef::as_ref).collect();
        let rows = statement.query_map(values.as_slice(), |row| self.seen(row))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// The measures of a session's work, as its row knows them.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn quality(&self, session: i64) -> Result<SessionQuality, StoreError> {
        Ok(read_quality(&self.connection, session)?.quality())
    }

    /// How many sessions there are, and how many of them are sub-agents; without sessions of which
    /// only prompts are left.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn count_sessions(&self) -> Result<(u64, u64), StoreError> {
        // Each is counted in an index: rows of sessions are large.
        let query = "SELECT (SELECT count(*) FROM sessions) \
           - (SELECT count(*) FROM sessions WHERE lifecycle = 'prompts_only'), \
           (SELECT count(*) FROM sessions WHERE parent IS NOT NULL)";
        Ok(self.connection.query_row(query, [], |row| Ok((count(row, 0)?, count(row, 1)?)))?)
    }

    /// How many sessions there are of which only prompts are left, the last before an instant, and
    /// how many prompts.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn count_prompts_only(&self, before: Timestamp) -> Result<(u64, u64), StoreError> {
        let query = "SELECT count(*), coalesce(sum(prompts), 0) FROM sessions \
                     WHERE lifecycle = 'prompts_only' AND last_at <= ?1";
        let before = [before.as_microsecond()];
        Ok(self.connection.query_row(query, before, |row| Ok((count(row, 0)?, count(row, 1)?)))?)
    }

    /// The folders of the projects that were worked in most recently, and those in which this agent's history was
    /// found before.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn project_folders(&self, agent: &str) -> Result<Vec<String>, StoreError> {
        let mut statement = self.connection.prepare_cached(PROJECT_FOLDERS)?;
        let rows = statement.query_map((agent, RECENT_SESSIONS), |row| row.get(0))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// The agents that have sessions, by name.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn agents_in_use(&self) -> Result<Vec<AgentRow>, StoreError> {
        let mut statement = self
            .connection
            .prepare("SELECT agent, count(*), max(last_at) FROM sessions GROUP BY 1 ORDER BY 1")?;
        let rows = statement.query_map([], |row| {
            let at: Option<i64> = row.get(2)?;
            let (agent, last_event_at) = (row.get(0)?, at.map(from_micros));
            Ok(AgentRow { agent, sessions: count(row, 1)?, last_event_at })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Records no adapter knows, by agent, version and type.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn unknown_records(&self) -> Result<Vec<UnknownRow>, StoreError> {
        let mut statement = self.connection.prepare(
            "SELECT agent, version, raw_type, sum(count) FROM unknown_records \
             JOIN sources ON sources.id = source GROUP BY 1, 2, 3 ORDER BY 1, 2, 3",
        )?;
        let rows = statement.query_map([], |row| {
            let (agent, version, raw_type) = (row.get(0)?, row.get(1)?, row.get(2)?);
            Ok(UnknownRow { agent, version, raw_type, count: count(row, 3)? })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Lines that were too long to read, over all sources.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn skipped_records(&self) -> Result<u64, StoreError> {
        let query = "SELECT coalesce(sum(skipped), 0) FROM sources";
        Ok(self.connection.query_row(query, [], |row| count(row, 0))?)
    }

    /// Repairs by people.
    #[must_use]
    pub fn repairs(&self) -> &Repairs {
        &self.repairs
    }

    /// A session's row, merged from the index and the ledger.
    pub(crate) fn seen(&self, row: &Row<'_>) -> rusqlite::Result<SessionRow> {
        let row = read_session(row)?;
        let mark = self.repairs.mark(row.id);
        let row = SessionRow { lifecycle: row.lifecycle.marked(mark), ..row };
        Ok(match self.titles.get(&row.id) {
            Some(title) => SessionRow { title: Some(title.clone()), title_derived: false, ..row },
            None => row,
        })
    }

    /// Hides superseded sessions, as sub-agents are hidden.
    pub(crate) fn shown(&self, filter: &Filter) -> String {
        let hidden = self.repairs.superseded().filter(|_| !filter.workers);
        let hidden: Vec<_> = hidden.map(|it| format!("x'{}'", hex(it))).collect();
        if hidden.is_empty() {
            return String::new();
        }
        format!("AND uuid NOT IN ({})", hidden.join(", "))
    }
}

fn hex(session: SessionId) -> String {
    session.to_string().replace('-', "")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::db::schema::INDEX;

    #[test]
    fn looking_for_projects_reads_no_row_of_a_session_or_source() {
        let connection = Connection::open_in_memory().unwrap();
        connection.execute_batch(INDEX).unwrap();
        let query = format!("EXPLAIN QUERY PLAN {PROJECT_FOLDERS}");
        let mut statement = connection.prepare(&query).unwrap();
        let steps = statement.query_map(("a", 1), |row| row.get::<_, String>(3)).unwrap();
        let steps: Vec<String> = steps.map(Result::unwrap).collect();
        let reads = steps.iter().filter(|it| it.contains(" sessions") || it.contains(" sources"));
        let covered = reads.map(|it| it.contains("COVERING INDEX")).collect::<Vec<_>>();
        assert_eq!(covered, [true, true], "{steps:?}");
    }
}
