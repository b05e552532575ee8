//! Gives the events of one record what they have in common.

use super::memory::{Chain, OpenCalls};
use std::borrow::Cow;
use taffrail_model::{
    Detail, Draft, EventId, Kind, NewUsage, RecordKey, Signal, Sink, Timestamp, TitleRank, TurnId,
};

/// The record at hand: who speaks, when, and to whom.
pub(super) struct Telling<'r, 's> {
    /// The record's own id.
    pub(super) uuid: &'r str,
    /// Its time.
    pub(super) at: Option<Timestamp>,
    /// The agent's version, for what is not understood.
    pub(super) version: Option<&'r str>,
    /// The conversation it belongs to.
    pub(super) chain: &'s mut Chain,
    /// The calls that wait for a result.
    pub(super) calls: &'s mut OpenCalls,
    /// Who is told.
    pub(super) sink: &'s mut dyn Sink,
}

impl<'r> Telling<'r, '_> {
    /// An event of this record, with nothing but what all of them share.
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

    /// Tells an event.
    pub(super) fn tell(&mut self, draft: Draft<'_>) {
        self.sink.event(&self.chain.who, draft);
    }

    /// Tells what a model answer cost.
    pub(super) fn usage(&mut self, usage: NewUsage) {
        self.sink.usage(&self.chain.who, usage);
    }

    /// Counts something of this record that is not understood.
    pub(super) fn unknown(&mut self, within: &str, kind: Option<&str>) {
        let raw_type = format!("{within}/{}", kind.unwrap_or_default());
        self.sink.unknown(&raw_type, self.version);
    }

    /// Tells a prompt, which opens a turn.
    pub(super) fn prompt(&mut self, part: u32, text: Cow<'r, str>, asked_by: Option<&'r str>) {
        self.chain.turn = Some(TurnId::opened_by(self.event_id(part)));
        if self.chain.facts.title.is_none() {
            self.chain.facts.offer_title(TitleRank::FirstPrompt, &text);
        }
        let mut draft = self.draft(part, Kind::UserPrompt);
        draft.opens_turn = true;
        draft.text = Some(text);
        draft.detail = Detail::Prompt { asked_by: asked_by.map(Cow::Borrowed) };
        self.tell(draft);
    }

    /// Tells a remark of the program's.
    pub(super) fn notice(&mut self, part: u32, label: &'static str, text: Option<Cow<'r, str>>) {
        let mut draft = self.draft(part, Kind::Notice);
        draft.text = text;
        draft.detail = Detail::Remark { label: Cow::Borrowed(label) };
        self.tell(draft);
    }

    /// Tells a remark that sets the agent to work.
    pub(super) fn news(&mut self, part: u32, label: &'static str, text: Cow<'r, str>) {
        let mut draft = self.draft(part, Kind::Notice);
        draft.text = Some(text);
        draft.detail = Detail::Remark { label: Cow::Borrowed(label) };
        draft.signal = Some(Signal::Busy);
        self.tell(draft);
    }

    /// Tells that the user interrupted the agent, which ends the turn.
    pub(super) fn interrupted(&mut self, part: u32, text: Cow<'r, str>) {
        let mut draft = self.draft(part, Kind::AgentStopped);
        draft.ends_turn = true;
        draft.text = Some(text);
        draft.detail =
            Detail::Stopped { reason: Some(Cow::Borrowed("interrupted")), duration_ms: None };
        self.tell(draft);
    }
}
