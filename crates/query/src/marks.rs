//! What a person adds to a session: tags, a star, a title, notes.

use crate::contracts::{is_note, is_tag, ledger, note, remarks, tag};
use crate::resolve::resolve;
use taffrail_api::{MarksBody, NoteRow, SCHEMA_VERSION, SessionMarks};
use taffrail_context::{Error, Settings, Target};
use taffrail_store::{Ledger, SessionMark};

/// The most characters of a title.
const TITLE_LENGTH: usize = 200;

/// What a person added to a session.
///
/// # Errors
/// When the session cannot be found or our own files cannot be read.
pub fn marks(settings: &Settings, target: &Target) -> Result<SessionMarks, Error> {
    let row = resolve(settings, target)?;
    let known = remarks(settings, &Target::Id(row.id.to_string()))?;
    let ledger = Ledger::open_read_only(&settings.data)?;
    let mark = ledger.map(|it| it.session_mark(row.id)).transpose()?.unwrap_or_default();
    let notes = known.notes.into_iter().map(|it| NoteRow { at: it.at, text: it.text });
    Ok(SessionMarks {
        schema_version: SCHEMA_VERSION,
        session_id: row.id,
        tags: known.tags,
        starred: mark.starred,
        renamed: mark.title.is_some(),
        title: mark.title.or(row.title),
        notes: notes.collect(),
    })
}

/// Adds to a session what is asked for, and takes away what is asked for; nothing if a part of it
/// is not valid.
///
/// # Errors
/// When the session cannot be found, a part is not valid, or the ledger cannot be written.
pub fn mark(settings: &Settings, target: &Target, body: &MarksBody) -> Result<SessionMarks, Error> {
    check(body)?;
    let session = resolve(settings, target)?.id;
    let target = Target::Id(session.to_string());
    if !body.add.is_empty() || !body.remove.is_empty() {
        tag(settings, &target, (&body.add, &body.remove))?;
    }
    if body.starred.is_some() || body.title.is_some() {
        let mut ledger = ledger(settings)?;
        let known = ledger.session_mark(session)?;
        let title = match body.title.as_deref().map(str::trim) {
            Some("") => None,
            Some(title) => Some(title.to_owned()),
            None => known.title,
        };
        let starred = body.starred.unwrap_or(known.starred);
        ledger.mark_session(session, &SessionMark { starred, title })?;
    }
    if let Some(text) = &body.note {
        note(settings, &target, text)?;
    }
    marks(settings, &target)
}

fn check(body: &MarksBody) -> Result<(), Error> {
    if let Some(bad) = body.add.iter().find(|it| !is_tag(it)) {
        return Err(Error::NoTag(bad.clone()));
    }
    let is_title = |it: &String| {
        it.trim().chars().count() <= TITLE_LENGTH && !it.trim().chars().any(char::is_control)
    };
    if !body.title.as_ref().is_none_or(is_title) {
        return Err(Error::NoTitle);
    }
    if !body.note.as_deref().is_none_or(is_note) {
        return Err(Error::NoNote);
    }
    Ok(())
}
