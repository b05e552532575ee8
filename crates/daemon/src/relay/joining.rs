//! Telling and hearing while a daemon runs.

use super::dropping::drop_gone;
use super::hearing::{Ears, Heard, hear};
use super::statuses::said_of;
use super::telling::is_chosen;
use crate::live::Handle;
use crate::{DaemonError, Settings};
use std::collections::BTreeSet;
use taffrail_model::relay::{Carried, Item};
use taffrail_model::{DeviceId, SessionId, StreamName};
use taffrail_store::{IndexReader, Writer};

/// Takes in what a device told, and lets the daemon know: new lines are read like any change of a
/// source, what was taken back goes at once, and statuses are shown.
///
/// # Errors
/// As `hear`; when the daemon is ending.
pub async fn hear_in(
    handle: &Handle,
    device: &DeviceId,
    items: Vec<Item>,
) -> Result<Heard, DaemonError> {
    let (settings, from) = (handle.settings().clone(), device.clone());
    let hearing = tokio::task::spawn_blocking(move || hear(&settings, &from, &items));
    let heard = hearing.await.map_err(|_| DaemonError::Ending)??;
    if !heard.gone.is_empty() {
        handle.alone(drop_all).await.ok_or(DaemonError::Ending)??;
    }
    handle.heard(device, &heard.stand);
    Ok(heard)
}

/// The same for who cannot wait for the daemon: what was taken back goes a little later.
///
/// # Errors
/// As `hear`.
pub(crate) fn hear_now(
    (handle, ears): (&Handle, &mut Ears),
    device: &DeviceId,
    items: &[Item],
) -> Result<(), DaemonError> {
    let heard = ears.hear(handle.settings(), device, items)?;
    take_up(handle, device, &heard);
    Ok(())
}

/// The same for what a device shares in a stream.
///
/// # Errors
/// As `hear_share`.
pub(crate) fn hear_share_now(
    (handle, ears): (&Handle, &mut Ears),
    (device, stream): (&DeviceId, &StreamName),
    items: &[Item],
) -> Result<(), DaemonError> {
    let heard = ears.hear_share(handle.settings(), (device, stream), items)?;
    take_up(handle, device, &heard);
    Ok(())
}

fn take_up(handle: &Handle, device: &DeviceId, heard: &Heard) {
    if !heard.gone.is_empty() {
        let handle = handle.clone();
        tokio::spawn(async move {
            // `None` is a daemon that is ending; the next one takes it out.
            if let Some(Err(error)) = handle.alone(drop_all).await {
                handle.between().fail(&error.to_string());
            }
        });
    }
    handle.heard(device, &heard.stand);
}

fn drop_all(settings: &Settings) -> Result<bool, DaemonError> {
    let mut writer = Writer::open(&settings.data, settings.boot())?;
    drop_gone(settings, &mut writer)
}

/// How sessions stand, for other devices; nothing of those they are not told of, or nobody knows.
///
/// # Errors
/// When the index cannot be read.
pub fn stands(handle: &Handle, sessions: &BTreeSet<SessionId>) -> Result<Vec<Item>, DaemonError> {
    let (settings, mut out) = (handle.settings(), Vec::new());
    if sessions.is_empty() {
        return Ok(out);
    }
    let Some(index) = IndexReader::open(&settings.data)? else { return Ok(out) };
    for session in sessions {
        let Some(card) = handle.card(*session) else { continue };
        let row = index.session_by_id(*session)?;
        if row.is_some_and(|row| is_chosen(settings, &row)) {
            let carried = Carried::Status(said_of(settings, &card, settings.sync.bodies));
            out.push(Item { session: *session, carried });
        }
    }
    Ok(out)
}
