//! Logs as numbered objects. Nothing is cached, so an emptied hub is detected.

use super::{Created, ObjectHub, padded};
use crate::hub::answer::fits;
use crate::hub::memory::page;
use crate::hub::{Appended, ENTRY_LIMIT, Entry, HubError, LogName, PAGE_LIMIT, Result};
use bytes::Bytes;
use futures_util::{StreamExt, stream};
use object_store::path::Path;

/// How many entries are requested concurrently.
const AT_ONCE: usize = 16;

pub(super) async fn append(
    hub: &ObjectHub,
    log: &LogName,
    seq: u64,
    bytes: Bytes,
) -> Result<Appended> {
    fits(bytes.len(), ENTRY_LIMIT)?;
    if seq == 0 {
        return Ok(Appended::Conflict { last: last(hub, log, 0).await? });
    }
    if seq == 1 {
        hub.create(&hub.path(&format!("logs/{log}.log"))?, b"").await?;
    } else if !hub.exists(&entry_path(hub, log, seq - 1)?).await? {
        return Ok(Appended::Conflict { last: last(hub, log, 0).await? });
    }
    let path = entry_path(hub, log, seq)?;
    if hub.create(&path, &bytes).await? == Created::New {
        return Ok(Appended::New);
    }
    if hub.read(&path).await?.as_ref() == Some(&bytes) {
        return Ok(Appended::Already);
    }
    Ok(Appended::Conflict { last: last(hub, log, seq).await? })
}

/// The last number. `known` exists.
pub(super) async fn last(hub: &ObjectHub, log: &LogName, known: u64) -> Result<u64> {
    end_of(hub, known, |seq| entry_path(hub, log, seq)).await
}

/// The last of numbers without gaps, by doubling and binary search. `known` exists.
pub(super) async fn end_of(
    hub: &ObjectHub,
    known: u64,
    path: impl Fn(u64) -> Result<Path>,
) -> Result<u64> {
    let (mut there, mut step) = (known, 1);
    let mut missing = loop {
        let at = there + step;
        if !hub.exists(&path(at)?).await? {
            break at;
        }
        (there, step) = (at, step * 2);
    };
    while missing - there > 1 {
        let middle = there + (missing - there) / 2;
        if hub.exists(&path(middle)?).await? {
            there = middle;
        } else {
            missing = middle;
        }
    }
    Ok(there)
}

pub(super) async fn read_since(
    hub: &ObjectHub,
    log: &LogName,
    after: u64,
    limit: usize,
) -> Result<Vec<Entry>> {
    let wanted = after + 1..=after + limit.min(PAGE_LIMIT) as u64;
    let read = |seq| async move { Ok((seq, hub.read(&entry_path(hub, log, seq)?).await?)) };
    let mut answers = stream::iter(wanted).map(read).buffered(AT_ONCE);
    let (mut entries, mut size) = (Vec::new(), 0);
    while let Some(answer) = answers.next().await {
        let (seq, Some(bytes)) = answer? else { break };
        size += bytes.len();
        entries.push(Entry { seq, bytes });
        if size > crate::hub::PAGE_BYTES {
            break;
        }
    }
    if entries.is_empty() && after > 0 && !hub.exists(&entry_path(hub, log, after)?).await? {
        return Err(HubError::Lost { last: last(hub, log, 0).await? });
    }
    Ok(page(entries.into_iter(), limit))
}

pub(super) fn entry_path(hub: &ObjectHub, log: &LogName, seq: u64) -> Result<Path> {
    hub.path(&format!("entries/{log}/{}.entry", padded(seq)))
}
