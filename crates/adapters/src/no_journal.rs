//! The journal reader of adapters that have no journal.

use crate::Reader;
use taffrail_model::{Facts, Record, RuntimeIdentity, Sink};

/// Counts every record as unknown.
pub(crate) struct NoJournal;

impl Reader for NoJournal {
    fn read(&mut self, _: &Record<'_>, sink: &mut dyn Sink) {
        sink.unknown("journal", None);
    }

    fn facts(&self) -> Vec<(RuntimeIdentity, Facts)> {
        Vec::new()
    }

    fn save(&self) -> String {
        String::new()
    }
}
