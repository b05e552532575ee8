//! Reading the index without taking any lock.

use crate::codec::{blob, count, cursor_of, from_micros, maybe_blob};
use crate::finals::{OF_CATEGORY, OF_TOPIC};
use crate::index_file::meta;
use crate::rows::{AgentRow, Changes, EventRow, SessionRow, UnknownRow};
use crate::sessions::tokens;
use crate::sources::{self, SourceRow};
use crate::{Ledger, Repairs, StoreError, schema};
use rusqlite::{Connection, Row, ToSql};
use std::path::Path;
use taffrail_model::facts::earlier;
use taffrail_model::observed::Marks;
use taffrail_model::summary::Category;
use taffrail_model::{
    Confidence, EventId, Kind, Lifecycle, Lineage, LineageKind, Origin, Process, ResumeCursor,
    RuntimeSessionId, SessionId, Signal, Timestamp, TurnId,
};

/// The index, open for reading only.
#[derive(Debug)]
pub struct IndexReader {
    pub(crate) connection: Connection,
    generation: String,
    /// What people repaired by hand: it counts for more than what the sources say.
    pub(crate) repairs: Repairs,
}

/// Which sessions are wanted.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    /// Workers too.
    pub workers: bool,
    /// At most so many, the latest first.
    pub limit: Option<usize>,
    /// Of this agent only.
    pub agent: Option<String>,
    /// With an event at or after this instant.
    pub since: Option<Timestamp>,
    /// In this folder or below it.
    pub project: Option<String>,
    /// In a folder of this name.
    pub project_name: Option<String>,
    /// In exactly this folder.
    pub exact_project: Option<String>,
    /// Whose id begins with these hex digits.
    pub id_prefix: Option<String>,
    /// With this runtime id.
    pub runtime_id: Option<String>,
    /// That were about this, once they were over.
    pub topic: Option<String>,
    /// That were work of this kind, once they were over.
    pub category: Option<Category>,
    /// Whose history is there.
    pub source: Option<SourceAt>,
}

/// Where a history is, by the beginning of its locator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SourceAt {
    /// The locator begins so.
    Below(String),
    /// It does not.
    NotBelow(String),
}

pub(crate) const SESSION: &str = "
SELECT id, uuid, agent, runtime_id, title, title_derived, project_path, git_branch, model, lifecycle,
  said_started_at, first_at, last_at, turns, prompts, tool_calls, input_tokens, output_tokens,
  cache_read_tokens, cache_write_tokens, reasoning_tokens, cost_microdollars, parent, lineage_kind,
  lineage_session, source_uri, sequence, pid, process_start, captured FROM sessions";

pub(crate) const EVENT: &str = "
SELECT e.id, e.sequence, e.revision, e.removed, e.kind, e.origin, e.confidence, e.at, e.observed_at,
  e.turn, e.parent, e.marks, e.position, e.length, e.place, e.part, e.source_event_id, e.label,
  e.excerpt, e.raw, o.uuid, s.home, s.path, s.key, s.locator, s.present,
  e.batch, e.signal, e.content
FROM events e JOIN sources s ON s.id = e.source LEFT JOIN sessions o ON o.id = e.inherited_from
WHERE e.session = ?1";

/// A session's start precedes whatever else was written in the same instant of its clock.
const CANONICAL: &str = " AND e.removed = 0 \
  ORDER BY e.at, s.rank, e.kind <> 'session.started', e.position, e.part, e.id";

impl IndexReader {
    /// Opens the index, if there is one of our schema.
    ///
    /// # Errors
    /// When the file is there and cannot be read.
    pub fn open(folder: &Path) -> Result<Option<Self>, StoreError> {
        let path = folder.join("index.db");
        if !path.exists() {
            return Ok(None);
        }
        let connection = schema::open_readable(&path)?;
        if schema::version(&connection)? != schema::INDEX_VERSION {
            return Ok(None);
        }
        let generation = meta(&connection, "generation")?.unwrap_or_default();
        let ledger = Ledger::open_read_only(folder)?;
        let repairs = ledger.map(|it| it.repairs()).transpose()?.unwrap_or_default();
        Ok(Some(Self { connection, generation, repairs }))
    }

    /// For questions that are asked elsewhere in this crate.
    pub(crate) fn connection(&self) -> &Connection {
        &self.connection
    }

    /// The numbering in force.
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

