//! Sessions as OpenCode 1.2 and later keep them: rows of `session`, `message` and `part`, all updated in place.
//!
//! A message means little without its parts, so the query joins both to one record.

use serde_json::Value;
use taffrail_kit::json::{exclusive, list, microdollars, text, time};
use taffrail_kit::{Outcome, Speaker, json};
use taffrail_model::{TitleRank, Tokens};

/// How an agent names a session that has no title.
const NO_TITLE: &[&str] = &["New session - ", "Child session - "];
/// How a call fails that a person rejected without a comment; the agent then stops.
const REJECTED: &str = "The user rejected permission to use this specific tool call.";
/// The same where the person said why.
const REJECTED_WITH_WORDS: &str =
    "The user rejected permission to use this specific tool call with";

/// Reads one row.
pub(crate) fn read(row: &Value, speaker: &mut Speaker<'_, '_>) {
    speaker.at(time(row, "/time_created"));
    if speaker.table() == "session" {
        return session(row, speaker);
    }
    let (Some(data), Some(parts)) = (json::nested(row, "/data"), json::nested(row, "/parts"))
    else {
        return speaker.unknown("unreadable");
    };
    sub_agent(row, speaker);
    let message =
        Message { id: text(row, "/id").unwrap_or_default(), data: &data, parts: list(&parts, "") };
    match text(&data, "/role") {
        Some("user") => question(&message, speaker),
        Some("assistant") => answer(&message, speaker),
        other => speaker.unknown(&format!("role/{}", other.unwrap_or_default())),
    }
}

struct Message<'v> {
    id: &'v str,
    data: &'v Value,
    parts: &'v [Value],
}

/// A fork keeps the messages of sub-agents in the session of their parent.
fn sub_agent(row: &Value, speaker: &mut Speaker<'_, '_>) {
    let (Some(session), Some(agent)) = (text(row, "/session_id"), text(row, "/agent_id")) else {
        return;
    };
    if agent == "main" {
        return speaker.session(session);
    }
    speaker.session(&format!("{session}/{agent}"));
    speaker.child_of(session);
}

fn session(row: &Value, speaker: &mut Speaker<'_, '_>) {
    speaker.id("session");
    speaker.cwd(text(row, "/directory"));
    let title = text(row, "/title").filter(|it| !NO_TITLE.iter().any(|none| it.starts_with(none)));
    speaker.title(TitleRank::Generated, title);
    if let Some(parent) = text(row, "/parent_id") {
        speaker.child_of(parent);
    }
    speaker.started(text(row, "/version"), None);
}

/// A prompt is one event, however many texts it has; what the agent added to it is left out.
fn question(message: &Message<'_>, speaker: &mut Speaker<'_, '_>) {
    speaker.id(message.id);
    speaker.model(text(message.data, "/model/modelID"));
    let mut lines = Vec::new();
    for part in message.parts {
        let said = match text(part, "/data/type") {
            Some("text") if is_added(part) => None,
            Some("text") => text(part, "/data/text"),
            Some("subtask") => text(part, "/data/prompt"),
            Some("file") => text(part, "/data/filename"),
            Some("agent" | "checkpoint" | "compaction" | "patch" | "snapshot") => None,
            other => {
                speaker.unknown(&format!("part/{}", other.unwrap_or_default()));
                None
            }
        };
        lines.extend(said);
    }
    if !lines.is_empty() {
        speaker.prompt(&lines.join("\n"));
    }
}

fn is_added(part: &Value) -> bool {
    ["/data/synthetic", "/data/ignored"]
        .iter()
        .any(|it| part.pointer(it).and_then(Value::as_bool) == Some(true))
}

fn answer(message: &Message<'_>, speaker: &mut Speaker<'_, '_>) {
    speaker.model(text(message.data, "/modelID"));
    let said =
        |it: &Value| text(it, "/data/type") == Some("text") && text(it, "/data/text").is_some();
    let last = message.parts.iter().rposition(said).filter(|_| is_final(message.data));
    for (index, part) in message.parts.iter().enumerate() {
        speaker.id(text(part, "/id").unwrap_or_default());
        speaker.at(time(part, "/at"));
        let data = part.get("data").unwrap_or(part);
        let said = text(data, "/text").unwrap_or_default();
        match text(data, "/type") {
            Some("text" | "reasoning") if said.is_empty() => {}
            Some("text") if is_summary(message.data) => speaker.compacted(Some(said)),
            Some("text") if Some(index) == last => speaker.last_answer(said),
            Some("text") => speaker.answer(said),
            Some("reasoning") => speaker.thought(said),
            Some("tool") => tool(data, speaker),
            Some("retry") => speaker.failed(text(data, "/error/data/message").unwrap_or_default()),
            Some(
                "step-start" | "step-finish" | "snapshot" | "patch" | "file" | "agent"
                | "checkpoint",
            ) => {}
            other => speaker.unknown(&format!("part/{}", other.unwrap_or_default())),
        }
    }
    end(message, speaker);
}

fn is_summary(data: &Value) -> bool {
    data.get("summary").and_then(Value::as_bool) == Some(true)
}

/// Whether the agent waits after this answer.
fn is_final(data: &Value) -> bool {
    text(data, "/finish").is_some_and(|it| !matches!(it, "tool-calls" | "unknown"))
}

fn tool(data: &Value, speaker: &mut Speaker<'_, '_>) {
    let call = text(data, "/callID").unwrap_or_default();
    let (from, to) = (time(data, "/state/time/start"), time(data, "/state/time/end"));
    speaker.at(from);
    speaker.call(call, text(data, "/tool").unwrap_or_default(), data.pointer("/state/input"));
    speaker.at(to);
    let exit_code = data.pointer("/state/metadata/exit").and_then(Value::as_i64);
    let time = |name: &str| data.pointer(&format!("/state/time/{name}")).and_then(Value::as_u64);
    let took = time("end").and_then(|end| end.checked_sub(time("start")?));
    let error = text(data, "/state/error").unwrap_or_default();
    let denied = error == REJECTED || error.starts_with(REJECTED_WITH_WORDS);
    let outcome = |failed| Outcome { failed: Some(failed), denied, exit_code, duration_ms: took };
    match text(data, "/state/status") {
        Some("pending" | "running") => {}
        Some("completed") => {
            speaker.result(
                call,
                text(data, "/state/output"),
                outcome(exit_code.is_some_and(|it| it != 0)),
            );
        }
        Some("error") => speaker.result(call, text(data, "/state/error"), outcome(true)),
        other => speaker.unknown(&format!("status/{}", other.unwrap_or_default())),
    }
}

fn end(message: &Message<'_>, speaker: &mut Speaker<'_, '_>) {
    let Message { id, data, parts } = message;
    speaker.id(id);
    speaker.at(time(data, "/time/completed"));
    let rejected = parts.iter().any(|it| text(it, "/data/state/error") == Some(REJECTED));
    match text(data, "/error/name") {
        Some("MessageAbortedError") => speaker.interrupted(),
        Some(name) => speaker.failed_turn(text(data, "/error/data/message").unwrap_or(name)),
        None if rejected => speaker.turn_over(Some("rejected")),
        None => {}
    }
    let count = |name: &str| json::count(data, &format!("/tokens/{name}"));
    let (reasoning, cache) =
        (count("reasoning"), exclusive(0, 0, count("cache/read"), count("cache/write")));
    let output = count("output").saturating_add(reasoning);
    let tokens = Tokens { input: count("input"), output, reasoning, ..cache };
    speaker.spent(id, tokens, microdollars(data, "/cost"));
}
