//! Selects the answer to a request, from the request alone.

use super::Wire;
use serde_json::Value;

/// The purpose of a request, and its step in the scenario.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picked {
    /// Its purpose.
    pub purpose: Purpose,
    /// The scenario named last; empty if none is.
    pub scenario: String,
    /// The number of tool results since it was named.
    pub step: usize,
}

/// The purpose of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// The next answer of a conversation.
    Turn,
    /// A summary, to compact the context.
    Summary,
    /// Something else, such as a title.
    Side,
}

/// Classifies a request.
#[must_use]
pub(super) fn pick(wire: Wire, body: &Value) -> Picked {
    let said = match wire {
        Wire::Messages => messages(body),
        Wire::Responses => items(body),
        Wire::Chat => chat(body),
        Wire::Gemini => contents(body),
    };
    let mut picked = Picked { purpose: Purpose::Turn, scenario: String::new(), step: 0 };
    let mut last = String::new();
    for (words, is_result) in said {
        picked.step += usize::from(is_result);
        if let Some(name) = marker(&words) {
            // A marker next to a result, as after an interrupt, starts over nevertheless.
            (picked.scenario, picked.step) = (name.to_owned(), 0);
        }
        if !words.is_empty() {
            last = words;
        }
    }
    picked.purpose = purpose(wire, body, &last);
    picked
}

fn purpose(wire: Wire, body: &Value, last: &str) -> Purpose {
    let last = last.to_lowercase();
    let is = |words: &[&str]| words.iter().any(|it| last.contains(it));
    let without_tools = body["tools"].as_array().is_none_or(Vec::is_empty);
    if is(&["create a detailed summary", "context checkpoint", "handoff summary"]) {
        Purpose::Summary
    } else if (wire != Wire::Responses && without_tools) || is(&["concise, single-line task title"])
    {
        Purpose::Side
    } else {
        Purpose::Turn
    }
}

/// The user's messages: their text, and whether they include tool results.
fn messages(body: &Value) -> Vec<(String, bool)> {
    let all = body["messages"].as_array().map_or(&[][..], Vec::as_slice);
    let users = all.iter().filter(|it| it["role"] == "user");
    users
        .map(|message| {
            let blocks = message["content"].as_array().map_or(&[][..], Vec::as_slice);
            (words(&message["content"]), blocks.iter().any(|it| it["type"] == "tool_result"))
        })
        .collect()
}

/// The same for items; consecutive results are one step.
fn items(body: &Value) -> Vec<(String, bool)> {
    let all = body["input"].as_array().map_or(&[][..], Vec::as_slice);
    let (mut said, mut after_result) = (Vec::new(), false);
    for item in all {
        let is_result = item["type"].as_str().is_some_and(|it| it.ends_with("_output"));
        if is_result && !after_result {
            said.push((String::new(), true));
        }
        if item["role"] == "user" {
            said.push((words(&item["content"]), false));
        }
        after_result = is_result;
    }
    said
}

/// The same for messages of which each result is one of its own.
fn chat(body: &Value) -> Vec<(String, bool)> {
    let all = body["messages"].as_array().map_or(&[][..], Vec::as_slice);
    let said = all.iter().filter_map(|it| match it["role"].as_str() {
        Some("user") => Some((words(&it["content"]), false)),
        Some("tool") => Some((String::new(), true)),
        _ => None,
    });
    said.collect()
}

/// The same for contents, whose parts are texts and results.
fn contents(body: &Value) -> Vec<(String, bool)> {
    let all = body["contents"].as_array().map_or(&[][..], Vec::as_slice);
    let users = all.iter().filter(|it| it["role"] == "user");
    users
        .map(|it| {
            let parts = it["parts"].as_array().map_or(&[][..], Vec::as_slice);
            (words(&it["parts"]), parts.iter().any(|it| it["functionResponse"].is_object()))
        })
        .collect()
}

fn words(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(blocks) => {
            let texts: Vec<_> = blocks.iter().filter_map(|it| it["text"].as_str()).collect();
            texts.join("\n")
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => String::new(),
    }
}

