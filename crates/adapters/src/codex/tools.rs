//! Records of type `response_item`: tool calls and their outputs.
//!
//! Messages and reasoning are here, too, but only as the model saw them; other records have what
//! the user saw.

use super::hooks::QUESTION_TOOLS;
use super::record::Payload;
use super::rollout::Reading;
use super::summary;
use serde::Deserialize;
use serde_json::value::RawValue;
use std::borrow::Cow;
use taffrail_kit::Speaker;
use taffrail_kit::lenient::{Raw, Text, value_in};
use taffrail_kit::tool_input::{options_in, question_in};
use taffrail_model::{Detail, Kind, RecordKey, Signal, hash};

/// The part of a call; also in records without a result.
const CALL: u32 = 0;
/// The part of a result; also in records without a call.
const RESULT: u32 = 1;
/// How the model is told of an image from a file.
const LOCAL_IMAGE: &str = "<image name=";
/// How the bytes of an image begin.
const IMAGE_DATA: &str = "\"data:image/";
/// The label of the notice about such images.
const IMAGES: &str = "attached_images";
/// The outputs of calls that a person refused.
const REFUSALS: [&str; 3] =
    ["rejected by user", "exec command rejected by user", "patch rejected by user"];
/// The prefix of a call's key.
const CALLED: &str = "call:";

/// What identifies a call and its result.
pub(super) enum CallKeys<'a> {
    /// Codex's own id, which joins the two.
    Named(Cow<'a, str>),
    /// The record that holds both, for a call without an id.
    Record(String),
}

impl<'a> CallKeys<'a> {
    /// The keys of a call with this id, or of the record.
    pub(super) fn new(id: Text<'a>, speaker: &mut Speaker<'_, '_>) -> Self {
        match id {
            Some(id) => Self::Named(id),
            None => Self::Record(record_id(speaker)),
        }
    }

    /// Joins call and result.
    pub(super) fn id(&self) -> &str {
        match self {
            Self::Named(id) => id,
            Self::Record(id) => id,
        }
    }

    /// What is said next is this part of the call.
    fn identify(&self, prefix: &str, part: u32, speaker: &mut Speaker<'_, '_>) {
        if let Self::Named(id) = self {
            speaker.made_id([prefix, id].concat());
        }
        speaker.part(part);
    }
}

fn record_id(speaker: &mut Speaker<'_, '_>) -> String {
    match speaker.key() {
        RecordKey::Ordinal(ordinal) => ordinal.to_string(),
        RecordKey::Line { hash, .. } => hash::to_hex(&hash),
        RecordKey::Provider(id) => id.into_owned(),
        RecordKey::Given { id, .. } => id.to_string(),
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
    /// Somebody refused the call, which did not run.
    pub(super) denied: bool,
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

impl Reading<'_, '_, '_> {
    /// Reads a `response_item` of an enveloped file.
    pub(super) fn response_item(&mut self, item: Payload<'_>) {
        match item.kind.as_deref().unwrap_or_default() {
            "message" => self.local_images(),
            "reasoning" => {}
            kind if is_call(kind) => self.call(item),
            kind if is_output(kind) => self.output(item),
            kind if is_silent(kind) => {}
            other => self.unknown("response_item/", other),
        }
    }

    /// Emits a notice for a message with images from files: only the model's own copy of a prompt has
    /// their bytes, and the prompt itself their paths.
    fn local_images(&mut self) {
        let has_images = |line: &str| line.contains(LOCAL_IMAGE) && line.contains(IMAGE_DATA);
        if std::str::from_utf8(self.bytes).is_ok_and(has_images) {
            self.remark(IMAGES, None);
        }
    }

    /// Emits a call. The model's provider runs a call without a `call_id`, and no output follows,
    /// so its own record is the result, too.
    pub(super) fn call(&mut self, item: Payload<'_>) {
        let is_whole = item.call_id.is_none();
        let keys = CallKeys::new(item.call_id.clone().or_else(|| item.id.clone()), self.speaker);
        if !self.own.calls.begin(keys.id()) {
            return;
        }
        self.say_call(&keys, call_of(&item));
        if is_whole && self.own.calls.answer(keys.id()) {
            let failed = item.status.map(|status| status == "failed");
            self.say_result(&keys, Outcome { failed, ..Outcome::default() });
        }
    }

    /// Emits a result, unless the call's item emitted it.
    pub(super) fn output(&mut self, item: Payload<'_>) {
        let Some(id) = item.call_id.or(item.id) else { return };
        if self.own.calls.answer(&id) {
            let outcome = item.output.map(outcome_of).unwrap_or_default();
            self.say_result(&CallKeys::Named(id), outcome);
        }
    }

    /// Emits a tool call.
    pub(super) fn say_call(&mut self, keys: &CallKeys<'_>, call: Call<'_>) {
        let asks = QUESTION_TOOLS.contains(&call.tool.as_ref());
        let asked = call.arguments().filter(|_| asks);
        let text = asked.and_then(question_in);
        let options = asked.map(options_in).unwrap_or_default();
        let signal = asks.then(|| Signal::Asked { call: String::new(), options });
        let text = text.or(call.summary).map(Cow::Owned);
        let detail = Detail::ToolCall {
            call_id: Cow::Borrowed(keys.id()),
            tool: call.tool,
            input: call.input,
            input_text: call.input_text,
        };
        keys.identify(CALLED, CALL, self.speaker);
        self.say_with((Kind::ToolCall, text, detail), |draft| draft.signal = signal);
    }

    /// Emits a tool result. Its call may be too long ago to be remembered.
    pub(super) fn say_result(&mut self, keys: &CallKeys<'_>, outcome: Outcome<'_>) {
        keys.identify(CALLED, CALL, self.speaker);
        let parent = self.speaker.event_id();
        let detail = Detail::ToolResult {
            call_id: Cow::Borrowed(keys.id()),
            failed: outcome.failed,
            denied: outcome.denied,
            exit_code: outcome.exit_code,
            duration_ms: outcome.duration_ms,
        };
        keys.identify("result:", RESULT, self.speaker);
        let said = (Kind::ToolResult, outcome.text, detail);
        self.say_with(said, |draft| draft.parent = Some(parent));
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

/// Whether an output says that a person refused the call.
fn is_refusal(output: &str) -> bool {
    REFUSALS.contains(&output.trim())
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
            ..Outcome::default()
        };
    }
    Outcome {
        exit_code: summary::exit_code(&output),
        denied: is_refusal(&output),
        text: Some(output).filter(|text| !text.is_empty()),
        ..Outcome::default()
    }
}
