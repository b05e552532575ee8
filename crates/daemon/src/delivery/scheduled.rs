//! Messages with a time: accepted once for a session, and let into the queue when they are due and
//! their session is still as it was left.

use super::accept::{check_text, full};
use super::{Delivery, ledger, moved, not_now, row_of};
use taffrail_context::{Error, Live, Settings};
use taffrail_model::message::{
    Happening, LastPrompt, Message, Schedule, ScheduledBy, Sender, Verdict, after_reset,
};
use taffrail_model::{Kind, SessionId, Timestamp};
use taffrail_query::reset::reset_of;
use taffrail_store::{Acceptance, IndexReader, Ledger};

/// The time for which a message is left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SendTime {
    /// The reset of the limit that stops the session.
    Reset,
    /// A time of the sender's.
    At(Timestamp),
}

impl Delivery {
    /// Appends a message to a session's queue that goes in at its time, once, if the session is
    /// still as it is now.
    ///
    /// # Errors
    /// When another one waits, no reset is known, or our own files fail.
    pub fn accept_scheduled(
        &self,
        session: SessionId,
        said: (Sender, String),
        when: &SendTime,
    ) -> Result<Message, Error> {
        check_text(&said.1)?;
        let (settings, now) = (self.settings(), (self.settings().now)());
        let (not_before, by) = match when {
            SendTime::At(at) => (*at, ScheduledBy::Time),
            SendTime::Reset => {
                let reset = reset_of(settings, session)?;
                let reset = reset.ok_or_else(|| Error::NoReset(session.to_string()))?;
                (after_reset(reset, session, now), ScheduledBy::Reset)
            }
        };
        let left = last_prompt(settings, session)?;
        self.accept_schedule(session, said, (Schedule { not_before, by, left }, now))
    }

    pub(super) fn accept_schedule(
        &self,
        session: SessionId,
        said: (Sender, String),
        (schedule, now): (Schedule, Timestamp),
    ) -> Result<Message, Error> {
        let mut ledger = ledger(self.settings())?;
        close_outrun(&self.0.live, &mut ledger, (session, schedule.left.as_ref()))?;
        match ledger.accept_scheduled(session, said, (schedule, now))? {
            Acceptance::Taken(message) => {
                self.reschedule(&ledger)?;
                self.wake(session);
                Ok(*message)
            }
            Acceptance::Waiting(id) => {
                Err(Error::Scheduled(id.as_str().to_owned(), session.to_string()))
            }
            Acceptance::Full => Err(full()),
        }
    }

    /// Notes the sessions whose messages are due; does nothing while no message has a time.
    pub(super) fn take_up_due(&self) -> Result<(), Error> {
        let now = (self.settings().now)();
        if self.next_due().is_none_or(|at| at > now) {
            return Ok(());
        }
        let ledger = ledger(self.settings())?;
        ledger.due_sessions(now)?.into_iter().for_each(|it| self.note(it));
        self.reschedule(&ledger)
    }
}

/// The messages of a session that may go in now. Closes those whose session went on.
pub(super) fn ready(
    live: &Live,
    ledger: &mut Ledger,
    session: SessionId,
) -> Result<Vec<Message>, Error> {
    let now = (live.settings().now)();
    let mut queue = ledger.queue(session)?;
    queue.retain(|it| it.waits_for().is_none() || it.is_due(now));
    let Some(place) = queue.iter().position(|it| it.waits_for().is_some()) else {
        return Ok(queue);
    };
    let message = queue.remove(place);
    match decide(live, &message, now)? {
        Verdict::Send => queue.insert(place, message),
        Verdict::Wait(why) => not_now(live, ledger, &message, why.to_owned())?,
        Verdict::Close(why) => drop(moved(live, ledger, &message, &Happening::Broken(why))?),
    }
    Ok(queue)
}

/// A status and a last prompt count once all history is read.
fn decide(live: &Live, message: &Message, now: Timestamp) -> Result<Verdict, Error> {
    let Some(schedule) = message.waits_for() else { return Ok(Verdict::Send) };
    if live.is_reading() || !live.is_complete() {
        return Ok(Verdict::Wait("your history is still being read"));
    }
    let card = live.status(message.session_id);
    let last = last_prompt(live.settings(), message.session_id)?;
    Ok(schedule.verdict((card.as_ref().map(|it| &it.reading), last.as_ref()), now))
}

/// Closes a message with a time that its session has outrun.
fn close_outrun(
    live: &Live,
    ledger: &mut Ledger,
    (session, last): (SessionId, Option<&LastPrompt>),
) -> Result<(), Error> {
    for message in ledger.queue(session)? {
        if let Some(why) = message.waits_for().and_then(|it| it.outrun(last)) {
            moved(live, ledger, &message, &Happening::Broken(why))?;
        }
    }
    Ok(())
}

/// The last prompt of a session, as the index has it.
pub(super) fn last_prompt(
    settings: &Settings,
    session: SessionId,
) -> Result<Option<LastPrompt>, Error> {
    let Some(row) = row_of(settings, session)? else { return Ok(None) };
    let Some(index) = IndexReader::open(&settings.data)? else { return Ok(None) };
    let last = index.last_of_kind(row.row, &Kind::UserPrompt, Timestamp::MAX)?;
    Ok(last.map(|it| LastPrompt { id: it.id, at: it.at }))
}

/// Takes back every message that waits for a reset; returns how many.
///
/// # Errors
/// When the ledger cannot be read or written.
pub fn stop_at_reset(live: &Live) -> Result<u32, Error> {
    let mut ledger = ledger(live.settings())?;
    let mut removed = 0;
    for message in ledger.scheduled_messages()? {
        let waits = message.waits_for().is_some_and(|it| it.by == ScheduledBy::Reset);
        if waits && moved(live, &mut ledger, &message, &Happening::TakenBack)?.is_some() {
            removed += 1;
        }
    }
    Ok(removed)
}
