//! A store in memory: the reference for the one on disk.

use super::{
    Inbox, Incarnation, OutBatch, OutRow, Outbox, ReadTo, Retention, StorageFault, StreamOrigin,
    Writing,
};
use std::collections::BTreeMap;
use taffrail_model::exchange::StorageResult;
use taffrail_model::{StreamName, Timestamp};

/// Outbox and cursors in memory. A clone is a backup.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MemoryStore {
    streams: BTreeMap<StreamName, Stream>,
    read: BTreeMap<StreamOrigin, ReadTo>,
    notes: BTreeMap<String, Vec<u8>>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Stream {
    writing: Writing,
    rows: BTreeMap<u64, OutRow>,
    batches: BTreeMap<u64, OutBatch>,
}

impl MemoryStore {
    fn stream(&mut self, name: &StreamName) -> StorageResult<&mut Stream> {
        let missing = || StorageFault(format!("there is no stream {name}"));
        self.streams.get_mut(name).ok_or_else(missing)
    }

    /// The number of items and batches.
    #[must_use]
    pub fn size(&self) -> (usize, usize) {
        let count = |of: fn(&Stream) -> usize| self.streams.values().map(of).sum();
        (count(|it| it.rows.len()), count(|it| it.batches.len()))
    }
}

impl Outbox for MemoryStore {
    fn open_stream(&mut self, new: &Writing) -> StorageResult<()> {
        let fresh =
            || Stream { writing: new.clone(), rows: BTreeMap::new(), batches: BTreeMap::new() };
        let stream = self.streams.entry(new.stream.clone()).or_insert_with(fresh);
        stream.writing.audience.clone_from(&new.audience);
        Ok(())
    }

    fn close_stream(&mut self, stream: &StreamName) -> StorageResult<()> {
        self.streams.remove(stream);
        Ok(())
    }

    fn streams(&mut self) -> StorageResult<Vec<Writing>> {
        Ok(self.streams.values().map(|it| it.writing.clone()).collect())
    }

    fn push(
        &mut self,
        stream: &StreamName,
        items: &[Vec<u8>],
        at: Timestamp,
    ) -> StorageResult<u64> {
        let stream = self.stream(stream)?;
        for bytes in items {
            stream.writing.last += 1;
            let number = stream.writing.last;
            stream.rows.insert(number, OutRow { number, at, bytes: bytes.clone() });
        }
        Ok(stream.writing.last)
    }

    fn unsealed(&mut self, stream: &StreamName, bytes: usize) -> StorageResult<Vec<OutRow>> {
        let stream = self.stream(stream)?;
        let mut sum = 0;
        let rows = stream.rows.range(stream.writing.sealed + 1..).map(|(_, row)| row);
        let fitting = rows.take_while(|row| {
            let is_first = sum == 0;
            sum += row.bytes.len().max(1);
            is_first || sum <= bytes
        });
        Ok(fitting.cloned().collect())
    }

    fn keep_batch(
        &mut self,
        stream: &StreamName,
        batch: &OutBatch,
        chain: &str,
    ) -> StorageResult<()> {
        let stream = self.stream(stream)?;
        stream.batches.insert(batch.seq, batch.clone());
        stream.writing.batches = batch.seq;
        stream.writing.sealed = batch.last;
        stream.writing.chain = Some(chain.to_owned());
        Ok(())
    }

    fn batches(
        &mut self,
        stream: &StreamName,
        after: u64,
        limit: usize,
    ) -> StorageResult<Vec<OutBatch>> {
        let batches = self.stream(stream)?.batches.range(after + 1..);
        Ok(batches.take(limit).map(|(_, batch)| batch.clone()).collect())
    }

    fn reached(&mut self, stream: &StreamName, appended: u64, confirmed: u64) -> StorageResult<()> {
        let stream = self.stream(stream)?;
        (stream.writing.appended, stream.writing.confirmed) = (appended, confirmed);
        if let Some(batch) = stream.batches.get(&appended) {
            stream.rows = stream.rows.split_off(&(batch.last + 1));
        }
        Ok(())
    }

    fn begin_again(&mut self, stream: &StreamName, incarnation: Incarnation) -> StorageResult<()> {
        let stream = self.stream(stream)?;
        let rows = std::mem::take(&mut stream.rows).into_values();
        stream.rows =
            (1..).zip(rows).map(|(number, row)| (number, OutRow { number, ..row })).collect();
        stream.batches.clear();
        let old = stream.writing.clone();
        stream.writing = Writing::new(old.stream, incarnation, old.audience);
        stream.writing.last = stream.rows.len() as u64;
        Ok(())
    }

    fn prune(&mut self, retention: Retention) -> StorageResult<u64> {
        let mut all = Vec::new();
        for (name, stream) in &self.streams {
            let done = stream.batches.range(..=stream.writing.confirmed);
            all.extend(done.map(|(seq, it)| (it.at, name.clone(), *seq, it.bytes.len() as u64)));
        }
        all.sort();
        let mut left: u64 = all.iter().map(|(.., bytes)| bytes).sum();
        let mut gone = 0;
        for (at, name, seq, bytes) in all {
            if at >= retention.before && left <= retention.bytes {
                break;
            }
            left -= bytes;
            gone += 1;
            self.stream(&name)?.batches.remove(&seq);
        }
        Ok(gone)
    }

    fn note(&mut self, name: &str) -> StorageResult<Option<Vec<u8>>> {
        Ok(self.notes.get(name).cloned())
    }

    fn keep_note(&mut self, name: &str, bytes: &[u8]) -> StorageResult<()> {
        self.notes.insert(name.to_owned(), bytes.to_vec());
        Ok(())
    }

    fn notes(&mut self, prefix: &str) -> StorageResult<Vec<String>> {
        Ok(self.notes.keys().filter(|it| it.starts_with(prefix)).cloned().collect())
    }
}

impl Inbox for MemoryStore {
    fn read_to(&mut self, origin: &StreamOrigin) -> StorageResult<Option<ReadTo>> {
        Ok(self.read.get(origin).cloned())
    }

    fn keep_read_to(&mut self, origin: &StreamOrigin, to: &ReadTo) -> StorageResult<()> {
        self.read.insert(origin.clone(), to.clone());
        Ok(())
    }
}
