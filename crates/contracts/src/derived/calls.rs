//! Tool calls with their results.

use crate::captured::{AgentSession, spoken};
use serde_json::Value;
use std::borrow::Cow;
use std::collections::BTreeMap;
use taffrail_model::rules::command_in;
use taffrail_model::{Event, Kind, Timestamp, TurnId};

/// A tool call.
#[derive(Debug)]
pub struct Call<'e> {
    /// The id that joins call, approval and result.
    pub id: &'e str,
    /// The time of the call.
    pub at: Timestamp,
    /// The tool's name.
    pub tool: &'e str,
    /// Its input; JSON inside a string is parsed.
    pub input: Cow<'e, Value>,
    /// Its result.
    pub answer: Option<&'e Event>,
    /// Whether the call was copied from another session.
    pub is_copy: bool,
    /// The turn of the call.
    pub turn: Option<TurnId>,
}

/// The calls of a session, in order.
#[must_use]
pub fn calls(session: &AgentSession) -> Vec<Call<'_>> {
    calls_in(&session.events)
}

/// The calls in some events of a session, in order.
pub(super) fn calls_in(events: &[Event]) -> Vec<Call<'_>> {
    let mut answers: BTreeMap<&str, &Event> = BTreeMap::new();
    for event in spoken(events).filter(|event| event.kind == Kind::ToolResult) {
        if let Some(id) = word(event, "call_id") {
            answers.entry(id).or_insert(event);
        }
    }
    let calls = spoken(events).filter(|event| event.kind == Kind::ToolCall);
    calls.filter_map(|event| call(event, &answers)).collect()
}

fn call<'e>(event: &'e Event, answers: &BTreeMap<&str, &'e Event>) -> Option<Call<'e>> {
    let input = match event.data.get("input") {
        Some(Value::String(text)) if text.trim_start().starts_with('{') => {
            let read = serde_json::from_str(text).ok();
            read.map_or(Cow::Borrowed(event.data.get("input")?), Cow::Owned)
        }
        Some(input) => Cow::Borrowed(input),
        None => Cow::Owned(Value::Null),
    };
    Some(Call {
        id: word(event, "call_id").unwrap_or_default(),
        at: event.created_at,
        tool: word(event, "tool")?,
        input,
        answer: word(event, "call_id").and_then(|id| answers.get(id).copied()),
        is_copy: event.data.contains_key("inherited_from"),
        turn: event.turn_id,
    })
}

fn word<'e>(event: &'e Event, name: &str) -> Option<&'e str> {
    event.data.get(name).and_then(Value::as_str)
}

impl Call<'_> {
    /// Whether the call succeeded.
    #[must_use]
    pub fn is_done(&self) -> bool {
        self.answer.is_some() && !self.has_failed()
    }

    /// Whether the call failed.
    #[must_use]
    pub fn has_failed(&self) -> bool {
        let Some(answer) = self.answer else { return false };
        let failed = answer.data.get("failed").and_then(Value::as_bool) == Some(true);
        let refused = self.said().starts_with("unsupported call");
        failed || refused || self.exit_code().is_some_and(|code| code != 0)
    }

    /// The exit code of the command it ran.
    #[must_use]
    pub fn exit_code(&self) -> Option<i64> {
        self.answer?.data.get("exit_code")?.as_i64()
    }

    /// The text of the result.
    #[must_use]
    pub fn said(&self) -> &str {
        self.answer.and_then(|it| it.text.as_deref()).unwrap_or_default()
    }

    /// The time of the result.
    #[must_use]
    pub fn answered_at(&self) -> Timestamp {
        self.answer.map_or(self.at, |it| it.created_at)
    }

    /// The first of these fields that is a string.
    #[must_use]
    pub fn field(&self, names: &[&str]) -> Option<&str> {
        names.iter().find_map(|name| self.input.get(*name)?.as_str())
    }

    /// The command line that it ran, as a person would type it.
    #[must_use]
    pub fn script(&self) -> Option<String> {
        let command = self.input.get("command").or_else(|| self.input.get("cmd"))?;
        let words: Vec<&str> =
            command.as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        match words.as_slice() {
            [_, options, script] if options.starts_with('-') && options.ends_with('c') => {
                Some((*script).to_owned())
            }
            _ => command_in(&self.input),
        }
    }
}
