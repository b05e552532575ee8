//! What was said, as the conventions write messages: JSON in an attribute.

use crate::conversation::{Answer, Call};
use serde_json::{Value, json};
use taffrail_model::{Event, Kind};

/// The prompt of a turn.
pub(super) fn input(prompt: &Event) -> String {
    let text = prompt.text.as_deref().unwrap_or_default();
    json!([{ "role": "user", "parts": [{ "type": "text", "content": text }] }]).to_string()
}

/// A model answer.
pub(super) fn output(answer: &Answer<'_>) -> String {
    let parts: Vec<Value> = answer.pieces.iter().map(|event| part(event)).collect();
    let mut message = json!({ "role": "assistant", "parts": parts });
    if let (Some(fields), Some(reason)) = (message.as_object_mut(), answer.field("stop_reason")) {
        fields.insert("finish_reason".to_owned(), reason.into());
    }
    json!([message]).to_string()
}

/// The input of a call.
pub(super) fn arguments(call: &Call<'_>) -> Option<String> {
    match call.event.data.get("input")? {
        Value::String(text) => Some(text.clone()),
        input => Some(input.to_string()),
    }
}

/// The result of a call.
pub(super) fn result(call: &Call<'_>) -> Option<String> {
    let texts: Vec<&str> = call.results.iter().filter_map(|it| it.text.as_deref()).collect();
    (!texts.is_empty()).then(|| texts.join("\n"))
}

fn part(event: &Event) -> Value {
    let text = event.text.as_deref().unwrap_or_default();
    let field = |name: &str| event.data.get(name).cloned().unwrap_or_default();
    match event.kind {
        Kind::ToolCall => json!({
            "type": "tool_call",
            "id": field("call_id"),
            "name": field("tool"),
            "arguments": field("input"),
        }),
        Kind::AssistantThinking => json!({ "type": "reasoning", "content": text }),
        _ => json!({ "type": "text", "content": text }),
    }
}
