//! Session rows while a batch is written: keeps counts as events come and go.

use super::acts::Acts;
use crate::db::codec::signed;
use crate::db::{Columns, StoreError, TOKEN_SUMS};
use rusqlite::{Connection, OptionalExtension, Row, params};
use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};
use taffrail_model::findings::Step;
use taffrail_model::observed::Marks;
use taffrail_model::{EventId, Kind, RuntimeIdentity, SessionId, Tokens};

/// A session's row while a batch is written.
#[derive(Debug, Clone)]
pub(crate) struct Slot {
    pub(crate) row: i64,
    pub(crate) who: RuntimeIdentity,
    /// The last change number assigned.
    pub(crate) sequence: i64,
    /// The last change number before the batch.
    pub(crate) before: i64,
    pub(crate) counts: Counts,
    pub(crate) tokens: Tokens,
    /// What came in this batch, by quarter of an hour.
    pub(crate) acts: BTreeMap<i64, Acts>,
    /// What came in this batch says about the work.
    pub(crate) steps: Vec<Step>,
    /// Work that is due before the batch is closed.
    pub(crate) due: Due,
    /// The earliest event inserted in this batch.
    pub(crate) earliest: Option<i64>,
    /// The batch under way; the rows it changes carry its number.
    pub(crate) batch: i64,
    /// Events that were removed.
    pub(crate) gone: Vec<EventId>,
}

/// The work that is due for a session at the end of a batch.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Due(u8);

impl Due {
    /// Its row must be written.
    pub(crate) const ROW: Self = Self(1);
    /// Something was removed: counts must be computed again.
    pub(crate) const RECOUNT: Self = Self(2);
    /// Its facts changed.
    pub(crate) const FACTS: Self = Self(4);
    /// Its place among copies must be settled again.
    pub(crate) const FAMILY: Self = Self(8);
    /// A transcript may say what hooks carried.
    pub(crate) const CARRIED: Self = Self(16);

    /// Its answers or their costs changed.
    pub(crate) const SPENT: Self = Self(32);

    /// The union of both.
    pub(crate) const fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Adds another.
    pub(crate) fn add(&mut self, other: Self) {
        self.0 |= other.0;
    }

    /// Whether this work is due.
    pub(crate) fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Whether no work is due.
    pub(crate) fn is_nothing(self) -> bool {
        self.0 == 0
    }
}

/// The counts of a session.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) turns: i64,
    pub(crate) prompts: i64,
    pub(crate) tool_calls: i64,
    pub(crate) failures: i64,
    pub(crate) first_at: Option<i64>,
    pub(crate) last_at: Option<i64>,
}

impl Counts {
    /// Counts an event that came (`+1`) or went (`-1`).
    pub(crate) fn count(&mut self, kind: &str, marks: Marks, by: i64) {
        if kind == Kind::UserPrompt.as_str() {
            self.prompts += by;
        }
        if kind == Kind::ToolCall.as_str() {
            self.tool_calls += by;
        }
        if marks.has(Marks::OPENS_TURN) {
            self.turns += by;
        }
        if is_failure(kind, marks) {
            self.failures += by;
        }
    }

    /// Extends the time range to a live event.
    pub(crate) fn stretch(&mut self, at: i64) {
        self.first_at = Some(self.first_at.map_or(at, |first| first.min(at)));
        self.last_at = Some(self.last_at.map_or(at, |last| last.max(at)));
    }
}

/// Whether an event is an error, or the result of a call that failed.
fn is_failure(kind: &str, marks: Marks) -> bool {
    kind == Kind::Error.as_str() || kind == Kind::ToolResult.as_str() && marks.has(Marks::FAILED)
}

