//! Sessions of version 3. The id of an entry identifies its events, so that the journal, the chunks
//! and the snapshots say the same events.

use serde_json::Value;
use taffrail_kit::json::{count, inclusive, list, text, time, words};
use taffrail_kit::records;
use taffrail_kit::{Outcome, Speaker, ToolUse};
use taffrail_model::TitleRank;

/// Reads one record of the journal.
pub(super) fn journal(record: &Value, speaker: &mut Speaker<'_, '_>) {
    let Some(payload) = record.get("payload") else { return speaker.unknown("no payload") };
    match text(record, "/type") {
        Some("projection_delta") => {
            for change in list(payload, "/delta") {
                self::change(change, speaker);
            }
        }
        Some("callback_registered") => callback(payload.get("routing").unwrap_or(payload), speaker),
        Some("callback_resolved") => {
            speaker.id(&resolved(text(payload, "/callback_id").unwrap_or_default()));
            // The record has no time; the request does, and was made before.
            let asked = speaker.noted("asked").and_then(|it| it.parse().ok());
            speaker.at(asked.and_then(records::time_ms));
            let decision = text(payload, "/result/output/decision/type").unwrap_or("unknown");
            speaker.decided("", decision);
        }
        Some(
            "command_reserved" | "core_input" | "action_intent" | "action_result"
            | "receipt_succeeded" | "receipt_failed",
        ) => {}
        other => speaker.unknown(other.unwrap_or("no type")),
    }
}

fn change(change: &Value, speaker: &mut Speaker<'_, '_>) {
    match text(change, "/op") {
        Some("append_entry" | "replace_entry") => {
            entry(change.get("entry").unwrap_or(change), speaker);
        }
        Some("remove_entry") => {
            let id = text(change, "/id").unwrap_or_default();
            // Notices of hooks make no events.
            if !id.starts_with("hook-notice-") {
                speaker.remove(id, 0);
            }
        }
        Some("set_envelope") => envelope(change.get("state").unwrap_or(change), speaker),
        other => speaker.unknown(&format!("op/{}", other.unwrap_or_default())),
    }
}

/// Reads one item of a chunk. Some chunks hold the model's context and the agent's tools instead.
pub(super) fn chunk(item: &Value, speaker: &mut Speaker<'_, '_>) {
    let is_context = item.get("message").is_some() && item.get("source").is_some();
    if item.get("id").is_some() && item.get("type").is_some() {
        entry(item, speaker);
    } else if !is_context && item.get("agent_types").is_none() {
        speaker.unknown("chunk");
    }
}

/// Reads a snapshot of the session's state.
pub(super) fn state(document: &Value, speaker: &mut Speaker<'_, '_>) {
    if let Some(state) = document.get("snapshot") {
        envelope(state, speaker);
    }
}

fn entry(entry: &Value, speaker: &mut Speaker<'_, '_>) {
    meta(speaker);
    speaker.id(text(entry, "/id").unwrap_or_default());
    speaker.turn(text(entry, "/turnId").unwrap_or_default());
    speaker.at(time(entry, "/createdAt"));
    let said = entry.get("content").and_then(words);
    let said = said.as_deref().unwrap_or_default();
    match (text(entry, "/type"), text(entry, "/role")) {
        (Some("message"), Some("user")) => speaker.prompt(said),
        (Some("message"), Some("assistant")) => speaker.answer(said),
        (Some("reasoning"), _) => speaker.thought(said),
        (Some("message"), Some("system")) => {}
        (Some("effect"), _) => effect(entry, speaker),
        (Some("notice"), _) => notice(entry, speaker),
        (Some("callback"), _) => callback(entry, speaker),
        (kind, role) => {
            let [kind, role] = [kind, role].map(Option::unwrap_or_default);
            speaker.unknown(&format!("{kind}/{role}"));
        }
    }
}

