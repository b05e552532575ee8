//! Records a reader's output, to compare it and to check its size.

use taffrail_adapters::Reader;
use taffrail_model::{Cursor, Draft, EventId, NewUsage, Record, RuntimeIdentity, Sink, TurnId};

/// The bytes that a reader may emit for each byte of input, and for each event.
const BYTES_A_BYTE: usize = 4;
const BYTES_A_WORD: usize = 4_000;

#[derive(Debug, Default, PartialEq)]
pub(crate) struct Recorder {
    pub(crate) lines: Vec<String>,
    /// The bytes of texts and details.
    bytes: usize,
    unknown: usize,
}

impl Sink for Recorder {
    fn event(&mut self, who: &RuntimeIdentity, draft: Draft<'_>) {
        let detail = serde_json::to_string(&draft.detail.to_json()).unwrap();
        self.bytes += draft.text.as_deref().map_or(0, str::len) + detail.len();
        let id = EventId::of(who.session(), &draft.key, draft.part);
        self.lines.push(format!("{who:?} {id:?} {draft:?} {detail}"));
    }

    fn remove(&mut self, who: &RuntimeIdentity, event: EventId) {
        self.lines.push(format!("{who:?} removes {event:?}"));
    }

    fn remove_turn(&mut self, who: &RuntimeIdentity, turn: TurnId) {
        self.lines.push(format!("{who:?} removes {turn:?}"));
    }

    fn usage(&mut self, who: &RuntimeIdentity, usage: NewUsage) {
        self.lines.push(format!("{who:?} used {usage:?}"));
    }

    fn unknown(&mut self, raw_type: &str, version: Option<&str>) {
        self.unknown += 1;
        self.bytes += raw_type.len() + version.map_or(0, str::len);
    }
}

impl Recorder {
    /// Reads records in their order, and the facts at their end.
    pub(crate) fn read(reader: &mut dyn Reader, records: &[(Cursor, &[u8])]) -> Self {
        let mut recorder = Self::default();
        for (at, bytes) in records {
            reader.read(&Record { bytes, at: at.clone() }, &mut recorder);
        }
        recorder
            .lines
            .extend(reader.facts().iter().map(|(who, facts)| format!("{who:?}: {facts:?}")));
        recorder
    }

    /// Checks the size of the output against the size of the input.
    pub(crate) fn check_weight(&self, given: usize) {
        let words = self.lines.len() + self.unknown;
        let most = given * BYTES_A_BYTE + words * BYTES_A_WORD;
        assert!(self.bytes <= most, "{} bytes said of {given}", self.bytes);
        assert!(words <= given + 10, "{words} things said of {given}");
    }
}
