//! Between devices, while the daemon runs: what changed here goes to the hub, and what others told
//! comes from it.
//!
//! One thread of its own carries, so that a slow disk or hub holds up nobody. What is told waits in the
//! ledger until the hub has it; what is heard is kept in files before anybody says that it was.

mod desk;
mod gate;
mod hearing;
mod leases;
mod parcels;
mod recovering;
mod shares;
mod team;
mod telling;
mod trouble;

pub(crate) use desk::{answer, home_of, open_elsewhere, send};
pub(crate) use leases::ask_lease;
pub use leases::{hold, under_lease};
pub use parcels::{fetch, parcels, push};
pub use recovering::{Regained, recover};
pub use team::keep_change;

use crate::devices::{self, Own};
use crate::live::Handle;
use crate::{DaemonError, hubs};
use gate::Gate;
use hearing::Hearing;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use taffrail_store::Ledger;
use taffrail_sync::exchange::{
    Draw, Durable, Exchange, Health, Parts, Readers, Signals, State, Us, Why, desk as at_desk, own,
    run,
};
use taffrail_sync::hub::AnyHub;
use tokio::sync::{Notify, watch};

/// How long is waited before a hub that was not reached is tried again.
const PAUSE: Duration = Duration::from_secs(2);

type Carrying = Exchange<AnyHub, Ledger, Hearing>;

/// What a running exchange is told, and tells.
#[derive(Debug)]
pub(crate) struct Between {
    /// Something was given to the outbox.
    pushed: Arc<Notify>,
    /// The index was brought up aside from the loop, which tells nobody of what is in it.
    looked_up: Notify,
    /// How well this device keeps up.
    health: watch::Sender<Health>,
    /// An answer came from another device.
    answered: Notify,
    /// Held by who changes what is remembered of other devices' requests and prompts.
    memory: Mutex<()>,
    /// Why nothing can be told, while nothing can. It stands apart, because carrying may go well meanwhile.
    untold: watch::Sender<Option<String>>,
}

impl Default for Between {
    fn default() -> Self {
        let health = watch::Sender::new(Health::default());
        let (pushed, looked_up) = (Arc::default(), Notify::new());
        let (answered, memory) = (Notify::new(), Mutex::default());
        Self { pushed, looked_up, health, answered, memory, untold: watch::Sender::new(None) }
    }
}

impl Between {
    /// What is wrong with the hub, and whose word is refused, for people.
    pub(crate) fn trouble(&self) -> Vec<String> {
        let health = self.health.borrow();
        let hub = health.error.iter().map(|it| format!("hub: {it}"));
        let stands = health.standing.iter().filter_map(|(origin, still)| match &still.why {
            Why::Refused(why) => Some(format!("hub: of {} {why}", origin.device)),
            Why::NotForUs | Why::NoKey | Why::RosterBehind | Why::Missing => None,
        });
        let untold = self.untold.borrow().clone();
        let untold = untold.map(|it| format!("hub: nothing is told: {it}"));
        hub.chain(untold).chain(stands).collect()
    }

    /// What came of telling, the last time.
    pub(crate) fn note_telling(&self, came: &Result<(), DaemonError>) {
        self.untold.send_replace(came.as_ref().err().map(ToString::to_string));
    }

    /// Something does not work.
    pub(crate) fn fail(&self, error: &str) {
        self.health.send_modify(|it| {
            it.state = State::Failing;
            it.error = Some(error.to_owned());
        });
    }

    fn alone(&self) -> MutexGuard<'_, ()> {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The index was brought up: there may be much to tell.
    pub(crate) fn looked_up(&self) {
        self.looked_up.notify_one();
    }

    /// Something was given to the outbox.
    pub(crate) fn nudge(&self) {
        self.pushed.notify_one();
    }
}

/// Carries until the daemon ends; nothing without a hub.
pub(crate) fn begin(handle: &Handle, stops: &watch::Receiver<bool>) {
    if handle.settings().hub.url.is_none() {
        return;
    }
    let (own, stops) = (handle.clone(), stops.clone());
    let thread = std::thread::Builder::new().name("between".to_owned());
    let started = thread.spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        match runtime {
            Ok(runtime) => runtime.block_on(carry(&own, stops)),
            Err(error) => own.between().fail(&error.to_string()),
        }
    });
    if let Err(error) = started {
        handle.between().fail(&error.to_string());
    }
}

async fn carry(handle: &Handle, stops: watch::Receiver<bool>) {
    tokio::join!(carry_on(handle, stops.clone()), trouble::remember(handle, stops));
}

async fn carry_on(handle: &Handle, mut stops: watch::Receiver<bool>) {
    while !*stops.borrow() {
        match opened(handle).await {
            Ok((hub, exchange)) => return converse(handle, (hub, exchange), stops).await,
            Err(error) => handle.between().fail(&error.to_string()),
        }
        tokio::select! {
            () = tokio::time::sleep(PAUSE) => {}
            _ = stops.wait_for(|it| *it) => {}
        }
    }
}

/// Carries both ways, until the daemon ends.
async fn converse(
    handle: &Handle,
    (hub, exchange): (AnyHub, Carrying),
    stops: watch::Receiver<bool>,
) {
    let between = handle.between();
    let signals = Signals {
        pushed: between.pushed.clone(),
        health: between.health.clone(),
        stop: stops.clone(),
    };
    let clock = handle.settings().now;
    tokio::join!(
        run(exchange, clock, signals),
        telling::tell(handle, stops.clone()),
        desk::judge_all(handle, hub, stops),
    );
}

/// An exchange over the hub in use, with the streams every device has.
async fn opened(handle: &Handle) -> Result<(AnyHub, Carrying), DaemonError> {
    let settings = handle.settings();
    let Own { id, user, secret, roster, .. } = devices::own(settings)?;
    let hub = hubs::open(settings, &hubs::address(settings)?, roster.team(), &secret).await?;
    let draw = settings.hub.draw.ok_or(hubs::HubFault::NoChance)?;
    let mut exchange = Exchange::new(Parts {
        durable: durable(&hub),
        hub: hub.clone(),
        store: Ledger::open(&settings.data, &settings.new_device)?,
        applied: Hearing::new(handle.clone(), Gate::new(&user, &roster)),
        us: Us { device: id, secret: Arc::new(secret) },
        roster,
        draw: Draw::new(draw),
    });
    for stream in [own(), at_desk()] {
        exchange.open(&stream, &Readers::user(user.clone())).map_err(hubs::HubFault::from)?;
    }
    Ok((hub, exchange))
}

/// A log in a directory or a bucket is as durable as anything there; what a server has is kept
/// in pieces beside its log, too.
fn durable(hub: &AnyHub) -> Durable<AnyHub> {
    match hub {
        AnyHub::Memory(_) | AnyHub::Object(_) => Durable::Log,
        AnyHub::Nats(_) => Durable::Segments(hub.clone()),
    }
}
