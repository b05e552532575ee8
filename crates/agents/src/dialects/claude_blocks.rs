//! Messages of blocks, in the words of Anthropic's API: `text`, `thinking`, `tool_use`, `tool_result`;
//! alone, or in lines as Claude Code writes them.

use serde_json::Value;
use std::borrow::Cow;
use taffrail_kit::json::{count, exclusive, flag, text, time, words};
use taffrail_kit::{Outcome, Speaker};

/// Reads a line.
pub(crate) fn read(line: &Value, speaker: &mut Speaker<'_, '_>) {
    frame(line, speaker);
    let content = line.pointer("/message/content").unwrap_or(&Value::Null);
    match text(line, "/type").unwrap_or("no type") {
        "user" if flag(line, "/isMeta") => {}
        "user" => user(content, speaker),
        "assistant" => {
            speaker.model(text(line, "/message/model"));
            answer(content, speaker);
            // Lines of one answer repeat what it cost.
            let id = text(line, "/message/id").or(text(line, "/uuid"));
            usage(line, id.unwrap_or_default(), speaker);
        }
        "system" | "summary" => {}
        other => speaker.unknown(other),
    }
}

/// Reads what every line has.
pub(crate) fn frame(line: &Value, speaker: &mut Speaker<'_, '_>) {
    speaker.at(time(line, "/timestamp"));
    speaker.id(text(line, "/uuid").unwrap_or_default());
    speaker.cwd(text(line, "/cwd"));
    let facts = speaker.facts();
    let own = |name: &str| text(line, name).map(str::to_owned);
    facts.agent_version = own("/version").or(facts.agent_version.take());
    facts.git_branch = own("/gitBranch").or(facts.git_branch.take());
}

/// Reads what the answer of a line cost.
pub(crate) fn usage(line: &Value, id: &str, speaker: &mut Speaker<'_, '_>) {
    let count = |name: &str| count(line, &format!("/message/usage/{name}_tokens"));
    let (read, write) = (count("cache_read_input"), count("cache_creation_input"));
    speaker.spent(id, exclusive(count("input"), count("output"), read, write), None);
}

/// Reads what a user's message has: results of tools, and what the person asks.
pub(crate) fn user(content: &Value, speaker: &mut Speaker<'_, '_>) {
    let blocks = content.as_array().map(Vec::as_slice).unwrap_or_default();
    for block in blocks {
        match text(block, "/type").unwrap_or_default() {
            "tool_result" => result(block, speaker),
            "text" | "image" | "document" => {}
            other => speaker.unknown(&format!("content/{other}")),
        }
    }
    let is_text = |it: &&Value| text(it, "/type") == Some("text");
    let texts: Vec<_> = blocks.iter().filter(is_text).filter_map(|it| text(it, "/text")).collect();
    let said = content.as_str().map_or_else(|| texts.join("\n"), str::to_owned);
    if !said.is_empty() {
        speaker.prompt(&said);
    }
}

fn result(block: &Value, speaker: &mut Speaker<'_, '_>) {
    let failed = block.get("is_error").and_then(Value::as_bool);
    let outcome = Outcome { failed, ..Outcome::default() };
    let said = block.get("content").and_then(output);
    speaker.result(text(block, "/tool_use_id").unwrap_or_default(), said.as_deref(), outcome);
}

/// The text of a result. Forks of Gemini CLI keep their own result inside.
fn output(content: &Value) -> Option<Cow<'_, str>> {
    let response = content.get("responseParts").unwrap_or(content);
    match response.pointer("/functionResponse/response/output") {
        Some(output) => words(output),
        None => words(content),
    }
}

/// Reads what an answer has. The turn ends with an answer that calls no tool.
pub(crate) fn answer(content: &Value, speaker: &mut Speaker<'_, '_>) {
    let Some(blocks) = content.as_array() else {
        return speaker.last_answer(content.as_str().unwrap_or_default());
    };
    let last = last_text(blocks);
    for (index, block) in blocks.iter().enumerate() {
        answer_block(block, last == Some(index), speaker);
    }
}

/// The index of the text that ends the turn.
pub(crate) fn last_text(blocks: &[Value]) -> Option<usize> {
    let is = |it: &Value, kind: &str| text(it, "/type") == Some(kind);
    let calls = blocks.iter().any(|it| is(it, "tool_use"));
    blocks.iter().rposition(|it| is(it, "text")).filter(|_| !calls)
}

/// Reads one block of an answer.
pub(crate) fn answer_block(block: &Value, ends: bool, speaker: &mut Speaker<'_, '_>) {
    let field = |name: &str| text(block, name).unwrap_or_default();
    match field("/type") {
        "text" if ends => speaker.last_answer(field("/text")),
        "text" if field("/text").is_empty() => {}
        "text" => speaker.answer(field("/text")),
        "thinking" => speaker.thought(field("/thinking")),
        "tool_use" => speaker.call(field("/id"), field("/name"), block.get("input")),
        "redacted_thinking" => {}
        other => speaker.unknown(&format!("content/{other}")),
    }
}
