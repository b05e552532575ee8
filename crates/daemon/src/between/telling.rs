//! Telling other devices what changed here.

use super::shares::{self, Watch};
use super::{PAUSE, desk};
use crate::hubs::HubFault;
use crate::live::{Handle, Told, What};
use crate::{DaemonError, relay};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;
use taffrail_model::SessionId;
use taffrail_model::exchange::Outbox;
use taffrail_model::relay::{Carried, Item as Relayed};
use taffrail_store::Ledger;
use taffrail_sync::exchange::{Item, own};
use tokio::sync::broadcast::error::{RecvError, TryRecvError};
use tokio::sync::{broadcast, watch};

/// What follows within so long of a change is told with it.
const GATHER: Duration = Duration::from_millis(50);
/// While sessions live, others hear at least so often that this device does, too.
const BEAT: Duration = Duration::from_secs(60);
/// At most about so many lines are read at once.
const MOST: usize = 500;

type Feed = broadcast::Receiver<Arc<Told>>;

/// Tells until the daemon ends.
pub(super) async fn tell(handle: &Handle, mut stops: watch::Receiver<bool>) {
    let mut told = handle.follow();
    let mut shared = Watch::new();
    let mut moved: BTreeSet<SessionId> = handle.cards().into_keys().collect();
    while !*stops.borrow() {
        let (own, sessions) = (handle.clone(), std::mem::take(&mut moved));
        let given = tokio::task::spawn_blocking(move || give(&own, &sessions)).await;
        let given = given.unwrap_or(Err(DaemonError::Ending));
        handle.between().note_telling(&given);
        // What could not be told is tried again, whatever changes meanwhile.
        let beat = if given.is_err() { PAUSE } else { BEAT };
        tokio::select! {
            _ = stops.wait_for(|it| *it) => break,
            () = change(handle, (&mut told, beat), &mut moved) => {}
            sessions = shared.next(handle) => moved.extend(sessions),
        }
    }
}

/// Waits for a change and for what follows close upon it, and for a beat at most.
async fn change(
    handle: &Handle,
    (told, beat): (&mut Feed, Duration),
    moved: &mut BTreeSet<SessionId>,
) {
    let next = tokio::select! {
        it = tokio::time::timeout(beat, next_of_ours(told)) => it,
        () = handle.between().looked_up.notified() => {
            return moved.extend(handle.cards().into_keys());
        }
    };
    match next {
        Err(_) if beat == PAUSE => moved.extend(handle.cards().into_keys()),
        // One word says that we are there.
        Err(_) => moved.extend(handle.cards().into_keys().next()),
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

/// What others told of theirs is not told on.
async fn next_of_ours(told: &mut Feed) -> Result<Arc<Told>, RecvError> {
    loop {
        match told.recv().await {
            Ok(it) if it.is_remote => {}
            other => return other,
        }
    }
}

fn note(handle: &Handle, told: Result<Arc<Told>, RecvError>, moved: &mut BTreeSet<SessionId>) {
    match told {
        Ok(it) if !it.is_remote && matches!(it.what, What::Status { .. }) => {
            moved.insert(it.session);
        }
        Ok(_) => {}
        // What was missed is not known: all are told again.
        Err(RecvError::Lagged(_) | RecvError::Closed) => moved.extend(handle.cards().into_keys()),
    }
}

/// Gives everything that changed to the outbox.
fn give(handle: &Handle, moved: &BTreeSet<SessionId>) -> Result<(), DaemonError> {
    let settings = handle.settings();
    loop {
        let told = relay::tell(settings, MOST)?;
        push(handle, &told.items)?;
        relay::note_told(settings, &told)?;
        if !told.more {
            break;
        }
    }
    push(handle, &relay::stands(handle, moved)?)?;
    shares::give(handle, moved)?;
    desk::tell(handle)
}

fn push(handle: &Handle, items: &[Relayed]) -> Result<(), DaemonError> {
    if items.is_empty() {
        return Ok(());
    }
    let bytes: Vec<Vec<u8>> = items.iter().map(|it| carried(it).to_bytes()).collect();
    let (settings, at) = (handle.settings(), (handle.settings().now)());
    let mut ledger = Ledger::open(&settings.data, &settings.new_device)?;
    ledger.push(&own(), &bytes, at).map_err(HubFault::from)?;
    handle.between().nudge();
    Ok(())
}

pub(super) fn carried(it: &Relayed) -> Item {
    let session = it.session;
    match &it.carried {
        Carried::Line(line) => Item::Line { session, line: line.clone() },
        Carried::Status(status) => {
            // What is made of plain fields can always be written.
            let body = serde_json::to_string(status).unwrap_or_default();
            Item::Status { session, body }
        }
        Carried::Gone => Item::Gone { session },
    }
}
