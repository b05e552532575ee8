//! Reads sessions from an agent's own database without changing it.

use crate::pass::{Reading, SourcePass};
use crate::plan::Job;
use crate::sink::{Flow, Taker};
use crate::sqlite::{ForeignRow, OpenError, open, rows};
use crate::stat::fingerprint;
use crate::{ReadError, open_below};
use std::path::{Path, PathBuf};
use taffrail_adapters::SqlitePlan;
use taffrail_model::hash::{self, Digest16};
use taffrail_model::observed::{LastLine, Observed, Pass};
use taffrail_model::{Cursor, Record};

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
        OpenError::Sqlite(error) => fault(error),
        OpenError::Io(error) => {
            ReadError::Io { path: job.found.path.clone(), error: std::io::Error::other(error) }
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
    let mut source_pass = SourcePass::begin(job, key, Pass::Again, how);
    for row in rows {
        take(&mut source_pass, row);
    }
    source_pass.state.last_line = Some(LastLine { offset: 0, length: 0, hash: version });
    source_pass.end()
}

fn take(source_pass: &mut SourcePass<'_>, row: &ForeignRow) {
    source_pass.collector.outcome.bytes_read += row.json.len() as u64;
    let at = Cursor::Row { table: row.table.clone(), rowid: row.rowid };
    source_pass.record(&Record { bytes: &row.json, at });
}

/// A session the agent deleted from its database.
fn gone(job: &Job, key: &str, how: Reading<'_>) -> Observed {
    let mut source_pass = SourcePass::begin(job, key, Pass::Again, how);
    source_pass.state.key = key.to_owned();
    Observed { gone: true, pass: Pass::Append, sessions: Vec::new(), ..source_pass.end() }
}

/// The file's own state, written last: from then on an equal stat means that no session changed. It ends a pass
/// from the start, which clears the request to read the database again.
fn whole_file(job: &Job, how: Reading<'_>) -> Observed {
    let mut piece = SourcePass::begin(job, "", Pass::Again, how).end();
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

fn is_moving(job: &Job, path: &Path) -> bool {
    let now = std::fs::symlink_metadata(path).map(|it| fingerprint(&it));
    let then = job.found.fingerprint;
    !now.is_ok_and(|now| (now.size, now.modified_ns) == (then.size, then.modified_ns))
}
