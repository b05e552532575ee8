//! Records of type `response_item`: tool calls and their outputs.
//!
//! Messages and reasoning are here, too, but only as the model saw them; other records have what
//! the user saw.

use super::hooks::QUESTION_TOOLS;
use super::reader::{Here, RolloutReader, provider};
use super::record::Payload;
use super::summary;
use serde::Deserialize;
use serde_json::value::RawValue;
use std::borrow::Cow;
use taffrail_kit::lenient::{Raw, value_in};
use taffrail_kit::tool_input::{options_in, question_in};
use taffrail_model::{Detail, Draft, Kind, RecordKey, Signal, hash};

/// The part of a call; also in records without a result.
const CALL: u32 = 0;
/// The part of a result; also in records without a call.
const RESULT: u32 = 1;

/// The keys of a call and its result.
pub(super) struct CallKeys<'a> {
    /// Joins the two.
    pub(super) id: Cow<'a, str>,
    /// The record that holds both, for a call without an id.
    record: Option<RecordKey<'static>>,
}

impl<'a> CallKeys<'a> {
    /// Returns the keys of a call that Codex named.
    pub(super) fn of(id: Cow<'a, str>) -> Self {
        Self { id, record: None }
    }

    /// Returns the keys of a call without an id, by its record.
    pub(super) fn alone(record: RecordKey<'static>) -> Self {
        let id = match &record {
            RecordKey::Provider(id) => id.to_string(),
            RecordKey::Ordinal(ordinal) => ordinal.to_string(),
            RecordKey::Line { hash, .. } => hash::to_hex(hash),
            RecordKey::Given { id, .. } => id.to_string(),
        };
        Self { id: Cow::Owned(id), record: Some(record) }
    }

    fn call(&self) -> RecordKey<'static> {
        self.key("call:")
    }

    fn result(&self) -> RecordKey<'static> {
        self.key("result:")
    }

    fn key(&self, what: &str) -> RecordKey<'static> {
        let record = self.record.clone();
        record.unwrap_or_else(|| provider([what, &self.id].concat()))
    }
}

/// A tool call.
pub(super) struct Call<'a> {
    pub(super) tool: Cow<'a, str>,
    pub(super) input: Raw<'a>,
    pub(super) input_text: Option<Cow<'a, str>>,
    pub(super) summary: Option<String>,
}

impl Call<'_> {
    /// The input, as text.
    fn arguments(&self) -> Option<&str> {
        self.input_text.as_deref().or_else(|| self.input.map(RawValue::get))
    }

    /// Returns a call with only a summary.
    pub(super) fn told(tool: &'static str, summary: Option<String>) -> Self {
        Self { tool: Cow::Borrowed(tool), input: None, input_text: None, summary }
    }
}

/// A tool result.
#[derive(Default)]
pub(super) struct Outcome<'a> {
    pub(super) text: Option<Cow<'a, str>>,
    pub(super) failed: Option<bool>,
    pub(super) exit_code: Option<i64>,
    pub(super) duration_ms: Option<u64>,
}

/// The output of a command as the shell tool of 2025 encoded it, in a string.
#[derive(Deserialize)]
struct PackedOutput<'a> {
    #[serde(borrow)]
    output: Cow<'a, str>,
    metadata: Option<PackedMetadata>,
}

#[derive(Deserialize)]
struct PackedMetadata {
    exit_code: Option<i64>,
    duration_seconds: Option<f64>,
}

impl RolloutReader {
    /// Reads a `response_item` of an enveloped file.
    pub(super) fn response_item(&mut self, here: &mut Here<'_>, item: Payload<'_>) {
        match item.kind.as_deref().unwrap_or_default() {
            "message" | "reasoning" => {}
            kind if is_call(kind) => self.call(here, item),
            kind if is_output(kind) => self.output(here, item),
            kind if is_silent(kind) => {}
            other => self.unknown(here, "response_item/", other),
        }
    }

    /// Emits a call. The model's provider runs a call without a `call_id`, and no output follows,
    /// so its own record is the result, too.
    pub(super) fn call(&mut self, here: &mut Here<'_>, item: Payload<'_>) {
        let is_whole = item.call_id.is_none();
        let keys = match item.call_id.clone().or_else(|| item.id.clone()) {
            Some(id) => CallKeys::of(id),
            None => CallKeys::alone(self.key(here)),
        };
        if !self.memory.calls.begin(&keys.id) {
            return;
        }
        self.say_call(here, &keys, call_of(&item));
        if is_whole && self.memory.calls.answer(&keys.id) {
            let failed = item.status.map(|status| status == "failed");
            let outcome = Outcome { failed, ..Outcome::default() };
            self.say_result(here, keys, outcome);
        }
    }

