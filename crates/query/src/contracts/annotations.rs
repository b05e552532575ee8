//! Tags and notes of a person on a session, stored in the ledger.

use super::ledger;
use crate::resolve::resolve;
use serde_json::Value;
use taffrail_context::{Error, Settings, Target};
use taffrail_model::SessionId;
use taffrail_store::{Ledger, Note};

/// The most characters of a tag.
const TAG_LENGTH: usize = 100;
/// The most characters of a note.
const NOTE_LENGTH: usize = 10_000;

/// A session with its tags and notes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remarked {
    /// The session.
    pub session_id: SessionId,
    /// Its tags.
    pub tags: Vec<String>,
    /// The notes on it, the oldest first.
    pub notes: Vec<Note>,
}

/// The tags and notes of a session.
///
/// # Errors
/// When the session cannot be found or the ledger cannot be read.
pub fn remarks(settings: &Settings, target: &Target) -> Result<Remarked, Error> {
    let session_id = resolve(settings, target)?.id;
    let (tags, notes) = match Ledger::open_read_only(&settings.data)? {
        Some(ledger) => (ledger.tags(session_id)?, ledger.notes(session_id)?),
        None => (Vec::new(), Vec::new()),
    };
    Ok(Remarked { session_id, tags, notes })
}

/// Takes the tags and the note of an imported document over. Text that is not a tag stays in the
/// document only, and a document that is imported again adds nothing twice.
pub(super) fn annotate(
    settings: &Settings,
    session: SessionId,
    document: &str,
) -> Result<(), Error> {
    let document: Value = serde_json::from_str(document).unwrap_or_default();
    let tags = document.pointer("/metadata/tags").and_then(Value::as_array).into_iter().flatten();
    let tags = tags.filter_map(Value::as_str).filter(|it| is_tag(it)).map(str::to_owned);
    let tags: Vec<_> = tags.collect();
    let note = document.pointer("/metadata/notes").and_then(Value::as_str).unwrap_or_default();
    let note: String = note.trim().chars().take(NOTE_LENGTH).collect();
    if tags.is_empty() && note.is_empty() {
        return Ok(());
    }
    let mut ledger = ledger(settings)?;
    ledger.tag(session, &tags, &[])?;
    let is_new = ledger.notes(session)?.iter().all(|it| it.text != note);
    if is_new && !note.is_empty() {
        ledger.note(session, &Note { at: (settings.now)(), text: note })?;
    }
    Ok(())
}

pub(crate) fn is_tag(tag: &str) -> bool {
    let is_long = tag.chars().count() > TAG_LENGTH;
    !tag.trim().is_empty() && !is_long && !tag.chars().any(char::is_control)
}

/// Adds and removes tags of a session.
///
/// # Errors
/// When the session cannot be found, a tag is invalid, or the ledger cannot be written.
pub fn tag(
    settings: &Settings,
    target: &Target,
    (given, taken): (&[String], &[String]),
) -> Result<Remarked, Error> {
    for tag in given {
        if !is_tag(tag) {
            return Err(Error::NoTag(tag.clone()));
        }
    }
    let session = resolve(settings, target)?.id;
    ledger(settings)?.tag(session, given, taken)?;
    remarks(settings, &Target::Id(session.to_string()))
}

pub(crate) fn is_note(text: &str) -> bool {
    !text.trim().is_empty() && text.chars().count() <= NOTE_LENGTH
}

/// Adds a note to a session.
///
/// # Errors
/// When the session cannot be found, the note is empty or too long, or the ledger cannot be written.
pub fn note(settings: &Settings, target: &Target, text: &str) -> Result<Remarked, Error> {
    if !is_note(text) {
        return Err(Error::NoNote);
    }
    let session = resolve(settings, target)?.id;
    let note = Note { at: (settings.now)(), text: text.trim().to_owned() };
    ledger(settings)?.note(session, &note)?;
    remarks(settings, &Target::Id(session.to_string()))
}

/// Removes all notes of a session.
///
/// # Errors
/// When the session cannot be found or the ledger cannot be written.
pub fn clear_notes(settings: &Settings, target: &Target) -> Result<Remarked, Error> {
    let session = resolve(settings, target)?.id;
    ledger(settings)?.clear_notes(session)?;
    remarks(settings, &Target::Id(session.to_string()))
}