    /// How many sessions and how many of them are workers.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn count_sessions(&self) -> Result<(u64, u64), StoreError> {
        let query = "SELECT count(*), count(parent) FROM sessions";
        Ok(self.connection.query_row(query, [], |row| Ok((count(row, 0)?, count(row, 1)?)))?)
    }

    /// A session's live events in canonical order.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn events(&self, session: i64) -> Result<Vec<EventRow>, StoreError> {
        self.event_rows(&format!("{EVENT}{CANONICAL}"), &[&session])
    }

    /// A session's latest live events in canonical order.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn last_events(&self, session: i64, limit: usize) -> Result<Vec<EventRow>, StoreError> {
        let order = " AND e.removed = 0 \
            ORDER BY e.at DESC, s.rank DESC, e.kind <> 'session.started' DESC, e.position DESC, \
            e.part DESC, e.id DESC";
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let mut rows = self.event_rows(&format!("{EVENT}{order} LIMIT ?2"), &[&session, &limit])?;
        rows.reverse();
        Ok(rows)
    }

    /// What changed after a cursor; without a known cursor, everything.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn changes(
        &self,
        session: &SessionRow,
        after: Option<&ResumeCursor>,
    ) -> Result<Changes, StoreError> {
        let known = after.filter(|cursor| {
            cursor.generation == self.generation && cursor.sequence <= session.sequence
        });
        let Some(cursor) = known else {
            return Ok(Changes::Snapshot(self.events(session.row)?));
        };
        Ok(Changes::Since(self.changes_after(session.row, cursor.sequence)?))
    }

    /// The sources of a session.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn sources_of(&self, session: i64) -> Result<Vec<SourceRow>, StoreError> {
        sources::of_session(&self.connection, session)
    }

    /// The sources in one file.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn sources_at(&self, home: &str, path: &str) -> Result<Vec<SourceRow>, StoreError> {
        sources::at(&self.connection, (home, path))
    }

    /// One source by its number.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn source(&self, id: i64) -> Result<Option<SourceRow>, StoreError> {
        sources::one(&self.connection, id)
    }

    /// The sources in one home.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn sources_in(&self, home: &str) -> Result<Vec<SourceRow>, StoreError> {
        sources::of_home(&self.connection, home)
    }

    /// The memory of a source's reader, to go on from.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn memory(&self, source: i64) -> Result<String, StoreError> {
        sources::memory(&self.connection, source)
    }

    /// What changed in a session after a change number, in the order of the changes.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn changes_after(&self, session: i64, sequence: u64) -> Result<Vec<EventRow>, StoreError> {
        let query = format!("{EVENT} AND e.sequence > ?2 ORDER BY e.sequence");
        self.event_rows(&query, &[&session, &crate::codec::signed(sequence)])
    }

    /// Every source that is known.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn sources(&self) -> Result<Vec<SourceRow>, StoreError> {
        sources::all(&self.connection)
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

    pub(crate) fn event_rows(
        &self,
        query: &str,
        values: &[&dyn ToSql],
    ) -> Result<Vec<EventRow>, StoreError> {
        let mut statement = self.connection.prepare_cached(query)?;
        let rows = statement.query_map(values, read_event)?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}

pub(crate) fn conditions(filter: &Filter) -> (String, Vec<Box<dyn ToSql>>) {
    let mut clauses = vec!["1 = 1".to_owned()];
    let mut values: Vec<Box<dyn ToSql>> = Vec::new();
    let mut add = |clause: &str, value: Box<dyn ToSql>| {
        values.push(value);
        clauses.push(clause.replace('?', &format!("?{}", values.len())));
    };
    if let Some(agent) = &filter.agent {
        add("agent = ?", Box::new(agent.clone()));
    }
    if let Some(since) = filter.since {
        add("last_at >= ?", Box::new(since.as_microsecond()));
    }
    if let Some(project) = &filter.project {
        let project = project.trim_end_matches('/').to_owned();
        add(
            "(project_path = ? OR substr(project_path, 1, length(?) + 1) = ? || '/')",
            Box::new(project),
        );
    }
    if let Some(name) = &filter.project_name {
        add("substr(project_path, -length(?) - 1) = '/' || ?", Box::new(name.clone()));
    }
    if let Some(project) = &filter.exact_project {
        add("project_path = ?", Box::new(project.clone()));
    }
    if let Some(prefix) = &filter.id_prefix {
        let digits = prefix.replace('-', "").to_lowercase();
        add("substr(lower(hex(uuid)), 1, length(?)) = ?", Box::new(digits));
    }
    if let Some(runtime) = &filter.runtime_id {
        add("runtime_id = ?", Box::new(runtime.clone()));
    }
    if let Some(topic) = &filter.topic {
        add(OF_TOPIC, Box::new(topic.to_lowercase()));
    }
    if let Some(category) = filter.category {
        add(OF_CATEGORY, Box::new(category.as_str()));
    }
    match &filter.source {
        None => {}
        Some(SourceAt::Below(begins)) => {
            add("substr(source_uri, 1, length(?)) = ?", Box::new(begins.clone()));
        }
        Some(SourceAt::NotBelow(begins)) => {
            add("substr(source_uri, 1, length(?)) <> ?", Box::new(begins.clone()));
        }
    }
    if !filter.workers {
        clauses.push("parent IS NULL".to_owned());
    }
    (clauses.join(" AND "), values)
}