/// The session that the request names last as our MCP server does: `session ID`.
pub(super) fn recalled(body: &Value) -> Option<String> {
    const NAME: &str = "session ";
    const ID: usize = 36;
    let text = body.to_string();
    let ids = text.match_indices(NAME).filter_map(|(at, _)| text.get(at + NAME.len()..)?.get(..ID));
    let is_id = |it: &&str| {
        it.bytes().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
    };
    ids.filter(is_id).last().map(str::to_owned)
}

/// The last scenario that a text names.
fn marker(text: &str) -> Option<&str> {
    let (_, after) = text.rsplit_once("[[scenario:")?;
    after.split_once("]]").map(|(name, _)| name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn check(wire: Wire, body: Value, expected: (Purpose, &str, usize)) {
        let (purpose, scenario, step) = expected;
        let expected = Picked { purpose, scenario: scenario.to_owned(), step };
        assert_eq!(pick(wire, &body), expected, "{body}");
    }

    #[test]
    fn the_last_marker_and_the_results_since_it_decide() {
        let user = |content: Value| json!({"role": "user", "content": content});
        let result = json!([{"type": "tool_result", "content": "[[scenario:no]]"}]);
        let both = json!([result[0], {"type": "text", "text": "b [[scenario:b]]"}]);
        let first = user(json!("a [[scenario:a]]"));
        let answer = json!({"role": "assistant", "content": "[[scenario:no]]"});
        let ask = |messages: Value| json!({"tools": [{}], "messages": messages});
        let check = |messages, scenario, step| {
            check(Wire::Messages, ask(messages), (Purpose::Turn, scenario, step));
        };
        check(json!([]), "", 0);
        check(json!([first]), "a", 0);
        check(json!([first, answer, user(result.clone())]), "a", 1);
        check(json!([first, user(result.clone()), user(result)]), "a", 2);
        check(json!([first, user(both)]), "b", 0);
    }

    #[test]
    fn results_of_one_answer_are_one_step() {
        let user = json!({"role": "user", "content": [{"text": "[[scenario:a]] [[scenario:b]]"}]});
        let output = json!({"type": "function_call_output", "output": "x"});
        let call = json!({"type": "function_call"});
        let check = |input: Value, step| {
            check(Wire::Responses, json!({"input": input}), (Purpose::Turn, "b", step));
        };
        check(json!([user]), 0);
        check(json!([user, call, call, output, output]), 1);
        check(json!([user, call, output, call, output]), 2);
    }

    #[test]
    fn the_session_that_was_recalled_last_is_known() {
        let [one, two] =
            ["11111111-1111-4111-8111-111111111111", "22222222-2222-4222-8222-222222222222"];
        let check = |text: &str, expected: Option<&str>| {
            assert_eq!(recalled(&json!({"input": [text]})).as_deref(), expected, "{text}");
        };
        check(&format!("1. session {one} turn 1\nsession {two} codex"), Some(two));
        check(&format!("session {one}\n a past session (history): {two}"), Some(one));
        check("a past session", None);
        check(&format!("session {}", "x".repeat(36)), None);
    }

    #[test]
    fn side_calls_and_summaries_are_told_apart() {
        let says = |words: &str| json!({"role": "user", "content": words});
        let title = "Generate a concise, single-line task title: [[scenario:a]]";
        let summary = "Your task is to create a detailed summary";
        let messages = |it: &Value| json!({"tools": [{}], "messages": [it]});
        let input = |it: &Value| json!({"input": [it]});
        check(Wire::Messages, json!({"messages": [says("x")]}), (Purpose::Side, "", 0));
        check(Wire::Messages, messages(&says(summary)), (Purpose::Summary, "", 0));
        check(Wire::Responses, input(&says(title)), (Purpose::Side, "a", 0));
        check(Wire::Responses, input(&says("CONTEXT CHECKPOINT")), (Purpose::Summary, "", 0));
    }
}
