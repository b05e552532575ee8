//! What an adapter makes of one record, before anything is numbered or stored.

use crate::hash::{self, Digest16};
use crate::{
    Confidence, EventId, Kind, NewUsage, Origin, RecordKey, RuntimeIdentity, Signal, Timestamp,
    TurnId,
};
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use std::borrow::Cow;

/// What a record says beyond its text, by kind.
#[derive(Debug, Clone, Default)]
pub enum Detail<'a> {
    /// Nothing more.
    #[default]
    None,
    /// A session began.
    Started {
        /// The agent program's version.
        version: Option<Cow<'a, str>>,
        /// How it was started, in the agent's word.
        entrypoint: Option<Cow<'a, str>>,
        /// The working directory.
        cwd: Option<Cow<'a, str>>,
    },
    /// A prompt.
    Prompt {
        /// Who asked, in the agent's word (`typed`, `queued`, `sdk`, ...).
        asked_by: Option<Cow<'a, str>>,
    },
    /// An answer or a thought.
    Message {
        /// The model that wrote it.
        model: Option<Cow<'a, str>>,
        /// Why the model stopped, in the provider's word.
        stop_reason: Option<Cow<'a, str>>,
        /// The provider's id of the answer; several messages may share it.
        answer: Option<Cow<'a, str>>,
    },
    /// A tool was called.
    ToolCall {
        /// Joins call, approval and result.
        call_id: Cow<'a, str>,
        /// The tool's name as the agent writes it.
        tool: Cow<'a, str>,
        /// The exact input, as JSON.
        input: Option<&'a RawValue>,
        /// The exact input, where it is text and not JSON.
        input_text: Option<Cow<'a, str>>,
    },
    /// A tool answered.
    ToolResult {
        /// Joins call, approval and result.
        call_id: Cow<'a, str>,
        /// The tool said that it failed.
        failed: Option<bool>,
        /// The exit code of a command.
        exit_code: Option<i64>,
        /// How long it ran.
        duration_ms: Option<u64>,
    },
    /// A request to be allowed something was decided.
    Approval {
        /// Joins call, approval and result.
        call_id: Cow<'a, str>,
        /// `accept`, `reject`, in the agent's word.
        decision: Cow<'a, str>,
        /// Who decided, in the agent's word.
        decided_by: Option<Cow<'a, str>>,
    },
    /// The agent stopped.
    Stopped {
        /// Why, in the agent's word.
        reason: Option<Cow<'a, str>>,
        /// How long the turn took.
        duration_ms: Option<u64>,
    },
    /// Context was folded.
    Compacted {
        /// `manual`, `auto`, in the agent's word.
        trigger: Option<Cow<'a, str>>,
        /// Tokens before.
        tokens_before: Option<u64>,
    },
    /// Something failed.
    Failure {
        /// The agent's or provider's code.
        code: Option<Cow<'a, str>>,
        /// The agent said it would try again.
        retrying: Option<bool>,
    },
    /// A remark, by its type in the agent's word.
    Remark {
        /// The type.
        label: Cow<'a, str>,
    },
    /// What a hook, a live registry or the process table said.
    Live {
        /// The field its name stands in: `hook`, or `label` for what has no name of its own.
        field: &'static str,
        /// The hook's own name.
        name: Cow<'a, str>,
        /// The small things it said, by name.
        fields: Vec<(&'static str, Value)>,
    },
    /// What another device told of it.
    Told {
        /// The tool, the model, ...
        label: Option<Cow<'a, str>>,
        /// It is a tool that failed.
        failed: bool,
        /// What else was told, by name.
        fields: Map<String, Value>,
    },
}

/// An event as an adapter sees it: no number, no observer, no store.
#[derive(Debug, Clone)]
pub struct Draft<'a> {
    /// Tells the record apart.
    pub key: RecordKey<'a>,
    /// Which of the record's events this is; a function of the record alone.
    pub part: u32,
    /// What it says.
    pub kind: Kind,
    /// The record's own time.
    pub at: Option<Timestamp>,
    /// The turn it belongs to.
    pub turn: Option<TurnId>,
    /// It is the prompt that opens that turn.
    pub opens_turn: bool,
    /// It says that the turn is over.
    pub ends_turn: bool,
    /// The event it answers.
    pub parent: Option<EventId>,
    /// Its text, whole.
    pub text: Option<Cow<'a, str>>,
    /// What else it says.
    pub detail: Detail<'a>,
    /// How far to trust it.
    pub confidence: Confidence,
    /// Who said it.
    pub origin: Origin,
    /// What follows for the status, where the kind does not say it.
    pub signal: Option<Signal>,
    /// Where it stands, if not where the record does (a place inside a document).
    pub pointer: Option<String>,
}

