//! How what a dialect says becomes an event: its key, time and turn, and the call it belongs to.

use super::driver::borrowed;
use super::speaker::Speaker;
use std::borrow::Cow;
use taffrail_model::{Detail, Draft, EventId, Kind, RecordKey, TurnId};

impl Speaker<'_, '_> {
    pub(super) fn say<'a>(
        &mut self,
        kind: Kind,
        text: Option<&'a str>,
        detail: Detail<'a>,
        fill: impl FnOnce(&mut Draft<'a>),
    ) {
        let mut draft = self.draft(kind, text, detail, fill);
        draft.parent = self.link(&draft).or(draft.parent);
        self.send(draft);
    }

    /// The key is lent only now: a copy for each event would be slow.
    pub(super) fn send(&mut self, draft: Draft<'_>) {
        let draft = Draft { key: borrowed(&self.key), ..draft };
        self.sink.event(&self.memory.speaks(self.place), draft);
    }

    /// The next event, with everything but its links.
    pub(super) fn draft<'a>(
        &mut self,
        kind: Kind,
        text: Option<&'a str>,
        detail: Detail<'a>,
        fill: impl FnOnce(&mut Draft<'a>),
    ) -> Draft<'a> {
        self.hash_line();
        let mut draft: Draft<'a> = Draft::new(RecordKey::Ordinal(0), self.part, kind);
        self.part += 1;
        (draft.at, draft.pointer, draft.detail) = (self.at, self.pointer.clone(), detail);
        draft.text = text.filter(|it| !it.is_empty()).map(Cow::Borrowed);
        draft.signal = self.signal.take();
        fill(&mut draft);
        if draft.opens_turn {
            let opened = || TurnId::opened_by(self.id_of(&draft));
            self.memory.turn = Some(self.turn.unwrap_or_else(opened));
        }
        if let Some(message) = &mut self.message {
            message.parts.push(draft.part);
            message.opens_turn |= draft.opens_turn;
        }
        draft.turn = self.memory.turn;
        draft
    }

    fn id_of(&self, draft: &Draft<'_>) -> EventId {
        EventId::of(self.session_key(), &self.key, draft.part)
    }

    /// The call that a draft answers, decides or requests permission for; a call is remembered.
    fn link(&mut self, draft: &Draft<'_>) -> Option<EventId> {
        match (&draft.kind, &draft.detail) {
            (Kind::ToolCall, Detail::ToolCall { call_id, .. }) => {
                self.memory.open(call_id, self.id_of(draft));
                None
            }
            (_, Detail::ToolResult { call_id, .. } | Detail::FileResult { call_id, .. }) => {
                self.memory.close(call_id)
            }
            (_, Detail::ToolCall { call_id, .. } | Detail::Approval { call_id, .. }) => {
                self.memory.call(call_id)
            }
            _ => None,
        }
    }
}
