//! Assistant records: answers, tool calls and their cost.

use super::hooks::QUESTION_TOOLS;
use super::limits::Refusal;
use super::reader::unknown;
use super::record::{Block, Content, Line, Message, Usage};
use super::session::keep_last;
use super::user;
use std::borrow::Cow;
use taffrail_kit::tool_input::{options_in, question_in};
use taffrail_kit::{Speaker, TurnEdge, gist};
use taffrail_model::hash::{self, Digest16};
use taffrail_model::{Detail, Kind, Signal, Tokens};

/// The model of messages that the program itself wrote in the model's name.
const SYNTHETIC: &str = "<synthetic>";

/// Emits the events of an assistant record, which holds one block of an answer or all of it.
pub(super) fn emit(line: &Line<'_>, speaker: &mut Speaker<'_, '_>) {
    let Some(message) = &line.message else { return };
    let is_synthetic = message.model.as_deref() == Some(SYNTHETIC);
    if line.is_api_error_message == Some(true) || is_synthetic {
        return emit_synthetic(line, message, speaker);
    }
    keep_last(&mut speaker.facts().model, message.model.as_deref());
    match &message.content {
        Some(Content::Text(text)) => emit_text(text, true, message, speaker),
        Some(Content::Blocks(blocks)) => emit_blocks(blocks, (line, message), speaker),
        None => {}
    }
    emit_usage(line, message, speaker);
}

fn emit_blocks(
    blocks: &[Block<'_>],
    (line, message): (&Line<'_>, &Message<'_>),
    speaker: &mut Speaker<'_, '_>,
) {
    for (part, block) in (0..).zip(blocks) {
        speaker.part(part);
        let text = block.text.as_deref().unwrap_or_default();
        let is_last = part as usize + 1 == blocks.len();
        match block.kind.as_deref() {
            Some("text") => emit_text(text, is_last, message, speaker),
            Some("thinking") => emit_thinking(block, message, speaker),
            Some("redacted_thinking") => {}
            Some("tool_use" | "server_tool_use" | "mcp_tool_use") => emit_call(block, speaker),
            _ if user::is_result(block) => user::emit_result(part, block, (None, false), speaker),
            kind => unknown("assistant", kind, line, speaker),
        }
    }
}

fn emit_text(text: &str, is_last: bool, message: &Message<'_>, speaker: &mut Speaker<'_, '_>) {
    let is_end = is_last && ends_turn(message.stop_reason.as_deref());
    let edge = if is_end { TurnEdge::Ends } else { TurnEdge::Within };
    speaker.event(Kind::AssistantMessage, Some(text.into()), detail_of(message), edge);
}

fn ends_turn(stop_reason: Option<&str>) -> bool {
    matches!(stop_reason, Some("end_turn" | "stop_sequence" | "max_tokens" | "refusal"))
}

fn emit_thinking(block: &Block<'_>, message: &Message<'_>, speaker: &mut Speaker<'_, '_>) {
    if let Some(text) = block.thinking.as_deref().filter(|text| !text.is_empty()) {
        let (kind, detail) = (Kind::AssistantThinking, detail_of(message));
        speaker.event(kind, Some(text.into()), detail, TurnEdge::Within);
    }
}

fn detail_of<'r>(message: &'r Message<'r>) -> Detail<'r> {
    Detail::Message {
        model: message.model.as_deref().map(Cow::Borrowed),
        stop_reason: message.stop_reason.as_deref().map(Cow::Borrowed),
        answer: message.id.as_deref().map(Cow::Borrowed),
    }
}

fn emit_call(block: &Block<'_>, speaker: &mut Speaker<'_, '_>) {
    let tool = block.name.as_deref().unwrap_or_default();
    let mut text = block.input.map(gist::of);
    if QUESTION_TOOLS.contains(&tool) {
        let options = block.input.map(|it| options_in(it.get())).unwrap_or_default();
        speaker.signal(Some(Signal::Asked { call: String::new(), options }));
        let question = block.input.and_then(|it| question_in(it.get()));
        text = question.map(Cow::Owned).or(text);
    }
    let detail = Detail::ToolCall {
        call_id: Cow::Borrowed(block.id.as_deref().unwrap_or_default()),
        tool: Cow::Borrowed(tool),
        input: block.input,
        input_text: None,
    };
    speaker.event(Kind::ToolCall, text, detail, TurnEdge::Within);
}

fn emit_synthetic(line: &Line<'_>, message: &Message<'_>, speaker: &mut Speaker<'_, '_>) {
    let (part, text) = match &message.content {
        Some(Content::Text(text)) => (0, text.as_ref()),
        Some(Content::Blocks(blocks)) => first_text(blocks),
        None => (0, ""),
    };
    speaker.part(part);
    if line.is_api_error_message != Some(true) {
        return speaker.notice("synthetic", Some(text));
    }
    let word = line.error.as_ref().and_then(|e| e.message.as_deref());
    let code = word.or(line.api_error_type.as_deref()).map(Cow::Borrowed);
    let detail = Detail::Failure { code, retrying: None };
    speaker.event(Kind::Error, Some(text.into()), detail, TurnEdge::Ends);
    if let Some(reported) = line.quota_limits.as_ref().and_then(Refusal::reported) {
        speaker.quota(reported);
    }
}

fn first_text<'r>(blocks: &'r [Block<'r>]) -> (u32, &'r str) {
    (0..)
        .zip(blocks)
        .find_map(|(part, block)| Some((part, block.text.as_deref()?)))
        .unwrap_or_default()
}

/// Every line of an answer repeats the cost so far, under the same key.
fn emit_usage(line: &Line<'_>, message: &Message<'_>, speaker: &mut Speaker<'_, '_>) {
    let Some(usage) = &message.usage else { return };
    let answer = message.id.as_deref().or(line.uuid.as_deref()).unwrap_or_default();
    let request = line.request_id.as_deref().unwrap_or_default();
    let spent = (tokens_of(usage), for_an_hour(usage));
    speaker.counted(usage_key(answer, request), message.model.as_deref(), spent);
}

/// Identifies an answer by its request, which telemetry names too; else by its own id.
pub(super) fn usage_key(answer: &str, request: &str) -> Digest16 {
    let id = if request.is_empty() { answer } else { request };
    hash::digest("claude-usage", &[id.as_bytes()])
}

fn tokens_of(usage: &Usage) -> Tokens {
    let details = usage.output_tokens_details.as_ref();
    Tokens {
        output: usage.output_tokens.unwrap_or_default(),
        input: usage.input_tokens.unwrap_or_default(),
        cache_read: usage.cache_read_input_tokens.unwrap_or_default(),
        cache_write: usage.cache_creation_input_tokens.unwrap_or_default(),
        reasoning: details.and_then(|details| details.thinking_tokens).unwrap_or_default(),
    }
}

fn for_an_hour(usage: &Usage) -> u64 {
    let written = usage.cache_creation.as_ref();
    written.and_then(|it| it.ephemeral_1h_input_tokens).unwrap_or_default()
}
