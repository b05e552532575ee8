//! The approval broker: one row in the ledger for each request, and at most one decision.
//!
//! The broker holds the asking hook open. The first decision wins, and everybody else learns who
//! made it. The broker takes later facts from the agent's own record and never guesses them.

mod agent_record;
mod ask;
mod piped;
mod waiting_hook;

pub use agent_record::{RequestEvent, of_lines};
pub use ask::AskOutcome;

use crate::decision_log::sign_log;
use crate::list::{add_sessions, known_requests};
use crate::refusal::{at_the_agent, refusal};
use crate::screen_requests;
use piped::Pipe;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use taffrail_adapters::{Answer, by_id};
use taffrail_api::{ApprovalRow, Approvals, ToolInput};
use taffrail_capture::spool;
use taffrail_context::{Error, Live, Settings, Update, UpdateKind};
use taffrail_model::approval::{Approval, ApprovalId, Happening, State, Verdict};
use taffrail_model::audit::Deed;
use taffrail_model::journal::{Answered, Entry};
use taffrail_model::{Origin, SessionId, Timestamp, hash};
use taffrail_store::{IndexReader, Ledger};
use tokio::sync::oneshot;

/// For this many seconds after a decision, the broker waits for the agent to confirm it.
const FOLLOWED: i64 = 3_600;

/// An id prefix must be unique among requests asked within this many seconds.
const ALIKE: i64 = 3_600;

/// Called with a session whose requests changed.
pub type OnChange = Box<dyn Fn(SessionId) + Send + Sync>;

/// Requests that the broker still follows. Clones share the same broker.
#[derive(Clone)]
pub struct Broker(Arc<Shared>);

struct Shared {
    live: Live,
    on_change: OnChange,
    open: Mutex<Open>,
}

impl std::fmt::Debug for Broker {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Broker")
    }
}

#[derive(Debug, Default)]
struct Open {
    known: BTreeMap<ApprovalId, PendingRequest>,
    /// Numbers the connections of hooks.
    connections: u64,
}

/// A request, and the hook that waits for its answer.
#[derive(Debug)]
struct PendingRequest {
    it: Approval,
    /// The waiting connection, and the sender for its answer.
    waits: Option<(u64, oneshot::Sender<Answer>)>,
    /// The request's journal entry was read, so the session's status includes it.
    is_read: bool,
    /// The input of the tool, as its hook reported it. Kept in memory only.
    input: Option<ToolInput>,
    /// The folder the tool works in, as it was asked.
    project: Option<String>,
    /// The pipe that reports the request, if an editor shows its dialog.
    pipe: Option<Pipe>,
}

impl PendingRequest {
    fn new(it: Approval) -> Self {
        Self { it, waits: None, is_read: false, input: None, project: None, pipe: None }
    }

    /// Whether a pipe waits here. It alone knows whether the request is open.
    fn is_at_pipe(&self) -> bool {
        self.pipe.is_some() && self.waits.is_some()
    }
}

impl Broker {
    /// Creates a broker without open requests.
    #[must_use]
    pub fn new(live: Live, on_change: OnChange) -> Self {
        Self(Arc::new(Shared { live, on_change, open: Mutex::default() }))
    }

    fn settings(&self) -> &Settings {
        self.0.live.settings()
    }

    fn lock(&self) -> MutexGuard<'_, Open> {
        self.0.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Restores the requests that were open when the last daemon ended. Their hooks are no longer
    /// connected.
    ///
    /// # Errors
    /// When the ledger cannot be read or written.
    pub fn take_up(&self) -> Result<(), Error> {
        let settings = self.settings();
        let mut open = self.lock();
        let mut ledger = ledger(settings)?;
        for it in ledger.approvals(false)? {
            if open.known.contains_key(&it.id) {
                continue;
            }
            let it = moved(&mut ledger, it, &Happening::HookLost)?;
            open.known
                .insert(it.id.clone(), PendingRequest { is_read: true, ..PendingRequest::new(it) });
        }
        open.sweep(&mut ledger, (settings.now)())
    }

    /// Returns the requests that can still be answered, oldest first.
    pub fn open_requests(&self) -> Vec<Approval> {
        let open = self.lock();
        let mut all: Vec<Approval> =
            open.known.values().map(|it| &it.it).filter(|it| it.is_open()).cloned().collect();
        all.sort_by_key(|it| it.asked_at);
        all
    }

    /// Returns the request as clients see it.
    #[must_use]
    pub fn row(&self, it: Approval) -> ApprovalRow {
        let mut row = [ApprovalRow::from(it)];
        self.fill_in(&mut row);
        // Without the index, only the project and the history are missing.
        if let Err(error) = add_sessions(self.settings(), &mut row) {
            tracing::debug!(%error, "cannot look up the folder of a request");
        }
        let [row] = row;
        row
    }

    /// Adds what the broker knows about open requests beyond the ledger.
    fn fill_in(&self, rows: &mut [ApprovalRow]) {
        let open = self.lock();
        for row in rows {
            let request = open.known.get(&row.id).filter(|it| it.it.is_open());
            row.input = request.and_then(|it| it.input.clone());
            row.project_path =
                row.project_path.take().or_else(|| request.and_then(|it| it.project.clone()));
        }
    }

