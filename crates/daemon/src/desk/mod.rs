//! The approvals desk: one row in the ledger for each request, and at most one decision out.
//!
//! A hook that asks is held open; whoever decides first wins, and all others are told who did. What
//! the agent's own record says later is only learned, never guessed.

mod asking;
mod body;
mod hearing;
mod holding;
mod listing;
mod onscreen;

pub(crate) use asking::Asked;
pub(crate) use body::body_of;
#[cfg(test)]
pub(crate) use hearing::Heard;
pub(crate) use hearing::of_lines;
pub(crate) use listing::approvals_now;
pub use listing::{approvals, decisions};

use crate::live::Handle;
use crate::{DaemonError, Settings};
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use taffrail_adapters::Answer;
use taffrail_capture::spool;
use taffrail_model::approval::{Approval, ApprovalId, Happening, State, Verdict};
use taffrail_model::journal::{Answered, Entry};
use taffrail_model::{Origin, SessionId, Timestamp, hash};
use taffrail_store::{IndexReader, Ledger};
use tokio::sync::oneshot;

/// For so many seconds after a decision the agent's own word on it is waited for.
const FOLLOWED: i64 = 3_600;

/// Requests of which something may still be learned.
#[derive(Debug, Default)]
pub(crate) struct Desk {
    open: Mutex<Open>,
}

#[derive(Debug, Default)]
struct Open {
    known: BTreeMap<ApprovalId, Slip>,
    /// Counts the connections of hooks.
    connections: u64,
}

/// A request, and who waits for its answer.
#[derive(Debug)]
struct Slip {
    it: Approval,
    /// The connection that waits, and where its answer goes.
    waits: Option<(u64, oneshot::Sender<Answer>)>,
    /// The journal's own word of it was read: how the session stands counts it in.
    heard: bool,
}

impl Slip {
    fn new(it: Approval) -> Self {
        Self { it, waits: None, heard: false }
    }
}

impl Desk {
    fn lock(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes up what was open when the last daemon ended: no hook is connected any more.
    pub(crate) fn take_up(&self, settings: &Settings) -> Result<(), DaemonError> {
        let mut open = self.lock();
        let mut ledger = ledger(settings)?;
        for it in ledger.approvals(false)? {
            if open.known.contains_key(&it.id) {
                continue;
            }
            let it = moved(&mut ledger, it, &Happening::HookLost)?;
            open.known.insert(it.id.clone(), Slip { heard: true, ..Slip::new(it) });
        }
        open.sweep(&mut ledger, (settings.now)())
    }

    /// Requests that can still be answered, the oldest first.
    pub(crate) fn open_requests(&self) -> Vec<Approval> {
        let open = self.lock();
        let mut all: Vec<Approval> =
            open.known.values().map(|it| &it.it).filter(|it| it.is_open()).cloned().collect();
        all.sort_by_key(|it| it.asked_at);
        all
    }

    /// Lets a decision out, if none is.
    pub(crate) fn decide(
        &self,
        handle: &Handle,
        id: &str,
        verdict: Verdict,
    ) -> Result<Approval, DaemonError> {
        let settings = handle.settings();
        let mut open = self.lock();
        let mut ledger = ledger(settings)?;
        let Some(slip) = open.find(id)? else {
            return Err(only_seen(handle, id)?.map_or_else(|| unknown(&ledger, id), Ok)?);
        };
        if slip.it.state != State::Pending {
            return Err(DaemonError::Undecided(standing(&slip.it)));
        }
        let waits = slip.waits.take().filter(|(_, answer)| !answer.is_closed());
        let Some((_, sender)) = waits else {
            slip.it = moved(&mut ledger, slip.it.clone(), &Happening::HookLost)?;
            return Err(DaemonError::Undecided(standing(&slip.it)));
        };
        let answer = Answer { decision: verdict.decision.clone(), reason: reason(&verdict) };
        let before = slip.it.clone();
        slip.it = moved(&mut ledger, before.clone(), &Happening::Decided(verdict))?;
        if slip.it.state != State::Decided {
            // What is written down is not what we knew: nothing may be let out.
            return Err(DaemonError::Undecided(standing(&slip.it)));
        }
        if sender.send(answer).is_err() {
            // The hook went away in this very moment: nothing was let out.
            let left = before.after(&Happening::HookLost).unwrap_or(before);
            ledger.move_approval(&slip.it, &left)?;
            slip.it = left;
            return Err(DaemonError::Undecided(standing(&slip.it)));
        }
        let (decided, has_twin) = (slip.it.clone(), open.has_twin(id));
        drop(open);
        tell(settings, &decided, has_twin);
        handle.tell_approval(&decided);
        Ok(decided)
    }
}

impl Open {
    /// The one request whose id begins so.
    fn find(&mut self, id: &str) -> Result<Option<&mut Slip>, DaemonError> {
        let mut found = self.known.values_mut().filter(|it| it.it.id.as_str().starts_with(id));
        match (found.next(), found.next()) {
            (_, Some(_)) => Err(DaemonError::Undecided(format!("`{id}` begins several ids"))),
            (found, None) => Ok(found.filter(|_| !id.is_empty())),
        }
    }

