//! The outbox for other devices, and how far we read theirs.

use super::Ledger;
use crate::db::codec::{count, from_micros, micros, signed};
use crate::db::{Columns, StoreError};
use rusqlite::{Connection, OptionalExtension, Row, Transaction, TransactionBehavior, params};
use taffrail_model::exchange::{
    Inbox, Incarnation, OutBatch, OutRow, Outbox, ReadTo, Retention, StorageFault, StorageResult,
    StreamOrigin, Writing,
};
use taffrail_model::{StreamName, Timestamp};

type Result<T> = std::result::Result<T, StoreError>;

impl From<StoreError> for StorageFault {
    fn from(error: StoreError) -> Self {
        Self(error.to_string())
    }
}

impl Outbox for Ledger {
    fn open_stream(&mut self, new: &Writing) -> StorageResult<()> {
        Ok(open(&self.connection, new)?)
    }

    fn close_stream(&mut self, stream: &StreamName) -> StorageResult<()> {
        Ok(self.at_once(|it| close(it, stream))?)
    }

    fn streams(&mut self) -> StorageResult<Vec<Writing>> {
        Ok(streams(&self.connection)?)
    }

    fn push(
        &mut self,
        stream: &StreamName,
        items: &[Vec<u8>],
        at: Timestamp,
    ) -> StorageResult<u64> {
        Ok(self.at_once(|it| push(it, stream, items, at))?)
    }

    fn unsealed(&mut self, stream: &StreamName, bytes: usize) -> StorageResult<Vec<OutRow>> {
        Ok(unsealed(&self.connection, stream, bytes)?)
    }

    fn keep_batch(
        &mut self,
        stream: &StreamName,
        batch: &OutBatch,
        chain: &str,
    ) -> StorageResult<()> {
        Ok(self.at_once(|it| {
            let query = "INSERT INTO out_batches (stream, seq, last, at, bytes) \
                         VALUES (?1, ?2, ?3, ?4, ?5)";
            let (name, seq, last) = (stream.as_str(), signed(batch.seq), signed(batch.last));
            execute(it, query, params![name, seq, last, micros(batch.at), batch.bytes])?;
            let query = "UPDATE out_streams SET batches = ?2, sealed = ?3, chain = ?4 \
                         WHERE stream = ?1";
            execute(it, query, params![name, seq, last, chain])
        })?)
    }

    fn batches(
        &mut self,
        stream: &StreamName,
        after: u64,
        limit: usize,
    ) -> StorageResult<Vec<OutBatch>> {
        Ok(batches(&self.connection, stream, after, limit)?)
    }

    fn reached(&mut self, stream: &StreamName, appended: u64, confirmed: u64) -> StorageResult<()> {
        Ok(self.at_once(|it| {
            let query = "UPDATE out_streams SET appended = ?2, confirmed = ?3 WHERE stream = ?1";
            let name = stream.as_str();
            execute(it, query, params![name, signed(appended), signed(confirmed)])?;
            let query = "DELETE FROM out_rows WHERE stream = ?1 AND number <= \
                         (SELECT last FROM out_batches WHERE stream = ?1 AND seq = ?2)";
            execute(it, query, params![name, signed(appended)])
        })?)
    }

    fn begin_again(&mut self, stream: &StreamName, incarnation: Incarnation) -> StorageResult<()> {
        Ok(self.at_once(|it| begin_again(it, stream, incarnation))?)
    }

    fn prune(&mut self, retention: Retention) -> StorageResult<u64> {
        Ok(self.at_once(|it| prune(it, retention))?)
    }

    fn note(&mut self, name: &str) -> StorageResult<Option<Vec<u8>>> {
        let query = "SELECT bytes FROM exchange_notes WHERE name = ?1";
        let found = self.connection.query_row(query, [name], |row| row.get(0));
        Ok(found.optional().map_err(StoreError::from)?)
    }

    fn keep_note(&mut self, name: &str, bytes: &[u8]) -> StorageResult<()> {
        let query = "INSERT INTO exchange_notes (name, bytes) VALUES (?1, ?2) \
                     ON CONFLICT (name) DO UPDATE SET bytes = excluded.bytes";
        Ok(execute(&self.connection, query, params![name, bytes])?)
    }

    fn notes(&mut self, prefix: &str) -> StorageResult<Vec<String>> {
        let query = "SELECT name FROM exchange_notes WHERE substr(name, 1, length(?1)) = ?1 \
                     ORDER BY name";
        Ok(rows(&self.connection, query, params![prefix], |row| row.get(0))?)
    }
}

