//! Session rows: counts kept as events come and go, and facts joined from all sources.

use crate::StoreError;
use crate::carried::Here;
use crate::codec::{count, micros, signed};
use crate::spending::owned_cost;
use rusqlite::{Connection, OptionalExtension, Row, params};
use taffrail_model::binding::{History, Standing};
use taffrail_model::observed::Marks;
use taffrail_model::{
    EventId, Facts, Kind, Lifecycle, LineageKind, RuntimeIdentity, TitleRank, Tokens, journal,
    relay,
};

/// A session's row while a batch is written.
#[derive(Debug, Clone)]
pub(crate) struct Slot {
    pub(crate) row: i64,
    pub(crate) who: RuntimeIdentity,
    /// The last change number given.
    pub(crate) sequence: i64,
    /// The same before the batch.
    pub(crate) before: i64,
    pub(crate) counts: Counts,
    pub(crate) tokens: Tokens,
    /// What must be done before the batch is closed.
    pub(crate) due: Due,
    /// The earliest event inserted in this batch.
    pub(crate) earliest: Option<i64>,
    /// The batch under way: what it changes carries its number.
    pub(crate) batch: i64,
    /// Events that no longer stand.
    pub(crate) gone: Vec<EventId>,
}

/// What is due for a session at the end of a batch.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Due(u8);

impl Due {
    /// Its row must be written.
    pub(crate) const ROW: Self = Self(1);
    /// Something was taken away: counts must be looked up again.
    pub(crate) const RECOUNT: Self = Self(2);
    /// What its sources say changed.
    pub(crate) const FACTS: Self = Self(4);
    /// Its place among copies must be looked at again.
    pub(crate) const FAMILY: Self = Self(8);

    /// Both.
    pub(crate) const fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// This too.
    pub(crate) fn add(&mut self, other: Self) {
        self.0 |= other.0;
    }

    /// It is due.
    pub(crate) fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Nothing is.
    pub(crate) fn is_nothing(self) -> bool {
        self.0 == 0
    }
}

/// What is counted per session.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) turns: i64,
    pub(crate) prompts: i64,
    pub(crate) tool_calls: i64,
    pub(crate) first_at: Option<i64>,
    pub(crate) last_at: Option<i64>,
}

impl Counts {
    /// An event came (`+1`) or went (`-1`).
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
    }

    /// An event stands at this time.
    pub(crate) fn stretch(&mut self, at: i64) {
        self.first_at = Some(self.first_at.map_or(at, |first| first.min(at)));
        self.last_at = Some(self.last_at.map_or(at, |last| last.max(at)));
    }
}

/// Loads a session's row, making it if it is new.
pub(crate) fn load(
    connection: &Connection,
    who: &RuntimeIdentity,
    batch: i64,
) -> Result<Slot, StoreError> {
    let uuid = who.session();
    let mut statement = connection.prepare_cached(LOAD)?;
    let known = statement.query_row([uuid.as_bytes()], |row| slot(row, who, batch)).optional()?;
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
        due: Due::ROW.with(Due::FACTS).with(Due::FAMILY),
        earliest: None,
        batch,
        gone: Vec::new(),
    })
}

const LOAD: &str = "
SELECT id, sequence, turns, prompts, tool_calls, first_at, last_at, input_tokens, output_tokens,
  cache_read_tokens, cache_write_tokens, reasoning_tokens FROM sessions WHERE uuid = ?1";

fn slot(row: &Row<'_>, who: &RuntimeIdentity, batch: i64) -> rusqlite::Result<Slot> {
    let counts = Counts {
        turns: row.get(2)?,
        prompts: row.get(3)?,
        tool_calls: row.get(4)?,
        first_at: row.get(5)?,
        last_at: row.get(6)?,
    };
    Ok(Slot {
        row: row.get(0)?,
        who: who.clone(),
        sequence: row.get(1)?,
        before: row.get(1)?,
        counts,
        tokens: tokens(row, 7)?,
        due: Due::default(),
        earliest: None,
        batch,
        gone: Vec::new(),
    })
}

