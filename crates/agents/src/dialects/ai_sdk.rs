//! Blocks of messages as the AI SDK has them: `text`, `reasoning`, `tool-call`, `tool-result`.

use serde_json::Value;
use taffrail_kit::json::{list, text, words};
use taffrail_kit::{Outcome, Speaker};

/// Whether a message calls a tool.
pub(crate) fn calls(message: &Value) -> bool {
    list(message, "/content").iter().any(|it| text(it, "/type") == Some("tool-call"))
}

/// Says an answer. With `ends` its last text ends the turn.
pub(crate) fn answer(message: &Value, ends: bool, speaker: &mut Speaker<'_, '_>) {
    if let Some(said) = text(message, "/content") {
        return if ends { speaker.last_answer(said) } else { speaker.answer(said) };
    }
    let blocks = list(message, "/content");
    let last = blocks.iter().rposition(|it| text(it, "/type") == Some("text"));
    for (index, block) in blocks.iter().enumerate() {
        let said = text(block, "/text").unwrap_or_default();
        match text(block, "/type") {
            Some("text") if ends && last == Some(index) => speaker.last_answer(said),
            Some("text") => speaker.answer(said),
            Some("reasoning") => speaker.thought(said),
            Some("tool-call") => {
                let name = text(block, "/toolName").unwrap_or_default();
                let input = block.get("input").or(block.get("args"));
                speaker.call(text(block, "/toolCallId").unwrap_or_default(), name, input);
            }
            Some("tool-result") => result(block, speaker),
            Some("file" | "image" | "redacted-reasoning") => {}
            other => speaker.unknown(&format!("content/{}", other.unwrap_or_default())),
        }
    }
}

/// Says what tools returned.
pub(crate) fn results(message: &Value, speaker: &mut Speaker<'_, '_>) {
    for block in list(message, "/content") {
        match text(block, "/type") {
            Some("tool-result") => result(block, speaker),
            Some("tool-approval-response") => {}
            other => speaker.unknown(&format!("content/{}", other.unwrap_or_default())),
        }
    }
}

fn result(block: &Value, speaker: &mut Speaker<'_, '_>) {
    let output = block.pointer("/output/value").or(block.get("output"));
    let said = output.or(block.get("content")).or(block.get("result")).and_then(words);
    let kind = text(block, "/output/type").unwrap_or_default();
    let failed = kind.starts_with("error") || block.get("isError") == Some(&Value::Bool(true));
    let call = text(block, "/toolCallId").unwrap_or_default();
    speaker.result(call, said.as_deref(), Outcome::failed(failed));
}
