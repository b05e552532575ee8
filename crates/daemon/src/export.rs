//! Whole sessions, one after another: no more than one is held at a time.

use crate::events::tell;
use crate::listing::{filter, session};
use crate::{DaemonError, Settings, Target, resolve};
use taffrail_api::{EventLine, ListRequest, Session};
use taffrail_store::{Filter, IndexReader, SessionRow};

/// A piece of a history: a session, or an event of the session given last.
#[derive(Debug)]
pub enum Piece {
    /// A session begins.
    Session(Box<Session>),
    /// It goes on.
    Event(EventLine),
}

/// Gives a session and its events until `give` says no.
///
/// # Errors
/// When the session or the index cannot be read.
pub fn export_one(
    settings: &Settings,
    target: &Target,
    give: &mut dyn FnMut(Piece) -> bool,
) -> Result<(), DaemonError> {
    let session = resolve(settings, target)?;
    let Some(reader) = IndexReader::open(&settings.data)? else { return Ok(()) };
    one(settings, &reader, &session, give).map(|_| ())
}

/// Gives sessions and their events until `give` says no, the earliest session first. Workers are
/// among them.
///
/// # Errors
/// When the index cannot be read.
pub fn export_many(
    settings: &Settings,
    request: &ListRequest,
    give: &mut dyn FnMut(Piece) -> bool,
) -> Result<(), DaemonError> {
    let filter = Filter { workers: true, ..filter(request)? };
    let Some(reader) = IndexReader::open(&settings.data)? else { return Ok(()) };
    for row in reader.session_rows(&filter)? {
        if let Some(session) = reader.session_at(row)?
            && !one(settings, &reader, &session, give)?
        {
            break;
        }
    }
    Ok(())
}

/// `false` when no more is wanted.
fn one(
    settings: &Settings,
    reader: &IndexReader,
    row: &SessionRow,
    give: &mut dyn FnMut(Piece) -> bool,
) -> Result<bool, DaemonError> {
    let events = reader.events(row.row)?;
    let wanted = give(Piece::Session(Box::new(session(row.clone()))));
    if !wanted {
        return Ok(false);
    }
    tell(settings, reader, row, events, &mut |event| give(Piece::Event(event)))
}