    /// Emits a result, unless the call's item emitted it.
    pub(super) fn output(&mut self, here: &mut Here<'_>, item: Payload<'_>) {
        let Some(id) = item.call_id.or(item.id) else {
            return;
        };
        if self.memory.calls.answer(&id) {
            let outcome = item.output.map(outcome_of).unwrap_or_default();
            self.say_result(here, CallKeys::of(id), outcome);
        }
    }

    /// Emits a tool call.
    pub(super) fn say_call(&mut self, here: &mut Here<'_>, keys: &CallKeys<'_>, call: Call<'_>) {
        let mut draft = Draft::new(keys.call(), CALL, Kind::ToolCall);
        let asks = QUESTION_TOOLS.contains(&call.tool.as_ref());
        let question = call.arguments().filter(|_| asks).and_then(question_in);
        let options = call.arguments().map(options_in).unwrap_or_default();
        draft.text = question.or(call.summary).map(Cow::Owned);
        draft.signal = asks.then(|| Signal::Asked { call: String::new(), options });
        draft.detail = Detail::ToolCall {
            call_id: Cow::Borrowed(&keys.id),
            tool: call.tool,
            input: call.input,
            input_text: call.input_text,
        };
        self.say(here, draft);
    }

    /// Emits a tool result.
    pub(super) fn say_result(
        &mut self,
        here: &mut Here<'_>,
        keys: CallKeys<'_>,
        outcome: Outcome<'_>,
    ) {
        let parent = self.id_of(&keys.call(), CALL);
        let mut draft = Draft::new(keys.result(), RESULT, Kind::ToolResult);
        draft.parent = Some(parent);
        draft.text = outcome.text;
        draft.detail = Detail::ToolResult {
            call_id: keys.id,
            failed: outcome.failed,
            exit_code: outcome.exit_code,
            duration_ms: outcome.duration_ms,
        };
        self.say(here, draft);
    }
}

/// Whether an item is a tool call.
pub(super) fn is_call(kind: &str) -> bool {
    matches!(
        kind,
        "function_call"
            | "custom_tool_call"
            | "local_shell_call"
            | "web_search_call"
            | "tool_search_call"
    )
}

/// Whether an item is a tool result.
pub(super) fn is_output(kind: &str) -> bool {
    matches!(
        kind,
        "function_call_output"
            | "custom_tool_call_output"
            | "local_shell_call_output"
            | "tool_search_output"
    )
}

/// Items that make no event: other records repeat them, or only the model sees them.
pub(super) fn is_silent(kind: &str) -> bool {
    matches!(
        kind,
        "additional_tools"
            | "agent_message"
            | "compaction"
            | "compaction_summary"
            | "compaction_trigger"
            | "context_compaction"
            | "ghost_snapshot"
            | "image_generation_call"
            | "other"
    )
}

fn call_of<'a>(item: &'a Payload<'_>) -> Call<'a> {
    if let Some(input) = item.input.as_deref() {
        return Call {
            tool: tool_of(item),
            input: None,
            input_text: Some(Cow::Borrowed(input)),
            summary: Some(summary::free_text(input)),
        };
    }
    let raw = item.arguments.or(item.action);
    let text = raw.and_then(|raw| value_in::<Cow<'_, str>>(raw.get()));
    let json = text.as_deref().or_else(|| raw.map(RawValue::get));
    Call {
        tool: tool_of(item),
        summary: json.and_then(summary::arguments),
        input: if text.is_some() { None } else { raw },
        input_text: text,
    }
}

/// Returns the tool's name, prefixed by the server's name for a tool of an MCP server.
fn tool_of<'a>(item: &'a Payload<'_>) -> Cow<'a, str> {
    let kind = item.kind.as_deref().unwrap_or_default();
    let fallback = kind.strip_suffix("_call").unwrap_or(kind);
    let name = item.name.as_deref().unwrap_or(fallback);
    match item.namespace.as_deref() {
        Some(space) if space.starts_with("mcp__") => {
            format!("{}__{name}", space.trim_end_matches('_')).into()
        }
        _ => name.into(),
    }
}

fn outcome_of(output: Cow<'_, str>) -> Outcome<'_> {
    let packed = output.starts_with("{\"output\":");
    let packed = packed.then(|| serde_json::from_str::<PackedOutput<'_>>(&output).ok());
    if let Some(packed) = packed.flatten() {
        let seconds = packed.metadata.as_ref().and_then(|it| it.duration_seconds);
        return Outcome {
            exit_code: packed.metadata.and_then(|it| it.exit_code),
            duration_ms: seconds.map(|seconds| (seconds * 1000.0) as u64),
            text: Some(Cow::Owned(packed.output.into_owned())),
            failed: None,
        };
    }
    Outcome {
        exit_code: summary::exit_code(&output),
        text: Some(output).filter(|text| !text.is_empty()),
        ..Outcome::default()
    }
}
