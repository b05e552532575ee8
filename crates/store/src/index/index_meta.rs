//! The metadata of the index: its identity, and how far data derived from it has come.

use super::Writer;
use crate::db::{StoreError, meta};
use taffrail_model::{EventId, Timestamp};

impl Writer {
    /// Takes the events that changed, vanished or became copies since the last call: search must
    /// read them again. `append` returns the new ones.
    pub fn take_changed(&mut self) -> Vec<(i64, EventId)> {
        std::mem::take(&mut self.changed)
    }

    /// The last batch that was closed.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn last_batch(&self) -> Result<i64, StoreError> {
        meta::last_batch(&self.index)
    }

    /// Whether the copies in the archive were read into this index.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn knows_archive(&self) -> Result<bool, StoreError> {
        Ok(meta::get(&self.index, "compared_with_archive")?.is_some())
    }

    /// Records that the copies in the archive were read into this index.
    ///
    /// # Errors
    /// When the index cannot be written.
    pub fn note_archive(&mut self) -> Result<(), StoreError> {
        meta::set(&self.index, "compared_with_archive", "1")
    }

    /// The identity of this index.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn born(&self) -> Result<String, StoreError> {
        Ok(meta::get(&self.index, "born")?.unwrap_or_default())
    }

    /// Adds to the amount that was read and is not searchable yet; returns the total, and since
    /// when.
    ///
    /// # Errors
    /// When the index cannot be written.
    pub fn note_unsearched(
        &mut self,
        bytes: u64,
        now: Timestamp,
    ) -> Result<(u64, Timestamp), StoreError> {
        let known = meta::get(&self.index, "unsearched")?;
        let known = known.as_deref().and_then(|it| it.split_once(' '));
        let known = known.and_then(|(bytes, since)| {
            Some((bytes.parse::<u64>().ok()?, since.parse::<Timestamp>().ok()?))
        });
        let (before, since) = known.unwrap_or((0, now));
        let all = before.saturating_add(bytes);
        meta::set(&self.index, "unsearched", &format!("{all} {since}"))?;
        Ok((all, since))
    }

    /// Adds to the amount read since this last returned `true`; returns `true` when it reaches
    /// `limit`, and restarts the count.
    ///
    /// # Errors
    /// When the index cannot be written.
    pub fn note_read(&mut self, bytes: u64, limit: u64) -> Result<bool, StoreError> {
        if bytes == 0 {
            return Ok(false);
        }
        let known = meta::get(&self.index, "read")?.and_then(|it| it.parse().ok()).unwrap_or(0);
        let all = bytes.saturating_add(known);
        let enough = all >= limit;
        meta::set(&self.index, "read", &if enough { 0 } else { all }.to_string())?;
        Ok(enough)
    }

    /// `true` once a day, and when `what` differs from last time: daily work is due.
    ///
    /// # Errors
    /// When the index cannot be written.
    pub fn note_day(&mut self, what: &str, now: Timestamp) -> Result<bool, StoreError> {
        let today = now.to_string().chars().take(10).collect::<String>() + what;
        let due = meta::get(&self.index, "day")?.is_none_or(|day| day != today);
        if due {
            meta::set(&self.index, "day", &today)?;
        }
        Ok(due)
    }

    /// Records that everything is searchable.
    ///
    /// # Errors
    /// When the index cannot be written.
    pub fn note_searched(&mut self) -> Result<(), StoreError> {
        self.index.execute("DELETE FROM meta WHERE name = 'unsearched'", [])?;
        Ok(())
    }

    /// Makes everything written so far survive a power cut. Data derived from the index must not
    /// outlive it.
    ///
    /// # Errors
    /// When the index cannot be written.
    pub fn make_durable(&mut self) -> Result<(), StoreError> {
        self.index.pragma_update(None, "synchronous", "FULL")?;
        meta::set(&self.index, "durable", &meta::last_batch(&self.index)?.to_string())?;
        self.index.pragma_update(None, "synchronous", "NORMAL")?;
        Ok(())
    }
}
