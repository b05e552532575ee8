//! Emits the events of one record with the fields they share.

use super::memory::{Chain, OpenCalls};
use std::borrow::Cow;
use taffrail_model::{
    Detail, Draft, EventId, Kind, NewUsage, RecordKey, Signal, Sink, Timestamp, TitleRank, TurnId,
};

/// The current record with its session and the sink of its events.
pub(super) struct RecordSink<'r, 's> {
    /// The record's own id.
    pub(super) uuid: &'r str,
    /// Its time.
    pub(super) at: Option<Timestamp>,
    /// The agent's version, reported with unknown records.
    pub(super) version: Option<&'r str>,
    /// The conversation it belongs to.
    pub(super) chain: &'s mut Chain,
    /// The calls that wait for a result.
    pub(super) calls: &'s mut OpenCalls,
    /// The receiver of the events.
    pub(super) sink: &'s mut dyn Sink,
}

impl<'r> RecordSink<'r, '_> {
    /// A draft with the fields that all events of this record share.
    pub(super) fn draft(&self, part: u32, kind: Kind) -> Draft<'r> {
        let mut draft = Draft::new(self.key(), part, kind);
        draft.at = self.at;
        draft.turn = self.chain.turn;
        draft
    }

    /// The id of one of this record's events.
    pub(super) fn event_id(&self, part: u32) -> EventId {
        EventId::of(self.chain.who.session(), &self.key(), part)
    }

    fn key(&self) -> RecordKey<'r> {
        RecordKey::Provider(Cow::Borrowed(self.uuid))
    }

    /// Emits an event.
    pub(super) fn emit(&mut self, draft: Draft<'_>) {
        self.sink.event(&self.chain.who, draft);
    }

    /// Emits the usage of a model's answer.
    pub(super) fn usage(&mut self, usage: NewUsage) {
        self.sink.usage(&self.chain.who, usage);
    }

    /// Counts an unknown part of this record.
    pub(super) fn unknown(&mut self, within: &str, kind: Option<&str>) {
        let raw_type = format!("{within}/{}", kind.unwrap_or_default());
        self.sink.unknown(&raw_type, self.version);
    }

    /// Emits a prompt, which opens a turn.
    pub(super) fn prompt(&mut self, part: u32, text: Cow<'r, str>, asked_by: Option<&'r str>) {
        self.chain.turn = Some(TurnId::opened_by(self.event_id(part)));
        if self.chain.facts.title.is_none() {
            self.chain.facts.offer_title(TitleRank::FirstPrompt, &text);
        }
        let mut draft = self.draft(part, Kind::UserPrompt);
        draft.opens_turn = true;
        draft.text = Some(text);
        draft.detail = Detail::Prompt { asked_by: asked_by.map(Cow::Borrowed) };
        self.emit(draft);
    }

    /// Emits a notice of the program.
    pub(super) fn notice(&mut self, part: u32, label: &'static str, text: Option<Cow<'r, str>>) {
        let mut draft = self.draft(part, Kind::Notice);
        draft.text = text;
        draft.detail = Detail::Remark { label: Cow::Borrowed(label) };
        self.emit(draft);
    }

    /// Emits a notice that starts the agent working.
    pub(super) fn news(&mut self, part: u32, label: &'static str, text: Cow<'r, str>) {
        let mut draft = self.draft(part, Kind::Notice);
        draft.text = Some(text);
        draft.detail = Detail::Remark { label: Cow::Borrowed(label) };
        draft.signal = Some(Signal::Busy);
        self.emit(draft);
    }

    /// Emits the user's interruption, which ends the turn.
    pub(super) fn interrupted(&mut self, part: u32, text: Cow<'r, str>) {
        let mut draft = self.draft(part, Kind::AgentStopped);
        draft.ends_turn = true;
        draft.text = Some(text);
        draft.detail =
            Detail::Stopped { reason: Some(Cow::Borrowed("interrupted")), duration_ms: None };
        self.emit(draft);
    }
}
