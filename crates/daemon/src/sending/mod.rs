//! Messages to sessions: taken into the ledger first, and put into a terminal at most once, when the
//! session waits for a prompt.
//!
//! A thread of its own looks at a session's queue when the session comes to stand differently, and
//! every second where something waits to go in. It never acts on a guess: how the session stands must be sure,
//! and its screen must show an empty prompt.

mod asking;
mod putting;

pub(crate) use asking::{accept, reachable};
pub use asking::{queue, receipt, take_back};

use crate::between::home_of;
use crate::live::{Handle, Looked, write_entry};
use crate::{DaemonError, Settings};
use putting::{Held, put_in, run_of, stands_ready};
use std::collections::BTreeSet;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use taffrail_model::journal::Sent;
use taffrail_model::message::{Delivery, Happening, Message, due, held_by};
use taffrail_model::{EventId, Origin, SessionId, hash};
use taffrail_store::{IndexReader, Ledger, SessionRow, StoreError};

/// What waits to go in is looked at again so often.
const AGAIN: Duration = Duration::from_secs(1);

/// The sessions messages are open for, and the way to who delivers them.
#[derive(Debug, Default)]
pub(crate) struct Sending {
    open: Mutex<BTreeSet<SessionId>>,
    asks: Mutex<Option<Sender<SessionId>>>,
}

impl Sending {
    /// Takes up what was open, and begins to deliver.
    pub(crate) fn begin(&self, handle: &Handle) -> Result<(), DaemonError> {
        let mut ledger = ledger(handle.settings())?;
        for session in ledger.sessions_with_messages()? {
            give_up(handle.settings(), &mut ledger, session)?;
            self.note(session);
        }
        let (asks, asked) = channel();
        *self.asks.lock().unwrap_or_else(PoisonError::into_inner) = Some(asks);
        let handle = handle.clone();
        let thread = std::thread::Builder::new().name("sending".to_owned());
        let begun = thread.spawn(move || work(&handle, &asked));
        begun.map(|_| ()).map_err(|error| StoreError::from(error).into())
    }

    /// Nothing is delivered any more.
    pub(crate) fn stop(&self) {
        self.asks.lock().unwrap_or_else(PoisonError::into_inner).take();
    }

    /// Messages of this session may move.
    pub(crate) fn has(&self, session: SessionId) -> bool {
        self.open.lock().unwrap_or_else(PoisonError::into_inner).contains(&session)
    }

    fn note(&self, session: SessionId) {
        self.open.lock().unwrap_or_else(PoisonError::into_inner).insert(session);
    }

    fn all(&self) -> BTreeSet<SessionId> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Looks at a session's queue, if it has one.
    pub(crate) fn look(&self, session: SessionId) {
        let asks = self.asks.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(asks) = asks.as_ref().filter(|_| self.has(session)) {
            // Without the thread nothing is delivered, and receipts say so.
            asks.send(session).ok();
        }
    }

    /// The agent says that it took a prompt.
    pub(crate) fn hear(
        &self,
        settings: &Settings,
        session: SessionId,
        (event, prompt): (EventId, &str),
    ) -> Result<(), DaemonError> {
        let mut ledger = ledger(settings)?;
        let queue = ledger.queue(session)?;
        let Some(message) = queue.into_iter().find(|it| it.says(prompt)) else { return Ok(()) };
        moved(settings, &mut ledger, &message, &Happening::Heard(event))?;
        self.look(session);
        Ok(())
    }
}

/// What was being put in when we were cut off may be there or not: it is not put in again.
fn give_up(
    settings: &Settings,
    ledger: &mut Ledger,
    session: SessionId,
) -> Result<(), DaemonError> {
    let why = "we were cut off while it was put in: look at the session before you send it again";
    for message in ledger.queue(session)? {
        if message.state == Delivery::Delivering {
            moved(settings, ledger, &message, &Happening::Broken(why.to_owned()))?;
        }
    }
    Ok(())
}

