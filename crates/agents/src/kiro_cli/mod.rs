//! Kiro CLI, by Amazon: lines of messages a session, and a file about the session beside them.

use serde_json::Value;
use taffrail_kit::json::{list, text, time, words};
use taffrail_kit::{
    Agent, Descriptor, Evidence, HomeRule, Outcome, Speaker, StartPlan, Store, ToolUse,
};
use taffrail_model::TitleRank;

/// The adapter for Kiro CLI.
pub static ADAPTER: Agent = Agent {
    start: Some(&StartPlan {
        resume: &["kiro-cli", "chat", "--resume-id", "{id}"],
        resume_in: &[],
        brief: &["kiro-cli", "chat", "{ask}"],
        repeated: &["--model="],
    }),
    ..Agent::new(
        &DESCRIPTOR,
        &[Store {
            time: Some("/data/meta/timestamp"),
            beside: &["sessions/cli/{session}.json"],
            ..Store::lines("sessions/cli/{session}.jsonl", read)
        }],
    )
};

static DESCRIPTOR: Descriptor = Descriptor {
    id: "kiro-cli",
    label: "Kiro CLI",
    short: "kiro",
    scheme: "kiro-session",
    homes: &[&[HomeRule::env("KIRO_HOME", ""), HomeRule::user(".kiro")]],
    roots: &["sessions/cli"],
    processes: &["kiro-cli", "kiro-cli-chat"],
    evidence: Evidence::Source,
    ..Descriptor::NOTHING
};

/// Reads one line.
fn read(line: &Value, speaker: &mut Speaker<'_, '_>) {
    speaker.at(time(line, "/data/meta/timestamp"));
    speaker.id(text(line, "/data/message_id").unwrap_or_default());
    match text(line, "/kind") {
        Some("Prompt") => {
            look_up(speaker);
            speaker.prompt(&said(line));
        }
        Some("AssistantMessage") => answer(line, speaker),
        Some("ToolResults") => results(line, speaker),
        Some("Clear") => speaker.notice("clear", None),
        Some("Compaction") => speaker.compacted(text(line, "/data/summary")),
        other => speaker.unknown(other.unwrap_or("no kind")),
    }
}

/// The project, the title and the model, from the file beside.
fn look_up(speaker: &mut Speaker<'_, '_>) {
    let Some(about) = speaker.beside_json(".json") else { return };
    speaker.cwd(text(&about, "/cwd"));
    speaker.title(TitleRank::Generated, text(&about, "/title"));
    let model = text(&about, "/session_state/rts_model_state/model_info/model_id");
    // Answers do not repeat the model, so it is a fact about the session only.
    speaker.facts().model = model.map(str::to_owned);
    speaker.facts().started_at = time(&about, "/created_at");
}

fn said(line: &Value) -> String {
    let texts = list(line, "/data/content").iter().filter(|it| text(it, "/kind") == Some("text"));
    texts.filter_map(|it| text(it, "/data")).collect::<Vec<_>>().join("\n")
}

/// Without a call the answer ends the turn: nothing else says so.
fn answer(line: &Value, speaker: &mut Speaker<'_, '_>) {
    let content = list(line, "/data/content");
    let calls = content.iter().filter(|it| text(it, "/kind") == Some("toolUse"));
    let calls: Vec<_> = calls.filter_map(|it| it.get("data")).collect();
    for part in content {
        match text(part, "/kind") {
            Some("text" | "toolUse" | "image") => {}
            Some("thinking") => {
                let thought = part.get("data").and_then(words);
                speaker.thought(thought.as_deref().unwrap_or_default());
            }
            other => speaker.unknown(&format!("content/{}", other.unwrap_or_default())),
        }
    }
    let said = said(line);
    match (said.is_empty(), calls.is_empty()) {
        (_, true) => speaker.last_answer(&said),
        (false, false) => speaker.answer(&said),
        (true, false) => {}
    }
    for call in calls {
        let (tool, input) = (text(call, "/name").unwrap_or_default(), call.get("input"));
        let call_id = text(call, "/toolUseId").unwrap_or_default();
        // The tools for files have a `command`, too: what to do with the file.
        speaker.called(&ToolUse { call: call_id, tool, input, text: text(call, "/input/path") });
    }
}

fn results(line: &Value, speaker: &mut Speaker<'_, '_>) {
    for part in list(line, "/data/content") {
        let Some(result) = part.get("data").filter(|_| text(part, "/kind") == Some("toolResult"))
        else {
            continue;
        };
        let texts = list(result, "/content").iter().filter_map(|it| words(it.get("data")?));
        let said = texts.collect::<Vec<_>>().join("\n");
        // An error is also what a person refused.
        let outcome = Outcome::failed(text(result, "/status") == Some("error"));
        speaker.result(text(result, "/toolUseId").unwrap_or_default(), Some(&said), outcome);
    }
}