/// A call, and its result once it has one.
fn effect(entry: &Value, speaker: &mut Speaker<'_, '_>) {
    let id = text(entry, "/id").unwrap_or_default();
    let tool = text(entry, "/detail/toolName").or_else(|| text(entry, "/title"));
    speaker.call(id, tool.unwrap_or_default(), entry.pointer("/detail/input"));
    let failed = match text(entry, "/state/status") {
        Some("completed") => false,
        Some("failed" | "cancelled" | "denied" | "interrupted") => true,
        _ => return,
    };
    speaker.at(time(entry, "/updatedAt"));
    let output = text(entry, "/state/outputText");
    let output = output.or_else(|| text(entry, "/state/output/structured_content/stdout"));
    let code = entry.pointer("/state/output/structured_content/returncode").and_then(Value::as_i64);
    speaker.result(id, output, Outcome { exit_code: code, ..Outcome::failed(failed) });
}

fn notice(entry: &Value, speaker: &mut Speaker<'_, '_>) {
    let kind = text(entry, "/detail/kind").unwrap_or("notice");
    if !kind.starts_with("hook_run_") {
        speaker.notice(kind, text(entry, "/message"));
    }
}

/// A request to the person, which the journal writes when it is made.
fn callback(callback: &Value, speaker: &mut Speaker<'_, '_>) {
    let id = text(callback, "/callbackId").or_else(|| text(callback, "/id")).unwrap_or_default();
    speaker.at(time(callback, "/createdAt"));
    speaker.turn(text(callback, "/turnId").unwrap_or_default());
    if text(callback, "/state/status") != Some("open") {
        speaker.id(&resolved(id));
        speaker.at(time(callback, "/updatedAt"));
        return speaker.decided("", text(callback, "/state/status").unwrap_or("unknown"));
    }
    speaker.id(id);
    let created = callback.get("createdAt").map(Value::to_string).unwrap_or_default();
    speaker.note("asked", &created);
    speaker.asked(&ToolUse {
        call: text(callback, "/relatedEntryId").unwrap_or_default(),
        tool: text(callback, "/detail/effect/toolName").unwrap_or_default(),
        input: callback.pointer("/detail/effect/input"),
        text: None,
    });
}

fn resolved(callback: &str) -> String {
    format!("{callback}/resolved")
}

/// The state around the history: facts, the sum of all usage, and the end of the latest turn.
fn envelope(state: &Value, speaker: &mut Speaker<'_, '_>) {
    meta(speaker);
    if let Some(parent) = text(state, "/session/parentSessionId") {
        speaker.child_of(parent);
    }
    let rank = match text(state, "/session/titleSource") {
        Some("auto") | None => TitleRank::Generated,
        Some(_) => TitleRank::Given,
    };
    speaker.title(rank, text(state, "/session/title"));
    let created = time(state, "/session/createdAt");
    let facts = speaker.facts();
    facts.started_at = created.or(facts.started_at);
    let count = |name: &str| count(state, &format!("/session/tokenUsage/{name}"));
    let (input, output) = (count("inputTokens"), count("outputTokens"));
    let turn = text(state, "/latestTurn/id").unwrap_or_default();
    speaker.id(&format!("{turn}/over"));
    speaker.at(time(state, "/latestTurn/completedAt"));
    if !turn.is_empty() {
        speaker.turn(turn);
        turn_over(text(state, "/latestTurn/status"), speaker);
    }
    speaker.spent("session", inclusive(input, output, count("cachedInputTokens"), 0), None);
}

fn turn_over(status: Option<&str>, speaker: &mut Speaker<'_, '_>) {
    match status {
        Some("completed") => speaker.turn_over(status),
        Some("interrupted" | "cancelled" | "canceled") => speaker.interrupted(),
        Some("failed") => speaker.failed_turn(""),
        Some("in_progress" | "queued") | None => {}
        Some(other) => speaker.unknown(&format!("turn/{other}")),
    }
}

/// The facts of the file beside the history.
fn meta(speaker: &mut Speaker<'_, '_>) {
    let Some(meta) = speaker.beside_json("meta.json") else { return };
    speaker.cwd(text(&meta, "/environment/working_directory"));
    let model = text(&meta, "/config/model_name").or_else(|| text(&meta, "/config/active_model"));
    speaker.session_model(model);
}
