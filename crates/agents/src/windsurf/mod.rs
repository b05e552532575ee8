//! Windsurf: transcripts that Cascade writes for a hook. Its own history is encrypted.

use serde_json::Value;
use taffrail_kit::json::text;
use taffrail_kit::{Advice, Agent, Descriptor, Evidence, HomeRule, Reads, Shape, Speaker, Store};

/// The adapter for Windsurf.
pub static ADAPTER: Agent = Agent::new(
    &DESCRIPTOR,
    &[Store::of("transcripts/{session}.jsonl", Shape::Text, Reads::Text(read))],
);

static DESCRIPTOR: Descriptor = Descriptor {
    id: "windsurf",
    label: "Windsurf",
    short: "windsurf",
    note_tool: "windsurf",
    scheme: "windsurf-transcript",
    homes: &[&[HomeRule::user(".windsurf")]],
    roots: &["transcripts"],
    rewrites_records: true,
    advice: &[Advice {
        setting: None,
        id: "windsurf-transcripts",
        text: "Windsurf encrypts its own history and writes transcripts only for a hook.",
        fix: "Add a hook for `post_cascade_response_with_transcript` to \
              ~/.codeium/windsurf/hooks.json; any command will do.",
    }],
    evidence: Evidence::Documented,
    ..Descriptor::NOTHING
};

/// Reads a transcript. Its steps have neither ids nor times; the file is written after an answer.
fn read(transcript: &str, speaker: &mut Speaker<'_, '_>) {
    let lines: Vec<_> = transcript.lines().filter(|it| !it.trim().is_empty()).collect();
    let last = lines.len().saturating_sub(1);
    for (index, line) in lines.into_iter().enumerate() {
        let Ok(step) = serde_json::from_str::<Value>(line) else {
            speaker.unknown("unreadable");
            continue;
        };
        speaker.id(&format!("#{index}"));
        speaker.at(speaker.written().filter(|_| index == last));
        say(&step, index == last, speaker);
    }
}

/// A step has a type, and its fields are below a member of that name.
fn say(step: &Value, is_last: bool, speaker: &mut Speaker<'_, '_>) {
    match text(step, "/type") {
        Some("user_input") => {
            speaker.prompt(text(step, "/user_input/user_response").unwrap_or_default());
        }
        Some("planner_response") => {
            let said = text(step, "/planner_response/response").unwrap_or_default();
            if is_last { speaker.last_answer(said) } else { speaker.answer(said) }
        }
        Some(tool) => speaker.call("", tool, step.get(tool)),
        None => speaker.unknown("no type"),
    }
}
