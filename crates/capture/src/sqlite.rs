//! Reading an agent's own database without touching it.

use crate::pass::{Passing, Reading};
use crate::plan::Job;
use crate::taker::{Flow, Taker};
use crate::{BodyError, ReadError, open_below};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags, Row};
use serde_json::{Map, Value};
use std::path::{Path, PathBuf};
use std::time::Duration;
use taffrail_adapters::SqlitePlan;
use taffrail_model::hash::{self, Digest16};
use taffrail_model::observed::{LastLine, Observed, Pass};
use taffrail_model::{Cursor, Record};

/// How long to wait for the agent's own writes.
const BUSY: Duration = Duration::from_millis(250);

/// A row of a foreign database, written as JSON.
pub(crate) struct ForeignRow {
    pub(crate) table: String,
    pub(crate) rowid: i64,
    pub(crate) json: Vec<u8>,
    key: Option<String>,
    version: Option<String>,
}

/// Reads every session of a database that changed since it was last read.
pub(crate) fn read(
    job: &Job,
    plan: &SqlitePlan,
    how: Reading<'_>,
    taker: &mut dyn Taker,
) -> Result<(), ReadError> {
    let path = database(job)?;
    let fault = |error| ReadError::Sqlite { path: job.found.path.clone(), error };
    let foreign = open(&path).map_err(|error| match error {
        BodyError::Sqlite(error) => fault(error),
        other => {
            ReadError::Io { path: job.found.path.clone(), error: std::io::Error::other(other) }
        }
    })?;
    let connection = &foreign.connection;
    let sessions = rows(connection, plan.sessions, None).map_err(fault)?;
    for session in &sessions {
        let (Some(key), Some(version)) = (&session.key, &session.version) else { continue };
        let version = hash::of_bytes(version.as_bytes());
        if job.versions.get(key) == Some(&version) {
            continue;
        }
        let rows = rows(connection, plan.rows, Some(key)).map_err(fault)?;
        let all = std::iter::once(session).chain(&rows);
        all.clone().for_each(|row| taker.row(&row.table, row.rowid, &row.json));
        if taker.piece(one(job, all, (key, version, how))) == Flow::Stop {
            return Ok(());
        }
    }
    drop(foreign);
    let there = |key: &&String| sessions.iter().any(|it| it.key.as_ref() == Some(*key));
    for key in job.versions.keys().filter(|key| !there(key)) {
        taker.piece(gone(job, key, how));
    }
    if is_moving(job, &path) {
        return Err(ReadError::Moving(job.found.path.clone()));
    }
    taker.piece(whole_file(job, how));
    Ok(())
}

fn one<'a>(
    job: &Job,
    rows: impl Iterator<Item = &'a ForeignRow>,
    (key, version, how): (&str, Digest16, Reading<'_>),
) -> Observed {
    let mut passing = Passing::begin(job, key, Pass::Again, how);
    for row in rows {
        take(&mut passing, row);
    }
    passing.state.last_line = Some(LastLine { offset: 0, length: 0, hash: version });
    passing.end()
}

fn take(passing: &mut Passing<'_>, row: &ForeignRow) {
    passing.gathered.outcome.bytes_read += row.json.len() as u64;
    let at = Cursor::Row { table: row.table.clone(), rowid: row.rowid };
    passing.record(&Record { bytes: &row.json, at });
}

/// A session the agent deleted from its database.
fn gone(job: &Job, key: &str, how: Reading<'_>) -> Observed {
    let mut passing = Passing::begin(job, key, Pass::Again, how);
    passing.state.key = key.to_owned();
    Observed { gone: true, pass: Pass::Append, sessions: Vec::new(), ..passing.end() }
}

/// The file's own state, written last: an equal stat then means that no session is new.
fn whole_file(job: &Job, how: Reading<'_>) -> Observed {
    let mut piece = Passing::begin(job, "", Pass::Append, how).end();
    piece.sessions.clear();
    piece.source.reader.clear();
    piece
}

fn database(job: &Job) -> Result<PathBuf, ReadError> {
    let home = Path::new(&job.found.home);
    let checked = open_below(home, &job.found.path);
    checked.map_err(|error| ReadError::Io { path: job.found.path.clone(), error })?;
    Ok(home.join(&job.found.path))
}

/// A foreign database, open for reading.
pub(crate) struct Foreign {
    pub(crate) connection: Connection,
    /// Held as long as the connection: the private copy that is read, if one had to be made.
    _copy: Option<tempfile::TempDir>,
}

/// Opens a database so that nothing is written beside it: with a live write-ahead log as its other
/// readers do, without one as a file that does not change (which is checked afterwards). A log that
/// its writer left behind can only be read by making a file beside it, so a copy is read then.
pub(crate) fn open(path: &Path) -> Result<Foreign, BodyError> {
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

fn is_moving(job: &Job, path: &Path) -> bool {
    let now = std::fs::symlink_metadata(path).map(|it| crate::discover::fingerprint(&it));
    let then = job.found.fingerprint;
    !now.is_ok_and(|now| (now.size, now.modified_ns) == (then.size, then.modified_ns))
}

/// One row again by its number.
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

fn rows(
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
        ValueRef::Blob(bytes) => format!("<{} bytes>", bytes.len()).into(),
    }
}
