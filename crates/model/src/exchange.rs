//! What devices carry to each other, as memory keeps it: streams of numbered items, batches that
//! were sealed of them, and how far the streams of others were read.
//!
//! Two engines meet here and never see each other: the one that carries asks through the traits,
//! the one that remembers answers. Items, batches and chains are bytes and text to both sides.

use crate::{DeviceId, StreamName, Timestamp};
use std::fmt;

/// Why memory did not do what it was asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StorageFault(pub String);

impl fmt::Display for StorageFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for StorageFault {}

/// What storage answers.
pub type StorageResult<T> = Result<T, StorageFault>;

/// Which life of a stream: a device that was restored, or whose hub forgot, begins another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Incarnation {
    /// Later ones have more.
    pub count: u32,
    /// Drawn, so that two copies of one device never share a life.
    pub random: u64,
}

impl Incarnation {
    /// Reads the written form, `3-00ff00ff00ff00ff`.
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

/// How far a stream of ours is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Writing {
    /// Which one.
    pub stream: StreamName,
    /// Its life; numbers begin with 1 in each.
    pub incarnation: Incarnation,
    /// Who may read it, in words of whoever seals.
    pub audience: String,
    /// The last number that was given.
    pub last: u64,
    /// The last number that is in a batch.
    pub sealed: u64,
    /// The chain after the last batch; nothing before the first.
    pub chain: Option<String>,
    /// The number of the last batch.
    pub batches: u64,
    /// The last batch that is on the hub.
    pub appended: u64,
    /// The last batch that is where it outlives the hub.
    pub confirmed: u64,
}

impl Writing {
    /// A stream in which nothing was written.
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

    /// Whether something is not on the hub yet.
    #[must_use]
    pub fn is_behind(&self) -> bool {
        self.sealed < self.last || self.appended < self.batches
    }
}

/// One item under its number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutRow {
    /// Its number.
    pub number: u64,
    /// When it was given.
    pub at: Timestamp,
    /// The item.
    pub bytes: Vec<u8>,
}

/// A batch that was sealed; given again, it is these bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutBatch {
    /// Its number on the hub.
    pub seq: u64,
    /// The number of its last item.
    pub last: u64,
    /// When it was sealed.
    pub at: Timestamp,
    /// The batch.
    pub bytes: Vec<u8>,
}

/// Whose stream, in which life.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StreamOrigin {
    /// The device that writes it.
    pub device: DeviceId,
    /// The stream.
    pub stream: StreamName,
    /// Its life.
    pub incarnation: Incarnation,
}

/// How far a stream of another device was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadTo {
    /// The last batch.
    pub seq: u64,
    /// The chain after it.
    pub chain: String,
}

/// What of the outbox may go: only what is confirmed, the oldest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retention {
    /// What is older goes.
    pub before: Timestamp,
    /// The rest goes while there is more than this.
    pub bytes: u64,
}

/// The memory of what we write. Every call is one transaction that outlives a power cut.
pub trait Outbox {
    /// Opens a stream, or gives one that is open another audience.
    fn open_stream(&mut self, new: &Writing) -> StorageResult<()>;

    /// Closes a stream: nothing of it is kept.
    fn close_stream(&mut self, stream: &StreamName) -> StorageResult<()>;

    /// All open streams, by name.
    fn streams(&mut self) -> StorageResult<Vec<Writing>>;

    /// Gives items the next numbers; the last of these is answered. A stream that is not open
    /// takes nothing.
    fn push(&mut self, stream: &StreamName, items: &[Vec<u8>], at: Timestamp)
    -> StorageResult<u64>;

    /// The first items that are in no batch: at most so many bytes, and at least one item.
    fn unsealed(&mut self, stream: &StreamName, bytes: usize) -> StorageResult<Vec<OutRow>>;

    /// Keeps the next batch and the chain after it.
    fn keep_batch(
        &mut self,
        stream: &StreamName,
        batch: &OutBatch,
        chain: &str,
    ) -> StorageResult<()>;

    /// Batches after a number, in order, as far as they are kept.
    fn batches(
        &mut self,
        stream: &StreamName,
        after: u64,
        limit: usize,
    ) -> StorageResult<Vec<OutBatch>>;

    /// How far the hub and what outlives it are, forwards or back. Items that are on the hub
    /// are kept in their batches only.
    fn reached(&mut self, stream: &StreamName, appended: u64, confirmed: u64) -> StorageResult<()>;

    /// Begins another life: no batches, and what was not on the hub numbered from 1.
    fn begin_again(&mut self, stream: &StreamName, incarnation: Incarnation) -> StorageResult<()>;

    /// Drops confirmed batches; says how many.
    fn prune(&mut self, retention: Retention) -> StorageResult<u64>;

    /// Something small under a name, such as a wrapped key.
    fn note(&mut self, name: &str) -> StorageResult<Option<Vec<u8>>>;

    /// Keeps something small in place of what was there.
    fn keep_note(&mut self, name: &str, bytes: &[u8]) -> StorageResult<()>;

    /// The names that begin like this, in order.
    fn notes(&mut self, prefix: &str) -> StorageResult<Vec<String>>;
}

/// The memory of what we have read of others.
pub trait Inbox {
    /// How far a stream was read; nothing before its first batch.
    fn read_to(&mut self, origin: &StreamOrigin) -> StorageResult<Option<ReadTo>>;

    /// Keeps how far it was read, after all of it was applied.
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
