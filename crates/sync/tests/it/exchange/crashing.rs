//! A store that crashes: a call is interrupted before or after its effect.

use taffrail_model::exchange::{
    Inbox, Incarnation, OutBatch, OutRow, Outbox, ReadTo, Retention, StorageFault, StorageResult,
    StreamOrigin, Writing,
};
use taffrail_model::{StreamName, Timestamp};
use taffrail_testkit::Chance;

/// A store that crashes, once in this many writes.
#[derive(Debug, Clone)]
pub(crate) struct Crashing<S> {
    pub(crate) inner: S,
    pub(crate) chance: Chance,
    pub(crate) one_in: usize,
}

/// What happens after the effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum After {
    Fine,
    Crash,
}

impl After {
    pub(crate) fn check(self) -> StorageResult<()> {
        if self == Self::Crash { Err(crash()) } else { Ok(()) }
    }
}

fn crash() -> StorageFault {
    StorageFault("crash".to_owned())
}

impl<S> Crashing<S> {
    pub(crate) fn new(inner: S, chance: Chance, one_in: usize) -> Self {
        Self { inner, chance, one_in }
    }

    pub(crate) fn calm(&mut self) {
        self.one_in = usize::MAX;
    }

    pub(crate) fn before(&mut self) -> StorageResult<After> {
        if self.one_in == usize::MAX || !self.chance.one_in(self.one_in) {
            return Ok(After::Fine);
        }
        if self.chance.one_in(2) { Err(crash()) } else { Ok(After::Crash) }
    }

    fn write<T>(&mut self, work: impl FnOnce(&mut S) -> StorageResult<T>) -> StorageResult<T> {
        let after = self.before()?;
        let answer = work(&mut self.inner)?;
        after.check()?;
        Ok(answer)
    }
}

impl<S: Outbox> Outbox for Crashing<S> {
    fn open_stream(&mut self, new: &Writing) -> StorageResult<()> {
        self.inner.open_stream(new)
    }

    fn close_stream(&mut self, stream: &StreamName) -> StorageResult<()> {
        self.write(|it| it.close_stream(stream))
    }

    fn streams(&mut self) -> StorageResult<Vec<Writing>> {
        self.inner.streams()
    }

    fn push(
        &mut self,
        stream: &StreamName,
        items: &[Vec<u8>],
        at: Timestamp,
    ) -> StorageResult<u64> {
        self.write(|it| it.push(stream, items, at))
    }

    fn unsealed(&mut self, stream: &StreamName, bytes: usize) -> StorageResult<Vec<OutRow>> {
        self.inner.unsealed(stream, bytes)
    }

    fn keep_batch(
        &mut self,
        stream: &StreamName,
        batch: &OutBatch,
        chain: &str,
    ) -> StorageResult<()> {
        self.write(|it| it.keep_batch(stream, batch, chain))
    }

    fn batches(
        &mut self,
        stream: &StreamName,
        after: u64,
        limit: usize,
    ) -> StorageResult<Vec<OutBatch>> {
        self.inner.batches(stream, after, limit)
    }

    fn reached(&mut self, stream: &StreamName, appended: u64, confirmed: u64) -> StorageResult<()> {
        self.write(|it| it.reached(stream, appended, confirmed))
    }

    fn begin_again(&mut self, stream: &StreamName, incarnation: Incarnation) -> StorageResult<()> {
        self.write(|it| it.begin_again(stream, incarnation))
    }

    fn prune(&mut self, retention: Retention) -> StorageResult<u64> {
        self.write(|it| it.prune(retention))
    }

    fn note(&mut self, name: &str) -> StorageResult<Option<Vec<u8>>> {
        self.inner.note(name)
    }

    fn keep_note(&mut self, name: &str, bytes: &[u8]) -> StorageResult<()> {
        self.write(|it| it.keep_note(name, bytes))
    }

    fn notes(&mut self, prefix: &str) -> StorageResult<Vec<String>> {
        self.inner.notes(prefix)
    }
}

impl<S: Inbox> Inbox for Crashing<S> {
    fn read_to(&mut self, origin: &StreamOrigin) -> StorageResult<Option<ReadTo>> {
        self.inner.read_to(origin)
    }

    fn keep_read_to(&mut self, origin: &StreamOrigin, to: &ReadTo) -> StorageResult<()> {
        self.write(|it| it.keep_read_to(origin, to))
    }
}
