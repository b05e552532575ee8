//! Events as an adapter produces them from a record, before they are numbered or stored.

use crate::approval::is_denial;
use crate::hash::{self, Digest16};
use crate::quota::Observation;
use crate::{
    Confidence, EventId, Kind, NewUsage, Origin, RecordKey, RuntimeIdentity, Signal, Timestamp,
    TurnId,
};
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use std::borrow::Cow;

/// The details of a record beyond its text, by kind.
#[derive(Debug, Clone, Default)]
pub enum Detail<'a> {
    /// Nothing more.
    #[default]
    None,
    /// A session began.
    Started {
        /// The agent program's version.
        version: Option<Cow<'a, str>>,
        /// How it was started, in the agent's terms.
        entrypoint: Option<Cow<'a, str>>,
        /// The working directory.
        cwd: Option<Cow<'a, str>>,
    },
    /// A prompt.
    Prompt {
        /// Who asked, in the agent's terms (`typed`, `queued`, `sdk`, ...).
        asked_by: Option<Cow<'a, str>>,
    },
    /// An answer or a thought.
    Message {
        /// The model that wrote it.
        model: Option<Cow<'a, str>>,
        /// Why the model stopped, in the provider's terms.
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
    /// A tool returned a result.
    ToolResult {
        /// Joins call, approval and result.
        call_id: Cow<'a, str>,
        /// The tool reported a failure.
        failed: Option<bool>,
        /// The call did not run because somebody refused it.
        denied: bool,
        /// The exit code of a command.
        exit_code: Option<i64>,
        /// How long it ran.
        duration_ms: Option<u64>,
    },
    /// A tool that changes a file returned a result.
    FileResult {
        /// Joins call, approval and result.
        call_id: Cow<'a, str>,
        /// The tool reported a failure.
        failed: Option<bool>,
        /// How long it ran.
        duration_ms: Option<u64>,
        /// The content before the change, as a JSON string; `None` if the file is new.
        original: Option<&'a RawValue>,
        /// The user changed the proposed content before it was written.
        is_amended: bool,
    },
    /// An approval was decided.
    Approval {
        /// Joins call, approval and result.
        call_id: Cow<'a, str>,
        /// `accept`, `reject`, in the agent's terms.
        decision: Cow<'a, str>,
        /// Who decided, in the agent's terms.
        decided_by: Option<Cow<'a, str>>,
        /// The words that the person gave with the decision.
        reason: Option<Cow<'a, str>>,
    },
    /// The agent stopped.
    Stopped {
        /// Why, in the agent's terms.
        reason: Option<Cow<'a, str>>,
        /// How long the turn took.
        duration_ms: Option<u64>,
    },
    /// The context was compacted.
    Compacted {
        /// `manual`, `auto`, in the agent's terms.
        trigger: Option<Cow<'a, str>>,
        /// Tokens before the compaction.
        tokens_before: Option<u64>,
    },
    /// Something failed.
    Failure {
        /// The agent's or provider's code.
        code: Option<Cow<'a, str>>,
        /// The agent announced a retry.
        retrying: Option<bool>,
    },
    /// A notice, with the agent's name for its type.
    Remark {
        /// The type.
        label: Cow<'a, str>,
    },
    /// A report from a hook, a live registry or the process table.
    Live {
        /// The field that holds the name: `hook`, or `label` for reports without a name of their
        /// own.
        field: &'static str,
        /// The hook's own name.
        name: Cow<'a, str>,
        /// The small fields of the report, by name.
        fields: Vec<(&'static str, Value)>,
    },
    /// An event that another device published.
    Told {
        /// The tool, the model, ...
        label: Option<Cow<'a, str>>,
        /// A tool that failed.
        failed: bool,
        /// The other published fields, by name.
        fields: Map<String, Value>,
    },
}

/// An event as an adapter produces it: without number, observer or store.
#[derive(Debug, Clone)]
pub struct Draft<'a> {
    /// Identifies the record.
    pub key: RecordKey<'a>,
    /// The index of this event among the record's events; a function of the record alone.
    pub part: u32,
    /// The kind of event.
    pub kind: Kind,
    /// The record's own time.
    pub at: Option<Timestamp>,
    /// The turn it belongs to.
    pub turn: Option<TurnId>,
    /// This is the prompt that opens the turn.
    pub opens_turn: bool,
    /// This event ends the turn.
    pub ends_turn: bool,
    /// The event this one answers.
    pub parent: Option<EventId>,
    /// The whole text.
    pub text: Option<Cow<'a, str>>,
    /// Further details.
    pub detail: Detail<'a>,
    /// The confidence.
    pub confidence: Confidence,
    /// The source that reported it.
    pub origin: Origin,
    /// The effect on the status, where the kind does not imply it.
    pub signal: Option<Signal>,
    /// The position of the event, if it differs from the record's (a place inside a document).
    pub pointer: Option<String>,
}

