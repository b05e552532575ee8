//! A hub in memory: the reference for the others.

use super::answer::{Hint, fits};
use super::hints::hint_channel;
use super::{
    Appended, Aspect, Blob, BlobName, Content, ENTRY_LIMIT, Entry, Hints, Hub, HubCheck, HubError,
    KeyName, LogName, Name, PAGE_BYTES, PAGE_LIMIT, Pointer, Prefix, Put, Result, Revision, Stored,
    StoredItem, Swapped, Usage, UsageOf, VALUE_LIMIT, Value, Watched,
};
use bytes::Bytes;
use futures_util::{StreamExt, stream};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use taffrail_model::{DeviceId, Timestamp};
use tokio::io::AsyncReadExt;
use tokio::sync::broadcast::Sender;

/// A hub in memory. Clones share its content.
#[derive(Debug, Clone)]
pub struct MemoryHub {
    held: Arc<Mutex<Held>>,
    hints: Sender<Hint>,
}

#[derive(Debug, Default)]
struct Held {
    logs: BTreeMap<LogName, Log>,
    keys: BTreeMap<KeyName, Value>,
    blobs: BTreeMap<BlobName, (Pointer, Bytes, Timestamp)>,
    /// The number of writes of keys and blobs.
    writes: u64,
    /// The clock, which stands still until it is set.
    now: Timestamp,
}

#[derive(Debug, Default)]
struct Log {
    /// How many entries were removed.
    removed: u64,
    entries: Vec<(Bytes, Timestamp)>,
}

impl Log {
    fn last(&self) -> u64 {
        self.removed + self.entries.len() as u64
    }

    fn entry(&self, seq: u64) -> Option<&Bytes> {
        let at = seq.checked_sub(self.removed + 1)?;
        self.entries.get(usize::try_from(at).ok()?).map(|(bytes, _)| bytes)
    }

    fn trim(&mut self, first: u64) {
        let gone = first.min(self.last()).saturating_sub(self.removed + 1);
        self.entries.drain(..usize::try_from(gone).unwrap_or(0));
        self.removed += gone;
    }

    /// Each entry with its number.
    fn numbered(&self) -> impl Iterator<Item = (u64, &(Bytes, Timestamp))> {
        (self.removed + 1..).zip(&self.entries)
    }
}

impl MemoryHub {
    /// An empty hub.
    #[must_use]
    pub fn new() -> Self {
        Self { held: Arc::default(), hints: hint_channel() }
    }

    /// Sets the clock by which it notes when something was stored.
    pub fn set_time(&self, now: Timestamp) {
        self.held().now = now;
    }

    fn held(&self) -> MutexGuard<'_, Held> {
        // No operation here can stop halfway, so the content is consistent even after a panic.
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn hint(&self, hint: Hint) {
        // Having no subscribers is fine.
        self.hints.send(hint).ok();
    }
}

impl Default for MemoryHub {
    fn default() -> Self {
        Self::new()
    }
}

impl Hub for MemoryHub {
    async fn append(&self, log: &LogName, seq: u64, bytes: Bytes) -> Result<Appended> {
        fits(bytes.len(), ENTRY_LIMIT)?;
        let mut held = self.held();
        let now = held.now;
        let known = held.logs.get(log);
        let last = known.map_or(0, Log::last);
        if known.and_then(|it| it.entry(seq)) == Some(&bytes) {
            return Ok(Appended::Already);
        }
        if seq != last + 1 {
            return Ok(Appended::Conflict { last });
        }
        held.logs.entry(log.clone()).or_default().entries.push((bytes, now));
        drop(held);
        self.hint(Hint::Log(log.clone()));
        Ok(Appended::New)
    }

    async fn last(&self, log: &LogName) -> Result<u64> {
        Ok(self.held().logs.get(log).map_or(0, Log::last))
    }

    async fn read_since(&self, log: &LogName, after: u64, limit: usize) -> Result<Vec<Entry>> {
        let held = self.held();
        let Some(known) = held.logs.get(log) else {
            return if after == 0 { Ok(Vec::new()) } else { Err(HubError::Lost { last: 0 }) };
        };
        if after > known.last() {
            return Err(HubError::Lost { last: known.last() });
        }
        if after < known.removed {
            return Err(HubError::Gone { first: known.removed + 1 });
        }
        let rest = known.numbered().filter(|(seq, _)| *seq > after);
        Ok(page(rest.map(|(seq, (bytes, _))| Entry { seq, bytes: bytes.clone() }), limit))
    }

    async fn logs(&self, below: &Prefix) -> Result<Vec<LogName>> {
        Ok(names_below(&self.held().logs, below))
    }

    async fn get(&self, key: &KeyName) -> Result<Option<Value>> {
        Ok(self.held().keys.get(key).cloned())
    }

