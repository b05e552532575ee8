//! What the exchange shares with the daemon's other parts while it runs.

use crate::error::DevicesError;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::SyncSender;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use taffrail_api::ApprovalRow;
use taffrail_approvals::Broker;
use taffrail_context::remote_status::skew;
use taffrail_context::{Error, Live, Settings, Update, UpdateKind};
use taffrail_model::SessionId;
use taffrail_model::approval::ApprovalId;
use taffrail_model::message::{Message, Sender};
use taffrail_model::notices::Notice;
use taffrail_sync::Roster;
use taffrail_sync::exchange::decision::{Claim, Claimed};
use taffrail_sync::exchange::{Health, StallReason, State};
use taffrail_sync::hub::HubError;
use tokio::sync::mpsc::UnboundedSender;
use tokio::sync::{Notify, watch};

/// What is said where another copy of this device writes.
const TWICE: &str = "hub: this device runs twice: another copy with the same keys writes to the hub. \
    Stop one of them, or give it an identity of its own with `taffrail device join`";

/// Takes a message for a session of this device, or says why not.
pub type Accept = Box<dyn Fn(SessionId, (Sender, String)) -> Result<Message, Error> + Send + Sync>;
/// Notifies the user.
pub type Notifier = Box<dyn Fn(Notice) + Send + Sync>;

/// The exchange with other devices, and the parts of the daemon it needs. Clones are the same.
#[derive(Clone)]
pub struct ExchangeHandle(Arc<Parts>);

struct Parts {
    live: Live,
    broker: Broker,
    accept: Accept,
    notify: Notifier,
    state: ExchangeState,
}

impl std::fmt::Debug for ExchangeHandle {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("ExchangeHandle")
    }
}

impl ExchangeHandle {
    /// Nothing is exchanged yet.
    #[must_use]
    pub fn new((live, broker): (Live, Broker), accept: Accept, notify: Notifier) -> Self {
        Self(Arc::new(Parts { live, broker, accept, notify, state: ExchangeState::default() }))
    }

    pub(crate) fn live(&self) -> &Live {
        &self.0.live
    }

    pub(crate) fn settings(&self) -> &Settings {
        self.0.live.settings()
    }

    pub(crate) fn broker(&self) -> &Broker {
        &self.0.broker
    }

    /// How the exchange goes.
    #[must_use]
    pub fn state(&self) -> &ExchangeState {
        &self.0.state
    }

    pub(crate) fn accept(
        &self,
        session: SessionId,
        said: (Sender, String),
    ) -> Result<Message, Error> {
        (self.0.accept)(session, said)
    }

    pub(crate) fn notify(&self, notice: Notice) {
        (self.0.notify)(notice);
    }

    /// Publishes a request of another device that changed.
    pub(crate) fn publish_request(&self, row: ApprovalRow) {
        let session = row.session_id;
        let what = UpdateKind::Approval { row: Box::new(row), verdict: None };
        self.live().publish(Update { session, is_remote: true, what });
    }
}

/// A decision to be claimed on the hub, and where the outcome goes.
#[derive(Debug)]
pub(crate) struct ClaimTask {
    pub(crate) roster: Roster,
    pub(crate) request: ApprovalId,
    pub(crate) ours: Claim,
    pub(crate) done: SyncSender<Result<Claimed, HubError>>,
}

/// What a running exchange is told, and tells.
#[derive(Debug)]
pub struct ExchangeState {
    /// Something was given to the outbox.
    pub(crate) pushed: Arc<Notify>,
    /// The index was brought up aside from the loop, which tells nobody of what is in it.
    pub(crate) looked_up: Notify,
    /// Sessions of this device live that others are told of.
    pub(crate) lives: Arc<AtomicBool>,
    /// How well this device keeps up.
    pub(crate) health: watch::Sender<Health>,
    /// An answer came from another device.
    pub(crate) answered: Notify,
    /// Held by who changes what is remembered of other devices' requests and prompts.
    pub(crate) memory: Mutex<()>,
    /// Where decisions are claimed, while the hub is connected.
    pub(crate) claims: Mutex<Option<UnboundedSender<ClaimTask>>>,
    /// Counts what other devices said about their requests; who waits for that waits here.
    settlements: (Mutex<u64>, Condvar),
    /// Why nothing can be told, while nothing can. It stands apart, because carrying may go well meanwhile.
    pub(crate) untold: watch::Sender<Option<String>>,
}

