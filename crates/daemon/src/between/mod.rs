//! Between devices, while the daemon runs: what changed here goes to the hub, and what others told
//! comes from it.
//!
//! One thread of its own carries, so that a slow disk or hub holds up nobody. What is told waits in the
//! ledger until the hub has it; what is heard is kept in files before anybody says that it was.

mod gate;
mod hearing;
mod parcels;
mod shares;
mod team;
mod telling;
mod trouble;

pub use parcels::{fetch, hold, parcels, push, take_lease};
pub use team::keep_change;

use crate::devices::{self, Own};
use crate::live::Handle;
use crate::{DaemonError, hubs};
use gate::Gate;
use hearing::Hearing;
use std::sync::Arc;
use std::time::Duration;
use taffrail_store::Ledger;
use taffrail_sync::exchange::{
    Draw, Durable, Exchange, Health, Parts, Readers, Signals, State, Us, Why, desk, own, run,
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
    /// How well this device keeps up.
    health: watch::Sender<Health>,
}

impl Default for Between {
    fn default() -> Self {
        Self { pushed: Arc::default(), health: watch::Sender::new(Health::default()) }
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
        hub.chain(stands).collect()
    }

    /// Something does not work.
    pub(crate) fn fail(&self, error: &str) {
        self.health.send_modify(|it| {
            it.state = State::Failing;
            it.error = Some(error.to_owned());
        });
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
            Ok(exchange) => return converse(handle, exchange, stops).await,
            Err(error) => handle.between().fail(&error.to_string()),
        }
        tokio::select! {
            () = tokio::time::sleep(PAUSE) => {}
            _ = stops.wait_for(|it| *it) => {}
        }
    }
}

/// Carries both ways, until the daemon ends.
async fn converse(handle: &Handle, exchange: Carrying, stops: watch::Receiver<bool>) {
    let between = handle.between();
    let signals = Signals {
        pushed: between.pushed.clone(),
        health: between.health.clone(),
        stop: stops.clone(),
    };
    let clock = handle.settings().now;
    tokio::join!(run(exchange, clock, signals), telling::tell(handle, stops));
}

/// An exchange over the hub in use, with the streams every device has.
async fn opened(handle: &Handle) -> Result<Carrying, DaemonError> {
    let settings = handle.settings();
    let Own { id, user, secret, roster, .. } = devices::own(settings)?;
    let hub = hubs::open(settings, &hubs::address(settings)?, roster.team(), &secret).await?;
    let draw = settings.hub.draw.ok_or(hubs::HubFault::None)?;
    let mut exchange = Exchange::new(Parts {
        durable: durable(&hub),
        hub,
        store: Ledger::open(&settings.data, &settings.new_device)?,
        applied: Hearing::new(handle.clone(), Gate::new(&user, &roster)),
        us: Us { device: id, secret: Arc::new(secret) },
        roster,
        draw: Draw::new(draw),
    });
    for stream in [own(), desk()] {
        exchange.open(&stream, &Readers::user(user.clone())).map_err(hubs::HubFault::from)?;
    }
    Ok(exchange)
}

/// A log in a directory or a bucket is as durable as anything there; what a server has is kept
/// in pieces beside its log, too.
fn durable(hub: &AnyHub) -> Durable<AnyHub> {
    match hub {
        AnyHub::Memory(_) | AnyHub::Object(_) => Durable::Log,
        AnyHub::Nats(_) => Durable::Segments(hub.clone()),
    }
}
