//! What only agents need whose events have numbers, parts, times or keys that differ from the usual.

use super::speaker::{Speaker, call_detail};
use crate::gist;
use serde_json::value::RawValue;
use std::borrow::Cow;
use taffrail_model::hash::Digest16;
use taffrail_model::quota::Reported;
use taffrail_model::{
    Detail, Draft, EventId, Kind, NewUsage, RecordKey, RuntimeIdentity, SessionId, Signal,
    Timestamp, TitleRank, Tokens, TurnId,
};

/// How an event is placed in its turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TurnEdge {
    /// It is the prompt that opens the turn.
    Opens,
    /// The turn goes on.
    Within,
    /// It ends the turn.
    Ends,
}

impl Speaker<'_, '_> {
    /// The session that speaks.
    pub fn who(&self) -> RuntimeIdentity {
        self.memory.who(self.place)
    }

    /// The key of the session that speaks.
    pub fn session_key(&self) -> SessionId {
        self.memory.speaks(self.place).session()
    }

    /// The record's own number, which identifies its events where no id does.
    pub fn number(&mut self, number: u64) {
        self.set_key(RecordKey::Ordinal(number));
    }

    /// An id that the dialect made of what the record has.
    pub fn made_id(&mut self, id: String) {
        self.set_key(RecordKey::Provider(Cow::Owned(id)));
    }

    /// The line itself identifies its events, where neither an id nor a number does.
    pub fn by_line(&mut self) {
        (self.line, self.part) = (Some(self.record), 0);
    }

