//! Claims decisions on the hub over the connection of the exchange.

use crate::link::{ClaimTask, ExchangeHandle};
use std::sync::PoisonError;
use taffrail_sync::exchange::decision::claim;
use taffrail_sync::hub::AnyHub;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::sync::watch;

/// Makes claims until the daemon ends.
pub(in crate::exchange) async fn make_claims(
    handle: &ExchangeHandle,
    hub: AnyHub,
    mut stops: watch::Receiver<bool>,
) {
    let (tasks, mut waiting) = unbounded_channel();
    let slot = &handle.state().claims;
    *slot.lock().unwrap_or_else(PoisonError::into_inner) = Some(tasks);
    tokio::select! {
        () = work(&hub, &mut waiting) => {}
        _ = stops.wait_for(|it| *it) => {}
    }
    slot.lock().unwrap_or_else(PoisonError::into_inner).take();
}

async fn work(hub: &AnyHub, waiting: &mut UnboundedReceiver<ClaimTask>) {
    while let Some(task) = waiting.recv().await {
        let claimed = claim(hub, &task.roster, &task.request, &task.ours).await;
        // The client may have gone away.
        task.done.send(claimed).ok();
    }
}
