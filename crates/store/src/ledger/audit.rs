//! The audit log: decisions and refused attempts, chained by hash.

use super::Ledger;
use crate::db::StoreError;
use crate::db::codec::micros;
use rusqlite::{Connection, OptionalExtension, Row, Transaction, TransactionBehavior, params};
use taffrail_model::Timestamp;
use taffrail_model::audit::{BEGINNING, ChainHash, Deed, Entry, chained, follow};

/// How many entries are kept. The hash of the last removed entry is kept, so that the chain can be
/// checked.
pub const DEEDS_KEPT: u64 = 100_000;

/// The result of checking the chain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Chain {
    /// Every entry matches its hash.
    Whole {
        /// The last entry.
        number: u64,
        /// Its hash.
        hash: ChainHash,
    },
    /// The chain is broken from this entry on.
    Broken {
        /// The entry.
        number: u64,
    },
}

/// The end of the chain, stored separately.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct End {
    /// The number of the last entry; 0 if there is none.
    pub number: u64,
    /// The hash of that entry and all before it.
    pub hash: ChainHash,
    /// The signature of this device, if it has keys.
    pub signature: Option<Vec<u8>>,
}

impl Ledger {
    /// Appends an entry for an action or an attempt.
    ///
    /// # Errors
    /// When the ledger cannot be written.
    pub fn note_deed(&mut self, deed: &Deed, at: Timestamp) -> Result<Entry, StoreError> {
        let transaction = immediate(&self.connection)?;
        let entry = append(&transaction, deed, at)?;
        transaction.commit()?;
        Ok(entry)
    }

    /// Every entry, the oldest first.
    ///
    /// # Errors
    /// When the ledger cannot be read.
    pub fn deeds(&self) -> Result<Vec<Entry>, StoreError> {
        self.entries("SELECT number, at, body, hash FROM audit ORDER BY number", i64::MAX)
    }

    /// The latest entries, newest first.
    ///
    /// # Errors
    /// When the ledger cannot be read.
    pub fn latest_deeds(&self, most: i64) -> Result<Vec<Entry>, StoreError> {
        let query = "SELECT number, at, body, hash FROM audit ORDER BY number DESC LIMIT ?1";
        self.entries(query, most)
    }

    /// How many attempts were refused since then.
    ///
    /// # Errors
    /// When the ledger cannot be read.
    pub fn refused_since(&self, at: Timestamp) -> Result<u64, StoreError> {
        let query = "SELECT count(*) FROM audit WHERE at >= ?1 AND body ->> 'deed' = 'refused'";
        let mut statement = self.connection.prepare_cached(query)?;
        let count: i64 = statement.query_row([micros(at)], |row| row.get(0))?;
        Ok(count.cast_unsigned())
    }

    fn entries(&self, query: &str, most: i64) -> Result<Vec<Entry>, StoreError> {
        let mut statement = self.connection.prepare_cached(query)?;
        let most: &[&dyn rusqlite::ToSql] =
            if statement.parameter_count() == 0 { &[] } else { &[&most] };
        let rows = statement.query_map(most, entry)?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// The stored end of the chain: the number of the last entry, its hash and its signature.
    ///
    /// # Errors
    /// When the ledger cannot be read.
    pub fn deeds_end(&self) -> Result<End, StoreError> {
        let (number, hash) = place(&self.connection, "audit_head")?;
        let query = "SELECT signature FROM audit_places WHERE name = 'audit_head'";
        let signature = self.connection.query_row(query, [], |row| row.get(0)).optional()?;
        Ok(End { number, hash, signature: signature.flatten() })
    }

    /// Signs the end of the chain, if it is still the end.
    ///
    /// # Errors
    /// When the ledger cannot be written.
    pub fn sign_deeds(&mut self, end: &End, signature: &[u8]) -> Result<(), StoreError> {
        let query =
            "UPDATE audit_places SET signature = ?2 WHERE name = 'audit_head' AND number = ?1";
        self.connection.execute(query, params![end.number.cast_signed(), signature])?;
        Ok(())
    }

    /// Verifies the chain from its start, or from where it was cut, to its stored end.
    ///
    /// # Errors
    /// When the ledger cannot be read.
    pub fn check_deeds(&self) -> Result<Chain, StoreError> {
        let (entries, from) = (self.deeds()?, place(&self.connection, "audit_from")?);
        let head = place(&self.connection, "audit_head")?;
        Ok(match follow(from, &entries) {
            Ok(end) if end == head => Chain::Whole { number: end.0, hash: end.1 },
            Ok((number, _)) => Chain::Broken { number: number.min(head.0) + 1 },
            Err(broken) => Chain::Broken { number: broken.number },
        })
    }
}

/// The end of the chain is read before it is written: no other writer may come in between.
pub(crate) fn immediate(connection: &Connection) -> Result<Transaction<'_>, StoreError> {
    Ok(Transaction::new_unchecked(connection, TransactionBehavior::Immediate)?)
}

