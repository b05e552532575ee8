//! Kimi CLI, which Kimi Code replaced: `wire.jsonl` holds what the agent said to its screen.

use serde_json::Value;
use taffrail_kit::json::{count, exclusive, text, time, words};
use taffrail_kit::{Agent, Descriptor, Evidence, HomeRule, Outcome, Speaker, Store, ToolUse};
use taffrail_model::TitleRank;

/// The adapter for Kimi CLI.
pub static ADAPTER: Agent = Agent::new(
    &DESCRIPTOR,
    &[
        Store {
            beside: &["sessions/{project}/{session}/state.json"],
            time: Some("/timestamp"),
            ..Store::lines("sessions/{project}/{session}/wire.jsonl", read)
        },
        Store {
            time: Some("/timestamp"),
            ..Store::lines("sessions/*/{parent}/subagents/{agent}/wire.jsonl", read)
        },
    ],
);

static DESCRIPTOR: Descriptor = Descriptor {
    id: "kimi-cli",
    label: "Kimi CLI",
    short: "kimi-cli",
    scheme: "kimi-cli-wire",
    homes: &[&[HomeRule::env("KIMI_SHARE_DIR", ""), HomeRule::user(".kimi")]],
    roots: &["sessions"],
    evidence: Evidence::Source,
    ..Descriptor::NOTHING
};

fn read(line: &Value, speaker: &mut Speaker<'_, '_>) {
    speaker.at(time(line, "/timestamp"));
    let payload = line.pointer("/message/payload").unwrap_or(&Value::Null);
    let field = |name: &str| text(payload, name).unwrap_or_default();
    match text(line, "/message/type").or(text(line, "/type")).unwrap_or("no type") {
        "metadata" => describe(speaker),
        "TurnBegin" | "SteerInput" => prompt(payload, speaker),
        "ContentPart" => part(payload, speaker),
        "ToolCall" => call(field("/id"), payload.get("function").unwrap_or(payload), speaker),
        "ToolCallRequest" => call(field("/id"), payload, speaker),
        "ToolResult" => result(payload, speaker),
        "StatusUpdate" => usage(line, payload, speaker),
        "ApprovalRequest" => asked(field("/sender"), field("/description"), payload, speaker),
        "QuestionRequest" => asked("question", field("/questions/0/question"), payload, speaker),
        // The answer names the request, and not the call.
        "ApprovalResponse" | "ApprovalRequestResolved" => speaker.decided("", field("/response")),
        "QuestionResponse" => speaker.decided("", "answered"),
        "CompactionEnd" => speaker.compacted(None),
        "StepInterrupted" => speaker.interrupted(),
        "TurnEnd" => speaker.turn_over(None),
        "Notification" => speaker.notice("notification", Some(field("/title"))),
        "PlanDisplay" => speaker.notice("plan", Some(field("/content"))),
        "StepBegin" | "CompactionBegin" | "HookTriggered" | "HookResolved" | "MCPLoadingBegin"
        | "MCPLoadingEnd" | "SubagentEvent" | "ToolCallPart" => {}
        other => speaker.unknown(other),
    }
}

fn describe(speaker: &mut Speaker<'_, '_>) {
    let Some(state) = speaker.beside_json("state.json") else { return };
    speaker.title(TitleRank::Given, text(&state, "/custom_title"));
}

fn prompt(payload: &Value, speaker: &mut Speaker<'_, '_>) {
    let said = payload.get("user_input").and_then(words);
    speaker.prompt(said.as_deref().unwrap_or_default());
}

fn part(payload: &Value, speaker: &mut Speaker<'_, '_>) {
    match text(payload, "/type").unwrap_or_default() {
        "text" => speaker.answer(text(payload, "/text").unwrap_or_default()),
        "think" => speaker.thought(text(payload, "/think").unwrap_or_default()),
        "image_url" | "audio_url" | "video_url" => {}
        other => speaker.unknown(&format!("ContentPart/{other}")),
    }
}

fn call(id: &str, function: &Value, speaker: &mut Speaker<'_, '_>) {
    // The input is JSON inside a text.
    let input = text(function, "/arguments").and_then(|it| serde_json::from_str(it).ok());
    let input: Option<&Value> = input.as_ref().or(function.get("arguments"));
    speaker.call(id, text(function, "/name").unwrap_or_default(), input);
}

fn result(payload: &Value, speaker: &mut Speaker<'_, '_>) {
    let said = payload.pointer("/return_value/output").and_then(words);
    let failed = payload.pointer("/return_value/is_error").and_then(Value::as_bool);
    let outcome = Outcome { failed, ..Outcome::default() };
    speaker.result(text(payload, "/tool_call_id").unwrap_or_default(), said.as_deref(), outcome);
}

fn usage(line: &Value, payload: &Value, speaker: &mut Speaker<'_, '_>) {
    let count = |name: &str| count(payload, &format!("/token_usage/{name}"));
    let (read, write) = (count("input_cache_read"), count("input_cache_creation"));
    let tokens = exclusive(count("input_other"), count("output"), read, write);
    let at = line.get("timestamp").map(Value::to_string).unwrap_or_default();
    speaker.spent(text(payload, "/message_id").unwrap_or(&at), tokens, None);
}

fn asked(tool: &str, what: &str, payload: &Value, speaker: &mut Speaker<'_, '_>) {
    let call = text(payload, "/tool_call_id").unwrap_or_default();
    speaker.asked(&ToolUse { call, tool, input: None, text: Some(what) });
}