impl<'a> Draft<'a> {
    /// A draft with only the fields that every event has.
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

    /// A hash of the event's whole content; equal hashes mean that nothing changed.
    ///
    /// If a record is never rewritten, the hash of its raw bytes (`record`) replaces its text and
    /// detail. If an agent rewrites records with more in them, text and detail themselves are
    /// hashed, so that an event with unchanged content keeps its revision.
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
            Self::None
            | Self::Started { .. }
            | Self::ToolResult { .. }
            | Self::FileResult { .. } => None,
        }
    }

    /// Whether the tool reported a failure.
    #[must_use]
    pub fn failed(&self) -> bool {
        match self {
            Self::ToolResult { failed, exit_code, denied, .. } => {
                !denied && (*failed == Some(true) || exit_code.is_some_and(|code| code != 0))
            }
            Self::FileResult { failed, .. } => *failed == Some(true),
            Self::Told { failed, .. } => *failed,
            _ => false,
        }
    }

    /// Whether somebody refused the call: it did not run, so it did not fail.
    #[must_use]
    pub fn denied(&self) -> bool {
        match self {
            Self::ToolResult { denied, .. } => *denied,
            Self::Approval { decision, .. } => is_denial(decision),
            _ => false,
        }
    }

    /// The details as a JSON object, without unknown fields.
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
        if let Self::FileResult { original, is_amended, .. } = self {
            out.insert("change".to_owned(), change_json(*original, *is_amended));
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
            Self::ToolResult { call_id, failed, denied, exit_code, duration_ms } => {
                put_text(put, "call_id", Some(call_id));
                put_some(put, "failed", failed.filter(|_| !denied));
                put_some(put, "denied", denied.then_some(true));
                put_some(put, "exit_code", *exit_code);
                put_some(put, "duration_ms", *duration_ms);
            }
            Self::FileResult { call_id, failed, duration_ms, .. } => {
                put_text(put, "call_id", Some(call_id));
                put_some(put, "failed", *failed);
                put_some(put, "duration_ms", *duration_ms);
            }
            Self::Approval { call_id, decision, decided_by, reason } => {
                put_text(put, "call_id", Some(call_id));
                put_text(put, "decision", Some(decision));
                put_text(put, "decided_by", decided_by.as_deref());
                put_text(put, "reason", reason.as_deref());
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

/// What a file was before a change: `original` is `null` for a new file.
fn change_json(original: Option<&RawValue>, is_amended: bool) -> Value {
    let original = original.and_then(|it| serde_json::from_str(it.get()).ok());
    let mut out = Map::new();
    out.insert("original".to_owned(), original.unwrap_or(Value::Null));
    if is_amended {
        out.insert("amended".to_owned(), true.into());
    }
    Value::Object(out)
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

/// Receives what an adapter's reader finds.
pub trait Sink {
    /// An event of a record.
    fn event(&mut self, who: &RuntimeIdentity, draft: Draft<'_>);
    /// Removes an event (rewind, revert, replacement).
    fn remove(&mut self, who: &RuntimeIdentity, event: EventId);
    /// Removes every event of a turn so far (a turn that was rolled back).
    fn remove_turn(&mut self, who: &RuntimeIdentity, turn: TurnId);
    /// The cost of a model answer.
    fn usage(&mut self, who: &RuntimeIdentity, usage: NewUsage);
    /// A limit of the account that a session reports. Only a reader for the index keeps them.
    fn quota(&mut self, _seen: Observation) {}
    /// A record of a type that the adapter does not know, with the agent's version if known.
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
            denied: false,
            exit_code: Some(2),
            duration_ms: None,
        };
        let json = Value::Object(detail.to_json()).to_string();
        assert_eq!(json, r#"{"call_id":"c1","exit_code":2}"#);
        assert!(detail.failed());
    }

    #[test]
    fn a_call_that_somebody_refused_did_not_fail() {
        let detail = Detail::ToolResult {
            call_id: "c1".into(),
            failed: Some(true),
            denied: true,
            exit_code: None,
            duration_ms: None,
        };
        assert!(detail.denied() && !detail.failed());
        let json = Value::Object(detail.to_json()).to_string();
        assert_eq!(json, r#"{"call_id":"c1","denied":true}"#);
    }

    #[test]
    fn decisions_of_people_that_refuse_are_denials_in_any_agents_words() {
        let check = |decision: &'static str, expected: bool| {
            let call_id = "c1".into();
            let detail = Detail::Approval {
                call_id,
                decision: decision.into(),
                decided_by: None,
                reason: None,
            };
            assert_eq!(detail.denied(), expected, "{decision}");
        };
        for word in ["reject", "Rejected", "deny", "denied-interactively-by-user", "decline"] {
            check(word, true);
        }
        for word in ["accept", "approved", "denied-by-rules", "answered", ""] {
            check(word, false);
        }
    }
}
