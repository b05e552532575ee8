//! The messages of a session, and the facts of the manifest beside them.

use serde_json::Value;
use std::borrow::Cow;
use taffrail_kit::json::{count, inclusive, list, microdollars, text, time, words};
use taffrail_kit::{Outcome, Speaker, ToolUse};
use taffrail_model::TitleRank;

/// Reads what a document says about its session.
pub(super) fn head(document: &Value, speaker: &mut Speaker<'_, '_>) {
    if let Some(id) = text(document, "/sessionId") {
        speaker.session(id);
    }
    if let Some(parent) = text(document, "/origin/parentThreadId") {
        speaker.child_of(parent);
    }
    if let Some(version) = text(document, "/origin/version") {
        speaker.facts().agent_version = Some(version.to_owned());
    }
    let id = speaker.name("session").or_else(|| speaker.name("folder")).unwrap_or_default();
    let Some(manifest) = speaker.beside_json(&format!("{id}.json")) else { return };
    speaker.cwd(text(&manifest, "/cwd"));
    // The rest of the manifest is about the parent of a sub-agent.
    if speaker.name("folder").is_none() {
        read_manifest(&manifest, speaker);
    }
}

fn read_manifest(manifest: &Value, speaker: &mut Speaker<'_, '_>) {
    speaker.session_model(text(manifest, "/model"));
    speaker.title(TitleRank::Generated, text(manifest, "/metadata/title"));
    if let Some(origin) = text(manifest, "/metadata/fork/forkedFromSessionId") {
        speaker.forked_from(origin);
    }
    speaker.facts().started_at = time(manifest, "/started_at");
}

/// Reads one message.
pub(super) fn read(message: &Value, speaker: &mut Speaker<'_, '_>) {
    let id = text(message, "/id").unwrap_or_default();
    speaker.id(id);
    speaker.at(time(message, "/ts"));
    match text(message, "/role") {
        Some("user") => user(message, speaker),
        Some("assistant") => answer(message, id, speaker),
        Some("system") => {}
        other => speaker.unknown(&format!("role/{}", other.unwrap_or_default())),
    }
}

fn user(message: &Value, speaker: &mut Speaker<'_, '_>) {
    let mut said: Vec<&str> = text(message, "/content").into_iter().collect();
    for block in list(message, "/content") {
        match text(block, "/type") {
            Some("text") => said.extend(text(block, "/text")),
            Some("tool_result") => {
                let output = block.get("content").and_then(output);
                let failed = block.get("is_error").and_then(Value::as_bool).unwrap_or_default();
                let call = text(block, "/tool_use_id").unwrap_or_default();
                speaker.result(call, output.as_deref(), Outcome::failed(failed));
            }
            Some("image" | "file") => {}
            other => speaker.unknown(&format!("content/{}", other.unwrap_or_default())),
        }
    }
    if !said.is_empty() {
        speaker.prompt(unwrapped(&said.join("\n")));
    }
}

/// What a tool returned: a text, or a list of texts or of queries with their results.
fn output(content: &Value) -> Option<String> {
    let results = content.as_array().into_iter().flatten();
    let results: Vec<_> = results.filter_map(|it| words(it.get("result")?)).collect();
    if results.is_empty() { words(content).map(Into::into) } else { Some(results.join("\n")) }
}

/// A prompt without the tag that Cline puts around it.
fn unwrapped(said: &str) -> &str {
    let inner = said.strip_prefix("<user_input").and_then(|it| it.split_once('>'));
    inner.and_then(|(_, it)| it.trim_end().strip_suffix("</user_input>")).unwrap_or(said)
}

fn answer(message: &Value, id: &str, speaker: &mut Speaker<'_, '_>) {
    speaker.model(text(message, "/modelInfo/id"));
    let blocks = list(message, "/content");
    let ends = !blocks.iter().any(|it| text(it, "/type") == Some("tool_use"));
    let last = blocks.iter().rposition(|it| text(it, "/type") == Some("text"));
    for (index, block) in blocks.iter().enumerate() {
        let said = text(block, "/text").unwrap_or_default();
        match text(block, "/type") {
            Some("text") if ends && Some(index) == last => speaker.last_answer(said),
            Some("text") => speaker.answer(said),
            Some("thinking") => speaker.thought(text(block, "/thinking").unwrap_or_default()),
            Some("redacted_thinking") => {}
            Some("tool_use") => {
                let call = text(block, "/id").unwrap_or_default();
                let tool = text(block, "/name").unwrap_or_default();
                let (input, text) = (block.get("input"), block.get("input").and_then(gist));
                speaker.called(&ToolUse { call, tool, input, text: text.as_deref() });
            }
            other => speaker.unknown(&format!("content/{}", other.unwrap_or_default())),
        }
    }
    let count = |name: &str| count(message, &format!("/metrics/{name}"));
    let (read, write) = (count("cacheReadTokens"), count("cacheWriteTokens"));
    let (input, output) = (count("inputTokens"), count("outputTokens"));
    speaker.spent(
        id,
        inclusive(input, output, read, write),
        microdollars(message, "/metrics/cost"),
    );
}

/// What a call does, where its input has a list of commands or a task.
pub(super) fn gist(input: &Value) -> Option<Cow<'_, str>> {
    input.get("commands").or_else(|| input.get("task")).and_then(words)
}
