//! Responses in the form of OpenAI's responses API.

use super::TOKENS;
use super::say::{Call, Content};
use super::stream::Part;
use serde_json::{Value, json};

/// The start of a response.
pub(super) fn opening(number: usize) -> Vec<Value> {
    let response = json!({"id": id(number), "object": "response", "status": "in_progress",
        "output": []});
    vec![json!({"type": "response.created", "response": response})]
}

/// One output item.
pub(super) fn part(content: &Content, id: &str, index: usize) -> Part {
    let (mut begun, item) = match content {
        Content::Text(words) => {
            let content = json!([{"type": "output_text", "text": words, "annotations": []}]);
            let item = json!({"type": "message", "id": format!("msg_{id}"), "role": "assistant",
                "status": "completed", "content": content});
            let mut begun = item.clone();
            begun["content"] = json!([]);
            (begun, item)
        }
        Content::Call(call) => {
            let item = called(call, id);
            let mut begun = item.clone();
            if call.name != SEARCH {
                begun["arguments"] = json!("");
            }
            (begun, item)
        }
    };
    begun["status"] = json!("in_progress");
    let mut events =
        vec![json!({"type": "response.output_item.added", "output_index": index, "item": begun})];
    if let Content::Text(words) = content {
        events.push(json!({"type": "response.output_text.delta", "item_id": item["id"],
            "output_index": index, "content_index": 0, "delta": words}));
    }
    events.push(json!({"type": "response.output_item.done", "output_index": index, "item": item}));
    Part { events, whole: item }
}

/// The name of the tool that looks for tools.
const SEARCH: &str = "tool_search";

fn called(call: &Call, id: &str) -> Value {
    if call.name == SEARCH {
        return json!({"type": "tool_search_call", "id": format!("tsc_{id}"),
            "call_id": format!("call_{id}"), "execution": "client", "status": "completed",
            "arguments": call.input});
    }
    let mut item = json!({"type": "function_call", "id": format!("fc_{id}"),
        "call_id": format!("call_{id}"), "name": call.name, "arguments": call.input.to_string(),
        "status": "completed"});
    if let Some(group) = &call.group {
        item["namespace"] = json!(group);
    }
    item
}

/// The end of a response.
pub(super) fn closing(number: usize, model: &Value, items: &[Value]) -> Vec<Value> {
    let (read, written) = TOKENS;
    let usage = json!({"input_tokens": read, "input_tokens_details": {"cached_tokens": 0},
        "output_tokens": written, "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": read + written});
    let response = json!({"id": id(number), "object": "response", "status": "completed",
        "model": model, "output": items, "usage": usage});
    vec![json!({"type": "response.completed", "response": response})]
}

fn id(number: usize) -> String {
    format!("resp_fake{number:06}")
}
