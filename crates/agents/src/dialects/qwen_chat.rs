//! Chats as Qwen Code writes them: lines with the parts of Gemini in the frame of Claude Code.

use super::claude_blocks;
use serde_json::Value;
use taffrail_kit::json::{count, flag, inclusive, list, text, words};
use taffrail_kit::{Outcome, Speaker};
use taffrail_model::{TitleRank, Tokens, hash};

/// Reads one line.
pub(crate) fn read(line: &Value, speaker: &mut Speaker<'_, '_>) {
    claude_blocks::frame(line, speaker);
    let id = fragment(line);
    speaker.id(&id);
    if let Some(origin) = text(line, "/forkedFrom/sessionId") {
        speaker.forked_from(origin);
    }
    match text(line, "/type").unwrap_or("no type") {
        "user" => user(line, speaker),
        "assistant" => answer(line, &id, speaker),
        "tool_result" => result(line, speaker),
        "system" => system(line, speaker),
        other => speaker.unknown(other),
    }
}

/// A record's id. The agent may write one answer as several lines with the same id, so what a line
/// says is part of it; memory has no say, because a line read alone must have the same id.
fn fragment(line: &Value) -> String {
    let uuid = text(line, "/uuid").unwrap_or_default();
    match line.get("message").filter(|_| text(line, "/type") == Some("assistant")) {
        Some(message) if !uuid.is_empty() => {
            let said = hash::digest("qwen-fragment", &[message.to_string().as_bytes()]);
            format!("{uuid}#{}", hash::to_hex(&said))
        }
        _ => uuid.to_owned(),
    }
}

fn user(line: &Value, speaker: &mut Speaker<'_, '_>) {
    let said = line.pointer("/message/parts").and_then(words).unwrap_or_default();
    match text(line, "/subtype") {
        None | Some("mid_turn_user_message" | "user_text_elements") => speaker.prompt(&said),
        // The agent itself speaks in the name of the user.
        Some(other) => speaker.notice(other, Some(&said)),
    }
}

fn answer(line: &Value, id: &str, speaker: &mut Speaker<'_, '_>) {
    speaker.model(text(line, "/model"));
    let parts = list(line, "/message/parts");
    let calls = parts.iter().any(|it| it.get("functionCall").is_some());
    let is_text = |it: &Value| text(it, "/text").is_some() && !is_thought(it);
    let last = parts.iter().rposition(is_text).filter(|_| !calls);
    for (index, part) in parts.iter().enumerate() {
        match (text(part, "/text"), part.get("functionCall")) {
            (Some(said), _) if is_thought(part) => speaker.thought(said),
            (Some(said), _) if last == Some(index) => speaker.last_answer(said),
            (Some(said), _) => speaker.answer(said),
            (None, Some(call)) => {
                let name = text(call, "/name").unwrap_or_default();
                speaker.call(text(call, "/id").unwrap_or_default(), name, call.get("args"));
            }
            (None, None) => {}
        }
    }
    speaker.spent(id, tokens(line), None);
}

fn is_thought(part: &Value) -> bool {
    flag(part, "/thought")
}

/// The total includes what was spent on thinking, whether or not the candidates do.
fn tokens(line: &Value) -> Tokens {
    let count = |name: &str| count(line, &format!("/usageMetadata/{name}TokenCount"));
    let (prompt, thoughts) = (count("prompt"), count("thoughts"));
    let output = count("total").saturating_sub(prompt).max(count("candidates"));
    let tokens = inclusive(prompt, output, count("cachedContent"), 0);
    Tokens { reasoning: thoughts.min(output), ..tokens }
}

fn result(line: &Value, speaker: &mut Speaker<'_, '_>) {
    let status = text(line, "/toolCallResult/status");
    // A call that was cancelled before it started was refused in the dialog.
    let is_idle = text(line, "/toolCallResult/executionStatus") == Some("not_started");
    let outcome = Outcome {
        failed: status.map(|it| it != "success"),
        denied: status == Some("cancelled") && is_idle,
        exit_code: line.pointer("/toolCallResult/resultDisplay/exitCode").and_then(Value::as_i64),
        duration_ms: None,
    };
    for part in list(line, "/message/parts") {
        let Some(response) = part.get("functionResponse") else { continue };
        let field = |name: &str| response.pointer(name).and_then(words);
        let said = field("/response/output").or(field("/response/error"));
        speaker.result(text(response, "/id").unwrap_or_default(), said.as_deref(), outcome);
    }
}

fn system(line: &Value, speaker: &mut Speaker<'_, '_>) {
    let field = |name: &str| text(line, &format!("/systemPayload/{name}"));
    match text(line, "/subtype").unwrap_or("system") {
        "custom_title" => speaker.title(TitleRank::Given, field("customTitle")),
        "session_model" => speaker.model(field("model")),
        "chat_compression" => speaker.compacted(None),
        "slash_command" => speaker.notice("command", field("rawCommand")),
        "notification" => speaker.notice("notification", field("displayText")),
        "rewind" => speaker.notice("rewind", None),
        "ui_telemetry" if field("uiEvent/event.name") == Some("qwen-code.api_error") => {
            speaker.failed_turn(field("uiEvent/error_message").unwrap_or("API error"));
        }
        "agent_bootstrap"
        | "agent_launch_prompt"
        | "agent_retry"
        | "at_command"
        | "attribution_snapshot"
        | "branch_checkpoint"
        | "cron"
        | "file_history_snapshot"
        | "goal_runtime"
        | "goal_state"
        | "parent_session"
        | "realtime_message"
        | "session_artifact_event"
        | "session_artifact_snapshot"
        | "session_source"
        | "turn_result"
        | "ui_telemetry"
        | "user_text_elements" => {}
        other => speaker.unknown(&format!("system/{other}")),
    }
}