    /// Lists the requests that can still be answered, here or at the agent, or all requests.
    /// `elsewhere` are requests of other devices.
    ///
    /// # Errors
    /// When the ledger or the index cannot be read.
    pub fn list(&self, all: bool, elsewhere: Vec<ApprovalRow>) -> Result<Approvals, Error> {
        let settings = self.settings();
        self.end_dead_pipes()?;
        let mut out = known_requests(settings, &self.0.live.statuses(), all)?;
        self.fill_in(&mut out.approvals);
        out.approvals.extend(elsewhere);
        add_sessions(settings, &mut out.approvals)?;
        Ok(out)
    }

    /// Publishes a request that changed.
    fn publish(&self, it: &Approval) {
        (self.0.on_change)(it.session_id);
        let (session, verdict) = (it.session_id, it.verdict.clone());
        let row = Box::new(self.row(it.clone()));
        let what = UpdateKind::Approval { row, verdict };
        self.0.live.publish(Update { session, is_remote: false, what });
    }

    fn refused(&self, it: &Approval) -> Error {
        Error::Undecided(refusal(&self.0.live, it))
    }

    /// Decides a request, unless it is decided already.
    ///
    /// # Errors
    /// `Undecided` when the request cannot be decided here, `NoApproval` when it does not exist.
    pub fn decide(&self, id: &str, verdict: Verdict) -> Result<Approval, Error> {
        let settings = self.settings();
        let mut open = self.lock();
        let mut ledger = ledger(settings)?;
        check_alone(&ledger, id, (settings.now)())?;
        let Some(request) = open.find(id)? else {
            let live = &self.0.live;
            return Err(only_seen(live, id)?.map_or_else(|| unknown(live, &ledger, id), Ok)?);
        };
        if request.it.state != State::Pending {
            return Err(self.refused(&request.it));
        }
        let waits = request.waits.take().filter(|(_, answer)| !answer.is_closed());
        let Some((_, sender)) = waits else {
            request.it = moved(&mut ledger, request.it.clone(), &Happening::HookLost)?;
            return Err(self.refused(&request.it));
        };
        let answer = Answer { decision: verdict.decision.clone(), reason: reason(&verdict) };
        let before = request.it.clone();
        request.it = decided(&mut ledger, &before, verdict)?;
        if request.it.state != State::Decided {
            // The ledger differs from our memory, so no decision may go out.
            return Err(self.refused(&request.it));
        }
        if sender.send(answer).is_err() {
            // The hook disconnected at this very moment, so no decision went out.
            let left = before.after(&Happening::HookLost).unwrap_or(before);
            ledger.move_approval(&request.it, &left)?;
            let deed = Deed::Undelivered { approval_id: left.id.clone() };
            ledger.note_deed(&deed, (settings.now)())?;
            request.it = left;
            tracing::info!(request = %request.it.id, "a hook was gone before its decision");
            return Err(self.refused(&request.it));
        }
        let (decided, has_twin) = (request.it.clone(), open.has_twin(id));
        drop(open);
        log_decision(&decided);
        sign_log(settings, &mut ledger);
        journal(settings, &decided, has_twin);
        self.publish(&decided);
        Ok(decided)
    }
}

impl Open {
    /// Returns the one request whose id has this prefix.
    fn find(&mut self, id: &str) -> Result<Option<&mut PendingRequest>, Error> {
        let mut found = self.known.values_mut().filter(|it| it.it.id.as_str().starts_with(id));
        match (found.next(), found.next()) {
            (_, Some(_)) => Err(Error::Undecided(format!(
                "`{id}` is ambiguous: it matches several requests; type more of it"
            ))),
            (found, None) => Ok(found.filter(|_| !id.is_empty())),
        }
    }

    /// True if an equal request of the same session is open.
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

    /// Registers a connection that waits for the answer to a request.
    fn wait_for(&mut self, id: &ApprovalId) -> (u64, oneshot::Receiver<Answer>) {
        let (sender, answer) = oneshot::channel();
        self.connections += 1;
        if let Some(request) = self.known.get_mut(id) {
            request.waits = Some((self.connections, sender));
        }
        (self.connections, answer)
    }

    fn of(&mut self, session: SessionId) -> impl Iterator<Item = &mut PendingRequest> {
        self.known.values_mut().filter(move |it| it.it.session_id == session)
    }

    /// Drops requests that no event can change any more.
    fn tidy(&mut self) {
        self.known.retain(|_, it| it.it.is_followed());
    }

