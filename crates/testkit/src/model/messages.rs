//! Responses in the form of Anthropic's messages API.

use super::TOKENS;
use super::say::{Call, Content};
use super::stream::Part;
use serde_json::{Value, json};

/// The start of a response.
pub(super) fn opening(number: usize, model: &Value) -> Vec<Value> {
    let message = json!({"id": format!("msg_fake{number:06}"), "type": "message",
        "role": "assistant", "model": model, "content": [], "stop_reason": null,
        "stop_sequence": null, "usage": usage(1)});
    vec![json!({"type": "message_start", "message": message})]
}

/// One content block.
pub(super) fn part(content: &Content, id: &str, index: usize) -> Part {
    let (begun, delta) = match content {
        Content::Text(words) => {
            (json!({"type": "text", "text": ""}), json!({"type": "text_delta", "text": words}))
        }
        Content::Call(Call { name, input, .. }) => (
            json!({"type": "tool_use", "id": format!("toolu_{id}"), "name": name, "input": {}}),
            json!({"type": "input_json_delta", "partial_json": input.to_string()}),
        ),
    };
    let events = vec![
        json!({"type": "content_block_start", "index": index, "content_block": begun}),
        json!({"type": "content_block_delta", "index": index, "delta": delta}),
        json!({"type": "content_block_stop", "index": index}),
    ];
    let whole = match content {
        Content::Text(words) => json!({"type": "text", "text": words}),
        Content::Call(Call { name, input, .. }) => {
            json!({"type": "tool_use", "id": format!("toolu_{id}"), "name": name, "input": input})
        }
    };
    Part { events, whole }
}

/// The end of a response.
pub(super) fn closing(blocks: &[Value]) -> Vec<Value> {
    let delta = json!({"stop_reason": stop_reason(blocks), "stop_sequence": null});
    let usage = usage(TOKENS.1);
    vec![
        json!({"type": "message_delta", "delta": delta, "usage": usage}),
        json!({"type": "message_stop"}),
    ]
}

/// A response in one piece, for a client that did not ask for a stream.
pub(super) fn whole(number: usize, model: &Value, blocks: &[Value]) -> Value {
    let mut message = opening(number, model)[0]["message"].take();
    message["content"] = json!(blocks);
    message["stop_reason"] = json!(stop_reason(blocks));
    message["usage"] = usage(TOKENS.1);
    message
}

fn stop_reason(blocks: &[Value]) -> &'static str {
    if blocks.iter().any(|it| it["type"] == "tool_use") { "tool_use" } else { "end_turn" }
}

fn usage(written: u64) -> Value {
    json!({"input_tokens": TOKENS.0, "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": 0, "output_tokens": written, "service_tier": "standard"})
}
