//! Events in reading order: a call with its result, notices on one line, the rest left out.

use super::plain::plain;
use crate::changes::{Change, changes};
use crate::phrases::{Outcome, decided, flag, word};
use crate::terminal::line;
use serde_json::Value;
use std::borrow::Cow;
use std::collections::VecDeque;
use taffrail_model::{Event, Kind, Timestamp, TurnId};

/// The fields with the changed text; they are shown as a diff.
const CHANGING: [&str; 15] = [
    "old_string",
    "old_str",
    "oldText",
    "old",
    "new_string",
    "new_str",
    "newText",
    "new",
    "edits",
    "patch",
    "diff",
    "content",
    "file_text",
    "input",
    WHOLE,
];
/// The key of an input that is a single string.
const WHOLE: &str = "";

/// How many blocks wait for the result of a call before they are written without it.
const WAITING: usize = 64;

/// One block of the transcript.
#[derive(Debug)]
pub(super) enum Block {
    Prompt(Said),
    Answer(Said),
    Thinking(Said),
    Tool(Tool),
    Note(Note),
}

/// A message.
#[derive(Debug)]
pub(super) struct Said {
    pub(super) at: Timestamp,
    pub(super) turn: Option<TurnId>,
    pub(super) text: String,
    /// The source is gone and the text is an excerpt.
    pub(super) is_excerpt: bool,
}

/// A call and its result.
#[derive(Debug)]
pub(super) struct Tool {
    call_id: Option<String>,
    pub(super) name: String,
    pub(super) gist: String,
    pub(super) input: String,
    /// The change of a file, removed lines before added ones.
    pub(super) changes: Vec<Change>,
    pub(super) output: Option<Output>,
}

/// The output of a tool.
#[derive(Debug)]
pub(super) struct Output {
    pub(super) text: String,
    pub(super) outcome: Outcome,
    /// The full size in bytes, if this is only the beginning.
    pub(super) cut_from: Option<u64>,
}

/// A notice.
#[derive(Debug)]
pub(super) struct Note {
    pub(super) label: &'static str,
    pub(super) text: String,
}

/// Pending blocks, in order; a call waits for its result.
#[derive(Debug, Default)]
pub(super) struct Blocks {
    queue: VecDeque<Block>,
}

impl Blocks {
    /// Adds the next event and returns the blocks that are complete.
    pub(super) fn push(&mut self, event: &Event) -> Vec<Block> {
        match event.kind {
            Kind::ToolResult => self.answer(event),
            _ => self.queue.extend(block(event)),
        }
        let is_over = event.kind == Kind::UserPrompt || self.queue.len() > WAITING;
        if is_over { self.rest() } else { self.whole() }
    }

    /// Returns the remaining blocks.
    pub(super) fn rest(&mut self) -> Vec<Block> {
        self.queue.drain(..).collect()
    }

    fn whole(&mut self) -> Vec<Block> {
        let waits = |block: &Block| matches!(block, Block::Tool(tool) if tool.output.is_none());
        let count = self.queue.iter().take_while(|block| !waits(block)).count();
        self.queue.drain(..count).collect()
    }

    fn answer(&mut self, event: &Event) {
        let id = text_of(event, "call_id");
        let asked = self.queue.iter_mut().find_map(|block| match block {
            Block::Tool(tool) if tool.call_id == id && tool.output.is_none() => Some(tool),
            _ => None,
        });
        match asked {
            Some(tool) => tool.output = Some(output(event)),
            None => self.queue.push_back(Block::Tool(unasked(event))),
        }
    }
}

fn block(event: &Event) -> Option<Block> {
    match event.kind {
        Kind::UserPrompt => Some(Block::Prompt(said(event))),
        Kind::AssistantMessage => Some(Block::Answer(said(event))),
        Kind::AssistantThinking => Some(Block::Thinking(said(event))),
        Kind::ToolCall => Some(Block::Tool(call(event))),
        Kind::ToolResult => Some(Block::Tool(unasked(event))),
        _ => note(event).map(Block::Note),
    }
}

fn note(event: &Event) -> Option<Note> {
    let text = line(&plain(event.text.as_deref().unwrap_or_default()));
    let note = |label, text: String| Some(Note { label, text });
    match event.kind {
        Kind::Error if text.is_empty() => note("error", word(event, "code")),
        Kind::Error => note("error", text),
        Kind::ApprovalRequested => note("asks for approval", format!("{} {text}", tool_of(event))),
        Kind::ApprovalResolved => note("approval", decided(event)),
        Kind::ContextCompacted => note("context compacted", String::new()),
        Kind::AgentStopped if word(event, "reason") == "interrupted" => {
            note("interrupted", String::new())
        }
        Kind::Notice => note("notice", format!("{} {text}", word(event, "label"))),
        _ => None,
    }
}

fn said(event: &Event) -> Said {
    Said {
        at: event.created_at,
        turn: event.turn_id,
        text: plain(event.text.as_deref().unwrap_or_default()),
        is_excerpt: flag(event, "stale") == Some(true),
    }
}

fn call(event: &Event) -> Tool {
    let given = event.data.get("input").map(unwrapped);
    let changes = given.as_deref().map(changes).unwrap_or_default();
    let is_shown = |name: &str| changes.is_empty() || !CHANGING.contains(&name);
    Tool {
        call_id: text_of(event, "call_id"),
        name: tool_of(event),
        gist: line(&plain(event.text.as_deref().unwrap_or_default())),
        input: given.map(|it| input(&it, &is_shown)).unwrap_or_default(),
        changes,
        output: None,
    }
}

/// A result without a known call.
fn unasked(event: &Event) -> Tool {
    let name = "result".to_owned();
    let (gist, input) = (String::new(), String::new());
    let changes = Vec::new();
    Tool { call_id: None, name, gist, input, changes, output: Some(output(event)) }
}

fn output(event: &Event) -> Output {
    Output {
        text: plain(event.text.as_deref().unwrap_or_default()),
        outcome: Outcome::of(event),
        cut_from: event.data.get("full_bytes").and_then(Value::as_u64),
    }
}

/// The name of a tool; an excerpt has only a label.
fn tool_of(event: &Event) -> String {
    let name = text_of(event, "tool").or_else(|| text_of(event, "label"));
    name.map_or("?".to_owned(), |name| line(&name))
}

fn text_of(event: &Event, name: &str) -> Option<String> {
    event.data.get(name).and_then(Value::as_str).map(str::to_owned)
}

/// Unwraps an input that some agents write as a string of JSON.
fn unwrapped(value: &Value) -> Cow<'_, Value> {
    let inner = value.as_str().and_then(|text| serde_json::from_str::<Value>(text).ok());
    inner.filter(Value::is_object).map_or(Cow::Borrowed(value), Cow::Owned)
}

/// The shown fields of an input, one after another, with their strings unescaped.
fn input(value: &Value, is_shown: &dyn Fn(&str) -> bool) -> String {
    match value {
        Value::Object(fields) => {
            let fields = fields.iter().filter(|(name, _)| is_shown(name));
            let fields: Vec<_> = fields.map(|(name, value)| field(name, value)).collect();
            plain(&fields.join("\n"))
        }
        Value::String(_) if !is_shown(WHOLE) => String::new(),
        Value::String(text) => plain(text),
        other => plain(&other.to_string()),
    }
}

fn field(name: &str, value: &Value) -> String {
    match value {
        Value::String(text) if text.contains('\n') => format!("{name}:\n{text}"),
        Value::String(text) => format!("{name}: {text}"),
        other => format!("{name}: {other}"),
    }
}
