//! What the exchange shares with the other parts of the daemon while it runs.

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
use taffrail_sync::exchange::{Health, Relocation, StallReason, State};
use taffrail_sync::hub::HubError;
use tokio::sync::mpsc::UnboundedSender;
use tokio::sync::{Notify, watch};

/// Shown when another copy of this device writes to the hub.
const TWICE: &str = "hub: this device runs twice: another copy with the same keys writes to the hub. \
    Stop one of them, or give it an identity of its own with `taffrail device join`";

/// Accepts a message for a session of this device, or returns why not.
pub type Accept = Box<dyn Fn(SessionId, (Sender, String)) -> Result<Message, Error> + Send + Sync>;
/// Notifies the user.
pub type Notifier = Box<dyn Fn(Notice) + Send + Sync>;

/// The exchange with other devices, and the parts of the daemon it needs. Clones share the same
/// exchange.
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
    /// Creates a handle; the exchange starts later.
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

    /// The state of the exchange.
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

/// A decision to claim on the hub, and the sender for the outcome.
#[derive(Debug)]
pub(crate) struct ClaimTask {
    pub(crate) roster: Roster,
    pub(crate) request: ApprovalId,
    pub(crate) ours: Claim,
    pub(crate) done: SyncSender<Result<Claimed, HubError>>,
}

/// Signals to and from a running exchange.
#[derive(Debug)]
pub struct ExchangeState {
    /// Something was put into the outbox.
    pub(crate) pushed: Arc<Notify>,
    /// The index was updated outside the daemon's loop, which does not publish those changes.
    pub(crate) looked_up: Notify,
    /// Published sessions of this device are alive.
    pub(crate) lives: Arc<AtomicBool>,
    /// How well this device keeps up.
    pub(crate) health: watch::Sender<Health>,
    /// An answer arrived from another device.
    pub(crate) answered: Notify,
    /// Held while a prompt of another device is accepted: until then it looks like a lost one.
    pub(crate) memory: Mutex<()>,
    /// Where decisions are claimed, while the hub is connected.
    pub(crate) claims: Mutex<Option<UnboundedSender<ClaimTask>>>,
    /// Counts reports of other devices about their requests, and wakes their waiters.
    settlements: (Mutex<u64>, Condvar),
    /// Why nothing can be published, if so. Separate from `health`, because the exchange itself may
    /// work.
    pub(crate) untold: watch::Sender<Option<String>>,
    /// The move of the team that leads away from the hub in use.
    pub(crate) announced: watch::Sender<Option<Relocation>>,
    /// What there is to say about it.
    pub(crate) moving: watch::Sender<Option<String>>,
}

impl Default for ExchangeState {
    fn default() -> Self {
        let health = watch::Sender::new(Health::default());
        let (pushed, lives, looked_up) = (Arc::default(), Arc::default(), Notify::new());
        let (answered, memory) = (Notify::new(), Mutex::default());
        let untold = watch::Sender::new(None);
        let (announced, moving) = (watch::Sender::new(None), watch::Sender::new(None));
        let (claims, settlements) = (Mutex::default(), (Mutex::new(0), Condvar::new()));
        Self {
            pushed,
            looked_up,
            lives,
            health,
            answered,
            memory,
            claims,
            settlements,
            untold,
            announced,
            moving,
        }
    }
}

impl ExchangeState {
    /// Describes what is wrong with the hub, and whose items are refused.
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
        let moving = self.moving.borrow().clone().map(|it| format!("hub: {it}"));
        let twice = health.twice.map(|_| TWICE.to_owned());
        let durable = health.durable.iter().map(|it| {
            format!("hub: segments cannot be stored and wait here; live items still flow: {it}")
        });
        let retention =
            health.retention.iter().map(|it| format!("hub: retention removes nothing: {it}"));
        let gone = health.gone.iter().map(|(origin, count)| {
            format!(
                "hub: {count} batches of {} were removed by the hub's retention before this device read \
                 them",
                origin.device
            )
        });
        let hub = hub.chain(durable).chain(retention).chain(gone);
        hub.chain(untold).chain(moving).chain(twice).chain(clocks(settings)).chain(stands).collect()
    }

    /// Notes that another device reported about its requests.
    pub(crate) fn note_settlement(&self) {
        *self.settlements.0.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        self.settlements.1.notify_all();
    }

    /// How many times other devices reported about their requests.
    pub(crate) fn settlements(&self) -> u64 {
        *self.settlements.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until the count differs from `seen`; `None` on timeout.
    pub(crate) fn settlements_after(&self, seen: u64, within: Duration) -> Option<u64> {
        let (count, changed) = &self.settlements;
        let count = count.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = changed.wait_timeout_while(count, within, |it| *it == seen);
        let (count, timeout) = waited.unwrap_or_else(PoisonError::into_inner);
        (!timeout.timed_out()).then_some(*count)
    }

    /// True if the hub does not support heartbeats, so they go into a stream.
    pub(crate) fn is_mute(&self) -> bool {
        self.health.borrow().mute
    }

    /// Notes whether any published session is alive.
    pub(crate) fn note_lives(&self, lives: bool) {
        let before = self.lives.swap(lives, Ordering::Relaxed);
        if lives && !before {
            self.pushed.notify_one();
        }
    }

    /// Notes the result of the last publish.
    pub fn note_telling(&self, came: &Result<(), DevicesError>) {
        self.untold.send_replace(came.as_ref().err().map(ToString::to_string));
    }

    /// Notes a failure.
    pub fn fail(&self, error: &str) {
        self.health.send_modify(|it| {
            it.state = State::Failing;
            it.error = Some(error.to_owned());
        });
    }

    /// Notes that the hub could not be reached.
    pub(crate) fn miss(&self, error: &str) {
        self.health.send_modify(|it| {
            it.state = State::Unreachable;
            it.error = Some(error.to_owned());
        });
    }

    pub(crate) fn alone(&self) -> MutexGuard<'_, ()> {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes that the index was updated: there may be much to publish.
    pub fn looked_up(&self) {
        self.looked_up.notify_one();
    }

    /// Notes that something was put into the outbox.
    pub fn nudge(&self) {
        self.pushed.notify_one();
    }
}

/// Devices whose clocks differ from ours.
fn clocks(settings: &Settings) -> impl Iterator<Item = String> {
    settings.devices.others.all().into_iter().filter_map(|(device, name)| {
        let ahead = skew(&settings.data, &device)?;
        let which = if ahead > 0 { "behind" } else { "ahead of" };
        let seconds = ahead.abs();
        Some(format!(
            "hub: the clock of {name} is {seconds} s {which} this one. Set both by the network"
        ))
    })
}
