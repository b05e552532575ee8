//! Taking messages, and telling how far they have come.

use super::{ledger, moved, run_of};
use crate::between::home_of;
use crate::live::Handle;
use crate::{DaemonError, Settings};
use taffrail_api::{Queue, Receipt, SCHEMA_VERSION};
use taffrail_capture::PaneName;
use taffrail_model::SessionId;
use taffrail_model::message::{Happening, Message, Sender, TEXT_LIMIT};
use taffrail_store::QUEUE_LIMIT;

/// Whether a session can be given a message at all now; else why not.
pub(crate) fn reachable(handle: &Handle, session: SessionId) -> Result<(), DaemonError> {
    let card = handle.card(session);
    let executor = card.and_then(|it| it.executor.clone());
    let no = |why: String| Err(DaemonError::Unsent(why));
    match executor.as_deref() {
        None => no("nobody runs it, or nothing says who does".to_owned()),
        Some(executor)
            if PaneName::of(executor).is_none()
                && run_of(handle.settings(), executor).is_none() =>
        {
            no(format!("it runs at {executor}: nothing can be typed there from here"))
        }
        Some(_) => Ok(()),
    }
}

/// Takes a message at the end of a session's queue; it goes in when its turn comes.
pub(crate) fn accept(
    handle: &Handle,
    session: SessionId,
    (from, text): (Sender, String),
) -> Result<Message, DaemonError> {
    if text.trim().is_empty() || text.len() > TEXT_LIMIT {
        return Err(DaemonError::NoMessage);
    }
    let settings = handle.settings();
    let taken = ledger(settings)?.accept_message(session, (from, text), (settings.now)())?;
    let full = || DaemonError::Unsent(format!("{QUEUE_LIMIT} messages wait for it already"));
    let message = taken.ok_or_else(full)?;
    handle.sending().note(session);
    handle.sending().look(session);
    Ok(message)
}

/// How far a message has come.
///
/// # Errors
/// When there is none of this name, or the ledger cannot be read.
pub fn receipt(settings: &Settings, id: &str) -> Result<Receipt, DaemonError> {
    let found = ledger(settings)?.message(id)?;
    found.map(Receipt::from).ok_or_else(|| DaemonError::NoReceipt(id.to_owned()))
}

/// The messages that wait for a session.
///
/// # Errors
/// When the ledger cannot be read.
pub fn queue(settings: &Settings, session: SessionId) -> Result<Queue, DaemonError> {
    let messages = ledger(settings)?.queue(session)?.into_iter().map(Receipt::from).collect();
    Ok(Queue { schema_version: SCHEMA_VERSION, session_id: session.to_string(), messages })
}

/// Takes a message back that was not delivered.
///
/// # Errors
/// When there is none of this name, or it is on its way.
pub fn take_back(settings: &Settings, id: &str) -> Result<Receipt, DaemonError> {
    let mut ledger = ledger(settings)?;
    let found = ledger.message(id)?.ok_or_else(|| DaemonError::NoReceipt(id.to_owned()))?;
    if home_of(settings, found.session_id)?.is_some() {
        let why = format!("{id} went to another device: take it back there");
        return Err(DaemonError::Unsent(why));
    }
    let word = found.state.as_str().to_owned();
    let late = || DaemonError::Unsent(format!("{id} cannot be taken back: it is {word}"));
    let back = moved(settings, &mut ledger, &found, &Happening::TakenBack)?;
    back.map(Receipt::from).ok_or_else(late)
}
