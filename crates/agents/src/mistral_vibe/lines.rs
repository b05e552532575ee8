//! Sessions of version 2: the messages of the model's API, one a line, without times.

use serde_json::Value;
use taffrail_kit::json::{count, exclusive, list, microdollars, text, time, words};
use taffrail_kit::{Outcome, Speaker};
use taffrail_model::TitleRank;

/// Reads one line.
pub(super) fn read(message: &Value, speaker: &mut Speaker<'_, '_>) {
    meta(speaker);
    speaker.id(text(message, "/message_id").unwrap_or_default());
    let said = message.get("content").and_then(words);
    let said = said.as_deref().unwrap_or_default();
    match text(message, "/role") {
        // The agent itself adds messages for the model.
        Some("user") if message.get("injected") == Some(&Value::Bool(true)) => {}
        Some("user") => speaker.prompt(said),
        Some("assistant") => answer(message, said, speaker),
        Some("tool") => {
            let call = text(message, "/tool_call_id").unwrap_or_default();
            speaker.result(call, Some(said), Outcome::default());
        }
        Some("system") => {}
        other => speaker.unknown(&format!("role/{}", other.unwrap_or_default())),
    }
}

fn answer(message: &Value, said: &str, speaker: &mut Speaker<'_, '_>) {
    if let Some(thought) = text(message, "/reasoning_content") {
        speaker.thought(thought);
    }
    let calls = list(message, "/tool_calls");
    match (calls.is_empty(), said) {
        (true, _) => speaker.last_answer(said),
        (false, "") => {}
        (false, _) => speaker.answer(said),
    }
    for call in calls {
        let input = text(call, "/function/arguments").and_then(|it| serde_json::from_str(it).ok());
        let input: Option<Value> = input;
        let name = text(call, "/function/name").unwrap_or_default();
        speaker.call(text(call, "/id").unwrap_or_default(), name, input.as_ref());
    }
}

/// The file beside the lines has the project, the title, and the sum of all usage.
fn meta(speaker: &mut Speaker<'_, '_>) {
    let Some(meta) = speaker.beside_json("meta.json") else { return };
    speaker.cwd(text(&meta, "/environment/working_directory"));
    let is_given = text(&meta, "/title_source") == Some("manual");
    let rank = if is_given { TitleRank::Given } else { TitleRank::Generated };
    speaker.title(rank, text(&meta, "/title"));
    speaker.session_model(text(&meta, "/config/active_model"));
    let started = time(&meta, "/start_time");
    speaker.facts().started_at = started;
    speaker.at(started);
    let input = count(&meta, "/stats/session_prompt_tokens");
    let output = count(&meta, "/stats/session_completion_tokens");
    let cost = microdollars(&meta, "/stats/session_cost");
    speaker.spent("session", exclusive(input, output, 0, 0), cost);
}
