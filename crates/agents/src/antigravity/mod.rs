//! Antigravity, by Google: the plain transcript beside each conversation, one line a step.

use serde_json::Value;
use taffrail_kit::json::{list, text, time};
use taffrail_kit::{Agent, Descriptor, Evidence, HomeRule, Outcome, Speaker, Store, ToolUse};

/// The adapter for Antigravity.
pub static ADAPTER: Agent = Agent {
    known: &[
        "step_index",
        "source",
        "type",
        "status",
        "created_at",
        "content",
        "thinking",
        "tool_calls",
    ],
    ..Agent::new(
        &DESCRIPTOR,
        &[Store::lines("brain/{session}/.system_generated/logs/transcript.jsonl", read)],
    )
};

static DESCRIPTOR: Descriptor = Descriptor {
    id: "antigravity",
    label: "Antigravity",
    short: "agy",
    scheme: "antigravity-steps",
    homes: &[
        &[
            HomeRule::env("GEMINI_CLI_HOME", ".gemini/antigravity-cli"),
            HomeRule::user(".gemini/antigravity-cli"),
        ],
        &[HomeRule::user(".gemini/antigravity")],
        &[HomeRule::user(".gemini/antigravity-ide")],
    ],
    roots: &["brain"],
    processes: &["agy"],
    evidence: Evidence::Source,
    ..Descriptor::NOTHING
};

/// Reads one step.
fn read(step: &Value, speaker: &mut Speaker<'_, '_>) {
    let index = step.get("step_index").and_then(Value::as_u64);
    let Some(index) = index else { return speaker.unknown("no step") };
    speaker.id(&index.to_string());
    speaker.at(time(step, "/created_at"));
    let content = text(step, "/content").unwrap_or_default();
    match (text(step, "/source"), text(step, "/type")) {
        (_, Some("USER_INPUT")) => prompt(content, speaker),
        (Some("MODEL"), Some("PLANNER_RESPONSE")) => answer(step, index, speaker),
        // Any other step of the model is a tool that returned. It does not name its call.
        (Some("MODEL"), Some(_)) => {
            let failed = text(step, "/status") == Some("ERROR");
            let planned = speaker.noted("planned").unwrap_or_default();
            speaker.next_result(&planned, Some(content), Outcome::failed(failed));
        }
        (Some("SYSTEM"), Some("CHECKPOINT")) => speaker.compacted(None),
        (Some("SYSTEM"), Some("SYSTEM_MESSAGE")) => speaker.notice("system", Some(content)),
        (
            Some("SYSTEM"),
            Some("CONVERSATION_HISTORY" | "EPHEMERAL_MESSAGE" | "KNOWLEDGE_ARTIFACTS"),
        ) => {}
        (source, kind) => {
            speaker.unknown(&format!(
                "{}/{}",
                source.unwrap_or_default(),
                kind.unwrap_or_default()
            ));
        }
    }
}

/// A prompt is wrapped, and followed by what the program tells the model.
fn prompt(content: &str, speaker: &mut Speaker<'_, '_>) {
    // Answers do not repeat the model, so it is a fact about the session only.
    if let Some(model) = model_in(content) {
        speaker.facts().model = Some(model.to_owned());
    }
    let inner = between(content, "<USER_REQUEST>", "</USER_REQUEST>");
    speaker.prompt(inner.unwrap_or(content).trim());
}

/// The model that the person chose: "... `Model Selection` from None to Gemini 3.5 Flash (High). ..."
fn model_in(content: &str) -> Option<&str> {
    let change = between(content, "`Model Selection` from ", "</USER_SETTINGS_CHANGE>")?;
    let (_, rest) = change.split_once(" to ")?;
    let end = rest.find(". ").or_else(|| rest.find(".\n"));
    end.and_then(|end| rest.get(..end)).or(rest.trim().strip_suffix('.'))
}

fn between<'t>(text: &'t str, start: &str, end: &str) -> Option<&'t str> {
    let (_, rest) = text.split_once(start)?;
    rest.split_once(end).map(|(inner, _)| inner)
}

/// The arguments that describe a call.
const GISTS: &[&str] =
    &["CommandLine", "AbsolutePath", "TargetFile", "DirectoryPath", "SearchPath", "Query", "Url"];

/// An argument of a call. Arguments are texts that hold JSON themselves.
fn argument(call: &Value, name: &str) -> Option<String> {
    let raw = text(call.get("args")?, &format!("/{name}"))?;
    Some(serde_json::from_str(raw).unwrap_or_else(|_| raw.to_owned()))
}

fn answer(step: &Value, index: u64, speaker: &mut Speaker<'_, '_>) {
    if let Some(thought) = text(step, "/thinking") {
        speaker.thought(thought);
    }
    let calls = list(step, "/tool_calls");
    match (text(step, "/content"), calls.is_empty()) {
        (Some(said), true) => speaker.last_answer(said),
        (Some(said), false) => speaker.answer(said),
        (None, true) => speaker.turn_over(None),
        (None, false) => {}
    }
    for (number, call) in calls.iter().enumerate() {
        if speaker.facts().project_path.is_none() {
            speaker.cwd(argument(call, "Cwd").as_deref());
        }
        let tool = text(call, "/name").unwrap_or_default();
        let gist = GISTS.iter().find_map(|it| argument(call, it));
        let (id, input) = (format!("{index}-{number}"), call.get("args"));
        speaker.called(&ToolUse { call: &id, tool, input, text: gist.as_deref() });
    }
    if !calls.is_empty() {
        speaker.note("planned", &format!("{index}-"));
    }
}
