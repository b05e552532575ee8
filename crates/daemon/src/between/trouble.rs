//! What is wrong with the hub, remembered for who asks without a daemon.

use crate::contracts::TROUBLE;
use crate::hubs::HubFault;
use crate::live::Handle;
use crate::{DaemonError, Settings};
use taffrail_model::exchange::Outbox;
use taffrail_store::Ledger;
use tokio::sync::watch;

/// Notes what is wrong whenever that changes, until the daemon ends.
pub(super) async fn remember(handle: &Handle, mut stops: watch::Receiver<bool>) {
    let mut health = handle.between().health.subscribe();
    let mut noted = None;
    while !*stops.borrow() {
        let now = Some(health.borrow_and_update().error.clone());
        if now != noted {
            // What cannot be remembered is told while the daemon runs all the same.
            note(handle.settings(), now.as_ref().and_then(Option::as_deref)).ok();
            noted = now;
        }
        tokio::select! {
            changed = health.changed() => if changed.is_err() { return },
            _ = stops.wait_for(|it| *it) => return,
        }
    }
}

fn note(settings: &Settings, error: Option<&str>) -> Result<(), DaemonError> {
    let mut ledger = Ledger::open(&settings.data, &settings.new_device)?;
    let text = error.unwrap_or_default();
    Ok(ledger.keep_note(TROUBLE, text.as_bytes()).map_err(HubFault::from)?)
}
