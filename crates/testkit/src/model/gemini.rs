//! Answers in the form of Google's generative language API.

use super::TOKENS;
use super::say::Content;
use super::stream::Part;
use serde_json::{Value, json};

/// One piece.
pub(super) fn part(content: &Content, id: &str) -> Part {
    let whole = match content {
        Content::Text(words) => json!({"text": words}),
        Content::Call(call) => {
            json!({"functionCall": {"name": call.name, "args": call.input, "id": id}})
        }
    };
    let events = vec![event(std::slice::from_ref(&whole), None)];
    Part { events, whole }
}

/// The end of an answer.
pub(super) fn closing() -> Vec<Value> {
    vec![event(&[json!({"text": ""})], Some("STOP"))]
}

/// A whole answer.
pub(super) fn whole(parts: &[Value]) -> Value {
    event(parts, Some("STOP"))
}

fn event(parts: &[Value], finish: Option<&str>) -> Value {
    let (read, written) = TOKENS;
    let mut candidate = json!({"content": {"role": "model", "parts": parts}, "index": 0});
    if let Some(finish) = finish {
        candidate["finishReason"] = json!(finish);
    }
    let usage = json!({"promptTokenCount": read, "candidatesTokenCount": written,
        "totalTokenCount": read + written});
    json!({"candidates": [candidate], "usageMetadata": usage})
}
