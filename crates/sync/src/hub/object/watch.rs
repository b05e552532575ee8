//! Hints by polling: an object store has no notifications. Only watched names are polled.

use super::{ObjectHub, Place, frame, keys, logs, meant};
use crate::hub::{Hint, Hints, Hub, KeyName, LogName, Prefix, Result, Watched};
use bytes::Bytes;
use object_store::path::Path;
use object_store::{PutMode, PutOptions};
use std::collections::BTreeMap;
use taffrail_model::DeviceId;
use tokio::sync::broadcast::Sender;

/// In a bucket only every n-th poll reads beats: each request costs money.
const BEATS_EVERY: u64 = 4;

/// The state of the hub at the last poll.
#[derive(Debug, Default, Clone)]
struct Snapshot {
    logs: BTreeMap<LogName, u64>,
    keys: BTreeMap<KeyName, u64>,
    beats: BTreeMap<DeviceId, Bytes>,
    times: u64,
}

pub(super) async fn watch(hub: &ObjectHub, watched: &Watched) -> Result<Hints> {
    let before = snapshot(hub, watched, &Snapshot::default()).await?;
    let (hub, what) = (hub.clone(), watched.clone());
    Ok(Hints::fed(watched.clone(), |sender| poll(hub, what, before, sender)))
}

/// Writes a beat over the device's previous one.
pub(super) async fn beat(hub: &ObjectHub, device: &DeviceId, bytes: Bytes) -> Result<()> {
    hub.must_be_there()?;
    let options = PutOptions::from(PutMode::Overwrite);
    let (path, bytes) = (beat_path(hub, device)?, frame::wrap(&bytes));
    hub.store.put_opts(&path, bytes.into(), options).await.map_err(meant)?;
    Ok(())
}

async fn poll(hub: ObjectHub, watched: Watched, mut before: Snapshot, sender: Sender<Hint>) {
    loop {
        tokio::time::sleep(hub.pause()).await;
        // A store that does not answer gives no hints; a reader's own requests report the error.
        let now = match snapshot(&hub, &watched, &before).await {
            Ok(now) => now,
            Err(error) => {
                tracing::debug!(%error, "cannot look for changes on the hub");
                continue;
            }
        };
        for hint in moved(&before, &now) {
            if sender.send(hint).is_err() {
                return;
            }
        }
        before = now;
    }
}

async fn snapshot(hub: &ObjectHub, watched: &Watched, before: &Snapshot) -> Result<Snapshot> {
    let keys = keys::revisions(hub, &watched.keys).await?;
    let mut logs = BTreeMap::new();
    for log in hub.logs(&Prefix::everything()).await? {
        if watched.logs.iter().any(|it| it.holds(&log)) {
            let last = last_of(hub, &log, before).await?;
            logs.insert(log, last);
        }
    }
    let beats = match is_time(hub, before.times) {
        true => beats(hub, &watched.beats).await,
        false => before.beats.clone(),
    };
    Ok(Snapshot { logs, keys, beats, times: before.times + 1 })
}

fn is_time(hub: &ObjectHub, times: u64) -> bool {
    match hub.place {
        Place::Directory | Place::Copied(_) => true,
        Place::EncryptedBucket | Place::PlainBucket => times.is_multiple_of(BEATS_EVERY),
    }
}

/// The last beats of devices; a beat that is being written is read at the next poll.
async fn beats(hub: &ObjectHub, devices: &[DeviceId]) -> BTreeMap<DeviceId, Bytes> {
    let mut out = BTreeMap::new();
    for device in devices {
        // An id that is not a path has no beat.
        let Ok(path) = beat_path(hub, device) else { continue };
        if let Ok(Some(bytes)) = hub.read(&path).await {
            out.insert(device.clone(), bytes);
        }
    }
    out
}

fn beat_path(hub: &ObjectHub, device: &DeviceId) -> Result<Path> {
    hub.path(&format!("beats/{device}.beat"))
}

/// The last entry, searched from the last poll's, unless the hub was emptied since.
async fn last_of(hub: &ObjectHub, log: &LogName, before: &Snapshot) -> Result<u64> {
    let known = before.logs.get(log).copied().unwrap_or(0);
    let last = logs::last(hub, log, known).await?;
    let is_there =
        last > known || known == 0 || hub.exists(&logs::entry_path(hub, log, known)?).await?;
    if is_there { Ok(last) } else { logs::last(hub, log, 0).await }
}

fn moved(before: &Snapshot, now: &Snapshot) -> Vec<Hint> {
    let logs = now.logs.iter().filter(|(log, last)| before.logs.get(log) != Some(last));
    let keys = now.keys.iter().filter(|(key, last)| before.keys.get(key) != Some(last));
    let beats = now.beats.iter().filter(|(device, said)| before.beats.get(device) != Some(said));
    let logs = logs.map(|(log, _)| Hint::Log(log.clone()));
    let beats = beats.map(|(device, said)| Hint::Beat(device.clone(), said.clone()));
    logs.chain(keys.map(|(key, _)| Hint::Key(key.clone()))).chain(beats).collect()
}
