//! A hub in memory: the reference for the others.

use super::answer::{Hint, fits};
use super::hints::hint_channel;
use super::{
    Appended, Aspect, Blob, BlobName, Content, ENTRY_LIMIT, Entry, Hints, Hub, HubCheck, HubError,
    KeyName, LogName, Name, PAGE_BYTES, PAGE_LIMIT, Pointer, Prefix, Put, Result, Revision,
    Swapped, VALUE_LIMIT, Value, Watched,
};
use bytes::Bytes;
use futures_util::{StreamExt, stream};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use taffrail_model::DeviceId;
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
    logs: BTreeMap<LogName, Vec<Bytes>>,
    keys: BTreeMap<KeyName, Value>,
    blobs: BTreeMap<BlobName, (Pointer, Bytes)>,
    /// The number of writes of keys and blobs.
    writes: u64,
}

impl MemoryHub {
    /// An empty hub.
    #[must_use]
    pub fn new() -> Self {
        Self { held: Arc::default(), hints: hint_channel() }
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
        let entries = held.logs.get(log).map_or(&[][..], Vec::as_slice);
        let last = entries.len() as u64;
        let there = seq.checked_sub(1).and_then(|at| entries.get(usize::try_from(at).ok()?));
        if there == Some(&bytes) {
            return Ok(Appended::Already);
        }
        if seq != last + 1 {
            return Ok(Appended::Conflict { last });
        }
        held.logs.entry(log.clone()).or_default().push(bytes);
        drop(held);
        self.hint(Hint::Log(log.clone()));
        Ok(Appended::New)
    }

    async fn last(&self, log: &LogName) -> Result<u64> {
        Ok(self.held().logs.get(log).map_or(0, Vec::len) as u64)
    }

    async fn read_since(&self, log: &LogName, after: u64, limit: usize) -> Result<Vec<Entry>> {
        let held = self.held();
        let entries = held.logs.get(log).map_or(&[][..], Vec::as_slice);
        let last = entries.len() as u64;
        let skipped = usize::try_from(after).ok().filter(|_| after <= last);
        let rest = skipped.and_then(|at| entries.get(at..)).ok_or(HubError::Lost { last })?;
        let numbered = (after + 1..).zip(rest).map(|(seq, it)| Entry { seq, bytes: it.clone() });
        Ok(page(numbered, limit))
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
            Some((there, _)) if *there == pointer => Ok(Put::Already),
            Some(_) => Ok(Put::Conflict),
            None => {
                held.blobs.insert(name.clone(), (pointer, bytes.into()));
                held.writes += 1;
                Ok(Put::New)
            }
        }
    }

    async fn get_blob(&self, name: &BlobName) -> Result<Option<Blob>> {
        let found = self.held().blobs.get(name).cloned();
        Ok(found.map(|(pointer, bytes)| Blob::new(pointer, stream::iter([Ok(bytes)]).boxed())))
    }

    async fn blobs(&self, below: &Prefix) -> Result<Vec<BlobName>> {
        Ok(names_below(&self.held().blobs, below))
    }

    async fn lengths(&self, below: &Prefix) -> Result<Vec<(LogName, Option<u64>)>> {
        let held = self.held();
        let logs = held.logs.iter().filter(|(name, _)| below.holds(name));
        Ok(logs.map(|(name, entries)| (name.clone(), Some(entries.len() as u64))).collect())
    }

    async fn mark(&self) -> Result<Option<u64>> {
        Ok(Some(self.held().writes))
    }

    async fn beat(&self, device: &DeviceId, bytes: Bytes) -> Result<()> {
        self.hint(Hint::Beat(device.clone(), bytes));
        Ok(())
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
