//! One session for the readers of a share: what changed in it since the last publish.

use super::publisher::{Publisher, Sharing, Way};
use crate::error::DevicesError;
use crate::link::ExchangeHandle;
use crate::teleport::Reduce;
use taffrail_context::Settings;
use taffrail_context::remote_status::said_of;
use taffrail_model::replication::{RelayedStatus, as_told};
use taffrail_model::status::Status;
use taffrail_model::{Confidence, Timestamp};
use taffrail_query::is_ours;
use taffrail_store::{IndexReader, Ledger, Mark, SessionRow, Share, ToldSession};
use taffrail_sync::exchange::Item;

/// Items to publish in a share, and what to record once they are safely on their way.
#[derive(Debug)]
pub struct OutgoingShare {
    /// The items, in order.
    pub items: Vec<Item>,
    /// There is more; call again.
    pub more: bool,
    /// The share's progress after this.
    pub share: Share,
    /// Marks of what was published.
    pub marks: Vec<Mark>,
}

/// Collects the items to publish in a share since the last time, about this many lines at most;
/// `None` if nothing changed. Records nothing.
///
/// # Errors
/// When our own files cannot be read.
pub fn outgoing_share(
    settings: &Settings,
    share: &Share,
    most: usize,
) -> Result<Option<OutgoingShare>, DevicesError> {
    let Some((index, row)) = shared(settings, share)? else { return Ok(None) };
    let Some(ledger) = Ledger::open_read_only(&settings.data)? else { return Ok(None) };
    if !is_behind(&index, share)? {
        return Ok(None);
    }
    let batch = index.last_batch()?;
    let sharing = Sharing { stream: share.stream.clone(), reduce: reduce(settings, &row) };
    let way = Way { bodies: true, share: Some(sharing) };
    let mut narrator = Publisher::new(settings, (index, ledger), (most, way));
    let whole = narrator.session(&row, &known(share))?;
    let Some(update) = narrator.told.batch.updates.pop() else { return Ok(None) };
    let ToldSession { generation, sequence, number, .. } = update.session;
    let batch = if whole { batch } else { share.batch };
    let share = Share { generation, batch, sequence, number, ..share.clone() };
    let items = narrator.told.items;
    Ok(Some(OutgoingShare { items, more: !whole, share, marks: update.marks }))
}

/// True if a shared session may have changed since the last publish.
pub fn is_behind(index: &IndexReader, share: &Share) -> Result<bool, DevicesError> {
    let goes_on = share.generation == index.generation();
    Ok(!goes_on || index.changed_after(share.session, share.batch)?)
}

/// The status of a shared session, for the readers of the share. A session without recent activity
/// counts as exited, with low confidence.
///
/// # Errors
/// When the index cannot be read.
pub fn share_status(handle: &ExchangeHandle, share: &Share) -> Result<Option<Item>, DevicesError> {
    let settings = handle.settings();
    let Some((index, row)) = shared(settings, share)? else { return Ok(None) };
    let card = handle.live().status(share.session);
    let mut status = match card {
        Some(card) => said_of(settings, &card, true),
        None => over(&row, (settings.now)()),
    };
    if let Some(waits) = &mut status.waiting_for {
        let reduce = reduce(settings, &row);
        waits.text = reduce.text(&waits.text);
        for option in &mut waits.options {
            *option = reduce.text(option);
        }
    }
    let session = as_told(&index.identity_of(row.row)?).session();
    Ok(Some(Item::Status { session, status }))
}

fn over(row: &SessionRow, now: Timestamp) -> RelayedStatus {
    RelayedStatus {
        status: Status::Exited,
        since: row.last_event_at.or(row.started_at).unwrap_or(now),
        at: now,
        confidence: Confidence::Low,
        waiting_for: None,
        failure: row.failure,
    }
}

/// The session of a share, while it is captured here.
fn shared(
    settings: &Settings,
    share: &Share,
) -> Result<Option<(IndexReader, SessionRow)>, DevicesError> {
    let Some(index) = IndexReader::open(&settings.data)? else { return Ok(None) };
    let row = index.session_by_id(share.session)?.filter(is_ours);
    Ok(row.map(|row| (index, row)))
}

fn reduce(settings: &Settings, row: &SessionRow) -> Reduce {
    Reduce::of(row.project_path.as_deref(), &settings.user_home)
}

fn known(share: &Share) -> ToldSession {
    ToldSession {
        session: share.session,
        generation: share.generation.clone(),
        sequence: share.sequence,
        number: share.number,
        bodies: true,
        gone: false,
    }
}