    /// What identifies the record. The hash of a line is computed only if it is needed.
    pub fn key(&mut self) -> RecordKey<'static> {
        self.hash_line();
        self.key.clone()
    }

    pub(super) fn hash_line(&mut self) {
        if let Some(line) = self.line.take() {
            self.key = self.memory.keys.key(line, self.at);
        }
    }

    /// The id of the next event.
    pub fn event_id(&mut self) -> EventId {
        self.hash_line();
        EventId::of(self.session_key(), &self.key, self.part)
    }

    /// The index of the next event among those of its record, which are counted from 0 by default.
    pub fn part(&mut self, part: u32) {
        self.part = part;
    }

    /// The effect of the next event on the status, where its kind does not imply it.
    pub fn signal(&mut self, signal: Option<Signal>) {
        self.signal = signal;
    }

    /// Something that a person would not read changed the status.
    pub fn signalled(&mut self, label: &str, signal: Signal) {
        self.signal(Some(signal));
        let detail = Detail::Remark { label: Cow::Borrowed(label) };
        self.say(Kind::Heartbeat, None, detail, |_| {});
    }

    /// The place within the record of what is said from now on.
    pub fn point_at(&mut self, pointer: String) {
        self.pointer = Some(pointer);
    }

    /// The turn of what is said from now on, even if it is not known.
    pub fn only_turn(&mut self, turn: Option<TurnId>) {
        (self.turn, self.memory.turn) = (turn, turn);
    }

    /// The turn of what is said now.
    pub fn turn_now(&self) -> Option<TurnId> {
        self.memory.turn
    }

    /// Removes a turn that the agent took back.
    pub fn remove_turn(&mut self, turn: TurnId) {
        self.sink.remove_turn(&self.memory.speaks(self.place), turn);
    }

    /// The time of what is said now.
    pub fn time(&self) -> Option<Timestamp> {
        self.at
    }

    /// The time of what is said from now on, even if it is not known.
    pub fn only_at(&mut self, at: Option<Timestamp>) {
        self.at = at;
    }

    /// The id of the answer that the messages and thoughts from now on are parts of.
    pub fn answer_id(&mut self, id: &str) {
        self.answer = Some(id.to_owned());
    }

    /// Says an event in the agent's own words. The dialect links results to calls itself: no call is
    /// remembered.
    pub fn say_unlinked<'a>(
        &mut self,
        kind: Kind,
        detail: Detail<'a>,
        fill: impl FnOnce(&mut Draft<'a>),
    ) {
        let draft = self.draft(kind, None, detail, fill);
        self.send(draft);
    }

    /// The model called a tool, with the input as the agent wrote it. An input without a gist has an
    /// empty text.
    pub fn call_as_written(&mut self, id: &str, tool: &str, input: Option<&RawValue>) {
        let (gist, detail) = (input.map(gist::of), call_detail(id, tool, input));
        self.say(Kind::ToolCall, None, detail, |draft| draft.text = gist);
    }

    /// The agent asks a person to allow a call, with the input as the agent wrote it.
    pub fn asked_as_written(
        &mut self,
        (call, tool): (&str, &str),
        input: Option<&RawValue>,
        text: Option<&str>,
    ) {
        self.say(Kind::ApprovalRequested, text, call_detail(call, tool, input), |_| {});
    }

    /// The turn is over, with the agent's own remark about it.
    pub fn stopped(&mut self, reason: &str, text: Option<&str>) {
        let reason = Some(Cow::Borrowed(reason));
        let detail = Detail::Stopped { reason, duration_ms: None };
        self.say(Kind::AgentStopped, text, detail, |draft| draft.ends_turn = true);
    }

    /// An event with all that the agent wrote about it. Its text may be empty.
    pub fn event<'a>(
        &mut self,
        kind: Kind,
        text: Option<Cow<'a, str>>,
        detail: Detail<'a>,
        edge: TurnEdge,
    ) {
        if edge == TurnEdge::Opens {
            self.title(TitleRank::FirstPrompt, text.as_deref());
        }
        self.say(kind, None, detail, |draft| {
            draft.text = text;
            draft.opens_turn = edge == TurnEdge::Opens;
            draft.ends_turn = edge == TurnEdge::Ends;
        });
    }

    /// A record, or a part of one, of a type that is not known, with the version that wrote it.
    pub fn unknown_in(&mut self, version: Option<&str>, kind: &str) {
        self.sink.unknown(kind, version);
    }

    /// What an answer cost at the time of its record, even if it is nothing.
    /// `cache_write_1h` is the part of the cache writes that is kept for an hour.
    pub fn counted(
        &mut self,
        key: Digest16,
        model: Option<&str>,
        (tokens, cache_write_1h): (Tokens, u64),
    ) {
        self.count(model.map(str::to_owned), key, (tokens, cache_write_1h));
    }

    /// What an answer cost, for agents that keep an older key of their own. The model is the one that
    /// the record itself names.
    pub fn spent_under(&mut self, key: Digest16, tokens: Tokens) {
        if !tokens.is_zero() {
            self.count(self.named.clone(), key, (tokens, 0));
        }
    }

    /// The same, by the model of the session, even if it cost nothing.
    pub fn counted_under(&mut self, key: Digest16, tokens: Tokens) {
        self.count(self.memory.session_model(), key, (tokens, 0));
    }

    fn count(
        &mut self,
        model: Option<String>,
        key: Digest16,
        (tokens, cache_write_1h): (Tokens, u64),
    ) {
        let (at, cost_microdollars) = (self.at, None);
        let usage = NewUsage { key, at, model, tokens, cache_write_1h, cost_microdollars };
        self.sink.usage(&self.memory.speaks(self.place), usage);
    }

    /// A limit of the account, which counts only with a time.
    pub fn quota(&mut self, reported: Reported<'_>) {
        let who = self.memory.speaks(self.place);
        if let Some(seen) = self.at.and_then(|at| reported.by(&who, at)) {
            self.sink.quota(seen);
        }
    }

    /// A record of a type that this version of the agent writes and that is not known.
    pub fn unknown_in_version(&mut self, kind: &str) {
        let version = self.memory.facts().agent_version.as_deref();
        self.sink.unknown(kind, version);
    }
}