    async fn cas(
        &self,
        key: &KeyName,
        expected: Option<Revision>,
        bytes: Bytes,
    ) -> Result<Swapped> {
        fits(bytes.len(), VALUE_LIMIT)?;
        let mut held = self.held();
        let current = held.keys.get(key).map(|value| value.revision);
        if current != expected {
            return Ok(Swapped::Conflict);
        }
        let revision = Revision(current.map_or(1, |it| it.number() + 1));
        held.keys.insert(key.clone(), Value { revision, bytes });
        held.writes += 1;
        drop(held);
        self.hint(Hint::Key(key.clone()));
        Ok(Swapped::Done(revision))
    }

    async fn keys(&self, below: &Prefix) -> Result<Vec<KeyName>> {
        Ok(names_below(&self.held().keys, below))
    }

    async fn put_blob(&self, name: &BlobName, content: &Content) -> Result<Put> {
        let pointer = content.pointer().await?;
        let mut bytes = Vec::new();
        let mut reader = content.open().await?;
        let read = reader.read_to_end(&mut bytes).await;
        read.map_err(|error| HubError::Refused(error.to_string()))?;
        reader.must_be(&pointer)?;
        let mut held = self.held();
        match held.blobs.get(name) {
            Some((there, ..)) if *there == pointer => Ok(Put::Already),
            Some(_) => Ok(Put::Conflict),
            None => {
                let now = held.now;
                held.blobs.insert(name.clone(), (pointer, bytes.into(), now));
                held.writes += 1;
                Ok(Put::New)
            }
        }
    }

    async fn get_blob(&self, name: &BlobName) -> Result<Option<Blob>> {
        let found = self.held().blobs.get(name).cloned();
        Ok(found.map(|(pointer, bytes, _)| Blob::new(pointer, stream::iter([Ok(bytes)]).boxed())))
    }

    async fn blobs(&self, below: &Prefix) -> Result<Vec<BlobName>> {
        Ok(names_below(&self.held().blobs, below))
    }

    async fn lengths(&self, below: &Prefix) -> Result<Vec<(LogName, Option<u64>)>> {
        let held = self.held();
        let logs = held.logs.iter().filter(|(name, _)| below.holds(name));
        Ok(logs.map(|(name, log)| (name.clone(), Some(log.last()))).collect())
    }

    async fn mark(&self) -> Result<Option<u64>> {
        Ok(Some(self.held().writes))
    }

    async fn beat(&self, device: &DeviceId, bytes: Bytes) -> Result<()> {
        self.hint(Hint::Beat(device.clone(), bytes));
        Ok(())
    }

    async fn trim(&self, log: &LogName, first: u64) -> Result<()> {
        if let Some(log) = self.held().logs.get_mut(log) {
            log.trim(first);
        }
        Ok(())
    }

    async fn remove_blob(&self, name: &BlobName) -> Result<()> {
        self.held().blobs.remove(name);
        Ok(())
    }

    async fn inventory(&self) -> Result<Vec<Stored>> {
        let held = self.held();
        let entries = held.logs.iter().flat_map(|(name, log)| {
            log.numbered().map(|(seq, (bytes, at))| Stored {
                item: StoredItem::Entry(name.clone(), seq),
                at: *at,
                bytes: bytes.len() as u64,
            })
        });
        let blobs = held.blobs.iter().map(|(name, (pointer, _, at))| Stored {
            item: StoredItem::Blob(name.clone()),
            at: *at,
            bytes: pointer.size,
        });
        Ok(entries.chain(blobs).collect())
    }

    async fn usage(&self) -> Result<Option<Usage>> {
        let bytes = self.inventory().await?.iter().map(|it| it.bytes).sum();
        Ok(Some(Usage { bytes, limit: None, of: UsageOf::Team }))
    }

    async fn watch(&self, watched: &Watched) -> Result<Hints> {
        Ok(Hints::of(self.hints.subscribe(), watched.clone()))
    }

    async fn doctor(&self) -> Vec<HubCheck> {
        vec![HubCheck::bad(Aspect::Durability, "What is in memory is gone with the process.")]
    }
}

/// As many entries as fit into one answer.
pub(crate) fn page(entries: impl Iterator<Item = Entry>, limit: usize) -> Vec<Entry> {
    let mut bytes = 0;
    let fitting = entries.take(limit.min(PAGE_LIMIT)).take_while(|entry| {
        let is_first = bytes == 0;
        bytes += entry.bytes.len().max(1);
        is_first || bytes <= PAGE_BYTES
    });
    fitting.collect()
}

fn names_below<K: Ord + Clone, V>(map: &BTreeMap<Name<K>, V>, below: &Prefix) -> Vec<Name<K>> {
    map.keys().filter(|name| below.holds(name)).cloned().collect()
}
