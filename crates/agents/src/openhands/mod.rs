//! OpenHands: a folder a conversation, with its state and one file an event.

use serde_json::Value;
use taffrail_kit::json::{count, inclusive, list, microdollars, text, time, words};
use taffrail_kit::{
    Agent, Descriptor, Evidence, FolderPlan, HomeRule, Outcome, Reads, Shape, Speaker, StartPlan,
    Store, ToolUse,
};

/// The adapter for OpenHands.
pub static ADAPTER: Agent = Agent {
    start: Some(&StartPlan {
        resume: &["openhands", "--resume", "{id}"],
        resume_in: &[],
        brief: &["openhands", "--file", "{file}"],
        repeated: &[],
    }),
    ..Agent::new(&DESCRIPTOR, &[CONVERSATION])
};

static DESCRIPTOR: Descriptor = Descriptor {
    id: "openhands",
    label: "OpenHands",
    short: "openhand",
    scheme: "openhands-conversation",
    homes: &[&[HomeRule::env("OPENHANDS_PERSISTENCE_DIR", ""), HomeRule::user(".openhands")]],
    roots: &["conversations"],
    rewrites_records: true,
    processes: &["openhands"],
    evidence: Evidence::Recorded,
    ..Descriptor::NOTHING
};

const CONVERSATION: Store = Store::of(
    "conversations/{session}/base_state.json",
    Shape::Folder(&FolderPlan { folder: "events", ending: ".json" }),
    Reads::Items(read),
);

fn read(file: &Value, speaker: &mut Speaker<'_, '_>) {
    if speaker.table().is_empty() {
        return state(file, speaker);
    }
    speaker.id(text(file, "/id").unwrap_or_default());
    speaker.at(time(file, "/timestamp"));
    let said = file.pointer("/llm_message/content").and_then(words);
    let said = said.as_deref().unwrap_or_default();
    let call = text(file, "/tool_call_id").unwrap_or_default();
    match text(file, "/kind") {
        Some("MessageEvent") if text(file, "/source") == Some("user") => speaker.prompt(said),
        Some("MessageEvent") => {
            think(file.get("llm_message").unwrap_or(file), speaker);
            speaker.last_answer(said);
        }
        Some("ActionEvent") => action(file, call, speaker),
        Some("ObservationEvent") => observation(file, call, speaker),
        Some("UserRejectObservation") => {
            speaker.result(call, text(file, "/rejection_reason"), Outcome::failed(true));
        }
        Some("AgentErrorEvent") => {
            speaker.result(call, text(file, "/error"), Outcome::failed(true));
        }
        Some("Condensation") => speaker.compacted(text(file, "/summary")),
        Some("PauseEvent" | "InterruptEvent") => speaker.interrupted(),
        Some("ConversationErrorEvent") => {
            speaker.failed_turn(text(file, "/detail").unwrap_or_default());
        }
        Some(
            "SystemPromptEvent"
            | "CondensationRequest"
            | "CondensationSummaryEvent"
            | "ConversationStateUpdateEvent"
            | "HookExecutionEvent"
            | "TokenEvent"
            | "LLMCompletionLogEvent"
            | "ACPToolCallEvent",
        ) => {}
        other => speaker.unknown(other.unwrap_or("no kind")),
    }
}

/// The state of the conversation, which OpenHands rewrites: facts, usage, and whether it waits.
fn state(state: &Value, speaker: &mut Speaker<'_, '_>) {
    speaker.id("state");
    speaker.at(speaker.written());
    speaker.cwd(text(state, "/workspace/working_dir"));
    speaker.model(text(state, "/agent/llm/model"));
    match text(state, "/execution_status") {
        Some("waiting_for_confirmation") => {
            let text = Some("confirm the next action");
            speaker.asked(&ToolUse { call: "", tool: "", input: None, text });
        }
        Some("error" | "stuck") => speaker.failed_turn(""),
        Some("paused") => speaker.interrupted(),
        Some("finished") => speaker.turn_over(Some("finished")),
        // Nothing is said while it works: the events say more.
        Some("idle" | "running" | "deleting") | None => {}
        Some(other) => speaker.unknown(&format!("execution_status/{other}")),
    }
    let metrics = state.pointer("/stats/usage_to_metrics").and_then(Value::as_object);
    for (purpose, metrics) in metrics.into_iter().flatten() {
        spent(purpose, metrics, speaker);
    }
}

fn spent(purpose: &str, metrics: &Value, speaker: &mut Speaker<'_, '_>) {
    let costs = list(metrics, "/costs");
    for (index, usage) in list(metrics, "/token_usages").iter().enumerate() {
        let count = |name: &str| count(usage, &format!("/{name}_tokens"));
        let (read, write) = (count("cache_read"), count("cache_write"));
        let tokens = inclusive(count("prompt"), count("completion"), read, write);
        let cost = costs.get(index).and_then(|it| microdollars(it, "/cost"));
        speaker.spent(&format!("{purpose}/{index}"), tokens, cost);
    }
}

fn action(event: &Value, call: &str, speaker: &mut Speaker<'_, '_>) {
    think(event, speaker);
    if let Some(said) = event.get("thought").and_then(words) {
        speaker.answer(&said);
    }
    // The end of a turn is written as a call.
    if text(event, "/action/kind") == Some("FinishAction") {
        return speaker.last_answer(text(event, "/action/message").unwrap_or_default());
    }
    let tool = text(event, "/tool_name").unwrap_or_default();
    let input = text(event, "/tool_call/arguments").and_then(|it| serde_json::from_str(it).ok());
    let input: Option<Value> = input.or_else(|| event.get("action").cloned());
    speaker.call(call, tool, input.as_ref());
}

fn think(event: &Value, speaker: &mut Speaker<'_, '_>) {
    if let Some(thought) = text(event, "/reasoning_content") {
        speaker.thought(thought);
    }
}

fn observation(event: &Value, call: &str, speaker: &mut Speaker<'_, '_>) {
    if text(event, "/observation/kind") == Some("FinishObservation") {
        return;
    }
    let said = event.pointer("/observation/content").and_then(words);
    let failed = event.pointer("/observation/is_error").and_then(Value::as_bool);
    let exit_code = event.pointer("/observation/exit_code").and_then(Value::as_i64);
    speaker.result(call, said.as_deref(), Outcome { failed, exit_code, ..Outcome::default() });
}
