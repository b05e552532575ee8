//! Dialects with a memory of their own, for what no other agent needs to remember.

use super::agent::Reads;
use super::driver::{Conversation, Memory};
use super::speaker::Speaker;
use serde::Serialize;
use taffrail_model::{Record, Sink};

/// A dialect that remembers more than the conversation does.
pub trait StatefulDialect {
    /// Parses and reads one record; `None`, before it says anything, if the record cannot be parsed.
    fn read(&mut self, bytes: &[u8], speaker: &mut Speaker<'_, '_>) -> Option<()>;

    /// The memory as text. Keep it small: every checkpoint writes it.
    fn save(&self) -> String;
}

/// Makes a dialect from the memory that an earlier one saved.
pub(super) type MakeDialect = fn(Option<&str>) -> Box<dyn StatefulDialect>;

/// The memory of a conversation and that of its dialect, as they are saved.
#[derive(Serialize)]
struct Saved<'m> {
    #[serde(flatten)]
    memory: &'m Memory,
    own: String,
}

/// The dialect of a store, if it is one with a memory.
pub(super) fn dialect(reads: Reads, memory: &Memory) -> Option<Box<dyn StatefulDialect>> {
    match reads {
        Reads::Stateful(make) => Some(make(memory.own.as_deref())),
        Reads::Fields(_) | Reads::Items(_) | Reads::Bytes(_) | Reads::Text(_) => None,
    }
}

impl Conversation {
    pub(super) fn stateful(&mut self, record: &Record<'_>, sink: &mut dyn Sink) {
        if let Some(mut dialect) = self.dialect.take() {
            self.bytes(record, |bytes, speaker| dialect.read(bytes, speaker), sink);
            self.dialect = Some(dialect);
        }
    }

    /// The whole memory as text.
    pub(super) fn saved(&self) -> String {
        let memory = &self.memory;
        // Strings, numbers and lists of them always serialize.
        match &self.dialect {
            Some(dialect) => serde_json::to_string(&Saved { memory, own: dialect.save() }),
            None => serde_json::to_string(memory),
        }
        .unwrap_or_default()
    }
}
