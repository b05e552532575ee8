//! The storage interface for exchange between devices: streams of numbered items, the batches
//! sealed from them, and the read positions in other devices' streams.
//!
//! The sync engine calls these traits, and the store implements them; neither knows the other.
//! Items, batches and chains are bytes and text to both.

use crate::{DeviceId, StreamName, Timestamp};
use std::fmt;

/// Why the store failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StorageFault(pub String);

impl fmt::Display for StorageFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for StorageFault {}

/// The result of a storage call.
pub type StorageResult<T> = Result<T, StorageFault>;

/// One life of a stream: a restored device, or a device whose hub lost its data, starts another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Incarnation {
    /// Later lives have a higher count.
    pub count: u32,
    /// Random, so that two copies of one device never share a life.
    pub random: u64,
}

impl Incarnation {
    /// Parses the written form, `3-00ff00ff00ff00ff`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (count, random) = text.split_once('-')?;
        let it = Self { count: count.parse().ok()?, random: u64::from_str_radix(random, 16).ok()? };
        (it.to_string() == text).then_some(it)
    }

    /// The life after this one.
    #[must_use]
    pub fn next(self, random: u64) -> Self {
        Self { count: self.count.saturating_add(1), random }
    }
}

impl fmt::Display for Incarnation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{:016x}", self.count, self.random)
    }
}

/// The write position of one of our streams.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Writing {
    /// The name.
    pub stream: StreamName,
    /// The stream's life; numbers start at 1 in each.
    pub incarnation: Incarnation,
    /// The readers, in the terms of the code that seals.
    pub audience: String,
    /// The last assigned number.
    pub last: u64,
    /// The last number in a sealed batch.
    pub sealed: u64,
    /// The chain after the last batch; `None` before the first.
    pub chain: Option<String>,
    /// The number of the last batch.
    pub batches: u64,
    /// The last batch on the hub.
    pub appended: u64,
    /// The last batch in storage that outlives the hub's log.
    pub confirmed: u64,
}

impl Writing {
    /// An empty stream.
    #[must_use]
    pub fn new(stream: StreamName, incarnation: Incarnation, audience: String) -> Self {
        Self {
            stream,
            incarnation,
            audience,
            last: 0,
            sealed: 0,
            chain: None,
            batches: 0,
            appended: 0,
            confirmed: 0,
        }
    }

    /// Whether the hub lacks any item.
    #[must_use]
    pub fn is_behind(&self) -> bool {
        self.sealed < self.last || self.appended < self.batches
    }
}

/// One item with its number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutRow {
    /// The item's number.
    pub number: u64,
    /// When the item was added.
    pub at: Timestamp,
    /// The item.
    pub bytes: Vec<u8>,
}

/// A sealed batch; sending it again sends the same bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutBatch {
    /// The batch's number on the hub.
    pub seq: u64,
    /// The number of its last item.
    pub last: u64,
    /// When it was sealed.
    pub at: Timestamp,
    /// The batch.
    pub bytes: Vec<u8>,
}

/// The device, name and life of a stream.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StreamOrigin {
    /// The device that writes it.
    pub device: DeviceId,
    /// The stream.
    pub stream: StreamName,
    /// Its life.
    pub incarnation: Incarnation,
}

/// The read position in another device's stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadTo {
    /// The last batch.
    pub seq: u64,
    /// The chain after it.
    pub chain: String,
}

/// What `prune` may remove from the outbox: only confirmed batches, the oldest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retention {
    /// Removes batches older than this.
    pub before: Timestamp,
    /// Removes further batches while the outbox is larger than this.
    pub bytes: u64,
}

/// The store of our own streams. Every call is one transaction that survives a power failure.
pub trait Outbox {
    /// Opens a stream, or changes the audience of an open one.
    fn open_stream(&mut self, new: &Writing) -> StorageResult<()>;

    /// Closes a stream and deletes everything in it.
    fn close_stream(&mut self, stream: &StreamName) -> StorageResult<()>;

    /// All open streams, by name.
    fn streams(&mut self) -> StorageResult<Vec<Writing>>;

    /// Assigns the next numbers to items and returns the last one. A stream that is not open
    /// accepts nothing.
    fn push(&mut self, stream: &StreamName, items: &[Vec<u8>], at: Timestamp)
    -> StorageResult<u64>;

    /// The first items that are not in a batch: at most this many bytes, but at least one item.
    fn unsealed(&mut self, stream: &StreamName, bytes: usize) -> StorageResult<Vec<OutRow>>;

    /// Stores the next batch and the chain after it.
    fn keep_batch(
        &mut self,
        stream: &StreamName,
        batch: &OutBatch,
        chain: &str,
    ) -> StorageResult<()>;

    /// Stored batches after a number, in order.
    fn batches(
        &mut self,
        stream: &StreamName,
        after: u64,
        limit: usize,
    ) -> StorageResult<Vec<OutBatch>>;

    /// Sets how far the hub's log and its lasting storage have come, forwards or back. Items on the
    /// hub are kept only in their batches.
    fn reached(&mut self, stream: &StreamName, appended: u64, confirmed: u64) -> StorageResult<()>;

    /// Starts another life: without batches, and with the items that were not on the hub numbered
    /// from 1.
    fn begin_again(&mut self, stream: &StreamName, incarnation: Incarnation) -> StorageResult<()>;

    /// Drops confirmed batches and returns how many.
    fn prune(&mut self, retention: Retention) -> StorageResult<u64>;

    /// A small named value, such as a wrapped key.
    fn note(&mut self, name: &str) -> StorageResult<Option<Vec<u8>>>;

    /// Stores a small named value, replacing the previous one.
    fn keep_note(&mut self, name: &str, bytes: &[u8]) -> StorageResult<()>;

    /// The names with a prefix, in order.
    fn notes(&mut self, prefix: &str) -> StorageResult<Vec<String>>;
}

/// The store of read positions in other devices' streams.
pub trait Inbox {
    /// The read position in a stream; `None` before its first batch.
    fn read_to(&mut self, origin: &StreamOrigin) -> StorageResult<Option<ReadTo>>;

    /// Stores a read position, after everything up to it was applied.
    fn keep_read_to(&mut self, origin: &StreamOrigin, to: &ReadTo) -> StorageResult<()>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_incarnation_is_read_as_it_is_written() {
        let check = |text: &str, expected: Option<Incarnation>| {
            assert_eq!(Incarnation::parse(text), expected, "{text}");
        };
        check("3-00000000000000ff", Some(Incarnation { count: 3, random: 255 }));
        check("3-ff", None);
        check("03-00000000000000ff", None);
        check("+3-00000000000000ff", None);
        check("3-00000000000000FF", None);
        check("3", None);
        check("", None);
    }

    #[test]
    fn a_later_life_comes_after() {
        let first = Incarnation { count: 9, random: u64::MAX };
        assert!(first < first.next(0));
        assert_eq!(first.next(7).to_string(), "10-0000000000000007");
    }
}
