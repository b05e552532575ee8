//! Sessions as Pi writes them, version 3: lines that form a tree by `id` and `parentId`.

use serde_json::Value;
use taffrail_kit::json::{exclusive, microdollars, text, time, words};
use taffrail_kit::{Outcome, Speaker, json};
use taffrail_model::TitleRank;

/// Reads one line.
pub(crate) fn read(line: &Value, speaker: &mut Speaker<'_, '_>) {
    speaker.at(time(line, "/timestamp"));
    let id = text(line, "/id").unwrap_or_default();
    match text(line, "/type") {
        Some("session") => {
            speaker.session(id);
            speaker.id("session");
            speaker.cwd(text(line, "/cwd"));
            speaker.title(TitleRank::Generated, text(line, "/title"));
            speaker.started(None, None);
        }
        Some("model_change") => speaker.model(text(line, "/modelId").or(text(line, "/model"))),
        Some("message") => {
            speaker.id(id);
            message(line.get("message").unwrap_or(line), id, speaker);
        }
        Some("compaction" | "branch_summary") => {
            speaker.id(id);
            speaker.compacted(text(line, "/summary"));
        }
        Some("session_info") => speaker.title(TitleRank::Given, text(line, "/name")),
        Some("title_change") => speaker.title(rank_of(line), text(line, "/title")),
        Some("model_usage") => spent(line, id, speaker),
        Some(
            "thinking_level_change"
            | "custom"
            | "custom_message"
            | "label"
            | "title"
            | "archive"
            | "service_tier_change"
            | "ttsr_injection"
            | "session_init"
            | "mode_change"
            | "credential_pin"
            | "reset_boundary",
        ) => {}
        other => speaker.unknown(other.unwrap_or("no type")),
    }
}

fn message(message: &Value, id: &str, speaker: &mut Speaker<'_, '_>) {
    match text(message, "/role") {
        Some("user") => {
            let said = message.get("content").and_then(words);
            speaker.prompt(said.as_deref().unwrap_or_default());
        }
        Some("assistant") => answer(message, id, speaker),
        Some("toolResult") => {
            let said = message.get("content").and_then(words);
            let failed = message.get("isError").and_then(Value::as_bool);
            let outcome = Outcome { failed, ..Outcome::default() };
            speaker.result(
                text(message, "/toolCallId").unwrap_or_default(),
                said.as_deref(),
                outcome,
            );
        }
        Some("bashExecution" | "pythonExecution") => {
            speaker.notice("bash", text(message, "/command").or(text(message, "/code")));
        }
        Some(
            "system" | "developer" | "custom" | "hookMessage" | "fileMention" | "branchSummary"
            | "compactionSummary",
        ) => {}
        other => speaker.unknown(&format!("role/{}", other.unwrap_or_default())),
    }
}

fn answer(message: &Value, id: &str, speaker: &mut Speaker<'_, '_>) {
    speaker.model(text(message, "/model"));
    let ends = text(message, "/stopReason") != Some("toolUse");
    let blocks = json::list(message, "/content");
    let last = blocks.iter().rposition(|it| text(it, "/type") == Some("text"));
    for (index, block) in blocks.iter().enumerate() {
        let said = text(block, "/text").unwrap_or_default();
        match text(block, "/type") {
            Some("text") if ends && Some(index) == last => speaker.last_answer(said),
            Some("text") => speaker.answer(said),
            Some("thinking") => speaker.thought(text(block, "/thinking").unwrap_or_default()),
            Some("toolCall") => {
                let name = text(block, "/name").unwrap_or_default();
                speaker.call(text(block, "/id").unwrap_or_default(), name, block.get("arguments"));
            }
            Some("redactedThinking" | "image" | "anthropicServerTool" | "fallback") => {}
            other => speaker.unknown(&format!("content/{}", other.unwrap_or_default())),
        }
    }
    match (text(message, "/stopReason"), text(message, "/errorMessage")) {
        (Some("aborted"), _) => speaker.interrupted(),
        (Some("error"), said) => speaker.failed_turn(said.unwrap_or_default()),
        _ => {}
    }
    spent(message, id, speaker);
}

/// Who gave a title: the agent by itself, or the person.
fn rank_of(line: &Value) -> TitleRank {
    match text(line, "/source") {
        Some("user") => TitleRank::Given,
        _ => TitleRank::Generated,
    }
}

fn spent(message: &Value, id: &str, speaker: &mut Speaker<'_, '_>) {
    let count = |name: &str| json::count(message, &format!("/usage/{name}"));
    let tokens =
        exclusive(count("input"), count("output"), count("cacheRead"), count("cacheWrite"));
    let model = text(message, "/model").map(str::to_owned);
    speaker.spent_by(model, id, tokens, microdollars(message, "/usage/cost/total"));
}
