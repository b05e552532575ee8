//! What is stored, and removing it.
//!
//! A log is found by its numbers, which have no gaps from the first one on. Where the first entries were
//! removed, `floors/LOG/NUMBER.floor` names the first that is kept; it is written before they go.

use super::{ObjectHub, blobs, logs, meant, name_of, padded};
use crate::hub::{
    BlobName, HubError, LogName, Name, Pointer, Result, Stored, StoredItem, Usage, UsageOf,
};
use object_store::path::Path;
use object_store::{Error, ObjectMeta, ObjectStoreExt};
use std::collections::HashMap;
use taffrail_model::Timestamp;

pub(super) async fn trim(hub: &ObjectHub, log: &LogName, first: u64) -> Result<()> {
    let before = floor(hub, log).await?.unwrap_or(1);
    let first = first.min(logs::last(hub, log, before.saturating_sub(1)).await?);
    if first <= before {
        return Ok(());
    }
    let path = hub.path(&format!("floors/{log}/{}.floor", padded(first)))?;
    hub.create(&path, b"").await?;
    for seq in before..first {
        delete(hub, &logs::entry_path(hub, log, seq)?).await?;
    }
    if before > 1 {
        delete(hub, &hub.path(&format!("floors/{log}/{}.floor", padded(before)))?).await?;
    }
    Ok(())
}

/// The first entry that is kept, if earlier ones were removed.
pub(super) async fn floor(hub: &ObjectHub, log: &LogName) -> Result<Option<u64>> {
    let folder = hub.path(&format!("floors/{log}"))?;
    let found = hub.list(&folder).await?;
    Ok(found.iter().filter_map(|it| numbered(&folder, &it.location, ".floor")).max())
}

/// The number of an object directly below a folder.
fn numbered(folder: &Path, location: &Path, ending: &str) -> Option<u64> {
    let tail = location.as_ref().strip_prefix(folder.as_ref())?.strip_prefix('/')?;
    tail.strip_suffix(ending)?.parse().ok()
}

/// Removes the name first, so that it never leads to half a blob. Its bytes are of nobody else: names of
/// segments and bundles are made from what they hold.
pub(super) async fn remove_blob(hub: &ObjectHub, name: &BlobName) -> Result<()> {
    let Some(pointer) = blobs::pointer_of(hub, name).await? else { return Ok(()) };
    delete(hub, &blobs::name_path(hub, name)?).await?;
    delete(hub, &blobs::bytes_path(hub, &pointer)?).await
}

async fn delete(hub: &ObjectHub, path: &Path) -> Result<()> {
    match hub.store.delete(path).await {
        Ok(()) | Err(Error::NotFound { .. }) => Ok(()),
        Err(error) => Err(meant(error)),
    }
}

pub(super) async fn inventory(hub: &ObjectHub) -> Result<Vec<Stored>> {
    let entries = hub.path("entries")?;
    let found = hub.list(&entries).await?;
    let mut all: Vec<Stored> = found.iter().filter_map(|it| entry(&entries, it)).collect();
    let bytes = hub.path("bytes")?;
    let sizes = hub.list(&bytes).await?;
    let sizes: HashMap<&str, u64> =
        sizes.iter().filter_map(|it| Some((it.location.filename()?, it.size))).collect();
    let blobs = hub.path("blobs")?;
    for meta in hub.list(&blobs).await? {
        let Some(name) = name_of(&blobs, &meta.location, ".blob") else { continue };
        let pointer: Option<Pointer> = blobs::pointer_of(hub, &name).await?;
        let size = pointer.and_then(|it| sizes.get(it.blake3.as_str()).copied());
        all.extend(stored(StoredItem::Blob(name), &meta, size.unwrap_or(0) + meta.size));
    }
    Ok(all)
}

fn entry(folder: &Path, meta: &ObjectMeta) -> Option<Stored> {
    let tail = meta.location.as_ref().strip_prefix(folder.as_ref())?.strip_prefix('/')?;
    let (log, seq) = tail.strip_suffix(".entry")?.rsplit_once('/')?;
    let item = StoredItem::Entry(Name::new(log).ok()?, seq.parse().ok()?);
    stored(item, meta, meta.size)
}

fn stored(item: StoredItem, meta: &ObjectMeta, bytes: u64) -> Option<Stored> {
    let at = Timestamp::from_millisecond(meta.last_modified.timestamp_millis()).ok()?;
    Some(Stored { item, at, bytes })
}

/// The bytes of everything below the team's folder.
pub(super) async fn usage(hub: &ObjectHub) -> Result<Option<Usage>> {
    let root = Path::parse(&hub.root).map_err(|error| HubError::Refused(error.to_string()))?;
    let bytes = hub.list(&root).await?.iter().map(|it| it.size).sum();
    Ok(Some(Usage { bytes, limit: None, of: UsageOf::Team }))
}
