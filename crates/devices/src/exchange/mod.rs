//! The exchange with other devices while the daemon runs: it publishes local changes to the hub and
//! applies what others published.
//!
//! The exchange runs on its own thread, so that a slow disk or hub blocks nothing else. Items to
//! publish wait in the ledger until the hub has them. Received items are on disk before they are
//! acknowledged.

mod bundles;
mod gate;
mod health;
mod inbound;
mod leases;
mod outbound;
mod recovery;
mod relocation;
mod remote_approvals;
mod shares;
mod team;

pub use bundles::{fetch, parcels, push};
pub use leases::ask_lease;
pub use leases::{hold, under_lease};
pub use recovery::{Regained, recover};
pub use remote_approvals::{answer, approvals, decisions, home_of, send};
pub use team::keep_change;

use crate::error::{DevicesError, HubFault};
use crate::hubs;
use crate::link::ExchangeHandle;
use gate::Gate;
use inbound::InboundItems;
use std::sync::Arc;
use std::time::Duration;
use taffrail_context::Settings;
use taffrail_model::exchange::{Incarnation, Outbox, Writing};
use taffrail_store::Ledger;
use taffrail_sync::exchange::{
    Durable, Exchange, Keep, LocalDevice, Parts, Random, Readers, Signals,
    approval_stream as at_desk, own_stream, run,
};
use taffrail_sync::hub::AnyHub;
use taffrail_team::ThisDevice;
use tokio::sync::watch;

/// The pause before a failed step is retried.
const PAUSE: Duration = Duration::from_secs(2);
/// The longest pause before an unreachable hub is retried.
const LONG_PAUSE: Duration = Duration::from_mins(1);
/// After this many tries the pause becomes longer: a hub that removed this device does not change
/// its mind.
const MANY: u32 = 40;
/// How often the storage of the hub is measured.
const MEASURE: Duration = Duration::from_hours(6);
/// When it is measured first.
const FIRST_MEASURE: Duration = Duration::from_mins(5);
/// The pause then.
const LONGEST_PAUSE: Duration = Duration::from_mins(10);
type Carrying = Exchange<AnyHub, Ledger, InboundItems>;

/// Runs the exchange until the daemon ends; does nothing without a hub.
pub fn begin(handle: &ExchangeHandle, stops: &watch::Receiver<bool>) {
    if handle.settings().hub.address().is_none() {
        return;
    }
    let (own, stops) = (handle.clone(), stops.clone());
    let thread = std::thread::Builder::new().name("between".to_owned());
    let started = thread.spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        match runtime {
            Ok(runtime) => runtime.block_on(carry(&own, stops)),
            Err(error) => own.state().fail(&error.to_string()),
        }
    });
    if let Err(error) = started {
        handle.state().fail(&error.to_string());
    }
}

async fn carry(handle: &ExchangeHandle, stops: watch::Receiver<bool>) {
    // Changes wait in the outbox and are counted there, whether or not the hub is reachable.
    tokio::join!(
        carry_on(handle, stops.clone()),
        tell_on(handle, stops.clone()),
        health::remember(handle, stops)
    );
}

async fn tell_on(handle: &ExchangeHandle, mut stops: watch::Receiver<bool>) {
    while !*stops.borrow() {
        match open_streams(handle.settings()) {
            Ok(()) => return outbound::tell(handle, stops).await,
            Err(error) => handle.state().fail(&error.to_string()),
        }
        tokio::select! {
            () = tokio::time::sleep(PAUSE) => {}
            _ = stops.wait_for(|it| *it) => {}
        }
    }
}

fn is_unreached(error: &DevicesError) -> bool {
    matches!(error, DevicesError::Hub(fault) if fault.is_retryable())
}

/// Opens the streams that every device has.
fn open_streams(settings: &Settings) -> Result<(), DevicesError> {
    let ThisDevice { user, .. } = taffrail_team::own(settings)?;
    let mut draw = Random::new(settings.hub.draw.ok_or(HubFault::NoChance)?);
    let mut ledger = Ledger::open(&settings.data, &settings.new_device)?;
    let readers = Readers::user(user).to_text();
    for stream in [own_stream(), at_desk()] {
        let random = u64::from_le_bytes(draw.bytes());
        let new = Writing::new(stream, Incarnation { count: 1, random }, readers.clone());
        ledger.open_stream(&new).map_err(HubFault::from)?;
    }
    Ok(())
}

async fn carry_on(handle: &ExchangeHandle, mut stops: watch::Receiver<bool>) {
    let mut tries = 0;
    while !*stops.borrow() {
        match opened(handle).await {
            Ok((hub, exchange)) => {
                converse(handle, (hub, exchange), stops.clone()).await;
                // The daemon ends, or the team went to another hub.
                tries = 0;
                continue;
            }
            Err(error) if is_unreached(&error) => handle.state().miss(&error.to_string()),
            Err(error) => handle.state().fail(&error.to_string()),
        }
        let mut chance = [0; 8];
        handle.settings().hub.draw.iter().for_each(|draw| draw(&mut chance));
        let wait = pause(tries, u64::from_le_bytes(chance));
        tries += 1;
        tokio::select! {
            () = tokio::time::sleep(wait) => {}
            _ = stops.wait_for(|it| *it) => {}
        }
    }
}

