//! Mux, by Coder: one log of messages a workspace, in which a message holds its calls and results.

use serde_json::Value;
use taffrail_kit::json::{count, inclusive, list, text, time, words};
use taffrail_kit::{Agent, Descriptor, Evidence, HomeRule, Outcome, Speaker, Store, ToolUse};

/// The adapter for Mux.
pub static ADAPTER: Agent =
    Agent::new(&DESCRIPTOR, &[Store::lines("sessions/{session}/chat.jsonl", read)]);

static DESCRIPTOR: Descriptor = Descriptor {
    id: "mux",
    label: "Mux",
    short: "mux",
    scheme: "mux-chat",
    homes: &[&[HomeRule::env("MUX_ROOT", ""), HomeRule::user(".mux")]],
    roots: &["sessions"],
    rewrites_records: true,
    // A workspace for several agents: people work in it, too.
    processes: &[],
    evidence: Evidence::Documented,
    ..Descriptor::NOTHING
};

/// Reads one message.
fn read(message: &Value, speaker: &mut Speaker<'_, '_>) {
    let id = text(message, "/id").unwrap_or_default();
    speaker.id(id);
    speaker.at(time(message, "/metadata/timestamp"));
    match text(message, "/role") {
        Some("user") => {
            let said = message.get("parts").and_then(words);
            speaker.prompt(said.as_deref().unwrap_or_default());
        }
        Some("assistant") => {
            // The model is `provider:model`.
            let model = text(message, "/metadata/model");
            speaker.model(model.map(|it| it.split_once(':').map_or(it, |(_, model)| model)));
            answer(message, speaker);
            spent(message, id, speaker);
        }
        Some("system") => {}
        other => speaker.unknown(&format!("role/{}", other.unwrap_or_default())),
    }
}

/// A message is written when its turn is over.
fn answer(message: &Value, speaker: &mut Speaker<'_, '_>) {
    let parts = list(message, "/parts");
    let last = parts.len().saturating_sub(1);
    for (index, part) in parts.iter().enumerate() {
        let said = text(part, "/text").unwrap_or_default();
        match text(part, "/type") {
            Some("text") if index == last => speaker.last_answer(said),
            Some("text") => speaker.answer(said),
            Some("reasoning") => speaker.thought(said),
            Some("dynamic-tool") => tool(part, speaker),
            Some("file") => {}
            other => speaker.unknown(&format!("part/{}", other.unwrap_or_default())),
        }
    }
    let has_end = parts.last().is_some_and(|it| text(it, "/type") == Some("text"));
    if !has_end {
        speaker.turn_over(None);
    }
}

fn tool(part: &Value, speaker: &mut Speaker<'_, '_>) {
    let call = text(part, "/toolCallId").unwrap_or_default();
    let (tool, input) = (text(part, "/toolName").unwrap_or_default(), part.get("input"));
    speaker.called(&ToolUse { call, tool, input, text: text(part, "/input/script") });
    if let Some(output) = part.get("output").filter(|it| !it.is_null()) {
        let said = output.get("output").or(Some(output)).and_then(words);
        let failed = output.get("success") == Some(&Value::Bool(false));
        speaker.result(call, said.as_deref(), Outcome::failed(failed));
    }
}

fn spent(message: &Value, id: &str, speaker: &mut Speaker<'_, '_>) {
    let usage = |name: &str| count(message, &format!("/metadata/usage/{name}"));
    let written = count(message, "/metadata/providerMetadata/anthropic/cacheCreationInputTokens");
    let tokens =
        inclusive(usage("inputTokens"), usage("outputTokens"), usage("cachedInputTokens"), written);
    speaker.spent(id, tokens, None);
}
