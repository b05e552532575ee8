//! Messages to sessions: saved in the ledger first, and typed into a terminal at most once, when
//! the session waits for a prompt.
//!
//! A thread of its own looks at a session's queue when the session's status changes, and every
//! second while a message waits that is due. A message with a time wakes the thread at that time,
//! and the clock is compared every minute. It never acts on a guess: the status must be certain,
//! and the screen must show an empty prompt.

mod accept;
mod keys;
mod scheduled;
mod terminal;
#[cfg(test)]
mod tests;

pub use accept::{queue, receipt, take_back};
pub use scheduled::{SendTime, stop_at_reset};

use scheduled::ready;
use std::collections::BTreeSet;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use taffrail_context::Settings;
use taffrail_context::{Error, Live, Part, write_entry};
use taffrail_devices::exchange::home_of;
use taffrail_model::journal::Sent;
use taffrail_model::message::{Delivery as State, Happening, Message, due, held_by};
use taffrail_model::{EventId, Origin, SessionId, Timestamp, hash};
use taffrail_run::Located;
use taffrail_store::{IndexReader, Ledger, SessionRow, StoreError};
use terminal::{Held, put_in, ready_place};

/// How often waiting messages are tried again.
const AGAIN: Duration = Duration::from_secs(1);
/// How often the clock is compared while a message waits for its time: a clock may jump.
const COMPARE: Duration = Duration::from_secs(60);

/// Called with the location of a process after a search for it.
pub type OnLocated = Box<dyn Fn(u32, Located) + Send + Sync>;

/// The sessions with open messages, and the channel to the thread that delivers them. Clones share
/// the same state.
#[derive(Clone)]
pub struct Delivery(Arc<Shared>);

struct Shared {
    live: Live,
    on_located: OnLocated,
    open: Mutex<BTreeSet<SessionId>>,
    /// The earliest time of the open messages that have one.
    due: Mutex<Option<Timestamp>>,
    asks: Mutex<Option<Sender<SessionId>>>,
    /// Held while a key is pressed.
    key: Mutex<()>,
}

impl std::fmt::Debug for Delivery {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Delivery")
    }
}

impl Delivery {
    /// Starts without open messages.
    #[must_use]
    pub fn new(live: Live, on_located: OnLocated) -> Self {
        let (open, due, asks) = (Mutex::default(), Mutex::default(), Mutex::default());
        Self(Arc::new(Shared { live, on_located, open, due, asks, key: Mutex::default() }))
    }

    fn settings(&self) -> &Settings {
        self.0.live.settings()
    }

    /// Restores open messages, and starts to deliver.
    ///
    /// # Errors
    /// When the ledger cannot be read or written, or no thread can be started.
    pub fn begin(&self) -> Result<(), Error> {
        self.restore()?;
        let (asks, asked) = channel();
        *self.0.asks.lock().unwrap_or_else(PoisonError::into_inner) = Some(asks);
        let own = self.clone();
        let thread = std::thread::Builder::new().name("delivery".to_owned());
        let begun = thread.spawn(move || own.work(&asked));
        begun.map(|_| ()).map_err(|error| StoreError::from(error).into())
    }

    fn restore(&self) -> Result<(), Error> {
        let mut ledger = ledger(self.settings())?;
        for session in ledger.sessions_with_messages()? {
            give_up(&self.0.live, &mut ledger, session)?;
            self.note(session);
        }
        self.reschedule(&ledger)
    }

    /// Stops delivering.
    pub fn stop(&self) {
        self.0.asks.lock().unwrap_or_else(PoisonError::into_inner).take();
    }

    /// True if this session has open messages.
    pub fn has(&self, session: SessionId) -> bool {
        self.0.open.lock().unwrap_or_else(PoisonError::into_inner).contains(&session)
    }

    fn note(&self, session: SessionId) {
        self.0.open.lock().unwrap_or_else(PoisonError::into_inner).insert(session);
    }

