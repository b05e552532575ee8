//! Factory Droid: one file of lines a session, with settings and the sum of its tokens beside it.

use crate::dialects::claude_blocks;
use serde_json::Value;
use taffrail_kit::json::{count, exclusive, flag, text, time};
use taffrail_kit::{Agent, Descriptor, Evidence, HomeRule, Speaker, StartPlan, Store};
use taffrail_model::{TitleRank, Tokens};

/// The adapter for Factory Droid.
pub static ADAPTER: Agent = Agent {
    start: Some(&StartPlan {
        resume: &["droid", "--resume", "{id}"],
        resume_in: &[],
        brief: &["droid", "{ask}"],
        repeated: &[],
    }),
    ..Agent::new(
        &DESCRIPTOR,
        &[Store {
            beside: &["sessions/{project}/{session}.settings.json"],
            ..Store::lines("sessions/{project}/{session}.jsonl", read)
        }],
    )
};

static DESCRIPTOR: Descriptor = Descriptor {
    id: "factory-droid",
    label: "Factory Droid",
    short: "droid",
    note_tool: "droid",
    scheme: "factory-droid-session",
    homes: &[&[HomeRule::env("FACTORY_HOME_OVERRIDE", ".factory"), HomeRule::user(".factory")]],
    roots: &["sessions"],
    processes: &["droid"],
    evidence: Evidence::Recorded,
    ..Descriptor::NOTHING
};

fn read(line: &Value, speaker: &mut Speaker<'_, '_>) {
    speaker.at(time(line, "/timestamp"));
    speaker.id(text(line, "/id").unwrap_or_default());
    match text(line, "/type").unwrap_or("no type") {
        "session_start" => start(line, speaker),
        // What only the model or only the person sees is a reminder, or the report of a hook.
        "message" if line.pointer("/message/visibility").is_some() => {}
        "message" => message(line.get("message").unwrap_or(line), speaker),
        "agent_turn_outcome" => outcome(line, speaker),
        "compaction_state" => speaker.compacted(text(line, "/summaryText")),
        "todo_state" => {}
        other => speaker.unknown(other),
    }
}

fn start(line: &Value, speaker: &mut Speaker<'_, '_>) {
    speaker.cwd(text(line, "/cwd"));
    let given = flag(line, "/isSessionTitleManuallySet");
    let rank = if given { TitleRank::Given } else { TitleRank::Generated };
    speaker.title(rank, text(line, "/title"));
    speaker.id("start");
    speaker.started(None, None);
}

fn message(message: &Value, speaker: &mut Speaker<'_, '_>) {
    let content = message.get("content").unwrap_or(&Value::Null);
    match text(message, "/role").unwrap_or_default() {
        "user" => claude_blocks::user(content, speaker),
        "assistant" => {
            speaker.model(text(message, "/modelId"));
            claude_blocks::answer(content, speaker);
            usage(speaker);
        }
        other => speaker.unknown(&format!("role/{other}")),
    }
}

/// The agent counts tokens for the whole session only.
fn usage(speaker: &mut Speaker<'_, '_>) {
    let Some(settings) = speaker.beside_json(".settings.json") else { return };
    let count = |name: &str| count(&settings, &format!("/tokenUsage/{name}Tokens"));
    let (read, write) = (count("cacheRead"), count("cacheCreation"));
    let tokens = exclusive(count("input"), count("output"), read, write);
    speaker.spent("session", Tokens { reasoning: count("thinking"), ..tokens }, None);
}

fn outcome(line: &Value, speaker: &mut Speaker<'_, '_>) {
    speaker.id(&format!("outcome/{}", text(line, "/turnId").unwrap_or_default()));
    match text(line, "/reason") {
        Some("cancelled" | "aborted" | "interrupted") => speaker.interrupted(),
        Some(reason @ ("error" | "failed")) => speaker.failed_turn(reason),
        reason => speaker.turn_over(reason),
    }
}
