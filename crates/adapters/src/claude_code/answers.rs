//! Assistant records: answers, tool calls and their cost.

use super::hooks::QUESTION_TOOLS;
use super::record::{Block, Content, Line, Message, Usage};
use super::record_sink::RecordSink;
use super::user;
use std::borrow::Cow;
use taffrail_kit::gist;
use taffrail_kit::tool_input::{options_in, question_in};
use taffrail_model::hash::{self, Digest16};
use taffrail_model::{Detail, Kind, NewUsage, Signal, Tokens};

/// The model of messages that the program itself wrote in the model's name.
const SYNTHETIC: &str = "<synthetic>";

/// Emits the events of an assistant record, which holds one block of an answer or all of it.
pub(super) fn emit<'r>(line: &'r Line<'r>, sink: &mut RecordSink<'r, '_>) {
    let Some(message) = &line.message else {
        return;
    };
    let is_synthetic = message.model.as_deref() == Some(SYNTHETIC);
    if line.is_api_error_message == Some(true) || is_synthetic {
        return emit_synthetic(line, message, sink);
    }
    sink.chain.note_model(message.model.as_deref());
    match &message.content {
        Some(Content::Text(text)) => emit_text(0, text, true, message, sink),
        Some(Content::Blocks(blocks)) => emit_blocks(blocks, message, sink),
        None => {}
    }
    emit_usage(line, message, sink);
}

fn emit_blocks<'r>(
    blocks: &'r [Block<'r>],
    message: &'r Message<'r>,
    sink: &mut RecordSink<'r, '_>,
) {
    for (part, block) in (0..).zip(blocks) {
        let is_last = part as usize + 1 == blocks.len();
        match block.kind.as_deref() {
            Some("text") => {
                let text = block.text.as_deref().unwrap_or_default();
                emit_text(part, text, is_last, message, sink);
            }
            Some("thinking") => emit_thinking(part, block, message, sink),
            Some("redacted_thinking") => {}
            Some("tool_use" | "server_tool_use" | "mcp_tool_use") => {
                emit_call(part, block, sink);
            }
            _ if user::is_result(block) => {
                let call = sink.calls.close(block.tool_use_id.as_deref().unwrap_or_default());
                user::emit_result(part, block, (call, None), sink);
            }
            kind => sink.unknown("assistant", kind),
        }
    }
}

fn emit_text<'r>(
    part: u32,
    text: &'r str,
    is_last: bool,
    message: &'r Message<'r>,
    sink: &mut RecordSink<'r, '_>,
) {
    let mut draft = sink.draft(part, Kind::AssistantMessage);
    draft.ends_turn = is_last && ends_turn(message.stop_reason.as_deref());
    draft.text = Some(Cow::Borrowed(text));
    draft.detail = detail_of(message);
    sink.emit(draft);
}

fn ends_turn(stop_reason: Option<&str>) -> bool {
    matches!(stop_reason, Some("end_turn" | "stop_sequence" | "max_tokens" | "refusal"))
}

fn emit_thinking<'r>(
    part: u32,
    block: &'r Block<'r>,
    message: &'r Message<'r>,
    sink: &mut RecordSink<'r, '_>,
) {
    let Some(text) = block.thinking.as_deref().filter(|text| !text.is_empty()) else {
        return;
    };
    let mut draft = sink.draft(part, Kind::AssistantThinking);
    draft.text = Some(Cow::Borrowed(text));
    draft.detail = detail_of(message);
    sink.emit(draft);
}

fn detail_of<'r>(message: &'r Message<'r>) -> Detail<'r> {
    Detail::Message {
        model: message.model.as_deref().map(Cow::Borrowed),
        stop_reason: message.stop_reason.as_deref().map(Cow::Borrowed),
        answer: message.id.as_deref().map(Cow::Borrowed),
    }
}

fn emit_call<'r>(part: u32, block: &'r Block<'r>, sink: &mut RecordSink<'r, '_>) {
    let call_id = block.id.as_deref().unwrap_or_default();
    sink.calls.open(call_id, sink.event_id(part));
    let mut draft = sink.draft(part, Kind::ToolCall);
    draft.text = block.input.map(gist::of);
    let tool = block.name.as_deref().unwrap_or_default();
    if QUESTION_TOOLS.contains(&tool) {
        let options = block.input.map(|it| options_in(it.get())).unwrap_or_default();
        draft.signal = Some(Signal::Asked { call: String::new(), options });
        let question = block.input.and_then(|it| question_in(it.get()));
        draft.text = question.map(Cow::Owned).or(draft.text);
    }
    draft.detail = Detail::ToolCall {
        call_id: Cow::Borrowed(call_id),
        tool: Cow::Borrowed(tool),
        input: block.input,
        input_text: None,
    };
    sink.emit(draft);
}

fn emit_synthetic<'r>(line: &'r Line<'r>, message: &'r Message<'r>, sink: &mut RecordSink<'r, '_>) {
    let (part, text) = match &message.content {
        Some(Content::Text(text)) => (0, text.as_ref()),
        Some(Content::Blocks(blocks)) => first_text(blocks),
        None => (0, ""),
    };
    if line.is_api_error_message != Some(true) {
        return sink.notice(part, "synthetic", Some(Cow::Borrowed(text)));
    }
    let word = line.error.as_ref().and_then(|e| e.message.as_deref());
    let mut draft = sink.draft(part, Kind::Error);
    draft.ends_turn = true;
    draft.text = Some(Cow::Borrowed(text));
    draft.detail = Detail::Failure {
        code: word.or(line.api_error_type.as_deref()).map(Cow::Borrowed),
        retrying: None,
    };
    sink.emit(draft);
}

fn first_text<'r>(blocks: &'r [Block<'r>]) -> (u32, &'r str) {
    (0..)
        .zip(blocks)
        .find_map(|(part, block)| Some((part, block.text.as_deref()?)))
        .unwrap_or_default()
}

/// Every line of an answer repeats the cost so far, under the same key.
fn emit_usage(line: &Line<'_>, message: &Message<'_>, sink: &mut RecordSink<'_, '_>) {
    let Some(usage) = &message.usage else {
        return;
    };
    let answer = message.id.as_deref().unwrap_or(sink.uuid);
    let request = line.request_id.as_deref().unwrap_or_default();
    sink.usage(NewUsage {
        key: usage_key(answer, request),
        at: sink.at,
        model: message.model.as_deref().map(str::to_owned),
        tokens: tokens_of(usage),
        cost_microdollars: None,
    });
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
