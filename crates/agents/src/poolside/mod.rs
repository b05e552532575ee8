//! Poolside's `pool`: one trajectory a session, a line for each event.

use serde_json::Value;
use taffrail_kit::json::{count, exclusive, text, time};
use taffrail_kit::{Agent, Descriptor, Evidence, HomeRule, Os, Outcome, Speaker, Store, ToolUse};

/// The adapter for Poolside.
pub static ADAPTER: Agent =
    Agent::new(&DESCRIPTOR, &[Store::lines("trajectories/trajectory-{session}.ndjson", read)]);

static DESCRIPTOR: Descriptor = Descriptor {
    id: "poolside",
    label: "Poolside",
    short: "poolside",
    scheme: "poolside-events",
    homes: &[
        &[
            HomeRule::user("Library/Application Support/poolside").on(Os::MacOs),
            HomeRule::env("XDG_STATE_HOME", "poolside").on(Os::Linux),
            HomeRule::user(".local/state/poolside").on(Os::Linux),
            HomeRule::env("LOCALAPPDATA", "poolside").on(Os::Windows),
        ],
        &[HomeRule::env("APPDATA", "poolside").on(Os::Windows)],
    ],
    roots: &["trajectories"],
    processes: &["pool"],
    evidence: Evidence::Source,
    ..Descriptor::NOTHING
};

/// Reads one event. What it says is below a member that is named after its type.
fn read(event: &Value, speaker: &mut Speaker<'_, '_>) {
    speaker.id(text(event, "/id").unwrap_or_default());
    speaker.at(time(event, "/timestamp"));
    let said = |pointer: &str| text(event, pointer).unwrap_or_default();
    match text(event, "/type") {
        Some("session.start") => {
            let folder = text(event, "/session_start/working_directories/0");
            speaker.cwd(folder.or(text(event, "/session_start/workspace")));
            speaker.started(None, None);
        }
        Some("session.input") => speaker.prompt(said("/session_input/prompt")),
        Some("thought.end") => speaker.thought(said("/thought_end/thought")),
        Some("assistant_message.end") => {
            speaker.answer(said("/assistant_message_end/assistant_message"));
        }
        Some("tool_call.parsed") => {
            let (call, tool) = (said("/tool_call_parsed/id"), said("/tool_call_parsed/name"));
            let input = event.pointer("/tool_call_parsed/args");
            let text = text(event, "/tool_call_parsed/args/cmd");
            speaker.called(&ToolUse { call, tool, input, text });
        }
        Some("tool_call.result") => {
            let failed = event.pointer("/tool_call_result/is_error") == Some(&Value::Bool(true));
            let text = text(event, "/tool_call_result/observation");
            speaker.result(said("/tool_call_result/id"), text, Outcome::failed(failed));
        }
        Some("tool_call.inference.start") => started(event, speaker),
        Some("tool_call.inference.end") => ended(event, speaker),
        Some("session.exit") => speaker.turn_over(text(event, "/session_exit/reason")),
        Some("session.error") => speaker.failed_turn(said("/session_error/error")),
        Some(
            "assistant_message.start"
            | "thought.start"
            | "tool_call.start"
            | "step.start"
            | "step.end",
        ) => {}
        other => speaker.unknown(other.unwrap_or("no type")),
    }
}

/// An inference began. Its end counts the tokens, and names neither the model nor itself.
fn started(event: &Value, speaker: &mut Speaker<'_, '_>) {
    let model = text(event, "/tool_call_inference_start/chat_completion_request/model");
    if let Some(model) = model {
        speaker.note("model", model);
        speaker.facts().model = Some(model.to_owned());
    }
}

fn ended(event: &Value, speaker: &mut Speaker<'_, '_>) {
    let count = |name: &str| count(event, &format!("/tool_call_inference_end/{name}"));
    let tokens = exclusive(
        count("input_tokens"),
        count("output_tokens"),
        count("cache_read_input_tokens"),
        count("cache_write_input_tokens"),
    );
    let model = speaker.noted("model");
    speaker.spent_by(model, text(event, "/id").unwrap_or_default(), tokens, None);
}
