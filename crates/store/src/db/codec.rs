//! Converts between our types and columns.

use rusqlite::Row;
use rusqlite::types::Type;
use serde_json::json;
use taffrail_model::hash::Digest16;
use taffrail_model::{Cursor, Facts, Imported, Timestamp};

/// Times are stored as microseconds since 1970.
pub(crate) fn micros(at: Timestamp) -> i64 {
    at.as_microsecond()
}

/// A stored time; a value out of range becomes the nearest valid time.
pub(crate) fn from_micros(micros: i64) -> Timestamp {
    let nearest = if micros < 0 { Timestamp::MIN } else { Timestamp::MAX };
    Timestamp::from_microsecond(micros).unwrap_or(nearest)
}

/// A column of sixteen bytes.
pub(crate) fn blob(row: &Row<'_>, index: usize) -> rusqlite::Result<Digest16> {
    row.get::<_, Digest16>(index)
}

/// A count that is never negative.
pub(crate) fn count(row: &Row<'_>, index: usize) -> rusqlite::Result<u64> {
    let number: i64 = row.get(index)?;
    u64::try_from(number).map_err(|_| rusqlite::Error::IntegralValueOutOfRange(index, number))
}

/// Converts a number for SQLite, saturating at the maximum.
pub(crate) fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// A cursor as the columns position, length and place.
pub(crate) fn cursor_columns(cursor: &Cursor) -> (i64, Option<i64>, Option<&str>) {
    match cursor {
        Cursor::Bytes { byte_offset, length } => {
            (signed(*byte_offset), Some(signed(*length)), None)
        }
        Cursor::Row { table, rowid } => (*rowid, None, Some(table)),
        Cursor::Pointer { pointer } => (signed(cursor.position()), Some(-1), Some(pointer)),
    }
}

/// The cursor with these columns.
pub(crate) fn cursor_of(
    position: i64,
    length: Option<i64>,
    place: Option<String>,
) -> rusqlite::Result<Cursor> {
    match (length, place) {
        (Some(length), None) => Ok(Cursor::Bytes {
            byte_offset: u64::try_from(position).unwrap_or(0),
            length: u64::try_from(length).unwrap_or(0),
        }),
        (None, Some(table)) => Ok(Cursor::Row { table, rowid: position }),
        (Some(_), Some(pointer)) => Ok(Cursor::Pointer { pointer }),
        (None, None) => Err(rusqlite::Error::InvalidColumnType(0, "place".into(), Type::Null)),
    }
}

/// The facts of a session from one source. Unreadable facts count as empty; a rebuild writes them
/// again.
pub(crate) fn read_facts(json: &str) -> Facts {
    serde_json::from_str(json).unwrap_or_else(|error| {
        tracing::warn!(column = error.column(), "cannot read the facts of a session");
        Facts::default()
    })
}

/// The stored form of an imported document's status.
pub(crate) fn write_imported(imported: &Imported) -> String {
    json!({ "status": imported.status, "progress": imported.progress }).to_string()
}

/// Reads the stored form of an imported document's status.
pub(crate) fn read_imported(json: &str) -> Option<Imported> {
    serde_json::from_str(json).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_cursor_comes_back() {
        for cursor in [
            Cursor::Bytes { byte_offset: 5, length: 9 },
            Cursor::Row { table: "t".into(), rowid: 3 },
            Cursor::Pointer { pointer: "/messages/2".into() },
        ] {
            let (position, length, place) = cursor_columns(&cursor);
            assert_eq!(cursor_of(position, length, place.map(str::to_owned)).unwrap(), cursor);
        }
    }
}
