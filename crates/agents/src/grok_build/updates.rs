//! The history: the updates of the Agent Client Protocol, as Grok Build sent them.

use serde_json::Value;
use taffrail_kit::json::{count, inclusive, list, text, time};
use taffrail_kit::{Outcome, Speaker};
use taffrail_model::TitleRank;

/// Reads one update.
pub(super) fn read(line: &Value, speaker: &mut Speaker<'_, '_>) {
    let said_at = time(line, "/params/_meta/agentTimestampMs");
    speaker.at(said_at.or_else(|| time(line, "/timestamp")));
    let Some(update) = line.pointer("/params/update") else { return speaker.unknown("no update") };
    let said = text(update, "/content/text").unwrap_or_default();
    match text(update, "/sessionUpdate") {
        Some("user_message_chunk") => prompt(update, said, speaker),
        Some("agent_message_chunk") => speaker.answer(said),
        Some("agent_thought_chunk") => speaker.thought(said),
        Some("tool_call") => {
            let name = text(update, "/_meta/x.ai~1tool/name").or_else(|| text(update, "/title"));
            let call = text(update, "/toolCallId").unwrap_or_default();
            speaker.call(call, name.unwrap_or_default(), update.get("rawInput"));
        }
        Some("tool_call_update") => result(update, speaker),
        Some("turn_completed") => turn_over(update, speaker),
        Some("subagent_spawned") => {
            let child = text(update, "/child_session_id").or_else(|| text(update, "/subagent_id"));
            speaker.parent_of(child.unwrap_or_default());
        }
        Some("model_changed") => speaker.model(text(update, "/model_id")),
        Some(kind) if IGNORED.contains(&kind) => {}
        other => speaker.unknown(other.unwrap_or("no kind")),
    }
}

/// What no event covers.
const IGNORED: &[&str] = &[
    "available_commands_update",
    "background_tasks",
    "config_option_update",
    "current_mode_update",
    "diff_review",
    "hook_execution",
    "plan",
    "rewind_marker",
    "session_info_update",
    "subagent_finished",
    "task_backgrounded",
    "usage_update",
];

/// The first piece of a prompt. Further pieces of it (files, images) are not prompts of their own.
fn prompt(update: &Value, said: &str, speaker: &mut Speaker<'_, '_>) {
    let index = update.pointer("/_meta/promptIndex").map(Value::to_string).unwrap_or_default();
    summarize(speaker);
    speaker.model(text(update, "/_meta/modelId"));
    if index.is_empty() || speaker.noted("prompt").as_deref() != Some(&index) {
        speaker.prompt(said);
    }
    speaker.note("prompt", &index);
}

/// Updates without a final status describe the call again.
fn result(update: &Value, speaker: &mut Speaker<'_, '_>) {
    let failed = match text(update, "/status") {
        Some("completed") => false,
        Some("failed") => true,
        Some("pending" | "in_progress") | None => return,
        Some(other) => return speaker.unknown(&format!("status/{other}")),
    };
    let contents = list(update, "/content").iter();
    let said: Vec<_> = contents.filter_map(|it| text(it, "/content/text")).collect();
    let edited = text(update, "/rawOutput/EditsApplied/tool_output_for_prompt");
    let exit_code = update.pointer("/rawOutput/exit_code").and_then(Value::as_i64);
    let outcome = Outcome { exit_code, ..Outcome::failed(failed) };
    let said = if said.is_empty() { edited.map(str::to_owned) } else { Some(said.join("\n")) };
    speaker.result(text(update, "/toolCallId").unwrap_or_default(), said.as_deref(), outcome);
}

fn turn_over(update: &Value, speaker: &mut Speaker<'_, '_>) {
    summarize(speaker);
    speaker.note("prompt", "");
    match text(update, "/stop_reason") {
        Some("cancelled") => speaker.interrupted(),
        reason => speaker.turn_over(reason),
    }
    let count = |name: &str| count(update, &format!("/usage/{name}"));
    let tokens = inclusive(
        count("inputTokens"),
        count("outputTokens"),
        count("cachedReadTokens"),
        count("cacheCreationTokens"),
    );
    // Ten thousand ticks are a millionth of a dollar.
    let cost = i64::try_from(count("costUsdTicks") / 10_000).ok().filter(|it| *it > 0);
    speaker.spent(text(update, "/prompt_id").unwrap_or_default(), tokens, cost);
}

/// The facts of the session's summary, which the agent rewrites after each turn.
fn summarize(speaker: &mut Speaker<'_, '_>) {
    let Some(summary) = speaker.beside_json("summary.json") else { return };
    speaker.cwd(text(&summary, "/info/cwd"));
    speaker.title(TitleRank::Generated, text(&summary, "/generated_title"));
    let started = time(&summary, "/created_at");
    let facts = speaker.facts();
    facts.started_at = facts.started_at.or(started);
    if let (Some(parent), Some("subagent")) =
        (text(&summary, "/parent_session_id"), text(&summary, "/session_kind"))
    {
        speaker.child_of(parent);
    }
}
