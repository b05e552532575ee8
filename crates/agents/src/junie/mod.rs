//! Junie, by JetBrains: a log of events a session, in which a block is written again as it grows.

mod blocks;

use serde_json::Value;
use taffrail_kit::json::{list, text, time};
use taffrail_kit::{Agent, Descriptor, Evidence, HomeRule, Speaker, StartPlan, Store};
use taffrail_model::TitleRank;

/// The adapter for Junie.
pub static ADAPTER: Agent = Agent {
    start: Some(&StartPlan {
        resume: &["junie", "--resume", "--session-id", "{id}"],
        resume_in: &[],
        brief: &["junie", "{ask}"],
        repeated: &["--model="],
    }),
    ..Agent::new(
        &DESCRIPTOR,
        &[Store {
            time: Some("/timestampMs"),
            beside: &["sessions/index.jsonl"],
            ..Store::lines("sessions/{session}/events.jsonl", read)
        }],
    )
};

static DESCRIPTOR: Descriptor = Descriptor {
    id: "junie",
    label: "Junie",
    short: "junie",
    scheme: "junie-events",
    homes: &[&[HomeRule::user(".junie")]],
    roots: &["sessions"],
    rewrites_records: true,
    processes: &["junie"],
    evidence: Evidence::Source,
    ..Descriptor::NOTHING
};

/// Reads one line.
fn read(line: &Value, speaker: &mut Speaker<'_, '_>) {
    speaker.at(time(line, "/timestampMs"));
    match text(line, "/kind") {
        Some("UserPromptEvent") if text(line, "/delivery") == Some("Failed") => {}
        Some("UserPromptEvent") => {
            look_up(speaker);
            speaker.id(text(line, "/requestId").unwrap_or_default());
            let said = text(line, "/presentablePrompt").or(text(line, "/prompt"));
            speaker.prompt(said.unwrap_or_default());
        }
        Some("UserResponseEvent") => speaker.prompt(text(line, "/prompt").unwrap_or_default()),
        Some("UserAsyncResponseEvent") => {
            let answers = list(line, "/entries").iter().filter_map(|it| text(it, "/answer"));
            speaker.prompt(&answers.collect::<Vec<_>>().join("\n"));
        }
        Some("SessionTitleSetEvent") => speaker.title(TitleRank::Generated, text(line, "/name")),
        Some("SystemMessageEvent") => speaker.notice("system", text(line, "/text")),
        Some("AgentTaskFailedEvent") => speaker.failed_turn("The task failed."),
        Some("SessionA2uxEvent") => {
            if let Some(event) = line.pointer("/event/agentEvent") {
                blocks::read(event, line, speaker);
            }
        }
        Some(
            "TaskStartedEvent"
            | "UserMessagesCommittedToHistory"
            | "UserMessagesDroppedFromHistory"
            | "UserMessagesFailedInHistory",
        ) => {}
        other => speaker.unknown(other.unwrap_or("no kind")),
    }
}

/// The project and the title, from the list of all sessions. Its last line about a session counts.
fn look_up(speaker: &mut Speaker<'_, '_>) {
    let id = speaker.session_id();
    let Some(index) = speaker.beside("index.jsonl") else { return };
    let parsed = index.lines().rev().filter_map(|it| serde_json::from_str::<Value>(it).ok());
    let is_own = |it: &Value| text(it, "/sessionId").or(text(it, "/id")) == Some(id.as_str());
    if let Some(entry) = parsed.into_iter().find(is_own) {
        speaker.cwd(text(&entry, "/projectDir"));
        speaker.title(TitleRank::Generated, text(&entry, "/taskName"));
        speaker.facts().started_at = time(&entry, "/createdAt");
    }
}
