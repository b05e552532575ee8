//! Read-only access to an agent's own SQLite database.

use crate::zstd::unzstd;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags, Row};
use serde_json::{Map, Value};
use std::fmt::Write;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::Duration;
use taffrail_adapters::SqlitePlan;

/// How long to wait for a lock that the agent holds.
const BUSY: Duration = Duration::from_millis(250);
/// How every frame of zstd begins.
const ZSTD: &[u8] = &[0x28, 0xb5, 0x2f, 0xfd];
/// The most bytes that a blob is unpacked to.
const BLOB_LIMIT: u64 = 64 * 1024 * 1024;
/// The largest blob that is given in hex.
const HEX_LIMIT: usize = 64 * 1024;

/// A row of an agent's database, as JSON.
pub(crate) struct ForeignRow {
    pub(crate) table: String,
    pub(crate) rowid: i64,
    pub(crate) json: Vec<u8>,
    pub(crate) key: Option<String>,
    pub(crate) version: Option<String>,
}

/// Why a database could not be opened.
#[derive(Debug, thiserror::Error)]
pub(crate) enum OpenError {
    /// An error of the file system.
    #[error("{0}")]
    Io(#[from] std::io::Error),
    /// An error of SQLite.
    #[error("{0}")]
    Sqlite(#[from] rusqlite::Error),
}

/// An agent's database, open for reading.
pub(crate) struct Foreign {
    pub(crate) connection: Connection,
    /// The private copy that is read, if one was made. It lives as long as the connection.
    _copy: Option<tempfile::TempDir>,
}

/// Opens a database without writing anything beside it. A database with a live write-ahead log is opened as
/// other readers open it; one without a log is opened as immutable, which is checked afterwards. A log that its
/// writer left behind cannot be read without creating a file beside it, so a copy is read instead.
pub(crate) fn open(path: &Path) -> Result<Foreign, OpenError> {
    let beside = |ending: &str| PathBuf::from(format!("{}{ending}", path.display()));
    let (log, shared) = (beside("-wal"), beside("-shm"));
    if log.exists() && !shared.exists() {
        let copy = tempfile::tempdir()?;
        std::fs::copy(path, copy.path().join("copy.db"))?;
        std::fs::copy(log, copy.path().join("copy.db-wal"))?;
        let connection = connect(&copy.path().join("copy.db"), "")?;
        return Ok(Foreign { connection, _copy: Some(copy) });
    }
    let still = if log.exists() { "" } else { "&immutable=1" };
    Ok(Foreign { connection: connect(path, still)?, _copy: None })
}

fn connect(path: &Path, still: &str) -> rusqlite::Result<Connection> {
    let uri = format!("file:{}?mode=ro{still}", escaped(path));
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
        | OpenFlags::SQLITE_OPEN_URI
        | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(uri, flags)?;
    connection.busy_timeout(BUSY)?;
    Ok(connection)
}

fn escaped(path: &Path) -> String {
    let text = path.to_string_lossy();
    text.replace('%', "%25").replace('?', "%3f").replace('#', "%23")
}

/// Reads one row again by its rowid.
pub(crate) fn row_again(
    connection: &Connection,
    plan: &SqlitePlan,
    table: &str,
    rowid: i64,
) -> rusqlite::Result<Option<ForeignRow>> {
    let Some((_, query)) = plan.row.iter().find(|(name, _)| *name == table) else {
        return Ok(None);
    };
    let mut statement = connection.prepare_cached(query)?;
    let columns = columns_of(&statement);
    let mut found = statement.query([rowid])?;
    found.next()?.map(|row| foreign(row, &columns)).transpose()
}

pub(crate) fn rows(
    connection: &Connection,
    query: &str,
    key: Option<&str>,
) -> rusqlite::Result<Vec<ForeignRow>> {
    let mut statement = connection.prepare_cached(query)?;
    let columns = columns_of(&statement);
    let mut found = match key {
        Some(key) => statement.query([key])?,
        None => statement.query([])?,
    };
    let mut out = Vec::new();
    while let Some(row) = found.next()? {
        out.push(foreign(row, &columns)?);
    }
    Ok(out)
}

fn columns_of(statement: &rusqlite::Statement<'_>) -> Vec<String> {
    statement.column_names().map(str::to_owned).collect()
}

fn foreign(row: &Row<'_>, columns: &[String]) -> rusqlite::Result<ForeignRow> {
    let mut fields = Map::new();
    for (index, name) in columns.iter().enumerate() {
        fields.insert(name.clone(), json(row.get_ref(index)?));
    }
    let mut text =
        |name: &str| fields.remove(name).as_ref().and_then(Value::as_str).map(str::to_owned);
    let (table, key, version) =
        (text("taffrail_table"), text("taffrail_key"), text("taffrail_version"));
    let rowid = fields.remove("taffrail_rowid").and_then(|value| value.as_i64()).unwrap_or(0);
    let json = Value::Object(fields).to_string().into_bytes();
    Ok(ForeignRow { table: table.unwrap_or_default(), rowid, json, key, version })
}

fn json(value: ValueRef<'_>) -> Value {
    match value {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(number) => number.into(),
        ValueRef::Real(number) => number.into(),
        ValueRef::Text(bytes) => String::from_utf8_lossy(bytes).into_owned().into(),
        ValueRef::Blob(bytes) => blob(bytes).into(),
    }
}

/// A blob as text: unpacked if it is zstd, as it is if it is UTF-8, in hex if it is small.
fn blob(bytes: &[u8]) -> String {
    let unpacked = bytes.starts_with(ZSTD).then(|| unpacked(bytes)).flatten();
    match String::from_utf8(unpacked.unwrap_or_else(|| bytes.to_vec())) {
        Ok(text) => text,
        Err(_) if bytes.len() <= HEX_LIMIT => bytes.iter().fold(String::new(), |mut out, byte| {
            // Writing to a String cannot fail.
            write!(out, "{byte:02x}").ok();
            out
        }),
        Err(_) => format!("<{} bytes>", bytes.len()),
    }
}

fn unpacked(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    unzstd(std::io::Cursor::new(bytes.to_vec()))
        .ok()?
        .take(BLOB_LIMIT)
        .read_to_end(&mut out)
        .ok()?;
    Some(out)
}