    fn all(&self) -> BTreeSet<SessionId> {
        self.0.open.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn forget(&self, session: SessionId) {
        self.0.open.lock().unwrap_or_else(PoisonError::into_inner).remove(&session);
    }

    fn next_due(&self) -> Option<Timestamp> {
        *self.0.due.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads from the ledger when the next message is due.
    fn reschedule(&self, ledger: &Ledger) -> Result<(), Error> {
        // Locked before the ledger is read: an older answer must not replace a newer one.
        let mut due = self.0.due.lock().unwrap_or_else(PoisonError::into_inner);
        *due = ledger.first_due()?;
        Ok(())
    }

    /// Tries to deliver from a session's queue, if it has one.
    pub fn look(&self, session: SessionId) {
        if self.has(session) {
            self.wake(session);
        }
    }

    /// Wakes the thread that delivers.
    fn wake(&self, session: SessionId) {
        let asks = self.0.asks.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(asks) = asks.as_ref() {
            // Without the thread nothing is delivered, and receipts report that.
            asks.send(session).ok();
        }
    }

    /// Applies the agent's record that it took a prompt.
    ///
    /// # Errors
    /// When the ledger cannot be written.
    pub fn picked_up(
        &self,
        session: SessionId,
        (event, prompt): (EventId, &str),
    ) -> Result<(), Error> {
        let mut ledger = ledger(self.settings())?;
        let queue = ledger.queue(session)?;
        let Some(message) = queue.into_iter().find(|it| it.says(prompt)) else { return Ok(()) };
        moved(&self.0.live, &mut ledger, &message, &Happening::Heard(event))?;
        self.look(session);
        Ok(())
    }

    fn work(&self, asked: &Receiver<SessionId>) {
        loop {
            let rest = rest(!self.all().is_empty(), self.next_due(), (self.settings().now)());
            let sessions = match asked.recv_timeout(rest) {
                Ok(first) => std::iter::once(first).chain(asked.try_iter()).collect(),
                Err(RecvTimeoutError::Timeout) => BTreeSet::new(),
                Err(RecvTimeoutError::Disconnected) => return,
            };
            self.deliver_all(sessions);
        }
    }

    /// Tries the queues of these sessions, or of all with open messages that are due.
    fn deliver_all(&self, asked: BTreeSet<SessionId>) {
        self.report(self.take_up_due(), None);
        let sessions = if asked.is_empty() { self.all() } else { asked };
        for session in sessions {
            self.report(self.deliver_next(session), Some(session));
        }
    }

    /// A failure is logged, and tried again in a second.
    fn report(&self, result: Result<(), Error>, session: Option<SessionId>) {
        match result {
            Ok(()) => self.0.live.resolve_problems(Part::Delivery),
            Err(error) => {
                tracing::warn!(%error, ?session, "cannot deliver the next prompt");
                self.0.live.note_problem(Part::Delivery, error.to_string());
            }
        }
    }

    /// Delivers the next message of a session, if it is time.
    fn deliver_next(&self, session: SessionId) -> Result<(), Error> {
        let (live, settings) = (&self.0.live, self.settings());
        let mut ledger = self::ledger(settings)?;
        let queue = ready(live, &mut ledger, session)?;
        // Another device delivers messages for its own sessions.
        if queue.is_empty() || home_of(settings, session)?.is_some() {
            self.forget(session);
            return Ok(());
        }
        let Some(card) = live.status(session) else { return Ok(()) };
        let Some(message) = due(&queue, &card.reading, (settings.now)()).cloned() else {
            let first = queue.iter().find(|it| it.state == State::Accepted);
            return match (first, held_by(&card.reading)) {
                (Some(first), Some(why)) => not_now(live, &mut ledger, first, why.to_owned()),
                _ => Ok(()),
            };
        };
        let Some(row) = row_of(settings, session)? else { return Ok(()) };
        let place = match ready_place(settings, &card, &row.agent) {
            Ok(place) => place,
            Err(why) => return hold(live, &mut ledger, &message, why),
        };
        let begun = moved(live, &mut ledger, &message, &Happening::Begun(place.peer().to_owned()))?;
        let Some(begun) = begun else { return Ok(()) };
        // The loop reads the agent's own record while this thread waits for the screen.
        let is_taken = || {
            let now = self::ledger(settings).and_then(|it| Ok(it.message(begun.id.as_str())?));
            now.is_ok_and(|it| it.is_some_and(|it| it.state == State::PickedUp))
        };
        let happening = match put_in(&place, &begun, &is_taken) {
            Ok(()) => Happening::PutIn,
            Err(Held::NotNow(why)) => Happening::NotNow(why),
            Err(Held::Broken(why)) => Happening::Broken(why),
        };
        if happening == Happening::PutIn {
            tell(settings, &row, &begun);
        }
        moved(live, &mut ledger, &begun, &happening)?;
        Ok(())
    }
}

/// A message whose delivery was interrupted may or may not be in the prompt, so it is not typed
/// again.
fn give_up(live: &Live, ledger: &mut Ledger, session: SessionId) -> Result<(), Error> {
    let why = "we were cut off while it was put in: look at the session before you send it again";
    for message in ledger.queue(session)? {
        if message.state == State::Delivering {
            moved(live, ledger, &message, &Happening::Broken(why.to_owned()))?;
        }
    }
    Ok(())
}

/// How long the thread that delivers sleeps, unless it is asked before.
fn rest(is_any_open: bool, next_due: Option<Timestamp>, now: Timestamp) -> Duration {
    match next_due {
        _ if is_any_open => AGAIN,
        // Nothing waits, so nothing is due until a request arrives.
        None => Duration::MAX,
        // It is due and cannot go in now.
        Some(at) if at <= now => AGAIN,
        Some(at) => Duration::try_from(at.duration_since(now)).unwrap_or(AGAIN).min(COMPARE),
    }
}

/// Records why a session takes no prompt now; closes a message that has waited too long past its
/// time.
fn hold(live: &Live, ledger: &mut Ledger, message: &Message, why: String) -> Result<(), Error> {
    let now = (live.settings().now)();
    if message.schedule.as_ref().is_some_and(|it| it.is_late(now)) {
        moved(live, ledger, message, &Happening::Broken(format!("not sent: {why}")))?;
        return Ok(());
    }
    not_now(live, ledger, message, why)
}

/// Records a reason, unless it is the last one recorded.
fn not_now(live: &Live, ledger: &mut Ledger, message: &Message, why: String) -> Result<(), Error> {
    if message.why.as_ref() != Some(&why) {
        moved(live, ledger, message, &Happening::NotNow(why))?;
    }
    Ok(())
}

fn row_of(settings: &Settings, session: SessionId) -> Result<Option<SessionRow>, Error> {
    let Some(index) = IndexReader::open(&settings.data)? else { return Ok(None) };
    Ok(index.session_by_id(session)?)
}

fn ledger(settings: &Settings) -> Result<Ledger, Error> {
    Ok(Ledger::open(&settings.data, &settings.new_device)?)
}

/// Applies a transition to a message, saves it and wakes its sender; `None` if another writer was
/// faster.
fn moved(
    live: &Live,
    ledger: &mut Ledger,
    it: &Message,
    happening: &Happening,
) -> Result<Option<Message>, Error> {
    let Some(next) = it.after(happening, (live.settings().now)()) else { return Ok(None) };
    let is_moved = ledger.move_message(it, &next)?;
    live.note_message();
    Ok(is_moved.then_some(next))
}

/// Writes into the journal that a prompt was delivered; the prompt itself is in the transcript.
fn tell(settings: &Settings, row: &SessionRow, it: &Message) {
    let sent = Sent {
        message: it.id.clone(),
        session: row.runtime_id.as_str().to_owned(),
        scope: String::new(),
        says: it.text.clone(),
    };
    // Plain strings always serialize.
    let Ok(payload) = serde_json::to_string(&sent) else { return };
    let mark = hash::digest("sent", &[it.id.as_str().as_bytes()]);
    // Best effort: the prompt was delivered, and the ledger has it.
    if let Err(error) = write_entry(settings, (&row.agent, Origin::Input), mark, &payload) {
        tracing::warn!(%error, message = %it.id, "cannot note a delivered prompt in the journal");
    }
}