impl Inbox for Ledger {
    fn read_to(&mut self, origin: &StreamOrigin) -> StorageResult<Option<ReadTo>> {
        let query = "SELECT seq, chain FROM in_cursors \
                     WHERE device = ?1 AND stream = ?2 AND incarnation = ?3";
        let StreamOrigin { device, stream, incarnation } = origin;
        let values = params![device.as_str(), stream.as_str(), incarnation.to_string()];
        let read = |row: &Row<'_>| Ok(ReadTo { seq: count(row, 0)?, chain: row.get(1)? });
        let found = self.connection.query_row(query, values, read);
        Ok(found.optional().map_err(StoreError::from)?)
    }

    fn keep_read_to(&mut self, origin: &StreamOrigin, to: &ReadTo) -> StorageResult<()> {
        let query = "INSERT INTO in_cursors (device, stream, incarnation, seq, chain) \
                     VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT (device, stream, incarnation) \
                     DO UPDATE SET seq = excluded.seq, chain = excluded.chain";
        let StreamOrigin { device, stream, incarnation } = origin;
        let (device, stream, life) = (device.as_str(), stream.as_str(), incarnation.to_string());
        let values = params![device, stream, life, signed(to.seq), to.chain];
        Ok(execute(&self.connection, query, values)?)
    }
}

impl Ledger {
    /// When the last batch of a stream on the hub was sealed; `None` if there is none, or if it is
    /// too old to be kept.
    ///
    /// # Errors
    /// When the ledger cannot be read.
    pub fn carried_at(&self, stream: &StreamName) -> Result<Option<Timestamp>> {
        let query = "SELECT max(b.at) FROM out_batches b JOIN out_streams s ON s.stream = b.stream \
                     WHERE b.stream = ?1 AND b.seq <= s.appended";
        let mut statement = self.connection.prepare_cached(query)?;
        let at: Option<i64> = statement.query_row([stream.as_str()], |row| row.get(0))?;
        Ok(at.map(from_micros))
    }

