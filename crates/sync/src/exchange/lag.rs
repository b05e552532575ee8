//! How far readers are behind writers, for people.

use super::retention::positions_of;
use super::{ExchangeError, Inbox, names};
use crate::hub::Hub;
use crate::roster::Roster;
use taffrail_model::DeviceId;
use taffrail_model::exchange::StreamOrigin;
use taffrail_model::replication::is_share;

/// How many batches of a device are on the hub that this one has not read.
///
/// # Errors
/// Returns an error of the hub or the store.
pub async fn unread<H: Hub>(
    hub: &H,
    inbox: &mut impl Inbox,
    device: &DeviceId,
) -> Result<u64, ExchangeError> {
    let mut sum = 0;
    for (origin, last) in lengths(hub, device).await? {
        let read = inbox.read_to(&origin)?.map_or(0, |it| it.seq);
        sum += last.saturating_sub(read);
    }
    Ok(sum)
}

/// How many batches of this device another one has not read; `None` if it does not say.
///
/// # Errors
/// Returns an error of the hub.
pub async fn unread_there<H: Hub>(
    hub: &H,
    roster: &Roster,
    (us, reader): (&DeviceId, &DeviceId),
) -> Result<Option<u64>, ExchangeError> {
    let Some(positions) = positions_of(hub, roster, reader).await? else { return Ok(None) };
    let mut sum = 0;
    for (origin, last) in lengths(hub, us).await? {
        let read = positions.get(names::log(&origin)?.as_str()).copied().unwrap_or(0);
        sum += last.saturating_sub(read);
    }
    Ok(Some(sum))
}

/// The streams between a user's devices that a device writes now, each with its last batch.
async fn lengths<H: Hub>(
    hub: &H,
    device: &DeviceId,
) -> Result<Vec<(StreamOrigin, u64)>, ExchangeError> {
    let logs = hub.logs(&names::logs_of(device)?).await?;
    let mut newest: Vec<StreamOrigin> = Vec::new();
    for origin in logs.iter().filter_map(names::origin) {
        match newest.iter_mut().find(|it| it.stream == origin.stream) {
            Some(known) if known.incarnation < origin.incarnation => *known = origin,
            Some(_) => {}
            None if is_share(origin.stream.as_str()) => {}
            None => newest.push(origin),
        }
    }
    let mut out = Vec::new();
    for origin in newest {
        let last = hub.last(&names::log(&origin)?).await?;
        out.push((origin, last));
    }
    Ok(out)
}