/// Exponential backoff with jitter: doubles after every failure, then picks between half and all of
/// that.
fn pause(tries: u32, chance: u64) -> Duration {
    let longest = if tries < MANY { LONG_PAUSE } else { LONGEST_PAUSE };
    let longest = PAUSE.saturating_mul(2_u32.saturating_pow(tries)).min(longest);
    let half = u64::try_from(longest.as_millis() / 2).unwrap_or(u64::MAX);
    Duration::from_millis(half + chance % half.saturating_add(1))
}

/// Exchanges in both directions until the daemon ends, or the team goes to another hub.
async fn converse(
    handle: &ExchangeHandle,
    (hub, exchange): (AnyHub, Carrying),
    stops: watch::Receiver<bool>,
) {
    let between = handle.state();
    let (end, ended) = watch::channel(false);
    let signals = Signals {
        pushed: between.pushed.clone(),
        lives: between.lives.clone(),
        health: between.health.clone(),
        stop: ended.clone(),
    };
    let clock = handle.settings().now;
    tokio::join!(
        run(exchange, clock, signals),
        remote_approvals::make_claims(handle, hub.clone(), ended.clone()),
        remote_approvals::judge_all(handle, hub.clone(), ended.clone()),
        measure_on(handle, hub, ended),
        relocation::follow(handle, stops, end)
    );
}

/// Notes from time to time how much the hub stores, so that its growth is known.
async fn measure_on(handle: &ExchangeHandle, hub: AnyHub, mut stops: watch::Receiver<bool>) {
    let mut wait = FIRST_MEASURE;
    loop {
        tokio::select! {
            () = tokio::time::sleep(wait) => {}
            _ = stops.wait_for(|it| *it) => return,
        }
        wait = MEASURE;
        let settings = handle.settings();
        let blobs = taffrail_team::own(settings).ok();
        let blobs = blobs.and_then(|own| {
            hubs::blob_place(settings, own.roster.team(), &own.secret).ok().flatten()
        });
        // `hub doctor` then knows no growth.
        if let Err(error) = hubs::disk(settings, &hub, blobs.as_ref()).await {
            tracing::warn!(%error, "cannot note how much the hub stores");
        }
    }
}

/// Opens an exchange over the hub in use.
async fn opened(handle: &ExchangeHandle) -> Result<(AnyHub, Carrying), DevicesError> {
    let settings = handle.settings();
    let ThisDevice { id, user, secret, roster, .. } = taffrail_team::own(settings)?;
    let hub = hubs::open(settings, &hubs::address(settings)?, roster.team(), &secret).await?;
    let draw = settings.hub.draw.ok_or(HubFault::NoChance)?;
    open_streams(settings)?;
    let blobs = hubs::blob_place(settings, roster.team(), &secret)?;
    let exchange = Exchange::new(Parts {
        durable: durable(&hub, blobs),
        hub: hub.clone(),
        store: Ledger::open(&settings.data, &settings.new_device)?,
        applied: InboundItems::new(handle.clone(), Gate::new(&user, &roster)),
        us: LocalDevice { device: id, secret: Arc::new(secret) },
        roster,
        random: Random::new(draw),
    });
    let keep = Keep { days: settings.hub.keep_days, bytes: settings.hub.keep_bytes };
    Ok((hub, exchange.keeping(keep)))
}

/// In a directory or a bucket, the log is as durable as everything else there. A server's batches
/// are also stored as segments beside its log, or in a place of their own.
fn durable(hub: &AnyHub, blobs: Option<AnyHub>) -> Durable<AnyHub> {
    match (hub, blobs) {
        (_, Some(blobs)) => Durable::Apart(blobs),
        (AnyHub::Memory(_) | AnyHub::Late(_) | AnyHub::Object(_), None) => Durable::Log,
        (AnyHub::Nats(_), None) => Durable::Segments(hub.clone()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hub_that_shuts_a_device_out_is_not_asked_every_two_seconds_for_ever() {
        let check = |tries: u32, chance: u64, expected: Duration| {
            assert_eq!(pause(tries, chance), expected, "{tries} {chance}");
        };
        check(0, 0, Duration::from_secs(1));
        check(0, 1_000, Duration::from_secs(2));
        check(5, 0, Duration::from_secs(30));
        check(39, 30_000, Duration::from_mins(1));
        check(40, 0, Duration::from_mins(5));
        check(u32::MAX, 300_000, Duration::from_mins(10));
    }
}