/// Five columns of tokens, in the order input, output, cache read, cache write, reasoning.
pub(crate) fn tokens(row: &Row<'_>, first: usize) -> rusqlite::Result<Tokens> {
    Ok(Tokens {
        input: count(row, first)?,
        output: count(row, first + 1)?,
        cache_read: count(row, first + 2)?,
        cache_write: count(row, first + 3)?,
        reasoning: count(row, first + 4)?,
    })
}

/// Writes a slot back.
pub(crate) fn store(connection: &Connection, slot: &Slot) -> Result<(), StoreError> {
    let (counts, spent) = (slot.counts, slot.tokens);
    let mut statement = connection.prepare_cached(
        "UPDATE sessions SET sequence = ?2, turns = ?3, prompts = ?4, tool_calls = ?5, \
         first_at = ?6, last_at = ?7, input_tokens = ?8, output_tokens = ?9, \
         cache_read_tokens = ?10, cache_write_tokens = ?11, reasoning_tokens = ?12, \
         last_batch = ?13 WHERE id = ?1",
    )?;
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
    ])?;
    Ok(())
}

/// Looks a session's counts up from its live events.
pub(crate) fn recount(connection: &Connection, session: i64) -> Result<Counts, StoreError> {
    let mut statement = connection.prepare_cached(
        "SELECT coalesce(sum(marks & 1), 0), coalesce(sum(kind = 'user.prompt'), 0), \
         coalesce(sum(kind = 'tool.call'), 0), min(at), max(at) \
         FROM events WHERE session = ?1 AND removed = 0",
    )?;
    let counts = statement.query_row([session], |row| {
        Ok(Counts {
            turns: row.get(0)?,
            prompts: row.get(1)?,
            tool_calls: row.get(2)?,
            first_at: row.get(3)?,
            last_at: row.get(4)?,
        })
    })?;
    Ok(counts)
}

/// Looks a session's owned tokens up.
pub(crate) fn owned_tokens(connection: &Connection, session: i64) -> Result<Tokens, StoreError> {
    let mut statement = connection.prepare_cached(
        "SELECT coalesce(sum(input_tokens), 0), coalesce(sum(output_tokens), 0), \
         coalesce(sum(cache_read_tokens), 0), coalesce(sum(cache_write_tokens), 0), \
         coalesce(sum(reasoning_tokens), 0) FROM usage WHERE session = ?1 AND owned = 1",
    )?;
    Ok(statement.query_row([session], |row| tokens(row, 0))?)
}

/// What all sources of a session say together, where it can be read, and whether it still can.
#[derive(Default)]
struct Joined {
    facts: Facts,
    source_uri: String,
    readable: bool,
    archived: bool,
    /// A source of the agent's own tells it, not only our journal.
    told: bool,
}

fn join(connection: &Connection, session: i64) -> Result<Joined, StoreError> {
    let mut statement = connection.prepare_cached(
        "SELECT facts, locator, present, kept > 0 FROM source_sessions JOIN sources ON sources.id = source \
         WHERE session = ?1 \
         ORDER BY locator NOT LIKE 'journal:%', present, locator NOT LIKE 'relay:%', rank, offset, locator, home, path",
    )?;
    let mut rows = statement.query([session])?;
    let mut joined = Joined::default();
    while let Some(row) = rows.next()? {
        let facts = serde_json::from_str(row.get_ref(0)?.as_str().unwrap_or_default());
        joined.facts = joined.facts.joined(facts.unwrap_or_default());
        joined.source_uri = row.get(1)?;
        if !joined.told && !journal::is_locator(&joined.source_uri) {
            // The journal comes first, and says nothing of whether a transcript can be read.
            (joined.told, joined.readable) = (true, false);
        }
        joined.readable |= row.get::<_, bool>(2)?;
        joined.archived |= row.get::<_, bool>(3)?;
    }
    Ok(joined)
}

