//! Answers in the form of OpenAI's chat completions.

use super::TOKENS;
use super::say::Content;
use super::stream::Part;
use serde_json::{Value, json};

/// The start of an answer.
pub(super) fn opening(number: usize, model: &Value) -> Vec<Value> {
    vec![chunk(number, model, &json!({"role": "assistant", "content": ""}), None)]
}

/// One piece.
pub(super) fn part(content: &Content, (number, model): (usize, &Value), index: usize) -> Part {
    let delta = match content {
        Content::Text(words) => json!({"content": words}),
        Content::Call(call) => {
            let function = json!({"name": call.name, "arguments": call.input.to_string()});
            let id = format!("call_{number}_{index}");
            json!({"tool_calls": [{"index": 0, "id": id, "type": "function", "function": function}]})
        }
    };
    Part { events: vec![chunk(number, model, &delta, None)], whole: delta }
}

/// The end of an answer.
pub(super) fn closing(number: usize, model: &Value, parts: &[Value]) -> Vec<Value> {
    let mut last = chunk(number, model, &json!({}), Some(reason(parts)));
    last["usage"] = usage();
    vec![last]
}

/// A whole answer.
pub(super) fn whole(number: usize, model: &Value, parts: &[Value]) -> Value {
    let texts: Vec<_> = parts.iter().filter_map(|it| it["content"].as_str()).collect();
    let calls: Vec<_> =
        parts.iter().filter_map(|it| it["tool_calls"].as_array()).flatten().collect();
    let mut message = json!({"role": "assistant", "content": texts.concat()});
    if !calls.is_empty() {
        message["tool_calls"] = json!(calls);
    }
    let choice = json!({"index": 0, "message": message, "finish_reason": reason(parts)});
    json!({"id": id(number), "object": "chat.completion", "created": 1, "model": model,
        "choices": [choice], "usage": usage()})
}

fn chunk(number: usize, model: &Value, delta: &Value, finish: Option<&str>) -> Value {
    let choice = json!({"index": 0, "delta": delta, "finish_reason": finish});
    json!({"id": id(number), "object": "chat.completion.chunk", "created": 1, "model": model,
        "choices": [choice]})
}

fn reason(parts: &[Value]) -> &'static str {
    match parts.iter().any(|it| it["tool_calls"].is_array()) {
        true => "tool_calls",
        false => "stop",
    }
}

fn usage() -> Value {
    let (read, written) = TOKENS;
    json!({"prompt_tokens": read, "completion_tokens": written, "total_tokens": read + written})
}

fn id(number: usize) -> String {
    format!("chatcmpl-fake{number:06}")
}
