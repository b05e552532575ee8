//! Accepts messages, and reports their progress.

use super::terminal::NOT_REACHED;
use super::{Delivery, ledger, moved};
use std::time::Duration;
use taffrail_api::{Queue, Receipt, SCHEMA_VERSION};
use taffrail_context::{Error, Live, Settings};
use taffrail_devices::exchange::home_of;
use taffrail_model::SessionId;
use taffrail_model::message::{Happening, Message, Sender, TEXT_LIMIT};
use taffrail_run::{accepts_text, locate_one};
use taffrail_store::{IndexReader, QUEUE_LIMIT};

/// How long a sender waits for tmux.
const LOOK_AGAIN: Duration = Duration::from_secs(2);

impl Delivery {
    /// Checks whether a session can receive a message now, or returns why not. Looks again for an
    /// executor that was found too early, or by a tmux that was too slow.
    pub fn reachable(&self, session: SessionId) -> Result<(), Error> {
        let no = |why: &str| Err(Error::Unsent(why.to_owned()));
        let card = self.0.live.status(session);
        let Some(executor) = card.as_ref().and_then(|it| it.executor.clone()) else {
            return no(match self.0.live.is_reading() {
                true => {
                    "your history is still being read, and where it runs is not known before that"
                }
                false => "no running process was found for this session",
            });
        };
        if accepts_text(&executor) {
            return Ok(());
        }
        let process = card.and_then(|it| it.process);
        let Some(pid) = process.map(|it| it.pid) else { return no(NOT_REACHED) };
        let found = locate_one(self.settings(), pid, LOOK_AGAIN);
        let is_there = found.executor.as_deref().is_some_and(accepts_text);
        (self.0.on_located)(pid, found);
        if is_there { Ok(()) } else { no(NOT_REACHED) }
    }

    /// Appends a message to a session's queue; it is delivered when its turn comes.
    pub fn accept(
        &self,
        session: SessionId,
        (from, text): (Sender, String),
    ) -> Result<Message, Error> {
        check_text(&text)?;
        let settings = self.settings();
        let taken = ledger(settings)?.accept_message(session, (from, text), (settings.now)())?;
        let message = taken.ok_or_else(full)?;
        self.note(session);
        self.look(session);
        Ok(message)
    }

    /// Accepts a message for a session that is reachable now.
    ///
    /// # Errors
    /// When the session cannot be reached or its queue is full.
    pub fn accept_reachable(
        &self,
        session: SessionId,
        said: (Sender, String),
    ) -> Result<Message, Error> {
        self.reachable(session)?;
        self.accept(session, said)
    }
}

/// Refuses a text that is not a message.
pub(super) fn check_text(text: &str) -> Result<(), Error> {
    match text.trim().is_empty() || text.len() > TEXT_LIMIT {
        true => Err(Error::NoMessage),
        false => Ok(()),
    }
}

/// The error for a queue without room.
pub(super) fn full() -> Error {
    Error::Unsent(format!("{QUEUE_LIMIT} messages wait for it already"))
}

/// Returns the progress of a message.
///
/// # Errors
/// When no message has this id, or the ledger cannot be read.
pub fn receipt(settings: &Settings, id: &str) -> Result<Receipt, Error> {
    let found = ledger(settings)?.message(id)?;
    traced(settings, found.ok_or_else(|| Error::NoReceipt(id.to_owned()))?)
}

/// A receipt, with the source of the event that confirms it.
fn traced(settings: &Settings, message: Message) -> Result<Receipt, Error> {
    let (session, heard) = (message.session_id, message.heard_as);
    let receipt = Receipt::from(message);
    let (Some(heard), Some(index)) = (heard, IndexReader::open(&settings.data)?) else {
        return Ok(receipt);
    };
    let Some(row) = index.session_by_id(session)? else { return Ok(receipt) };
    Ok(match index.event_by_id(row.row, heard)? {
        Some(event) => receipt.seen_in(&event.origin, &event.locator),
        None => receipt,
    })
}

/// The messages that wait for a session.
///
/// # Errors
/// When the ledger cannot be read.
pub fn queue(settings: &Settings, session: SessionId) -> Result<Queue, Error> {
    let messages = ledger(settings)?.queue(session)?.into_iter().map(Receipt::from).collect();
    Ok(Queue { schema_version: SCHEMA_VERSION, session_id: session.to_string(), messages })
}

/// Withdraws a message that was not delivered.
///
/// # Errors
/// When no message has this id, or it is being delivered.
pub fn take_back(live: &Live, id: &str) -> Result<Receipt, Error> {
    let settings = live.settings();
    let mut ledger = ledger(settings)?;
    let found = ledger.message(id)?.ok_or_else(|| Error::NoReceipt(id.to_owned()))?;
    if home_of(settings, found.session_id)?.is_some() {
        let why = format!("{id} went to another device: take it back there");
        return Err(Error::Unsent(why));
    }
    let word = found.state.as_str().to_owned();
    let late = || Error::Unsent(format!("{id} cannot be taken back: it is {word}"));
    let back = moved(live, &mut ledger, &found, &Happening::TakenBack)?;
    back.map(Receipt::from).ok_or_else(late)
}
