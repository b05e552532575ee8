//! Publishes to the readers of shares, and withdraws what was revoked.

use crate::error::DevicesError;
use crate::error::HubFault;
use crate::link::ExchangeHandle;
use crate::replication;
use std::collections::BTreeSet;
use std::time::Duration;
use taffrail_model::exchange::{Outbox, Writing};
use taffrail_model::{SessionId, StreamName};
use taffrail_store::{IndexReader, Ledger, Share, ShareState, StoreError};
use taffrail_sync::exchange::{BEAT, Item};
use tokio::time::Instant;

/// How often to check whether something was shared or revoked. `taffrail share` and `forget` write that
/// into the ledger from processes of their own, which have no channel to this one.
const LOOK: Duration = Duration::from_secs(1);
/// About how many lines are read at once.
const MOST: usize = 500;

/// The shares at the last check.
#[derive(Debug)]
pub(super) struct Watch {
    /// Kept open, because opening it costs more than the check.
    ledger: Option<Ledger>,
    known: Vec<(StreamName, ShareState)>,
    beat: Instant,
}

/// What to do next.
enum Due {
    /// Every share has something to publish.
    All,
    /// A share whose readers know of its end can be closed.
    End,
    Nothing,
}

impl Watch {
    /// Starts without known shares.
    pub(super) fn new() -> Self {
        Self { ledger: None, known: Vec::new(), beat: Instant::now() + BEAT }
    }

    /// Waits until shares have something to publish, and returns the sessions whose status their
    /// readers need.
    pub(super) async fn next(&mut self, handle: &ExchangeHandle) -> Vec<SessionId> {
        loop {
            tokio::time::sleep(LOOK).await;
            match self.shares(handle) {
                Ok(shares) => match self.due(&shares, handle.state().is_mute()) {
                    Due::All => return shares.into_iter().map(|it| it.session).collect(),
                    Due::End => return Vec::new(),
                    Due::Nothing => {}
                },
                Err(error) => handle.state().fail(&error.to_string()),
            }
        }
    }

    fn shares(&mut self, handle: &ExchangeHandle) -> Result<Vec<Share>, StoreError> {
        if self.ledger.is_none() {
            self.ledger = Ledger::open_read_only(&handle.settings().data)?;
        }
        self.ledger.as_ref().map_or(Ok(Vec::new()), Ledger::shares)
    }

    /// Everything is due when a share was added or changed its state. On a hub without heartbeats,
    /// it is also due once per beat.
    fn due(&mut self, shares: &[Share], is_mute: bool) -> Due {
        let now: Vec<_> = shares.iter().map(|it| (it.stream.clone(), it.state)).collect();
        let is_other = now != self.known;
        let is_time = is_mute && !shares.is_empty() && Instant::now() >= self.beat;
        self.known = now;
        if is_other || is_time {
            self.beat = Instant::now() + BEAT;
            return Due::All;
        }
        match shares.iter().any(|it| it.state == ShareState::Gone) {
            true => Due::End,
            false => Due::Nothing,
        }
    }
}

/// Puts everything that changed in shared sessions into the outbox.
pub(super) fn give(
    handle: &ExchangeHandle,
    moved: &BTreeSet<SessionId>,
) -> Result<(), DevicesError> {
    let settings = handle.settings();
    let read = Ledger::open_read_only(&settings.data)?;
    let shares = read.map(|it| it.shares()).transpose()?.unwrap_or_default();
    if shares.is_empty() {
        return Ok(());
    }
    let index = IndexReader::open(&settings.data)?;
    let ledger = &mut Ledger::open(&settings.data, &settings.new_device)?;
    for share in shares {
        let is_behind = index.as_ref().map(|it| replication::is_behind(it, &share)).transpose()?;
        let is_due = is_behind == Some(true) || moved.contains(&share.session);
        match share.state {
            ShareState::Told if !is_due => {}
            ShareState::Told => tell(handle, ledger, share, moved)?,
            ShareState::Revoked => take_back(handle, ledger, &share)?,
            ShareState::Gone => end(ledger, &share)?,
        }
    }
    Ok(())
}

fn tell(
    handle: &ExchangeHandle,
    ledger: &mut Ledger,
    mut share: Share,
    moved: &BTreeSet<SessionId>,
) -> Result<(), DevicesError> {
    let is_new = share.number == 0;
    while let Some(told) = replication::outgoing_share(handle.settings(), &share, MOST)? {
        push(handle, ledger, (&share.stream, &told.items))?;
        ledger.note_share(&told.share, &told.marks)?;
        share = told.share;
        if !told.more {
            break;
        }
    }
    if !is_new && !moved.contains(&share.session) {
        return Ok(());
    }
    let stands = replication::share_status(handle, &share)?;
    push(handle, ledger, (&share.stream, stands.as_slice()))
}

fn push(
    handle: &ExchangeHandle,
    ledger: &mut Ledger,
    (stream, items): (&StreamName, &[Item]),
) -> Result<(), DevicesError> {
    if items.is_empty() {
        return Ok(());
    }
    let bytes: Vec<Vec<u8>> = items.iter().map(Item::to_bytes).collect();
    let at = (handle.settings().now)();
    ledger.push(stream, &bytes, at).map_err(HubFault::from)?;
    handle.state().nudge();
    Ok(())
}

/// Tells the readers that the session is gone.
fn take_back(
    handle: &ExchangeHandle,
    ledger: &mut Ledger,
    share: &Share,
) -> Result<(), DevicesError> {
    let gone = Item::Gone { session: share.session };
    push(handle, ledger, (&share.stream, &[gone]))?;
    Ok(ledger.note_share_gone(&share.stream)?)
}

/// Closes a share once all of it is stored durably on the hub.
fn end(ledger: &mut Ledger, share: &Share) -> Result<(), DevicesError> {
    let streams = ledger.streams().map_err(HubFault::from)?;
    let waits = |it: &Writing| it.last > it.sealed || it.batches > it.confirmed;
    let writing = streams.iter().find(|it| it.stream == share.stream);
    match writing.is_some_and(waits) {
        true => Ok(()),
        false => Ok(ledger.end_share(&share.stream)?),
    }
}
