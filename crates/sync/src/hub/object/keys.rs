//! Keys as numbered states: creating the next number sets the key.
//!
//! Old states are removed an hour after they were replaced, by the store's own clock, the oldest
//! first. A writer that paused between reading and creating could then create a number that was
//! used before. So it checks its base state again afterwards: while the base exists, the next
//! number was never removed.

use super::{Created, ObjectHub, logs, padded};
use crate::hub::answer::fits;
use crate::hub::{HubError, KeyName, Prefix, Result, Revision, Swapped, VALUE_LIMIT, Value};
use bytes::Bytes;
use object_store::path::Path;
use object_store::{ObjectMeta, ObjectStoreExt};
use std::collections::BTreeMap;

/// How long a replaced state is kept.
const KEPT_SECONDS: i64 = 60 * 60;
/// The number of writes of a key between two sweeps.
const SWEEP_EVERY: u64 = 16;

pub(super) async fn get(hub: &ObjectHub, key: &KeyName) -> Result<Option<Value>> {
    let Some(revision) = newest(hub, key).await? else { return Ok(None) };
    let bytes = hub.read(&state_path(hub, key, revision)?).await?;
    // Newer states may exist, and this one may have been removed since it was listed.
    let gone = || HubError::Unreachable(format!("{key} moved while it was read"));
    Ok(Some(Value { revision: Revision(revision), bytes: bytes.ok_or_else(gone)? }))
}

pub(super) async fn cas(
    hub: &ObjectHub,
    key: &KeyName,
    expected: Option<Revision>,
    bytes: Bytes,
) -> Result<Swapped> {
    fits(bytes.len(), VALUE_LIMIT)?;
    let base = expected.map_or(0, Revision::number);
    if !is_there(hub, key, base).await? {
        return Ok(Swapped::Conflict);
    }
    let next = base + 1;
    let next_path = state_path(hub, key, next)?;
    if hub.create(&next_path, &bytes).await? == Created::WasThere {
        return Ok(Swapped::Conflict);
    }
    if base > 0 && !hub.exists(&state_path(hub, key, base)?).await? {
        // Best effort: a state below the newest does no harm.
        if let Err(error) = hub.store.delete(&next_path).await {
            tracing::debug!(%error, "cannot remove a value of the hub that is not needed");
        }
        return Ok(Swapped::Conflict);
    }
    hub.remember(key, next);
    if next.is_multiple_of(SWEEP_EVERY) {
        // Best effort: the next sweep removes what remains.
        if let Err(error) = sweep(hub, key).await {
            tracing::debug!(%error, "cannot remove old values of the hub");
        }
    }
    Ok(Swapped::Done(Revision(next)))
}

/// Whether a state exists; state 0 exists while the key has none.
async fn is_there(hub: &ObjectHub, key: &KeyName, revision: u64) -> Result<bool> {
    if revision == 0 {
        return Ok(newest(hub, key).await?.is_none());
    }
    hub.exists(&state_path(hub, key, revision)?).await
}

/// Every key below a prefix with its newest revision.
pub(super) async fn revisions(hub: &ObjectHub, below: &Prefix) -> Result<BTreeMap<KeyName, u64>> {
    let folder = hub.path("keys")?;
    let found = hub.list(&hub.path(&super::join("keys", below.as_str()))?).await?;
    let mut newest = BTreeMap::new();
    for meta in found {
        let Some((key, revision)) = parse(&folder, &meta.location) else { continue };
        if below.holds(&key) {
            let known = newest.entry(key).or_insert(revision);
            *known = revision.max(*known);
        }
    }
    Ok(newest)
}

/// A hash of the newest states of all keys. This hub stores no segments, so blobs do not matter.
pub(super) async fn mark(hub: &ObjectHub) -> Result<Option<u64>> {
    let mut hasher = blake3::Hasher::new();
    for (key, revision) in revisions(hub, &Prefix::everything()).await? {
        hasher.update(format!("{key} {revision}\n").as_bytes());
    }
    let hash = hasher.finalize();
    Ok(hash.as_bytes().first_chunk::<8>().map(|it| u64::from_le_bytes(*it)))
}

/// The newest state, searched from the last known one: from any existing state up to the newest
/// there are no gaps.
async fn newest(hub: &ObjectHub, key: &KeyName) -> Result<Option<u64>> {
    let path = |revision| state_path(hub, key, revision);
    let known = hub.known(key);
    let newest = match known {
        Some(known) if hub.exists(&path(known)?).await? => {
            Some(logs::end_of(hub, known, path).await?)
        }
        Some(_) | None => states(hub, key).await?.last().map(|(revision, _)| *revision),
    };
    if let Some(newest) = newest {
        hub.remember(key, newest);
    }
    Ok(newest)
}

/// The states of one key, oldest first.
async fn states(hub: &ObjectHub, key: &KeyName) -> Result<Vec<(u64, ObjectMeta)>> {
    let folder = hub.path("keys")?;
    let found = hub.list(&hub.path(&format!("keys/{key}"))?).await?;
    let own = found.into_iter().filter_map(|meta| {
        let (name, revision) = parse(&folder, &meta.location)?;
        (name == *key).then_some((revision, meta))
    });
    let mut states: Vec<_> = own.collect();
    states.sort_unstable_by_key(|(revision, _)| *revision);
    Ok(states)
}

/// Removes states that were replaced long ago, oldest first, except the last two.
async fn sweep(hub: &ObjectHub, key: &KeyName) -> Result<()> {
    let states = states(hub, key).await?;
    let Some((_, newest)) = states.last() else { return Ok(()) };
    let now = newest.last_modified;
    for pair in states.windows(2).take(states.len().saturating_sub(2)) {
        let [(_, old), (_, next)] = pair else { continue };
        if (now - next.last_modified).num_seconds() < KEPT_SECONDS {
            break;
        }
        hub.store.delete(&old.location).await.map_err(super::meant)?;
    }
    Ok(())
}

fn parse(folder: &Path, location: &Path) -> Option<(KeyName, u64)> {
    let tail = location.as_ref().strip_prefix(folder.as_ref())?.strip_prefix('/')?;
    let (key, revision) = tail.strip_suffix(".value")?.rsplit_once('/')?;
    Some((KeyName::new(key).ok()?, revision.parse().ok()?))
}

fn state_path(hub: &ObjectHub, key: &KeyName, revision: u64) -> Result<Path> {
    hub.path(&format!("keys/{key}/{}.value", padded(revision)))
}