/// What the sources of a session on this device say together.
pub(crate) fn own_facts(connection: &Connection, session: i64) -> Result<Facts, StoreError> {
    let mut statement = connection.prepare_cached(
        "SELECT facts FROM source_sessions JOIN sources ON sources.id = source \
         WHERE session = ?1 AND locator NOT LIKE 'relay:%' \
         ORDER BY locator NOT LIKE 'journal:%', present, rank, offset, locator, home, path",
    )?;
    let mut rows = statement.query([session])?;
    let mut joined = Facts::default();
    while let Some(row) = rows.next()? {
        let facts = serde_json::from_str(row.get_ref(0)?.as_str().unwrap_or_default());
        joined = joined.joined(facts.unwrap_or_default());
    }
    Ok(joined)
}

/// Writes what a session's sources say together; its binding is due then. One that was carried here
/// goes on in its folder here, whatever its history says of another machine.
pub(crate) fn refresh(
    connection: &Connection,
    slot: &Slot,
    (resumes, here): (bool, Option<Here>),
) -> Result<(), StoreError> {
    let Joined { facts, source_uri, readable, archived, told } = join(connection, slot.row)?;
    // What runs on another device is resumed there.
    let resumable = resumes && facts.parent.is_none() && !relay::is_locator(&source_uri);
    let history = match (told, readable, archived) {
        (false, ..) => History::Unexposed,
        (true, true, _) => History::Readable,
        (true, false, true) => History::Copied,
        (true, false, false) => History::Missing,
    };
    let lifecycle = Lifecycle::of(Standing { history, resumable });
    // The agent's own total may leave out what is not over; answers may be known in part.
    let cost = facts.cost_microdollars.max(owned_cost(connection, slot.row)?);
    let mut statement = connection.prepare_cached(REFRESH)?;
    let title = facts.title.as_ref();
    let parent = facts.parent.as_ref().map(|who| *who.session().as_bytes());
    let (here, taken_from) = here.map(|it| (it.project, it.forked_from)).unzip();
    let said = facts.forked_from.as_ref().map(RuntimeIdentity::session);
    let fork = taken_from.flatten().or(said).map(|it| *it.as_bytes());
    let handed = facts.handed_from.map(|it| *it.as_bytes());
    let lineage = parent
        .map(|_| LineageKind::Subagent)
        .or(fork.map(|_| LineageKind::Fork))
        .or(handed.map(|_| LineageKind::Handoff));
    statement.execute(params![
        slot.row,
        title.map(|it| &it.text),
        title.is_some_and(|it| it.rank == TitleRank::FirstPrompt),
        here.or(facts.project_path),
        facts.git_branch,
        facts.model,
        facts.agent_version,
        facts.entrypoint,
        lifecycle.as_str(),
        source_uri,
        facts.started_at.map(micros),
        cost,
        parent,
        fork,
        facts.first_record,
        lineage.as_ref().map(LineageKind::as_str),
        parent.or(fork).or(handed),
        facts.uncopied_since.map(micros),
        facts.process.map(|it| it.pid),
        facts.process.map(|it| signed(it.start)),
    ])?;
    Ok(())
}

const REFRESH: &str = "
UPDATE sessions SET title = ?2, title_derived = ?3, project_path = ?4, git_branch = ?5, model = ?6,
  agent_version = ?7, entrypoint = ?8, lifecycle = ?9, source_uri = ?10, said_started_at = ?11,
  cost_microdollars = ?12, parent = ?13, forked_from = ?14, first_record = ?15,
  lineage_kind = coalesce(?16, lineage_kind), lineage_session = coalesce(?17, lineage_session),
  uncopied_since = ?18, pid = ?19, process_start = ?20
WHERE id = ?1";