/// Appends an entry to the chain, inside the caller's transaction.
pub(crate) fn append(
    connection: &Connection,
    deed: &Deed,
    at: Timestamp,
) -> Result<Entry, StoreError> {
    let (last, before) = place(connection, "audit_head")?;
    let (number, at) = (last + 1, whole(at));
    let body = serde_json::to_string(deed).map_err(|it| StoreError::Damaged(it.to_string()))?;
    let hash = chained(&before, number, at, &body);
    let query = "INSERT INTO audit (number, at, body, hash) VALUES (?1, ?2, ?3, ?4)";
    connection.prepare_cached(query)?.execute(params![
        number.cast_signed(),
        micros(at),
        body,
        hash
    ])?;
    put(connection, "audit_head", (number, hash))?;
    make_room(connection, number)?;
    Ok(Entry { number, at, body, hash })
}

/// Rounds an instant to the precision of the ledger.
fn whole(at: Timestamp) -> Timestamp {
    Timestamp::from_microsecond(micros(at)).unwrap_or(at)
}

fn make_room(connection: &Connection, number: u64) -> Result<(), StoreError> {
    let Some(gone) = number.checked_sub(DEEDS_KEPT).filter(|it| *it > 0) else { return Ok(()) };
    let query = "SELECT hash FROM audit WHERE number = ?1";
    let hash = connection.query_row(query, [gone.cast_signed()], |row| row.get(0)).optional()?;
    if let Some(hash) = hash {
        put(connection, "audit_from", (gone, hash))?;
        connection.execute("DELETE FROM audit WHERE number <= ?1", [gone.cast_signed()])?;
    }
    Ok(())
}

/// A stored position in the chain.
fn place(connection: &Connection, name: &str) -> Result<(u64, ChainHash), StoreError> {
    let query = "SELECT number, hash FROM audit_places WHERE name = ?1";
    let found = connection.prepare_cached(query)?.query_row([name], |row| {
        Ok((row.get::<_, i64>(0)?.cast_unsigned(), row.get::<_, ChainHash>(1)?))
    });
    Ok(found.optional()?.unwrap_or((0, BEGINNING)))
}

fn put(
    connection: &Connection,
    name: &str,
    (number, hash): (u64, ChainHash),
) -> Result<(), StoreError> {
    let query = "INSERT INTO audit_places (name, number, hash) VALUES (?1, ?2, ?3) \
                 ON CONFLICT (name) DO UPDATE SET number = excluded.number, hash = excluded.hash, \
                 signature = NULL";
    connection.prepare_cached(query)?.execute(params![name, number.cast_signed(), hash])?;
    Ok(())
}

fn entry(row: &Row<'_>) -> rusqlite::Result<Entry> {
    let at = Timestamp::from_microsecond(row.get(1)?).unwrap_or(Timestamp::UNIX_EPOCH);
    let number = row.get::<_, i64>(0)?.cast_unsigned();
    Ok(Entry { number, at, body: row.get(2)?, hash: row.get(3)? })
}

#[cfg(test)]
mod tests {
    use super::*;
    use taffrail_model::DeviceId;
    use taffrail_model::approval::ApprovalId;

    #[test]
    fn a_log_that_was_written_over_is_found_out() {
        let check = |sql: &str, expected: &Chain| {
            let folder = tempfile::tempdir().unwrap();
            let mut ledger = Ledger::open(folder.path(), &DeviceId::new("d")).unwrap();
            let at = Timestamp::from_second(1_000).unwrap();
            let mut last = None;
            for number in 0..3 {
                let approval_id = ApprovalId::new(format!("a{number}"));
                last = Some(ledger.note_deed(&Deed::Undelivered { approval_id }, at).unwrap());
            }
            ledger.connection.execute_batch(sql).unwrap();
            let got = match ledger.check_deeds().unwrap() {
                Chain::Whole { number, hash } if hash == last.unwrap().hash => {
                    Chain::Whole { number, hash: BEGINNING }
                }
                other => other,
            };
            assert_eq!(got, *expected, "{sql}");
        };
        check("", &Chain::Whole { number: 3, hash: BEGINNING });
        let touch = "UPDATE audit SET body = replace(body, 'a1', 'a9') WHERE number = 2";
        check(touch, &Chain::Broken { number: 2 });
        check("DELETE FROM audit WHERE number = 1", &Chain::Broken { number: 1 });
        check("DELETE FROM audit WHERE number = 3", &Chain::Broken { number: 3 });
        check("DELETE FROM audit", &Chain::Broken { number: 1 });
        check("DELETE FROM audit_places", &Chain::Broken { number: 1 });
        check("UPDATE audit SET at = at + 1 WHERE number = 3", &Chain::Broken { number: 3 });
    }
}