impl<'a> Draft<'a> {
    /// A draft with nothing but what every event has.
    #[must_use]
    pub fn new(key: RecordKey<'a>, part: u32, kind: Kind) -> Self {
        Self {
            key,
            part,
            kind,
            at: None,
            turn: None,
            opens_turn: false,
            ends_turn: false,
            parent: None,
            text: None,
            detail: Detail::None,
            confidence: Confidence::High,
            origin: Origin::Transcript,
            signal: None,
            pointer: None,
        }
    }

    /// A mark of everything the event says; equal marks mean that nothing changed.
    ///
    /// Where a record is never written twice, the hash of its raw bytes (`record`) stands for its
    /// text and detail. Where an agent writes records again with more in them, the text and detail
    /// themselves are marked, so that an event which says the same as before stays as it is.
    #[must_use]
    pub fn content(&self, at: Timestamp, record: Option<Digest16>) -> Digest16 {
        let time = at.as_microsecond().to_le_bytes();
        let turn = self.turn.map_or([0; 16], |turn| *turn.as_bytes());
        let parent = self.parent.map_or([0; 16], |parent| *parent.as_bytes());
        let marks = [u8::from(self.opens_turn), u8::from(self.ends_turn)];
        let kind = self.kind.as_str().as_bytes();
        match record {
            Some(record) => {
                let part = self.part.to_le_bytes();
                let all = [kind, &time, &turn, &parent, &marks, &record, &part].concat();
                hash::checksum(&all)
            }
            None => {
                let text = self.text.as_deref().unwrap_or_default().as_bytes();
                let detail = self.detail.mark();
                hash::digest("content", &[kind, &time, &turn, &parent, &marks, text, &detail])
            }
        }
    }
}

impl Detail<'_> {
    /// A short word for lists: the tool's name, the model, the label.
    #[must_use]
    pub fn label(&self) -> Option<&str> {
        match self {
            Self::ToolCall { tool, .. } => Some(tool),
            Self::Message { model, .. } => model.as_deref(),
            Self::Remark { label } => Some(label),
            Self::Live { name, .. } => Some(name),
            Self::Approval { decision, .. } => Some(decision),
            Self::Stopped { reason, .. } => reason.as_deref(),
            Self::Failure { code, .. } => code.as_deref(),
            Self::Compacted { trigger, .. } => trigger.as_deref(),
            Self::Prompt { asked_by } => asked_by.as_deref(),
            Self::Told { label, .. } => label.as_deref(),
            Self::None | Self::Started { .. } | Self::ToolResult { .. } => None,
        }
    }

    /// The tool said that it failed.
    #[must_use]
    pub fn failed(&self) -> bool {
        match self {
            Self::ToolResult { failed, exit_code, .. } => {
                *failed == Some(true) || exit_code.is_some_and(|code| code != 0)
            }
            Self::Told { failed, .. } => *failed,
            _ => false,
        }
    }

    /// The same as a JSON object, without what is unknown.
    #[must_use]
    pub fn to_json(&self) -> Map<String, Value> {
        let mut out = Map::new();
        self.fields(&mut |name, value| {
            out.insert(name.to_owned(), value);
        });
        if let Self::ToolCall { input: Some(input), .. } = self
            && let Ok(value) = serde_json::from_str(input.get())
        {
            out.insert("input".to_owned(), value);
        }
        out
    }

    fn mark(&self) -> Vec<u8> {
        let mut out = Vec::new();
        self.fields(&mut |name, value| {
            out.extend_from_slice(name.as_bytes());
            out.extend_from_slice(value.to_string().as_bytes());
        });
        if let Self::ToolCall { input: Some(input), .. } = self {
            out.extend_from_slice(input.get().as_bytes());
        }
        if let Self::Told { label, failed, .. } = self {
            out.push(u8::from(*failed));
            out.extend_from_slice(label.as_deref().unwrap_or_default().as_bytes());
        }
        out
    }

    fn fields(&self, put: &mut dyn FnMut(&str, Value)) {
        match self {
            Self::None => {}
            Self::Started { version, entrypoint, cwd } => {
                put_text(put, "agent_version", version.as_deref());
                put_text(put, "entrypoint", entrypoint.as_deref());
                put_text(put, "cwd", cwd.as_deref());
            }
            Self::Prompt { asked_by } => put_text(put, "asked_by", asked_by.as_deref()),
            Self::Message { model, stop_reason, answer } => {
                put_text(put, "model", model.as_deref());
                put_text(put, "stop_reason", stop_reason.as_deref());
                put_text(put, "answer", answer.as_deref());
            }
            Self::ToolCall { call_id, tool, input: _, input_text } => {
                put_text(put, "call_id", Some(call_id));
                put_text(put, "tool", Some(tool));
                put_text(put, "input", input_text.as_deref());
            }
            Self::ToolResult { call_id, failed, exit_code, duration_ms } => {
                put_text(put, "call_id", Some(call_id));
                put_some(put, "failed", *failed);
                put_some(put, "exit_code", *exit_code);
                put_some(put, "duration_ms", *duration_ms);
            }
            Self::Approval { call_id, decision, decided_by } => {
                put_text(put, "call_id", Some(call_id));
                put_text(put, "decision", Some(decision));
                put_text(put, "decided_by", decided_by.as_deref());
            }
            Self::Stopped { reason, duration_ms } => {
                put_text(put, "reason", reason.as_deref());
                put_some(put, "duration_ms", *duration_ms);
            }
            Self::Compacted { trigger, tokens_before } => {
                put_text(put, "trigger", trigger.as_deref());
                put_some(put, "tokens_before", *tokens_before);
            }
            Self::Failure { code, retrying } => {
                put_text(put, "code", code.as_deref());
                put_some(put, "retrying", *retrying);
            }
            Self::Remark { label } => put_text(put, "label", Some(label)),
            Self::Live { field, name, fields } => {
                put_text(put, field, Some(name));
                for (name, value) in fields {
                    put(name, value.clone());
                }
            }
            Self::Told { fields, .. } => {
                for (name, value) in fields {
                    put(name, value.clone());
                }
            }
        }
    }
}

