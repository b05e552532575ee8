//! Publishes local changes to other devices.

use super::shares::{self, Watch};
use super::{PAUSE, remote_approvals};
use crate::error::DevicesError;
use crate::error::HubFault;
use crate::link::ExchangeHandle;
use crate::replication;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;
use taffrail_context::Error;
use taffrail_context::{Update, UpdateKind};
use taffrail_model::SessionId;
use taffrail_model::exchange::Outbox;
use taffrail_store::Ledger;
use taffrail_sync::exchange::{BEAT, Item, own_stream};
use tokio::sync::broadcast::error::{RecvError, TryRecvError};
use tokio::sync::{broadcast, watch};

/// Changes within this time of the first one are published together.
const GATHER: Duration = Duration::from_millis(50);
/// About how many lines are read at once.
const MOST: usize = 500;

type Feed = broadcast::Receiver<Arc<Update>>;

/// Publishes until the daemon ends.
pub(super) async fn tell(handle: &ExchangeHandle, mut stops: watch::Receiver<bool>) {
    let mut told = handle.live().subscribe();
    let mut shared = Watch::new();
    let mut moved: BTreeSet<SessionId> = handle.live().statuses().into_keys().collect();
    while !*stops.borrow() {
        let (own, sessions) = (handle.clone(), std::mem::take(&mut moved));
        let given = tokio::task::spawn_blocking(move || give(&own, &sessions)).await;
        // The task fails only when the daemon ends.
        let given = given.unwrap_or(Err(Error::Ending.into()));
        handle.state().note_telling(&given);
        // A failed publish is retried, whatever else changes.
        let beat = if given.is_err() { PAUSE } else { BEAT };
        tokio::select! {
            _ = stops.wait_for(|it| *it) => break,
            () = change(handle, (&mut told, beat), &mut moved) => {}
            sessions = shared.next(handle) => moved.extend(sessions),
        }
    }
}

/// Waits for a change and those right after it, for one beat at most.
async fn change(
    handle: &ExchangeHandle,
    (told, beat): (&mut Feed, Duration),
    moved: &mut BTreeSet<SessionId>,
) {
    let next = tokio::select! {
        it = tokio::time::timeout(beat, next_of_ours(told)) => it,
        () = handle.state().looked_up.notified() => {
            return moved.extend(handle.live().statuses().into_keys());
        }
    };
    match next {
        // Nothing changed for a beat.
        Err(_) if beat == PAUSE => moved.extend(handle.live().statuses().into_keys()),
        // Heartbeats go beside the stream. If the hub does not support that, statuses in the stream
        // replace them.
        Err(_) if handle.state().is_mute() => moved.extend(replication::living(handle)),
        Err(_) => {}
        Ok(first) => {
            note(handle, first, moved);
            tokio::time::sleep(GATHER).await;
            loop {
                match told.try_recv() {
                    Ok(more) => note(handle, Ok(more), moved),
                    Err(TryRecvError::Lagged(count)) => {
                        note(handle, Err(RecvError::Lagged(count)), moved);
                    }
                    Err(TryRecvError::Empty | TryRecvError::Closed) => break,
                }
            }
        }
    }
}

/// Skips updates from other devices: they are not published again.
async fn next_of_ours(told: &mut Feed) -> Result<Arc<Update>, RecvError> {
    loop {
        match told.recv().await {
            Ok(it) if it.is_remote => {}
            other => return other,
        }
    }
}

fn note(
    handle: &ExchangeHandle,
    told: Result<Arc<Update>, RecvError>,
    moved: &mut BTreeSet<SessionId>,
) {
    match told {
        Ok(it) if !it.is_remote && is_of_row(&it.what) => {
            moved.insert(it.session);
        }
        Ok(_) => {}
        // The missed updates are unknown, so all sessions are published again.
        Err(RecvError::Lagged(_) | RecvError::Closed) => {
            moved.extend(handle.live().statuses().into_keys());
        }
    }
}

/// Whether another device shows what changed.
fn is_of_row(what: &UpdateKind) -> bool {
    matches!(what, UpdateKind::Status { .. } | UpdateKind::Row { .. })
}

/// Puts everything that changed into the outbox.
fn give(handle: &ExchangeHandle, moved: &BTreeSet<SessionId>) -> Result<(), DevicesError> {
    let settings = handle.settings();
    loop {
        let told = replication::outgoing(settings, MOST)?;
        push(handle, &told.items)?;
        let is_noted = replication::note_published(settings, &told)?;
        if is_noted && !told.more {
            break;
        }
    }
    push(handle, &replication::statuses_of(handle, moved)?)?;
    handle.state().note_lives(replication::is_any_living(handle)?);
    shares::give(handle, moved)?;
    remote_approvals::tell(handle)
}

fn push(handle: &ExchangeHandle, items: &[Item]) -> Result<(), DevicesError> {
    if items.is_empty() {
        return Ok(());
    }
    let bytes: Vec<Vec<u8>> = items.iter().map(Item::to_bytes).collect();
    let (settings, at) = (handle.settings(), (handle.settings().now)());
    let mut ledger = Ledger::open(&settings.data, &settings.new_device)?;
    ledger.push(&own_stream(), &bytes, at).map_err(HubFault::from)?;
    handle.state().nudge();
    Ok(())
}
