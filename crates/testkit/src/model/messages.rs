//! Responses in the form of Anthropic's messages API.

use super::Spent;
use super::say::{Call, Content};
use super::stream::Part;
use serde_json::{Value, json};

/// The start of a response.
pub(super) fn opening(number: usize, model: &Value, spent: Spent) -> Vec<Value> {
    let message = json!({"id": format!("msg_fake{number:06}"), "type": "message",
        "role": "assistant", "model": model, "content": [], "stop_reason": null,
        "stop_sequence": null, "usage": usage(Spent { output: 1, ..spent })});
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
pub(super) fn closing(blocks: &[Value], spent: Spent) -> Vec<Value> {
    let delta = json!({"stop_reason": stop_reason(blocks), "stop_sequence": null});
    let usage = usage(spent);
    vec![
        json!({"type": "message_delta", "delta": delta, "usage": usage}),
        json!({"type": "message_stop"}),
    ]
}

/// A response in one piece, for a client that did not ask for a stream.
pub(super) fn whole(number: usize, model: &Value, (blocks, spent): (&[Value], Spent)) -> Value {
    let mut message = opening(number, model, spent)[0]["message"].take();
    message["content"] = json!(blocks);
    message["stop_reason"] = json!(stop_reason(blocks));
    message["usage"] = usage(spent);
    message
}

fn stop_reason(blocks: &[Value]) -> &'static str {
    if blocks.iter().any(|it| it["type"] == "tool_use") { "tool_use" } else { "end_turn" }
}

fn usage(spent: Spent) -> Value {
    let Spent { input, output, cache_read, cache_write_5m, cache_write_1h } = spent;
    let by_time = json!({"ephemeral_5m_input_tokens": cache_write_5m,
        "ephemeral_1h_input_tokens": cache_write_1h});
    json!({"input_tokens": input, "cache_creation_input_tokens": cache_write_5m + cache_write_1h,
        "cache_creation": by_time, "cache_read_input_tokens": cache_read,
        "output_tokens": output, "service_tier": "standard"})
}