fn put_text(put: &mut dyn FnMut(&str, Value), name: &str, value: Option<&str>) {
    if let Some(value) = value {
        put(name, Value::from(value));
    }
}

fn put_some<T: Into<Value>>(put: &mut dyn FnMut(&str, Value), name: &str, value: Option<T>) {
    if let Some(value) = value {
        put(name, value.into());
    }
}

/// Where an adapter's reader puts what it finds.
pub trait Sink {
    /// A record says this.
    fn event(&mut self, who: &RuntimeIdentity, draft: Draft<'_>);
    /// An event said earlier no longer stands (rewind, revert, replacement).
    fn remove(&mut self, who: &RuntimeIdentity, event: EventId);
    /// Every event of this turn said so far no longer stands (a turn that was rolled back).
    fn remove_turn(&mut self, who: &RuntimeIdentity, turn: TurnId);
    /// A model answer cost this much.
    fn usage(&mut self, who: &RuntimeIdentity, usage: NewUsage);
    /// A record of a type the adapter does not know, with the agent's version where known.
    fn unknown(&mut self, raw_type: &str, version: Option<&str>);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draft(text: &str) -> Draft<'_> {
        let mut draft = Draft::new(RecordKey::Ordinal(1), 0, Kind::UserPrompt);
        draft.text = Some(text.into());
        draft
    }

    #[test]
    fn content_changes_with_text_and_detail_only() {
        let now = Timestamp::UNIX_EPOCH;
        assert_eq!(draft("a").content(now, None), draft("a").content(now, None));
        assert_ne!(draft("a").content(now, None), draft("b").content(now, None));
        let mut other = draft("a");
        other.detail = Detail::Remark { label: "x".into() };
        assert_ne!(draft("a").content(now, None), other.content(now, None));
    }

    #[test]
    fn unknown_details_are_left_out() {
        let detail = Detail::ToolResult {
            call_id: "c1".into(),
            failed: None,
            exit_code: Some(2),
            duration_ms: None,
        };
        let json = Value::Object(detail.to_json()).to_string();
        assert_eq!(json, r#"{"call_id":"c1","exit_code":2}"#);
        assert!(detail.failed());
    }
}
