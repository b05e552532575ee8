//! Reads one session of the database: its own row, then its messages.

use super::block::Block;
use super::message::Message;
use super::row::{MessageRow, Metadata, SessionRow};
use super::{SESSIONS, identity};
use crate::lenient::{record_in, value_in};
use crate::{Reader, Source};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use taffrail_model::{
    Cursor, Detail, Draft, EventId, Facts, Kind, NewUsage, Record, RuntimeIdentity, Sink,
    TitleRank, TurnId, hash,
};

/// The most calls remembered until their results arrive.
const MOST_CALLS: usize = 512;

/// Reads one session.
pub(super) struct Transcript {
    who: RuntimeIdentity,
    memory: Memory,
}

/// The state needed to continue reading.
#[derive(Default, Serialize, Deserialize)]
#[serde(default)]
struct Memory {
    facts: Facts,
    turn: Option<TurnId>,
    /// Calls without a result, the oldest first.
    calls: VecDeque<(String, EventId)>,
}

impl Transcript {
    pub(super) fn new(source: &Source<'_>, saved: Option<&str>) -> Self {
        let saved = saved.and_then(|text| serde_json::from_str(text).ok());
        Self { who: identity(source.scope, source.key), memory: saved.unwrap_or_default() }
    }

    fn read_session(&mut self, bytes: &[u8], sink: &mut dyn Sink) {
        let Some(row) = record_in::<SessionRow<'_>>(bytes) else {
            return sink.unknown("unreadable", None);
        };
        let facts = std::mem::take(&mut self.memory.facts);
        self.memory.facts = facts.joined(row.facts(&self.who));
        sink.event(&self.who, row.started());
    }

    fn read_row(&mut self, bytes: &[u8], sink: &mut dyn Sink) {
        let Some(row) = record_in::<MessageRow<'_>>(bytes) else {
            return sink.unknown("unreadable", None);
        };
        // Without its number, a row has no identity.
        let Some(id) = row.id else {
            return sink.unknown("unreadable", None);
        };
        let content = row.content_json.as_deref().unwrap_or_default();
        let Some(blocks) = value_in::<Vec<Option<Block<'_>>>>(content) else {
            return sink.unknown("content_json", None);
        };
        // A block that is not an object has no type and is counted as unknown.
        let blocks: Vec<_> = blocks.into_iter().map(Option::unwrap_or_default).collect();
        let metadata = row.metadata();
        self.learn(&metadata);
        self.read_message(&Message { id, row: &row, metadata: &metadata, blocks: &blocks }, sink);
    }

    fn read_message(&mut self, message: &Message<'_>, sink: &mut dyn Sink) {
        let found = message.read();
        for raw_type in found.unknown {
            sink.unknown(&raw_type, None);
        }
        for draft in found.drafts {
            let draft = self.linked(draft);
            sink.event(&self.who, draft);
        }
        self.count(message, sink);
    }

    fn learn(&mut self, metadata: &Metadata<'_>) {
        if let Some(model) = metadata.model() {
            self.memory.facts.model = Some(model.to_owned());
        }
    }

    /// Links a draft to its turn and its call.
    fn linked<'a>(&mut self, mut draft: Draft<'a>) -> Draft<'a> {
        let id = EventId::of(self.who.session(), &draft.key, draft.part);
        if draft.opens_turn {
            self.memory.turn = Some(TurnId::opened_by(id));
            let text = draft.text.as_deref().unwrap_or_default();
            self.memory.facts.offer_title(TitleRank::FirstPrompt, text);
        }
        draft.turn = self.memory.turn;
        draft.parent = self.memory.parent_of(&draft);
        if let (Kind::ToolCall, Detail::ToolCall { call_id, .. }) = (&draft.kind, &draft.detail) {
            self.memory.open(call_id, id);
        }
        draft
    }

    fn count(&self, message: &Message<'_>, sink: &mut dyn Sink) {
        let Some(tokens) = message.cost() else { return };
        let row = message.id.to_le_bytes();
        let ids = [self.who.scope.as_bytes(), self.who.id.as_str().as_bytes(), &row];
        let usage = NewUsage {
            key: hash::digest("goose-usage", &ids),
            at: message.at(),
            model: message.metadata.model().map(str::to_owned),
            tokens,
            cost_microdollars: None,
        };
        sink.usage(&self.who, usage);
    }
}

impl Reader for Transcript {
    fn read(&mut self, record: &Record<'_>, sink: &mut dyn Sink) {
        match &record.at {
            Cursor::Row { table, .. } if table == SESSIONS => self.read_session(record.bytes, sink),
            _ => self.read_row(record.bytes, sink),
        }
    }

    fn facts(&self) -> Vec<(RuntimeIdentity, Facts)> {
        vec![(self.who.clone(), self.memory.facts.clone())]
    }

    fn save(&self) -> String {
        // Strings, numbers and lists of them always serialize.
        serde_json::to_string(&self.memory).unwrap_or_default()
    }
}

impl Memory {
    fn open(&mut self, call_id: &str, event: EventId) {
        self.calls.push_back((call_id.to_owned(), event));
        if self.calls.len() > MOST_CALLS {
            self.calls.pop_front();
        }
    }

    /// The call that a draft answers or requests permission for; an answered call is forgotten.
    fn parent_of(&mut self, draft: &Draft<'_>) -> Option<EventId> {
        match (&draft.kind, &draft.detail) {
            (Kind::ToolResult, Detail::ToolResult { call_id, .. }) => {
                let index = self.calls.iter().rposition(|(id, _)| id == call_id)?;
                self.calls.remove(index).map(|(_, event)| event)
            }
            (Kind::ApprovalRequested, Detail::ToolCall { call_id, .. }) => {
                let mut calls = self.calls.iter().rev();
                calls.find(|(id, _)| id == call_id).map(|(_, event)| *event)
            }
            _ => None,
        }
    }
}