fn work(handle: &Handle, asked: &Receiver<SessionId>) {
    loop {
        let open = handle.sending().all();
        // Nothing waits: nothing is due before somebody asks.
        let rest = if open.is_empty() { Duration::MAX } else { AGAIN };
        let sessions = match asked.recv_timeout(rest) {
            Ok(first) => std::iter::once(first).chain(asked.try_iter()).collect(),
            Err(RecvTimeoutError::Timeout) => open,
            Err(RecvTimeoutError::Disconnected) => return,
        };
        for session in sessions {
            // What fails is told, and looked at again in a second.
            if let Err(error) = look(handle, session) {
                handle.note_look(0, &Looked::failed(&error));
            }
        }
    }
}

/// Delivers the next message of a session, if it is time for it.
fn look(handle: &Handle, session: SessionId) -> Result<(), DaemonError> {
    let settings = handle.settings();
    let Some(card) = handle.card(session) else { return Ok(()) };
    let mut ledger = ledger(settings)?;
    let queue = ledger.queue(session)?;
    // What is for another device is delivered there.
    if queue.is_empty() || home_of(settings, session)?.is_some() {
        handle.sending().open.lock().unwrap_or_else(PoisonError::into_inner).remove(&session);
        return Ok(());
    }
    let Some(message) = due(&queue, &card.reading, (settings.now)()).cloned() else {
        let first = queue.iter().find(|it| it.state == Delivery::Accepted);
        return match (first, held_by(&card.reading)) {
            (Some(first), Some(why)) => not_now(settings, &mut ledger, first, why.to_owned()),
            _ => Ok(()),
        };
    };
    let Some(row) = row_of(settings, session)? else { return Ok(()) };
    let place = match stands_ready(settings, &card, &row.agent) {
        Ok(place) => place,
        Err(why) => return not_now(settings, &mut ledger, &message, why),
    };
    let begun = moved(settings, &mut ledger, &message, &Happening::Begun(place.peer().to_owned()))?;
    let Some(begun) = begun else { return Ok(()) };
    let happening = match put_in(&place, &begun) {
        Ok(()) => Happening::PutIn,
        Err(Held::NotNow(why)) => Happening::NotNow(why),
        Err(Held::Broken(why)) => Happening::Broken(why),
    };
    if happening == Happening::PutIn {
        tell(settings, &row, &begun);
    }
    moved(settings, &mut ledger, &begun, &happening)?;
    Ok(())
}

/// The same reason is not written down twice.
fn not_now(
    settings: &Settings,
    ledger: &mut Ledger,
    message: &Message,
    why: String,
) -> Result<(), DaemonError> {
    if message.why.as_ref() != Some(&why) {
        moved(settings, ledger, message, &Happening::NotNow(why))?;
    }
    Ok(())
}

fn row_of(settings: &Settings, session: SessionId) -> Result<Option<SessionRow>, DaemonError> {
    let Some(index) = IndexReader::open(&settings.data)? else { return Ok(None) };
    Ok(index.session_by_id(session)?)
}

fn ledger(settings: &Settings) -> Result<Ledger, DaemonError> {
    Ok(Ledger::open(&settings.data, &settings.new_device)?)
}

/// A message after something happened, written down; `None` where another was quicker.
fn moved(
    settings: &Settings,
    ledger: &mut Ledger,
    it: &Message,
    happening: &Happening,
) -> Result<Option<Message>, DaemonError> {
    let Some(next) = it.after(happening, (settings.now)()) else { return Ok(None) };
    Ok(ledger.move_message(it, &next)?.then_some(next))
}

/// Writes into the journal that a prompt was put in; the prompt itself is the transcript's.
fn tell(settings: &Settings, row: &SessionRow, it: &Message) {
    let sent = Sent {
        message: it.id.clone(),
        session: row.runtime_id.as_str().to_owned(),
        scope: String::new(),
        says: it.text.clone(),
    };
    let Ok(payload) = serde_json::to_string(&sent) else { return };
    let mark = hash::digest("sent", &[it.id.as_str().as_bytes()]);
    // It was put in, and the ledger says so, whatever becomes of this.
    write_entry(settings, (&row.agent, Origin::Input), mark, &payload).ok();
}
