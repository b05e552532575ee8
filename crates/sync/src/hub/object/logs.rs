//! Logs as numbered objects. Nothing is cached, so an emptied hub is detected.

use super::{Created, ObjectHub, padded, removal};
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
    let path = entry_path(hub, log, seq)?;
    let is_next = match seq {
        1 => is_first(hub, log).await?,
        _ => hub.exists(&entry_path(hub, log, seq - 1)?).await?,
    };
    if !is_next {
        let is_same = hub.read(&path).await?.as_ref() == Some(&bytes);
        let last = last(hub, log, 0).await?;
        return Ok(if is_same { Appended::Already } else { Appended::Conflict { last } });
    }
    if hub.create(&path, &bytes).await? == Created::New {
        return Ok(Appended::New);
    }
    if hub.read(&path).await?.as_ref() == Some(&bytes) {
        return Ok(Appended::Already);
    }
    Ok(Appended::Conflict { last: last(hub, log, seq).await? })
}

/// Notes that the log exists. Whether its first entry may be written: it was not removed.
async fn is_first(hub: &ObjectHub, log: &LogName) -> Result<bool> {
    let marker = hub.path(&format!("logs/{log}.log"))?;
    Ok(hub.create(&marker, b"").await? == Created::New || removal::floor(hub, log).await?.is_none())
}

/// The last number. `known` exists, or is 0.
pub(super) async fn last(hub: &ObjectHub, log: &LogName, known: u64) -> Result<u64> {
    let last = end_of(hub, known, |seq| entry_path(hub, log, seq)).await?;
    if last > 0 {
        return Ok(last);
    }
    match removal::floor(hub, log).await? {
        Some(floor) => end_of(hub, floor - 1, |seq| entry_path(hub, log, seq)).await,
        None => Ok(0),
    }
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
    if entries.is_empty() && (after == 0 || !hub.exists(&entry_path(hub, log, after)?).await?) {
        let last = last(hub, log, 0).await?;
        match removal::floor(hub, log).await? {
            Some(first) if after + 1 < first && after <= last => {
                return Err(HubError::Gone { first });
            }
            _ if after > last => return Err(HubError::Lost { last }),
            _ => {}
        }
    }
    Ok(page(entries.into_iter(), limit))
}

pub(super) fn entry_path(hub: &ObjectHub, log: &LogName, seq: u64) -> Result<Path> {
    hub.path(&format!("entries/{log}/{}.entry", padded(seq)))
}