pub(crate) fn read_session(row: &Row<'_>) -> rusqlite::Result<SessionRow> {
    let time = |index| row.get::<_, Option<i64>>(index).map(|it| it.map(from_micros));
    let lineage = match (row.get::<_, Option<String>>(23)?, maybe_blob(row, 24)?) {
        (Some(kind), Some(session)) => Some(Lineage {
            kind: LineageKind::from(kind.as_str()),
            session_id: SessionId::from_bytes(session),
        }),
        _ => None,
    };
    Ok(SessionRow {
        row: row.get(0)?,
        id: SessionId::from_bytes(blob(row, 1)?),
        agent: row.get(2)?,
        runtime_id: RuntimeSessionId::new(row.get::<_, String>(3)?),
        title: row.get(4)?,
        title_derived: row.get(5)?,
        project_path: row.get(6)?,
        git_branch: row.get(7)?,
        model: row.get(8)?,
        lifecycle: Lifecycle::from(row.get::<_, String>(9)?.as_str()),
        started_at: earlier(time(10)?, time(11)?),
        last_event_at: time(12)?,
        turns: count(row, 13)?,
        prompts: count(row, 14)?,
        tool_calls: count(row, 15)?,
        tokens: tokens(row, 16)?,
        cost_microdollars: row.get(21)?,
        parent: maybe_blob(row, 22)?.map(SessionId::from_bytes),
        lineage,
        source_uri: row.get(25)?,
        sequence: count(row, 26)?,
        process: process(row, 27)?,
        captured: row.get(29)?,
    })
}

fn process(row: &Row<'_>, first: usize) -> rusqlite::Result<Option<Process>> {
    let pid: Option<u32> = row.get(first)?;
    let start: Option<i64> = row.get(first + 1)?;
    Ok(pid.zip(start).map(|(pid, start)| Process { pid, start: start.unsigned_abs() }))
}

fn read_event(row: &Row<'_>) -> rusqlite::Result<EventRow> {
    let word = |index| row.get::<_, String>(index);
    let usual = |index| row.get::<_, Option<String>>(index);
    Ok(EventRow {
        id: EventId::from_bytes(blob(row, 0)?),
        sequence: count(row, 1)?,
        revision: row.get(2)?,
        removed: row.get(3)?,
        kind: Kind::from(word(4)?.as_str()),
        origin: usual(5)?.map_or(Origin::Transcript, |it| Origin::from(it.as_str())),
        confidence: usual(6)?.map_or(Confidence::High, |it| Confidence::from(it.as_str())),
        at: from_micros(row.get(7)?),
        observed_at: from_micros(row.get(8)?),
        turn: maybe_blob(row, 9)?.map(TurnId::from_bytes),
        parent: maybe_blob(row, 10)?.map(EventId::from_bytes),
        marks: Marks::from_bits(row.get(11)?),
        cursor: cursor_of(row.get(12)?, row.get(13)?, row.get(14)?)?,
        part: row.get(15)?,
        source_event_id: row.get(16)?,
        label: row.get(17)?,
        excerpt: row.get(18)?,
        raw: blob(row, 19)?,
        content: blob(row, 28)?,
        inherited_from: maybe_blob(row, 20)?.map(SessionId::from_bytes),
        home: row.get(21)?,
        path: row.get(22)?,
        key: row.get(23)?,
        locator: row.get(24)?,
        present: row.get(25)?,
        batch: row.get(26)?,
        signal: usual(27)?.as_deref().map(Signal::parse),
    })
}
