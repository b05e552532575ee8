//! Sources that vanished, came back or moved.

use super::Writer;
use super::queries::identities_of;
use super::slots::{Due, slot};
use super::takeovers;
use crate::db::{StoreError, meta};
use rusqlite::params;
use taffrail_model::Timestamp;

impl Writer {
    /// Marks sources as gone: their events stay, and their sessions may become lost.
    ///
    /// # Errors
    /// When the index cannot be written.
    pub fn vanish(&mut self, gone: &[i64]) -> Result<(), StoreError> {
        for source in gone {
            self.index.execute("UPDATE sources SET present = 0 WHERE id = ?1", [source])?;
            takeovers::lift(&self.index, *source)?;
            self.read_others_again(*source)?;
            self.touch_sessions_of(*source)?;
        }
        Ok(())
    }

    /// Marks sources as present again, unchanged.
    ///
    /// # Errors
    /// When the index cannot be written.
    pub fn restore(&mut self, back: &[i64]) -> Result<(), StoreError> {
        for source in back {
            self.index.execute("UPDATE sources SET present = 1 WHERE id = ?1", [source])?;
            // This source may outrank the sources whose events replaced its own meanwhile.
            self.marked |= self.index.execute(READ_AGAIN_IF_SHARED, [source])? > 0;
            self.touch_sessions_of(*source)?;
        }
        Ok(())
    }

    /// Records that a source moved: the same file under another name.
    ///
    /// # Errors
    /// When the index cannot be written.
    pub fn relocate(
        &mut self,
        source: i64,
        (home, path, locator): (&str, &str, &str),
    ) -> Result<(), StoreError> {
        self.index.execute(
            "UPDATE sources SET home = ?2, path = ?3, locator = ?4, present = 1 WHERE id = ?1",
            params![source, home, path, locator],
        )?;
        self.touch_sessions_of(source)
    }

    /// Whether the archive was checked since the machine started.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn is_mended(&self) -> Result<bool, StoreError> {
        Ok(meta::get(&self.index, "mended")?.as_deref() == Some(self.boot_id()))
    }

    /// Has incomplete copies made again by reading their sources; drops the copies of sources that
    /// are gone.
    ///
    /// # Errors
    /// When the index cannot be written.
    pub fn mend(&mut self, torn: &[i64], now: Timestamp) -> Result<(), StoreError> {
        if !torn.is_empty() {
            self.begin()?;
            for source in torn {
                self.index.execute(READ_AGAIN_OR_LOSE, [source])?;
                self.touch_sessions_of(*source)?;
            }
            self.commit(now)?;
        }
        let boot = self.boot_id().to_owned();
        meta::set(&self.index, "mended", &boot)
    }

    /// Has the other sources of its sessions read again: they may hold events that this one lost.
    /// Prompt histories have a rule of their own.
    pub(crate) fn read_others_again(&mut self, source: i64) -> Result<(), StoreError> {
        let marked = self.index.execute(
            "UPDATE sources SET again = 1 WHERE present = 1 AND again = 0 AND id <> ?1 \
             AND locator NOT LIKE 'prompts:%' AND id IN \
             (SELECT source FROM source_sessions WHERE session IN \
              (SELECT session FROM source_sessions WHERE source = ?1))",
            [source],
        )?;
        self.marked |= marked > 0;
        Ok(())
    }

    pub(crate) fn touch_sessions_of(&mut self, source: i64) -> Result<(), StoreError> {
        for who in identities_of(&self.index, source)? {
            slot(&self.index, &mut self.slots, (&who, self.batch))?.due.add(Due::FACTS);
        }
        Ok(())
    }
}

const READ_AGAIN_OR_LOSE: &str =
    "UPDATE sources SET again = present, kept = kept * present WHERE id = ?1";
const READ_AGAIN_IF_SHARED: &str = "
UPDATE sources SET again = 1 WHERE id = ?1 AND EXISTS (SELECT 1 FROM source_sessions mine
  JOIN source_sessions other ON other.session = mine.session AND other.source <> mine.source
  JOIN sources ON sources.id = other.source AND sources.locator NOT LIKE 'prompts:%'
  WHERE mine.source = ?1)";
