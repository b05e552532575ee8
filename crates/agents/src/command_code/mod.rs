//! Command Code: one file of lines a session, in the blocks of the AI SDK.

use serde_json::Value;
use taffrail_kit::json::{list, text, time, words};
use taffrail_kit::{Agent, Descriptor, Evidence, HomeRule, Outcome, Speaker, Store};
use taffrail_model::TitleRank;

/// The adapter for Command Code.
pub static ADAPTER: Agent = Agent::new(
    &DESCRIPTOR,
    &[
        // What the agent keeps for rewinding and for its prompt's history repeats the session.
        Store::lines("projects/*/*.checkpoints.jsonl", |_, _| {}),
        Store::lines("projects/*/*.prompts.jsonl", |_, _| {}),
        Store {
            beside: &["projects/{project}/{session}.meta.json"],
            ..Store::lines("projects/{project}/{session}.jsonl", read)
        },
    ],
);

static DESCRIPTOR: Descriptor = Descriptor {
    id: "command-code",
    label: "Command Code",
    short: "cmdcode",
    scheme: "command-code-session",
    homes: &[&[HomeRule::user(".commandcode")]],
    roots: &["projects"],
    processes: &["command-code", "commandcode"],
    evidence: Evidence::Source,
    ..Descriptor::NOTHING
};

fn read(line: &Value, speaker: &mut Speaker<'_, '_>) {
    speaker.at(time(line, "/timestamp"));
    speaker.id(text(line, "/id").unwrap_or_default());
    describe(line, speaker);
    match text(line, "/role").unwrap_or("no role") {
        "user" => prompt(line, speaker),
        "assistant" => answer(line, speaker),
        "tool" => list(line, "/content").iter().for_each(|it| result(it, speaker)),
        "system" => {}
        other => speaker.unknown(&format!("role/{other}")),
    }
}

fn describe(line: &Value, speaker: &mut Speaker<'_, '_>) {
    speaker.cwd(text(line, "/metadata/cwd"));
    if let Some(branch) = text(line, "/gitBranch") {
        speaker.facts().git_branch = Some(branch.to_owned());
    }
    let Some(meta) = speaker.beside_json(".meta.json") else { return };
    speaker.title(TitleRank::Generated, text(&meta, "/title"));
    speaker.cwd(text(&meta, "/cwd"));
}

fn prompt(line: &Value, speaker: &mut Speaker<'_, '_>) {
    if let Some(said) = line.get("content").and_then(words) {
        speaker.prompt(&said);
    }
}

fn answer(line: &Value, speaker: &mut Speaker<'_, '_>) {
    speaker.model(text(line, "/metadata/model"));
    let blocks = list(line, "/content");
    let is = |it: &Value, kind: &str| text(it, "/type") == Some(kind);
    let calls = blocks.iter().any(|it| is(it, "tool-call"));
    let last = blocks.iter().rposition(|it| is(it, "text")).filter(|_| !calls);
    for (index, block) in blocks.iter().enumerate() {
        let field = |name: &str| text(block, name).unwrap_or_default();
        match field("/type") {
            "text" if last == Some(index) => speaker.last_answer(field("/text")),
            "text" => speaker.answer(field("/text")),
            "reasoning" => speaker.thought(field("/text")),
            "tool-call" => {
                speaker.call(field("/toolCallId"), field("/toolName"), block.get("input"));
            }
            other => speaker.unknown(&format!("content/{other}")),
        }
    }
}

fn result(block: &Value, speaker: &mut Speaker<'_, '_>) {
    let kind = text(block, "/output/type").unwrap_or_default();
    let said = block.pointer("/output/value").or(block.get("output")).and_then(words);
    let outcome = Outcome::failed(kind.starts_with("error"));
    speaker.result(text(block, "/toolCallId").unwrap_or_default(), said.as_deref(), outcome);
}