/// Loads a session's row, and inserts it if it is new.
pub(crate) fn load(
    connection: &Connection,
    who: &RuntimeIdentity,
    batch: i64,
) -> Result<Slot, StoreError> {
    let uuid = who.session();
    let mut statement = connection.prepare_cached(LOAD)?;
    let known =
        statement.query_row([uuid.as_bytes()], |row| read_slot(row, who, batch)).optional()?;
    if let Some(slot) = known {
        return Ok(slot);
    }
    let mut insert = connection.prepare_cached(
        "INSERT INTO sessions (uuid, agent, scope, runtime_id) VALUES (?1, ?2, ?3, ?4)",
    )?;
    let row =
        insert.insert(params![uuid.as_bytes(), who.agent.as_str(), who.scope, who.id.as_str()])?;
    Ok(Slot {
        row,
        who: who.clone(),
        sequence: 0,
        before: 0,
        counts: Counts::default(),
        tokens: Tokens::default(),
        acts: BTreeMap::new(),
        steps: Vec::new(),
        due: Due::ROW.with(Due::FACTS).with(Due::FAMILY),
        earliest: None,
        batch,
        gone: Vec::new(),
    })
}

const LOAD: &str = "
SELECT sequence, id, turns, prompts, tool_calls, failures, first_at, last_at, input_tokens, output_tokens,
  cache_read_tokens, cache_write_tokens, reasoning_tokens FROM sessions WHERE uuid = ?1";

fn read_slot(row: &Row<'_>, who: &RuntimeIdentity, batch: i64) -> rusqlite::Result<Slot> {
    let row = Columns::of(row);
    let sequence = row.get("sequence")?;
    Ok(Slot {
        row: row.get("id")?,
        who: who.clone(),
        sequence,
        before: sequence,
        counts: counts(&row)?,
        tokens: row.tokens()?,
        acts: BTreeMap::new(),
        steps: Vec::new(),
        due: Due::default(),
        earliest: None,
        batch,
        gone: Vec::new(),
    })
}

fn counts(row: &Columns<'_, '_>) -> rusqlite::Result<Counts> {
    Ok(Counts {
        turns: row.get("turns")?,
        prompts: row.get("prompts")?,
        tool_calls: row.get("tool_calls")?,
        failures: row.get("failures")?,
        first_at: row.get("first_at")?,
        last_at: row.get("last_at")?,
    })
}

/// Writes a slot back.
pub(crate) fn store(connection: &Connection, slot: &Slot) -> Result<(), StoreError> {
    let (counts, spent) = (slot.counts, slot.tokens);
    let mut statement = connection.prepare_cached(include_str!("store_session.sql"))?;
    statement.execute(params![
        slot.row,
        slot.sequence,
        counts.turns,
        counts.prompts,
        counts.tool_calls,
        counts.first_at,
        counts.last_at,
        signed(spent.input),
        signed(spent.output),
        signed(spent.cache_read),
        signed(spent.cache_write),
        signed(spent.reasoning),
        slot.batch,
        counts.failures,
    ])?;
    Ok(())
}

/// Computes a session's counts from its live events.
pub(crate) fn recount(connection: &Connection, session: i64) -> Result<Counts, StoreError> {
    let mut statement = connection.prepare_cached(include_str!("count_events.sql"))?;
    Ok(statement.query_row([session], |row| counts(&Columns::of(row)))?)
}

/// Computes a session's owned tokens.
pub(crate) fn owned_tokens(connection: &Connection, session: i64) -> Result<Tokens, StoreError> {
    let query = format!("SELECT {TOKEN_SUMS} FROM usage WHERE session = ?1 AND owned = 1");
    let mut statement = connection.prepare_cached(&query)?;
    Ok(statement.query_row([session], |row| Columns::of(row).tokens())?)
}

/// The slot of a session, loaded on first use.
pub(crate) fn slot<'a>(
    index: &Connection,
    slots: &'a mut HashMap<SessionId, Slot>,
    (who, batch): (&RuntimeIdentity, i64),
) -> Result<&'a mut Slot, StoreError> {
    Ok(match slots.entry(who.session()) {
        Entry::Occupied(known) => known.into_mut(),
        Entry::Vacant(free) => free.insert(load(index, who, batch)?),
    })
}
