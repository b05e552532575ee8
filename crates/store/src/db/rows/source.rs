//! A source's row in the index.

use crate::db::{Columns, StoreError};
use rusqlite::{Connection, OptionalExtension, Row};
use std::collections::HashSet;
use taffrail_model::AgentId;
use taffrail_model::observed::{ArchiveState, Fingerprint, LastLine, SourceState};

/// A source with its number and state; the reader's memory is loaded separately.
#[derive(Debug, Clone)]
pub struct SourceRow {
    /// Our number for it.
    pub id: i64,
    /// How far it was read.
    pub state: SourceState,
    /// It existed at the last scan.
    pub present: bool,
    /// A pass from its start was begun and not finished, or is requested.
    pub half_read: bool,
}

const COLUMNS: &str = "id, agent, home, path, key, locator, rank, device, inode, size, \
    modified_ns, beside, offset, last_offset, last_length, last_hash, read_whole_next, \
    kept, present, half_read OR again AS to_read_again";

/// All sources.
pub(crate) fn all(connection: &Connection) -> Result<Vec<SourceRow>, StoreError> {
    let mut statement = connection.prepare(&format!("SELECT {COLUMNS} FROM sources"))?;
    let rows = statement.query_map([], read)?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// The sources that hold items of other devices.
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
    let row = Columns::of(row);
    let id = row.get("id")?;
    let state = SourceState {
        agent: AgentId::new(row.get::<String>("agent")?),
        home: row.get("home")?,
        path: row.get("path")?,
        key: row.get("key")?,
        locator: row.get("locator")?,
        rank: row.get("rank")?,
        fingerprint: fingerprint(&row)?,
        offset: unsigned(&row, "offset")?,
        last_line: last_line(&row)?,
        reader: String::new(),
        read_whole_next: row.get("read_whole_next")?,
        kept: kept_of(row.get("kept")?),
    };
    Ok(SourceRow { id, state, present: row.get("present")?, half_read: row.get("to_read_again")? })
}

fn fingerprint(row: &Columns<'_, '_>) -> rusqlite::Result<Fingerprint> {
    Ok(Fingerprint {
        device: unsigned(row, "device")?,
        inode: unsigned(row, "inode")?,
        size: unsigned(row, "size")?,
        modified_ns: row.get("modified_ns")?,
        beside: unsigned(row, "beside")?,
    })
}

fn last_line(row: &Columns<'_, '_>) -> rusqlite::Result<Option<LastLine>> {
    if row.get::<Option<i64>>("last_offset")?.is_none() {
        return Ok(None);
    }
    let (offset, length) = (unsigned(row, "last_offset")?, unsigned(row, "last_length")?);
    Ok(Some(LastLine { offset, length, hash: row.get("last_hash")? }))
}

fn unsigned(row: &Columns<'_, '_>, name: &str) -> rusqlite::Result<u64> {
    row.get::<i64>(name).map(|it| u64::try_from(it).unwrap_or(0))
}

/// Decodes the column that stores how much is archived.
fn kept_of(number: i64) -> ArchiveState {
    match number {
        0 => ArchiveState::Nothing,
        1.. => ArchiveState::Bytes(number.unsigned_abs()),
        _ => ArchiveState::Dropped,
    }
}

/// The saved state of a source's reader.
pub(crate) fn memory(connection: &Connection, id: i64) -> Result<String, StoreError> {
    let mut statement =
        connection.prepare_cached("SELECT memory FROM readers WHERE source = ?1")?;
    Ok(statement.query_row([id], |row| row.get(0)).optional()?.unwrap_or_default())
}

/// The files that hold only uncaptured sessions.
pub(crate) fn uncaptured_files(
    index: &Connection,
) -> Result<HashSet<(String, String)>, StoreError> {
    let mut statement = index.prepare_cached(include_str!("uncaptured_files.sql"))?;
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(rows.collect::<Result<_, _>>()?)
}
