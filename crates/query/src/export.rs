//! Exports whole sessions one after another: holds at most one in memory.

use crate::events::{device_of, each_line};
use crate::filter::filter;
use crate::resolve::resolve;
use crate::session_row::session;
use std::borrow::Cow;
use taffrail_api::{EventLine, ListRequest, Session};
use taffrail_context::{Error, Settings, Target};
use taffrail_model::DeviceId;
use taffrail_model::redact::{redact, redact_value};
use taffrail_model::{Cursor, Event};
use taffrail_store::{Filter, IndexReader, SessionRow};

/// A piece of a history: a session, or an event of the latest session.
#[derive(Debug)]
pub enum Piece {
    /// A session starts.
    Session(Box<Session>),
    /// An event of that session.
    Event(EventLine),
}

impl Piece {
    /// Redacts secrets in everything that a person or an agent wrote: texts, titles, names of
    /// folders and files, and every JSON string. Ids and times stay.
    #[must_use]
    pub fn redacted(mut self) -> Self {
        match &mut self {
            Self::Session(session) => redact_session(session),
            Self::Event(EventLine::Event(event)) => redact_event(event),
            Self::Event(EventLine::Removed(_)) => {}
        }
        self
    }
}

fn redact_session(session: &mut Session) {
    let written = [
        &mut session.title,
        &mut session.project_path,
        &mut session.git_branch,
        &mut session.model,
        &mut session.executor,
    ];
    written.into_iter().flatten().for_each(redact_text);
    redact_text(&mut session.source_uri);
    session.waiting_for.iter_mut().for_each(|it| redact_text(&mut it.text));
}

pub(crate) fn redact_event(event: &mut Event) {
    event.text.iter_mut().for_each(redact_text);
    let mut data = serde_json::Value::Object(std::mem::take(&mut event.data));
    redact_value(&mut data);
    if let serde_json::Value::Object(data) = data {
        event.data = data;
    }
    redact_text(&mut event.provenance.runtime_source_uri);
    event.provenance.source_event_id.iter_mut().for_each(redact_text);
    if let Cursor::Pointer { pointer } = &mut event.provenance.source_cursor {
        redact_text(pointer);
    }
}

pub(crate) fn redact_text(text: &mut String) {
    if let Cow::Owned(new) = redact(text) {
        *text = new;
    }
}

/// Passes a session and its events to `give` until it returns `false`.
///
/// # Errors
/// When the session or the index cannot be read.
pub fn export_one(
    settings: &Settings,
    target: &Target,
    give: &mut dyn FnMut(Piece) -> bool,
) -> Result<(), Error> {
    let session = resolve(settings, target)?;
    let Some(reader) = IndexReader::open(&settings.data)? else { return Ok(()) };
    let device = device_of(settings)?;
    one((settings, &reader, &device), &session, give).map(|_| ())
}

/// Passes sessions and their events to `give` until it returns `false`, the earliest session first.
/// Includes sub-agents.
///
/// # Errors
/// When the index cannot be read.
pub fn export_many(
    settings: &Settings,
    request: &ListRequest,
    give: &mut dyn FnMut(Piece) -> bool,
) -> Result<(), Error> {
    let filter = Filter { workers: true, ..filter(settings, request)? };
    let Some(reader) = IndexReader::open(&settings.data)? else { return Ok(()) };
    let device = device_of(settings)?;
    for row in reader.session_rows(&filter)? {
        if let Some(session) = reader.session_at(row)?
            && !one((settings, &reader, &device), &session, give)?
        {
            break;
        }
    }
    Ok(())
}

/// `false` when `give` wants no more.
fn one(
    (settings, reader, device): (&Settings, &IndexReader, &DeviceId),
    row: &SessionRow,
    give: &mut dyn FnMut(Piece) -> bool,
) -> Result<bool, Error> {
    let events = reader.events(row.row)?;
    let wanted = give(Piece::Session(Box::new(session(&settings.devices, row.clone()))));
    if !wanted {
        return Ok(false);
    }
    Ok(each_line((settings, reader, device), row, events, &mut |event| give(Piece::Event(event))))
}