    /// Runs everything in one transaction, with no other writer in between.
    pub(crate) fn at_once<T>(
        &mut self,
        work: impl FnOnce(&Transaction<'_>) -> Result<T>,
    ) -> Result<T> {
        let behavior = TransactionBehavior::Immediate;
        let transaction = self.connection.transaction_with_behavior(behavior)?;
        let answer = work(&transaction)?;
        transaction.commit()?;
        Ok(answer)
    }
}

/// Opens a stream, or changes its readers from now on.
pub(crate) fn open(it: &Connection, new: &Writing) -> Result<()> {
    let query = "INSERT INTO out_streams (stream, incarnation, audience, last, sealed, chain, \
                 batches, appended, confirmed) VALUES (?1, ?2, ?3, 0, 0, NULL, 0, 0, 0) \
                 ON CONFLICT (stream) DO UPDATE SET audience = excluded.audience";
    let values = params![new.stream.as_str(), new.incarnation.to_string(), new.audience];
    execute(it, query, values)
}

/// Closes a stream and drops what it has in the outbox.
pub(crate) fn close(it: &Connection, stream: &StreamName) -> Result<()> {
    for table in ["out_streams", "out_rows", "out_batches"] {
        let query = format!("DELETE FROM {table} WHERE stream = ?1");
        execute(it, &query, params![stream.as_str()])?;
    }
    Ok(())
}

pub(crate) fn execute(it: &Connection, query: &str, values: impl rusqlite::Params) -> Result<()> {
    it.prepare_cached(query)?.execute(values)?;
    Ok(())
}

pub(crate) fn rows<T>(
    it: &Connection,
    query: &str,
    values: impl rusqlite::Params,
    read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
) -> Result<Vec<T>> {
    let mut statement = it.prepare_cached(query)?;
    let found = statement.query_map(values, read)?;
    Ok(found.collect::<rusqlite::Result<_>>()?)
}

fn streams(it: &Connection) -> Result<Vec<Writing>> {
    let query = "SELECT stream, incarnation, audience, last, sealed, chain, batches, appended, \
                 confirmed FROM out_streams ORDER BY stream";
    let found =
        rows(it, query, [], |row| Ok((row.get::<_, String>("incarnation")?, writing(row)?)))?;
    let lives = found.into_iter().map(|(life, writing)| {
        let damaged = || StoreError::Damaged(format!("{life:?} is not a life of a stream"));
        let incarnation = Incarnation::parse(&life).ok_or_else(damaged)?;
        Ok(Writing { incarnation, ..writing })
    });
    lives.collect()
}

fn writing(row: &Row<'_>) -> rusqlite::Result<Writing> {
    let row = Columns::of(row);
    Ok(Writing {
        stream: StreamName::new(row.get::<String>("stream")?),
        incarnation: Incarnation { count: 0, random: 0 },
        audience: row.get("audience")?,
        last: row.count("last")?,
        sealed: row.count("sealed")?,
        chain: row.get("chain")?,
        batches: row.count("batches")?,
        appended: row.count("appended")?,
        confirmed: row.count("confirmed")?,
    })
}

fn push(
    it: &Transaction<'_>,
    stream: &StreamName,
    items: &[Vec<u8>],
    at: Timestamp,
) -> Result<u64> {
    let query = "SELECT last FROM out_streams WHERE stream = ?1";
    let last = it.prepare_cached(query)?.query_row([stream.as_str()], |row| count(row, 0));
    let first = last.optional()?.ok_or_else(|| missing(stream))?;
    let query = "INSERT INTO out_rows (stream, number, at, bytes) VALUES (?1, ?2, ?3, ?4)";
    let mut insert = it.prepare_cached(query)?;
    for (number, bytes) in (first + 1..).zip(items) {
        insert.execute(params![stream.as_str(), signed(number), micros(at), bytes])?;
    }
    let last = first + items.len() as u64;
    let query = "UPDATE out_streams SET last = ?2 WHERE stream = ?1";
    execute(it, query, params![stream.as_str(), signed(last)])?;
    Ok(last)
}

fn unsealed(it: &Connection, stream: &StreamName, bytes: usize) -> Result<Vec<OutRow>> {
    let query = "SELECT number, at, bytes FROM out_rows WHERE stream = ?1 AND number > \
                 (SELECT sealed FROM out_streams WHERE stream = ?1) ORDER BY number";
    let mut statement = it.prepare_cached(query)?;
    let mut found = statement.query([stream.as_str()])?;
    let (mut out, mut sum) = (Vec::new(), 0);
    while let Some(row) = found.next()? {
        let (number, at) = (count(row, 0)?, from_micros(row.get(1)?));
        let item: Vec<u8> = row.get(2)?;
        sum += item.len().max(1);
        if sum > bytes && !out.is_empty() {
            break;
        }
        out.push(OutRow { number, at, bytes: item });
    }
    Ok(out)
}

fn batches(
    it: &Connection,
    stream: &StreamName,
    after: u64,
    limit: usize,
) -> Result<Vec<OutBatch>> {
    let query = "SELECT seq, last, at, bytes FROM out_batches WHERE stream = ?1 AND seq > ?2 \
                 ORDER BY seq LIMIT ?3";
    let values = params![stream.as_str(), signed(after), signed(limit as u64)];
    rows(it, query, values, |row| {
        let (seq, last) = (count(row, 0)?, count(row, 1)?);
        Ok(OutBatch { seq, last, at: from_micros(row.get(2)?), bytes: row.get(3)? })
    })
}

fn begin_again(it: &Transaction<'_>, stream: &StreamName, life: Incarnation) -> Result<()> {
    let name = stream.as_str();
    execute(it, "DELETE FROM out_batches WHERE stream = ?1", params![name])?;
    let query = "SELECT COALESCE(MIN(number) - 1, 0), COUNT(*) FROM out_rows WHERE stream = ?1";
    let (before, left): (i64, i64) =
        it.query_row(query, [name], |row| Ok((row.get(0)?, row.get(1)?)))?;
    // Negative numbers first: renumbered rows must not collide with those that are still to be
    // renumbered.
    let query = "UPDATE out_rows SET number = ?2 - number WHERE stream = ?1";
    execute(it, query, params![name, before])?;
    execute(it, "UPDATE out_rows SET number = -number WHERE stream = ?1", params![name])?;
    let query = "UPDATE out_streams SET incarnation = ?2, last = ?3, sealed = 0, chain = NULL, \
                 batches = 0, appended = 0, confirmed = 0 WHERE stream = ?1";
    let changed = it.prepare_cached(query)?.execute(params![name, life.to_string(), left])?;
    if changed == 1 { Ok(()) } else { Err(missing(stream)) }
}

fn missing(stream: &StreamName) -> StoreError {
    StoreError::Damaged(format!("there is no stream {stream}"))
}

fn prune(it: &Transaction<'_>, retention: Retention) -> Result<u64> {
    let query = "SELECT b.at, b.stream, b.seq, length(b.bytes) FROM out_batches b \
                 JOIN out_streams s ON s.stream = b.stream WHERE b.seq <= s.confirmed \
                 ORDER BY b.at, b.stream, b.seq";
    let done = rows(it, query, [], |row| {
        let key: (i64, String, i64) = (row.get(0)?, row.get(1)?, row.get(2)?);
        Ok((key, count(row, 3)?))
    })?;
    let mut left: u64 = done.iter().map(|(_, bytes)| bytes).sum();
    let mut gone = 0;
    for ((at, stream, seq), bytes) in done {
        if at >= micros(retention.before) && left <= retention.bytes {
            break;
        }
        left -= bytes;
        gone += 1;
        let query = "DELETE FROM out_batches WHERE stream = ?1 AND seq = ?2";
        execute(it, query, params![stream, seq])?;
    }
    Ok(gone)
}
