//! Records what is wrong with the hub, for commands that run without a daemon.

use crate::error::DevicesError;
use crate::error::HubFault;
use crate::hubs::{self, HubStanding, HubState};
use crate::link::ExchangeHandle;
use taffrail_context::Settings;
use taffrail_model::exchange::Outbox;
use taffrail_query::contracts::TROUBLE;
use taffrail_store::Ledger;
use tokio::sync::watch;

/// Records the health of the hub whenever it changes, until the daemon ends.
pub(super) async fn remember(handle: &ExchangeHandle, mut stops: watch::Receiver<bool>) {
    let mut health = handle.state().health.subscribe();
    let (mut noted, mut standing) = (None, None);
    while !*stops.borrow() {
        let current = health.borrow_and_update().clone();
        let now = Some(current.error.clone());
        if now != noted {
            // If recording fails, the running daemon still reports the state.
            let noting = note(handle.settings(), now.as_ref().and_then(Option::as_deref));
            noting.unwrap_or_else(|error| tracing::warn!(%error, "cannot note the hub's error"));
            noted = now;
        }
        // As above.
        let before = standing.take();
        match hubs::note(handle.settings(), &current, before.as_ref()) {
            Ok(now) => {
                log_change(before.as_ref(), &now);
                standing = Some(now);
            }
            Err(error) => tracing::warn!(%error, "cannot note the hub's state"),
        }
        tokio::select! {
            changed = health.changed() => if changed.is_err() { return },
            _ = stops.wait_for(|it| *it) => return,
        }
    }
}

/// Logs when the hub connects or is lost.
fn log_change(before: Option<&HubStanding>, now: &HubStanding) {
    if before.is_some_and(|it| it.state == now.state) {
        return;
    }
    let (state, error) = (now.state.as_str(), now.error.as_deref());
    match now.state {
        HubState::Reached => tracing::info!("the hub is connected"),
        HubState::Starting => tracing::info!("the hub is being connected"),
        HubState::Unreachable | HubState::Failing | HubState::Removed => {
            tracing::warn!(state, error, "the hub is not connected");
        }
    }
}

fn note(settings: &Settings, error: Option<&str>) -> Result<(), DevicesError> {
    let mut ledger = Ledger::open(&settings.data, &settings.new_device)?;
    let text = error.unwrap_or_default();
    Ok(ledger.keep_note(TROUBLE, text.as_bytes()).map_err(HubFault::from)?)
}
