//! Sources as the index keeps them.

use crate::StoreError;
use crate::codec::{blob, signed};
use rusqlite::{Connection, OptionalExtension, Row, params};
use taffrail_model::observed::{Fingerprint, Held, Kept, LastLine, SourceState};
use taffrail_model::{AgentId, relay};

/// A source with its number and how it stands; the reader's memory is asked for by itself.
#[derive(Debug, Clone)]
pub struct SourceRow {
    /// Our number for it.
    pub id: i64,
    /// How far it was read.
    pub state: SourceState,
    /// It was there when last looked for.
    pub present: bool,
    /// A pass from its start was begun and not ended, or is asked for.
    pub half_read: bool,
}

/// What decides between two sources that say different things about one event.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Standing {
    present: bool,
    /// What this device read itself counts for more than what another told.
    is_local: bool,
    rank: u8,
    locator: String,
    home: String,
    path: String,
}

const COLUMNS: &str = "id, agent, home, path, key, locator, rank, device, inode, size, \
    modified_ns, beside, offset, last_offset, last_length, last_hash, read_whole_next, \
    present, half_read OR again, kept";

/// All sources.
pub(crate) fn all(connection: &Connection) -> Result<Vec<SourceRow>, StoreError> {
    let mut statement = connection.prepare(&format!("SELECT {COLUMNS} FROM sources"))?;
    let rows = statement.query_map([], read)?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// What other devices told.
pub(crate) fn relayed(connection: &Connection) -> Result<Vec<SourceRow>, StoreError> {
    let query = format!("SELECT {COLUMNS} FROM sources WHERE locator LIKE 'relay:%'");
    let mut statement = connection.prepare(&query)?;
    let rows = statement.query_map([], read)?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// The sources in one file.
pub(crate) fn at(
    connection: &Connection,
    (home, path): (&str, &str),
) -> Result<Vec<SourceRow>, StoreError> {
    let query = format!("SELECT {COLUMNS} FROM sources WHERE home = ?1 AND path = ?2");
    let mut statement = connection.prepare_cached(&query)?;
    let rows = statement.query_map([home, path], read)?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// One source.
pub(crate) fn one(connection: &Connection, id: i64) -> Result<Option<SourceRow>, StoreError> {
    let query = format!("SELECT {COLUMNS} FROM sources WHERE id = ?1");
    Ok(connection.prepare_cached(&query)?.query_row([id], read).optional()?)
}

/// The sources in one home.
pub(crate) fn of_home(connection: &Connection, home: &str) -> Result<Vec<SourceRow>, StoreError> {
    let query = format!("SELECT {COLUMNS} FROM sources WHERE home = ?1");
    let mut statement = connection.prepare_cached(&query)?;
    let rows = statement.query_map([home], read)?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// The sources of one session.
pub(crate) fn of_session(
    connection: &Connection,
    session: i64,
) -> Result<Vec<SourceRow>, StoreError> {
    let query = format!(
        "SELECT {COLUMNS} FROM sources WHERE id IN \
         (SELECT source FROM source_sessions WHERE session = ?1)"
    );
    let mut statement = connection.prepare(&query)?;
    let rows = statement.query_map([session], read)?;
    Ok(rows.collect::<Result<_, _>>()?)
}

fn read(row: &Row<'_>) -> rusqlite::Result<SourceRow> {
    let number = |index| row.get::<_, i64>(index).map(|it| u64::try_from(it).unwrap_or(0));
    let last_line = match row.get::<_, Option<i64>>(13)? {
        Some(_) => {
            Some(LastLine { offset: number(13)?, length: number(14)?, hash: blob(row, 15)? })
        }
        None => None,
    };
    let fingerprint = Fingerprint {
        device: number(7)?,
        inode: number(8)?,
        size: number(9)?,
        modified_ns: row.get(10)?,
        beside: number(11)?,
    };
    let state = SourceState {
        agent: AgentId::new(row.get::<_, String>(1)?),
        home: row.get(2)?,
        path: row.get(3)?,
        key: row.get(4)?,
        locator: row.get(5)?,
        rank: row.get(6)?,
        fingerprint,
        offset: number(12)?,
        last_line,
        reader: String::new(),
        read_whole_next: row.get(16)?,
        kept: kept_of(row.get(19)?),
    };
    Ok(SourceRow { id: row.get(0)?, state, present: row.get(17)?, half_read: row.get(18)? })
}

/// Writes a source as it is after a piece, and gives its number.
pub(crate) fn write(
    connection: &Connection,
    state: &SourceState,
    (half_read, held): (bool, Held),
) -> Result<i64, StoreError> {
    let print = state.fingerprint;
    let last = state.last_line;
    let mut statement = connection.prepare_cached(WRITE)?;
    let id = statement.query_row(
        params![
            state.agent.as_str(),
            state.home,
            state.path,
            state.key,
            state.locator,
            state.rank,
            signed(print.device),
            signed(print.inode),
            signed(print.size),
            print.modified_ns,
            signed(print.beside),
            signed(state.offset),
            last.map(|it| signed(it.offset)),
            last.map(|it| signed(it.length)),
            last.map(|it| it.hash),
            state.reader,
            state.read_whole_next,
            half_read,
            held == Held::Source,
            kept_number(state.kept),
        ],
        |row| row.get(0),
    )?;
    Ok(id)
}

const WRITE: &str = "
INSERT INTO sources (agent, home, path, key, locator, rank, device, inode, size, modified_ns, beside,
  offset, last_offset, last_length, last_hash, reader, read_whole_next, half_read, present, kept)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20)
ON CONFLICT (home, path, key) DO UPDATE SET agent = ?1, locator = ?5, rank = ?6, device = ?7,
  inode = ?8, size = ?9, modified_ns = ?10, beside = ?11, offset = ?12, last_offset = ?13,
  last_length = ?14, last_hash = ?15, reader = ?16, read_whole_next = ?17, half_read = ?18,
  present = ?19, kept = ?20
RETURNING id";

/// How much is kept, as the column says it.
fn kept_of(number: i64) -> Kept {
    match number {
        0 => Kept::Nothing,
        1.. => Kept::Bytes(number.unsigned_abs()),
        _ => Kept::Dropped,
    }
}

/// The number a column has for how much is kept.
pub(crate) fn kept_number(kept: Kept) -> i64 {
    match kept {
        Kept::Nothing => 0,
        Kept::Bytes(bytes) => signed(bytes),
        Kept::Dropped => -1,
    }
}

/// The memory of a source's reader.
pub(crate) fn memory(connection: &Connection, id: i64) -> Result<String, StoreError> {
    let mut statement = connection.prepare_cached("SELECT reader FROM sources WHERE id = ?1")?;
    Ok(statement.query_row([id], |row| row.get(0)).optional()?.unwrap_or_default())
}

/// The number of a source, if it is known.
pub(crate) fn number(
    connection: &Connection,
    state: &SourceState,
) -> Result<Option<i64>, StoreError> {
    let mut statement = connection
        .prepare_cached("SELECT id FROM sources WHERE home = ?1 AND path = ?2 AND key = ?3")?;
    let place = [&state.home, &state.path, &state.key];
    Ok(statement.query_row(place, |row| row.get(0)).optional()?)
}

/// How a source stood before a piece of it came.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Before {
    /// It was read to its end at least once.
    pub(crate) complete: bool,
    /// It was gone.
    pub(crate) gone: bool,
}

/// How a source stands; one that is not known was neither read nor gone.
pub(crate) fn before(connection: &Connection, state: &SourceState) -> Result<Before, StoreError> {
    let mut statement = connection.prepare_cached(
        "SELECT modified_ns <> 0, present = 0 FROM sources \
         WHERE home = ?1 AND path = ?2 AND key = ?3",
    )?;
    let place = [&state.home, &state.path, &state.key];
    let read = |row: &Row<'_>| Ok(Before { complete: row.get(0)?, gone: row.get(1)? });
    Ok(statement.query_row(place, read).optional()?.unwrap_or_default())
}

/// A present source waits to be read from its start.
pub(crate) fn any_half_read(connection: &Connection) -> Result<bool, StoreError> {
    let query = "SELECT EXISTS (SELECT 1 FROM sources \
                 WHERE (half_read = 1 OR again = 1) AND present = 1)";
    Ok(connection.prepare_cached(query)?.query_row([], |row| row.get(0))?)
}

/// The first position of a source that no longer counts, because a later file took over there.
pub(crate) fn cut(connection: &Connection, id: i64) -> Result<Option<i64>, StoreError> {
    let mut statement = connection.prepare_cached("SELECT cut_at FROM sources WHERE id = ?1")?;
    Ok(statement.query_row([id], |row| row.get(0)).optional()?.flatten())
}

/// How a source stands against others.
pub(crate) fn standing(connection: &Connection, id: i64) -> Result<Standing, StoreError> {
    let mut statement = connection
        .prepare_cached("SELECT present, rank, locator, home, path FROM sources WHERE id = ?1")?;
    let read = |row: &Row<'_>| {
        let locator: String = row.get(2)?;
        Ok(Standing {
            present: row.get(0)?,
            is_local: !relay::is_locator(&locator),
            rank: row.get(1)?,
            locator,
            home: row.get(3)?,
            path: row.get(4)?,
        })
    };
    let found = statement.query_row([id], read).optional()?;
    Ok(found.unwrap_or_default())
}
