//! Applies and publishes while a daemon runs.

use super::inbound::{Applied, Inbound, Placed};
use crate::error::DevicesError;
use crate::link::ExchangeHandle;
use std::collections::BTreeSet;
use taffrail_context::Settings;
use taffrail_context::remote_status::{self as statuses, said_of};
use taffrail_ingest::drop_gone;
use taffrail_model::status::Status;
use taffrail_model::{DeviceId, SessionId, StreamName, Timestamp};
use taffrail_query::is_chosen;
use taffrail_store::{IndexReader, Ledger, StoreError, Writer};
use taffrail_sync::exchange::Item;

/// Applies items of a device and informs the daemon: it reads new lines like any change of a
/// source, shows statuses, and drops removed sessions a little later.
///
/// # Errors
/// As `apply`.
pub fn apply_now(
    (handle, inbound): (&ExchangeHandle, &mut Inbound),
    device: &DeviceId,
    items: &[Placed<'_>],
) -> Result<(), DevicesError> {
    let heard = inbound.apply(handle.settings(), device, items)?;
    take_up(handle, device, &heard);
    Ok(())
}

/// Like `apply_now` for the items of a checkpoint.
///
/// # Errors
/// As `apply`.
pub fn apply_checkpoint_now(
    (handle, inbound): (&ExchangeHandle, &mut Inbound),
    device: &DeviceId,
    items: &[Placed<'_>],
) -> Result<(), DevicesError> {
    let heard = inbound.apply_checkpoint(handle.settings(), device, items)?;
    take_up(handle, device, &heard);
    Ok(())
}

/// Like `apply_now` for items that a device shares in a stream.
///
/// # Errors
/// As `apply_share`.
pub fn apply_share_now(
    (handle, inbound): (&ExchangeHandle, &mut Inbound),
    (device, stream): (&DeviceId, &StreamName),
    items: &[Placed<'_>],
) -> Result<(), DevicesError> {
    let heard = inbound.apply_share(handle.settings(), (device, stream), items)?;
    take_up(handle, device, &heard);
    Ok(())
}

/// Applies a heartbeat of a device; `at` is the time on its clock.
///
/// # Errors
/// When the heartbeat cannot be stored.
pub fn apply_beat(
    handle: &ExchangeHandle,
    device: &DeviceId,
    at: Timestamp,
) -> Result<(), DevicesError> {
    let settings = handle.settings();
    let kept = statuses::note_beat(&settings.data, device, ((settings.now)(), at));
    kept.map_err(StoreError::from)?;
    handle.live().note_remote_status(device, &[]);
    Ok(())
}

fn take_up(handle: &ExchangeHandle, device: &DeviceId, heard: &Applied) {
    if !heard.gone.is_empty() {
        let handle = handle.clone();
        tokio::spawn(async move {
            // `None` means that the daemon is ending; the next one drops the sessions.
            if let Some(Err(error)) = handle.live().alone(drop_all).await {
                handle.state().fail(&error.to_string());
            }
        });
    }
    handle.live().note_remote_status(device, &heard.stand);
}

fn drop_all(settings: &Settings) -> Result<bool, DevicesError> {
    let mut writer = Writer::open(&settings.data, settings.boot())?;
    Ok(drop_gone(settings, &mut writer)?)
}

/// Sessions that are not over, of any device. Their published status counts only while heartbeats
/// from this device arrive.
pub fn living(handle: &ExchangeHandle) -> BTreeSet<SessionId> {
    let lives = |it: &Status| !matches!(it, Status::Exited | Status::Unknown);
    let cards = handle.live().statuses().into_iter().filter(|(_, it)| lives(&it.reading.status));
    cards.map(|(id, _)| id).collect()
}

/// True if a published session of this device is alive.
pub fn is_any_living(handle: &ExchangeHandle) -> Result<bool, DevicesError> {
    let (settings, living) = (handle.settings(), living(handle));
    let shares = Ledger::open_read_only(&settings.data)?;
    let shares = shares.map(|it| it.shares()).transpose()?.unwrap_or_default();
    if shares.iter().any(|it| living.contains(&it.session)) {
        return Ok(true);
    }
    let Some(index) = IndexReader::open(&settings.data)? else { return Ok(false) };
    for session in living {
        if index.session_by_id(session)?.is_some_and(|row| is_chosen(settings, &row)) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The statuses of sessions for other devices, without sessions that are not published or whose
/// status is unknown.
///
/// # Errors
/// When the index cannot be read.
pub fn statuses_of(
    handle: &ExchangeHandle,
    sessions: &BTreeSet<SessionId>,
) -> Result<Vec<Item>, DevicesError> {
    let (settings, mut out) = (handle.settings(), Vec::new());
    if sessions.is_empty() {
        return Ok(out);
    }
    let Some(index) = IndexReader::open(&settings.data)? else { return Ok(out) };
    for session in sessions {
        let Some(card) = handle.live().status(*session) else { continue };
        let row = index.session_by_id(*session)?;
        if row.is_some_and(|row| is_chosen(settings, &row)) {
            let status = said_of(settings, &card, settings.sync.bodies);
            out.push(Item::Status { session: *session, status });
        }
    }
    Ok(out)
}
