//! The attributes of each kind of span. What was said is left out unless the user asks for it.

use super::names::{
    AGENT_NAME, AGENT_VERSION, CACHE_READ_TOKENS, CACHE_WRITE_TOKENS, CHAT, CONVERSATION,
    EXECUTE_TOOL, FINISH_REASONS, INPUT_MESSAGES, INPUT_TOKENS, INVOKE_AGENT, OPERATION,
    OUTPUT_MESSAGES, OUTPUT_TOKENS, PROVIDER, REASONING_TOKENS, RESPONSE_MODEL, TOOL_ARGUMENTS,
    TOOL_CALL_ID, TOOL_NAME, TOOL_RESULT, provider,
};
use super::shape::Attributes;
use super::{Content, messages};
use crate::Recorded;
use crate::conversation::{Answer, Call, call_id};
use serde_json::Value;
use taffrail_model::{Event, Tokens};

/// What every span says.
pub(super) fn common(session: &Recorded) -> Attributes {
    let mut out = Attributes::default();
    out.text(CONVERSATION, Some(session.runtime_id.as_str()));
    out.text(AGENT_NAME, Some(session.agent.as_str()));
    out.text(AGENT_VERSION, session.agent_version.as_deref());
    out
}

pub(super) fn turn_attributes(session: &Recorded, prompt: &Event, content: Content) -> Attributes {
    let mut out = operation(session, INVOKE_AGENT);
    out.text(PROVIDER, session.model.as_deref().and_then(provider));
    if content == Content::Sent {
        out.text(INPUT_MESSAGES, Some(&messages::input(prompt)));
    }
    out
}

pub(super) fn chat_attributes(
    session: &Recorded,
    answer: &Answer<'_>,
    content: Content,
) -> Attributes {
    let mut out = operation(session, CHAT);
    out.text(PROVIDER, answer.model().and_then(provider));
    out.text(RESPONSE_MODEL, answer.model());
    let reasons: Vec<&str> = answer.field("stop_reason").into_iter().collect();
    out.texts(FINISH_REASONS, &reasons);
    if !answer.spent.is_empty() {
        tokens(&mut out, answer.spent.iter().map(|it| it.tokens).sum());
    }
    if content == Content::Sent && !answer.pieces.is_empty() {
        out.text(OUTPUT_MESSAGES, Some(&messages::output(answer)));
    }
    out
}

pub(super) fn call_attributes(session: &Recorded, call: &Call<'_>, content: Content) -> Attributes {
    let mut out = operation(session, EXECUTE_TOOL);
    out.text(TOOL_NAME, call.event.data.get("tool").and_then(Value::as_str));
    out.text(TOOL_CALL_ID, call_id(call.event));
    if content == Content::Sent {
        out.text(TOOL_ARGUMENTS, messages::arguments(call).as_deref());
        out.text(TOOL_RESULT, messages::result(call).as_deref());
    }
    out
}

fn operation(session: &Recorded, name: &str) -> Attributes {
    let mut out = Attributes::default();
    out.text(OPERATION, Some(name));
    out.append(common(session));
    out
}

/// Agents that count no cached or reasoning tokens record zero: these are sent only where they count.
fn tokens(out: &mut Attributes, spent: Tokens) {
    let cached = spent.cache_read.saturating_add(spent.cache_write);
    out.number(INPUT_TOKENS, spent.input.saturating_add(cached));
    out.number(OUTPUT_TOKENS, spent.output);
    let seldom = [
        (CACHE_READ_TOKENS, spent.cache_read),
        (CACHE_WRITE_TOKENS, spent.cache_write),
        (REASONING_TOKENS, spent.reasoning),
    ];
    for (name, count) in seldom.into_iter().filter(|(_, count)| *count > 0) {
        out.number(name, count);
    }
}