    /// Ends requests that no hook waits for any more, and stops following old decisions.
    fn sweep(&mut self, ledger: &mut Ledger, now: Timestamp) -> Result<(), Error> {
        for request in self.at_dead_pipes() {
            request.it = moved(ledger, request.it.clone(), &Happening::SessionOver)?;
        }
        for request in self.known.values_mut().filter(|it| it.it.expires_at <= now) {
            request.it = moved(ledger, request.it.clone(), &Happening::TimedOut)?;
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

fn ledger(settings: &Settings) -> Result<Ledger, Error> {
    Ok(Ledger::open(&settings.data, &settings.new_device)?)
}

/// Applies a transition to a request and saves it; returns the request unchanged if nothing
/// changes.
fn moved(ledger: &mut Ledger, it: Approval, happening: &Happening) -> Result<Approval, Error> {
    let Some(next) = it.after(happening) else { return Ok(it) };
    if ledger.move_approval(&it, &next)? {
        return Ok(next);
    }
    // The row was forgotten, or restored to an earlier state: the ledger wins.
    Ok(ledger.approval(&it.id)?.unwrap_or(next))
}

/// Saves a decision together with its entry in the audit log. Returns the row in the ledger if it
/// is no longer open.
fn decided(ledger: &mut Ledger, it: &Approval, verdict: Verdict) -> Result<Approval, Error> {
    let at = verdict.at;
    let Some(next) = it.after(&Happening::Decided(verdict)) else { return Ok(it.clone()) };
    let is_moved = match deed(&next) {
        Some(deed) => ledger.decide_approval((it, &next), (&deed, at))?,
        None => ledger.move_approval(it, &next)?,
    };
    if is_moved {
        return Ok(next);
    }
    Ok(ledger.approval(&it.id)?.unwrap_or(next))
}

/// The entry of a decision in the audit log.
fn deed(it: &Approval) -> Option<Deed> {
    let verdict = it.verdict.as_ref()?;
    Some(Deed::Decided {
        approval_id: it.id.clone(),
        session_id: it.session_id,
        decision: verdict.decision.clone(),
        by: verdict.by.clone(),
        who: verdict.who.clone(),
        input_hash: it.input_hash.clone(),
    })
}

/// The error for a request that only a screen shows.
fn only_seen(live: &Live, id: &str) -> Result<Option<Error>, Error> {
    let Some(index) = IndexReader::open(&live.settings().data)? else { return Ok(None) };
    let seen = screen_requests::seen(&index, &live.statuses())?;
    let found = seen.iter().find(|it| !id.is_empty() && it.id.as_str().starts_with(id));
    let at = |it: &ApprovalRow| at_the_agent(live, it.session_id, it.agent.as_str());
    Ok(found.map(|it| Error::Undecided(at(it))))
}

/// The caller chooses the id, so an id that was read in a list and then withdrawn must not match
/// another request with the same prefix.
fn check_alone(ledger: &Ledger, id: &str, now: Timestamp) -> Result<(), Error> {
    let since = Timestamp::from_second(now.as_second() - ALIKE).unwrap_or(Timestamp::MIN);
    match ledger.approvals_beginning(id, since)? {
        _ if id.is_empty() => Ok(()),
        0 | 1 => Ok(()),
        _ => Err(Error::Undecided(format!(
            "`{id}` is ambiguous: it matches several requests; type more of it"
        ))),
    }
}

fn unknown(live: &Live, ledger: &Ledger, id: &str) -> Result<Error, Error> {
    let mut past = ledger.approvals(true)?;
    past.retain(|it| !id.is_empty() && it.id.as_str().starts_with(id));
    Ok(match past.as_slice() {
        [only] => Error::Undecided(refusal(live, only)),
        _ => Error::NoApproval(id.to_owned()),
    })
}

/// Logs who decided a request and how; never its content.
fn log_decision(it: &Approval) {
    let Some(verdict) = &it.verdict else { return };
    let (decision, by) = (verdict.decision.as_str(), &verdict.by);
    tracing::info!(request = %it.id, session = %it.session_id, decision, by, "a request was decided");
}

/// The reason sent to the agent with a refusal.
fn reason(verdict: &Verdict) -> Option<String> {
    verdict.why.clone().or_else(|| verdict.rule.as_ref().map(|rule| format!("Rule: {rule}")))
}

/// Writes a decision into the journal. The decision is already out and in the ledger. If the
/// journal cannot be written, the status only changes later, when the agent reports it.
fn journal(settings: &Settings, it: &Approval, has_twin: bool) {
    let Some(verdict) = &it.verdict else { return };
    if by_id(it.agent.as_str()).is_none() {
        // An unknown agent has no sessions whose status the entry could change.
        return;
    }
    let answered = Answered {
        approval: it.id.clone(),
        decision: verdict.decision.clone(),
        by: verdict.by.clone(),
        session: it.runtime_session_id.as_str().to_owned(),
        scope: it.scope.clone(),
        says: it.command.clone(),
        input: if has_twin { String::new() } else { it.input_hash.clone() },
    };
    // Plain strings always serialize.
    let Ok(payload) = serde_json::value::to_raw_value(&answered) else { return };
    let entry = Entry {
        at: verdict.at,
        nonce: hash::to_hex(&hash::digest("decision", &[it.id.as_str().as_bytes()])),
        agent: it.agent.clone(),
        via: Origin::Input,
        ancestors: Vec::new(),
        store: None,
        shortened: false,
        payload: &payload,
    };
    if let Err(error) = spool(&settings.data, &entry) {
        tracing::warn!(%error, request = %it.id, "cannot note a decision in the journal");
    }
}