    /// An equal request of the same session is open.
    fn has_twin(&self, id: &str) -> bool {
        let Some(one) = self.known.values().find(|it| it.it.id.as_str().starts_with(id)) else {
            return false;
        };
        let equal = |it: &Approval| {
            it.is_open()
                && it.id != one.it.id
                && (it.session_id, &it.input_hash) == (one.it.session_id, &one.it.input_hash)
        };
        self.known.values().any(|it| equal(&it.it))
    }

    /// From now on a connection waits for the answer to a request.
    fn wait_for(&mut self, id: &ApprovalId) -> (u64, oneshot::Receiver<Answer>) {
        let (sender, answer) = oneshot::channel();
        self.connections += 1;
        if let Some(slip) = self.known.get_mut(id) {
            slip.waits = Some((self.connections, sender));
        }
        (self.connections, answer)
    }

    fn of(&mut self, session: SessionId) -> impl Iterator<Item = &mut Slip> {
        self.known.values_mut().filter(move |it| it.it.session_id == session)
    }

    /// Drops what nothing more will be learned of.
    fn tidy(&mut self) {
        self.known.retain(|_, it| it.it.is_followed());
    }

    /// Ends what nobody waits for any more, and gives up learning what became of old decisions.
    fn sweep(&mut self, ledger: &mut Ledger, now: Timestamp) -> Result<(), DaemonError> {
        for slip in self.known.values_mut().filter(|it| it.it.expires_at <= now) {
            slip.it = moved(ledger, slip.it.clone(), &Happening::TimedOut)?;
        }
        let old = |it: &Approval| {
            let at = it.verdict.as_ref().map(|it| it.at.as_second());
            !it.is_open() && at.is_some_and(|at| at.saturating_add(FOLLOWED) <= now.as_second())
        };
        for id in self.known.values().filter(|it| old(&it.it)).map(|it| &it.it.id) {
            ledger.unfollow_approval(id)?;
        }
        self.known.retain(|_, it| it.it.is_followed() && !old(&it.it));
        Ok(())
    }
}

fn ledger(settings: &Settings) -> Result<Ledger, DaemonError> {
    Ok(Ledger::open(&settings.data, &settings.new_device)?)
}

/// A request after something happened, written down; as it was where that changes nothing.
fn moved(
    ledger: &mut Ledger,
    it: Approval,
    happening: &Happening,
) -> Result<Approval, DaemonError> {
    let Some(next) = it.after(happening) else { return Ok(it) };
    if ledger.move_approval(&it, &next)? {
        return Ok(next);
    }
    // It was forgotten, or restored as it was before: what is written counts.
    Ok(ledger.approval(&it.id)?.unwrap_or(next))
}

/// What is so of a request that only a screen shows.
fn only_seen(handle: &Handle, id: &str) -> Result<Option<DaemonError>, DaemonError> {
    let Some(index) = IndexReader::open(&handle.settings().data)? else { return Ok(None) };
    let seen = onscreen::seen(&index, &handle.cards())?;
    let found = seen.iter().find(|it| !id.is_empty() && it.id.as_str().starts_with(id));
    Ok(found.map(|it| {
        let why = "can only be answered at the agent: it was read from its screen";
        DaemonError::Undecided(format!("{} {why}", it.id))
    }))
}

fn unknown(ledger: &Ledger, id: &str) -> Result<DaemonError, DaemonError> {
    let mut past = ledger.approvals(true)?;
    past.retain(|it| !id.is_empty() && it.id.as_str().starts_with(id));
    Ok(match past.as_slice() {
        [only] => DaemonError::Undecided(standing(only)),
        _ => DaemonError::NoApproval(id.to_owned()),
    })
}

/// How a request stands, for who came too late.
fn standing(it: &Approval) -> String {
    let id = &it.id;
    match (&it.state, &it.verdict) {
        (State::Decided, Some(verdict)) => {
            let (word, at) = (verdict.decision.as_str(), verdict.at.strftime("%Y-%m-%d %H:%M:%S"));
            format!("{id} was decided by {} at {at} UTC: {word}", verdict.by)
        }
        (State::DialogOnly, _) => {
            format!("{id} can only be answered at the agent: its hook is gone")
        }
        (State::Expired, _) => format!("{id} is over: nobody waits for an answer"),
        (state, _) => format!("{id} is {}", state.as_str()),
    }
}

/// What the agent is told with a refusal.
fn reason(verdict: &Verdict) -> Option<String> {
    verdict.why.clone().or_else(|| verdict.rule.as_ref().map(|rule| format!("Rule: {rule}")))
}

/// Writes into the journal that a request was decided here. The decision is out and in the ledger; where
/// the journal cannot be written, only its status is told later, by the agent itself.
fn tell(settings: &Settings, it: &Approval, has_twin: bool) {
    let Some(verdict) = &it.verdict else { return };
    let answered = Answered {
        approval: it.id.clone(),
        decision: verdict.decision.clone(),
        by: verdict.by.clone(),
        session: it.runtime_session_id.as_str().to_owned(),
        scope: it.scope.clone(),
        says: it.command.clone(),
        input: if has_twin { String::new() } else { it.input_hash.clone() },
    };
    let Ok(payload) = serde_json::value::to_raw_value(&answered) else { return };
    let entry = Entry {
        at: verdict.at,
        nonce: hash::to_hex(&hash::digest("decision", &[it.id.as_str().as_bytes()])),
        agent: it.agent.clone(),
        via: Origin::Input,
        ancestors: Vec::new(),
        shortened: false,
        payload: &payload,
    };
    spool(&settings.data, &entry).ok();
}
