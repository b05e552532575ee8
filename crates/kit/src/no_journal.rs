//! The journal reader of adapters that read no hooks, no registry and no telemetry.

use crate::Reader;
use crate::journal::read_own_entry;
use taffrail_model::{Facts, Record, RuntimeIdentity, Sink};

/// Reads the entries that Taffrail itself writes, and counts every other record as unknown.
pub struct NoJournal;

impl Reader for NoJournal {
    fn read(&mut self, record: &Record<'_>, sink: &mut dyn Sink) {
        if !read_own_entry(record, sink) {
            sink.unknown("journal", None);
        }
    }

    fn facts(&self) -> Vec<(RuntimeIdentity, Facts)> {
        Vec::new()
    }

    fn save(&self) -> String {
        String::new()
    }
}