impl Default for ExchangeState {
    fn default() -> Self {
        let health = watch::Sender::new(Health::default());
        let (pushed, lives, looked_up) = (Arc::default(), Arc::default(), Notify::new());
        let (answered, memory) = (Notify::new(), Mutex::default());
        let untold = watch::Sender::new(None);
        let (claims, settlements) = (Mutex::default(), (Mutex::new(0), Condvar::new()));
        Self { pushed, looked_up, lives, health, answered, memory, claims, settlements, untold }
    }
}

impl ExchangeState {
    /// What is wrong with the hub, and whose word is refused, for people.
    pub fn trouble(&self, settings: &Settings) -> Vec<String> {
        let health = self.health.borrow();
        let hub = health.error.iter().map(|it| format!("hub: {it}"));
        let stands = health.standing.iter().filter_map(|(origin, still)| match &still.why {
            StallReason::Refused(why) => Some(format!("hub: of {} {why}", origin.device)),
            StallReason::NotForUs
            | StallReason::NoKey
            | StallReason::RosterBehind
            | StallReason::Missing => None,
        });
        let untold = self.untold.borrow().clone();
        let untold = untold.map(|it| format!("hub: nothing is published: {it}"));
        let twice = health.twice.map(|_| TWICE.to_owned());
        hub.chain(untold).chain(twice).chain(clocks(settings)).chain(stands).collect()
    }

    /// Another device said something about its requests.
    pub(crate) fn note_settlement(&self) {
        *self.settlements.0.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        self.settlements.1.notify_all();
    }

    /// How often other devices said something about their requests.
    pub(crate) fn settlements(&self) -> u64 {
        *self.settlements.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until one says more than was seen; `None` when that takes longer than this.
    pub(crate) fn settlements_after(&self, seen: u64, within: Duration) -> Option<u64> {
        let (count, changed) = &self.settlements;
        let count = count.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = changed.wait_timeout_while(count, within, |it| *it == seen);
        let (count, timeout) = waited.unwrap_or_else(PoisonError::into_inner);
        (!timeout.timed_out()).then_some(*count)
    }

    /// The hub lets no signs of life through: they are said in a stream.
    pub(crate) fn is_mute(&self) -> bool {
        self.health.borrow().mute
    }

    /// Sessions live that others are told of, or none does.
    pub(crate) fn note_lives(&self, lives: bool) {
        let before = self.lives.swap(lives, Ordering::Relaxed);
        if lives && !before {
            self.pushed.notify_one();
        }
    }

    /// What came of telling, the last time.
    pub fn note_telling(&self, came: &Result<(), DevicesError>) {
        self.untold.send_replace(came.as_ref().err().map(ToString::to_string));
    }

    /// Something does not work.
    pub fn fail(&self, error: &str) {
        self.health.send_modify(|it| {
            it.state = State::Failing;
            it.error = Some(error.to_owned());
        });
    }

    /// The hub was not reached.
    pub(crate) fn miss(&self, error: &str) {
        self.health.send_modify(|it| {
            it.state = State::Unreachable;
            it.error = Some(error.to_owned());
        });
    }

    pub(crate) fn alone(&self) -> MutexGuard<'_, ()> {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The index was brought up: there may be much to tell.
    pub fn looked_up(&self) {
        self.looked_up.notify_one();
    }

    /// Something was given to the outbox.
    pub fn nudge(&self) {
        self.pushed.notify_one();
    }
}

/// Devices whose clocks are not ours.
fn clocks(settings: &Settings) -> impl Iterator<Item = String> {
    settings.devices.others.iter().filter_map(|(device, name)| {
        let ahead = skew(&settings.data, device)?;
        let which = if ahead > 0 { "behind" } else { "ahead of" };
        let seconds = ahead.abs();
        Some(format!(
            "hub: the clock of {name} is {seconds} s {which} this one. Set both by the network"
        ))
    })
}
