//! Writes sources, and decides which of two takes precedence.

use crate::db::codec::signed;
use crate::db::{Columns, StoreError};
use rusqlite::{Connection, OptionalExtension, Row, params};
use taffrail_model::observed::{ArchiveState, Held, SourceState};
use taffrail_model::replication;

/// Decides between two sources that report the same event differently.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Precedence {
    present: bool,
    /// Local sources outrank the items of other devices.
    is_local: bool,
    rank: u8,
    locator: String,
    home: String,
    path: String,
}

/// Writes the state of a source after a piece, and returns its number.
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
            state.read_whole_next,
            half_read,
            held == Held::Source,
            kept_number(state.kept),
        ],
        |row| row.get(0),
    )?;
    connection.prepare_cached(WRITE_MEMORY)?.execute(params![id, state.reader])?;
    Ok(id)
}

const WRITE_MEMORY: &str = "INSERT INTO readers (source, memory) VALUES (?1, ?2) \
  ON CONFLICT (source) DO UPDATE SET memory = ?2";
const WRITE: &str = include_str!("write_source.sql");

/// Encodes how much is archived as a column value.
pub(crate) fn kept_number(kept: ArchiveState) -> i64 {
    match kept {
        ArchiveState::Nothing => 0,
        ArchiveState::Bytes(bytes) => signed(bytes),
        ArchiveState::Dropped => -1,
    }
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

/// The state of a source before a piece of it was written.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Before {
    /// It was read to its end at least once.
    pub(crate) complete: bool,
    /// It was gone.
    pub(crate) gone: bool,
}

/// The state of a source; an unknown source was neither read nor gone.
pub(crate) fn before(connection: &Connection, state: &SourceState) -> Result<Before, StoreError> {
    let mut statement = connection.prepare_cached(
        "SELECT modified_ns <> 0, present = 0 FROM sources \
         WHERE home = ?1 AND path = ?2 AND key = ?3",
    )?;
    let place = [&state.home, &state.path, &state.key];
    let read = |row: &Row<'_>| Ok(Before { complete: row.get(0)?, gone: row.get(1)? });
    Ok(statement.query_row(place, read).optional()?.unwrap_or_default())
}

/// The first position of a source that no longer counts, because a later file takes over there.
pub(crate) fn cut(connection: &Connection, id: i64) -> Result<Option<i64>, StoreError> {
    let mut statement = connection.prepare_cached("SELECT cut_at FROM sources WHERE id = ?1")?;
    Ok(statement.query_row([id], |row| row.get(0)).optional()?.flatten())
}

/// The precedence of a source over others.
pub(crate) fn precedence(connection: &Connection, id: i64) -> Result<Precedence, StoreError> {
    let mut statement = connection
        .prepare_cached("SELECT locator, present, rank, home, path FROM sources WHERE id = ?1")?;
    let read = |row: &Row<'_>| {
        let row = Columns::of(row);
        let locator: String = row.get("locator")?;
        Ok(Precedence {
            is_local: !replication::is_locator(&locator),
            locator,
            present: row.get("present")?,
            rank: row.get("rank")?,
            home: row.get("home")?,
            path: row.get("path")?,
        })
    };
    let found = statement.query_row([id], read).optional()?;
    Ok(found.unwrap_or_default())
}
