//! What only agents need whose events have numbers, parts, times or keys that differ from the usual.

use super::speaker::{Speaker, call_detail};
use crate::gist;
use serde_json::value::RawValue;
use std::borrow::Cow;
use taffrail_model::hash::Digest16;
use taffrail_model::{
    Detail, Kind, NewUsage, RecordKey, RuntimeIdentity, Signal, Timestamp, Tokens,
};

impl Speaker<'_, '_> {
    /// The session that speaks.
    pub fn who(&self) -> RuntimeIdentity {
        self.memory.who(self.place)
    }

    /// The record's own number, which identifies its events where no id does.
    pub fn number(&mut self, number: u64) {
        (self.key, self.part) = (RecordKey::Ordinal(number), 0);
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

    /// The time of what is said from now on, even if it is not known.
    pub fn only_at(&mut self, at: Option<Timestamp>) {
        self.at = at;
    }

    /// The id of the answer that the messages and thoughts from now on are parts of.
    pub fn answer_id(&mut self, id: &str) {
        self.answer = Some(id.to_owned());
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

    /// What an answer cost, for agents that keep an older key of their own. The model is the one that
    /// the record itself names.
    pub fn spent_under(&mut self, key: Digest16, tokens: Tokens) {
        if tokens.is_zero() {
            return;
        }
        let (who, model) = (self.who(), self.named.clone());
        let usage = NewUsage { key, at: self.at, model, tokens, cost_microdollars: None };
        self.sink.usage(&who, usage);
    }
}
