//! Amp: one document a thread, as builds wrote it before threads moved to the server.

use serde_json::Value;
use taffrail_kit::json::{count, exclusive, list, local_path, text, time, words};
use taffrail_kit::{
    Agent, Descriptor, Evidence, HomeRule, Outcome, Speaker, StartPlan, Store, ToolUse,
};
use taffrail_model::TitleRank;

/// The adapter for Amp.
pub static ADAPTER: Agent = Agent {
    start: Some(&StartPlan {
        resume: &["amp", "threads", "continue", "{id}"],
        resume_in: &[],
        brief: &["amp", "-x", "{ask}"],
        repeated: &[],
    }),
    ..Agent::new(
        &DESCRIPTOR,
        &[Store {
            head: Some(head),
            ..Store::document("threads/{session}.json", "/messages", read)
        }],
    )
};

static DESCRIPTOR: Descriptor = Descriptor {
    id: "amp",
    label: "Amp",
    short: "amp",
    note_tool: "amp",
    scheme: "amp-thread",
    homes: &[&[
        HomeRule::env("AMP_DATA_DIR", ""),
        HomeRule::env("XDG_DATA_HOME", "amp"),
        HomeRule::user(".local/share/amp"),
    ]],
    roots: &["threads"],
    rewrites_records: true,
    processes: &["amp"],
    evidence: Evidence::Source,
    ..Descriptor::NOTHING
};

fn head(thread: &Value, speaker: &mut Speaker<'_, '_>) {
    speaker.at(time(thread, "/created"));
    speaker.title(TitleRank::Generated, text(thread, "/title"));
    let folder = text(thread, "/env/initial/trees/0/uri").and_then(local_path);
    speaker.cwd(folder.as_deref());
    speaker.started(text(thread, "/env/initial/platform/clientVersion"), None);
    // A message with usage of its own replaces these.
    for event in list(thread, "/usageLedger/events") {
        let tokens = exclusive(count(event, "/tokens/input"), count(event, "/tokens/output"), 0, 0);
        speaker.spent(&id_of(event, "toMessageId"), tokens, None);
    }
}

/// The number of a message.
fn id_of(value: &Value, name: &str) -> String {
    value.get(name).and_then(Value::as_u64).map(|it| it.to_string()).unwrap_or_default()
}

/// Reads one message.
fn read(message: &Value, speaker: &mut Speaker<'_, '_>) {
    let id = id_of(message, "messageId");
    speaker.id(&id);
    speaker.at(time(message, "/meta/sentAt").or(time(message, "/usage/timestamp")));
    match text(message, "/role") {
        Some("user") => asked(message, speaker),
        Some("assistant") => {
            speaker.model(text(message, "/usage/model"));
            answer(message, speaker);
            let count = |name: &str| count(message, &format!("/usage/{name}"));
            let tokens = exclusive(
                count("inputTokens"),
                count("outputTokens"),
                count("cacheReadInputTokens"),
                count("cacheCreationInputTokens"),
            );
            speaker.spent(&id, tokens, None);
        }
        Some("system" | "info") => {}
        other => speaker.unknown(&format!("role/{}", other.unwrap_or_default())),
    }
}

/// What the person said, and what tools returned.
fn asked(message: &Value, speaker: &mut Speaker<'_, '_>) {
    for block in list(message, "/content") {
        match text(block, "/type") {
            Some("text") => speaker.prompt(text(block, "/text").unwrap_or_default()),
            Some("tool_result") => {
                let run = block.get("run").unwrap_or(block);
                result(block, run, speaker);
            }
            Some("image") => {}
            other => speaker.unknown(&format!("content/{}", other.unwrap_or_default())),
        }
    }
}

fn result(block: &Value, run: &Value, speaker: &mut Speaker<'_, '_>) {
    let output = run.pointer("/result/output").or(run.get("result"));
    let said = output.or(run.get("error")).and_then(words);
    let status = text(run, "/status");
    let failed = Some(matches!(status, Some("error" | "cancelled" | "rejected")));
    let denied = status == Some("rejected");
    let exit_code = run.pointer("/result/exitCode").and_then(Value::as_i64);
    let outcome = Outcome { failed, denied, exit_code, duration_ms: None };
    speaker.result(text(block, "/toolUseID").unwrap_or_default(), said.as_deref(), outcome);
}

fn answer(message: &Value, speaker: &mut Speaker<'_, '_>) {
    let blocks = list(message, "/content");
    let is_cancelled = text(message, "/state/type") == Some("cancelled");
    let calls = blocks.iter().any(|it| text(it, "/type") == Some("tool_use"));
    let ends = !calls && !is_cancelled;
    let last = blocks.iter().rposition(|it| text(it, "/type") == Some("text"));
    for (index, block) in blocks.iter().enumerate() {
        let said = text(block, "/text").unwrap_or_default();
        match text(block, "/type") {
            Some("text") if ends && last == Some(index) => speaker.last_answer(said),
            Some("text") => speaker.answer(said),
            Some("thinking") => speaker.thought(text(block, "/thinking").unwrap_or_default()),
            Some("redacted_thinking") => {}
            Some("tool_use") => {
                let (call, tool) = (text(block, "/id"), text(block, "/name"));
                let (call, tool) = (call.unwrap_or_default(), tool.unwrap_or_default());
                let input = block.get("input");
                speaker.called(&ToolUse { call, tool, input, text: text(block, "/input/cmd") });
            }
            other => speaker.unknown(&format!("content/{}", other.unwrap_or_default())),
        }
    }
    if is_cancelled {
        speaker.interrupted();
    }
}
