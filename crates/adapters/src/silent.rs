//! The reader of a journal no adapter has words for.

use crate::Reader;
use taffrail_model::{Facts, Record, RuntimeIdentity, Sink};

/// Counts what it is given and says nothing.
pub(crate) struct Silent;

impl Reader for Silent {
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
