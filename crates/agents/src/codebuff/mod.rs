//! Codebuff: one list of messages a chat, rewritten whole, with blocks as the screen shows them.

use serde_json::Value;
use taffrail_kit::json::{flag, list, text, time, words};
use taffrail_kit::{
    Agent, Descriptor, Evidence, HomeRule, Outcome, Speaker, StartPlan, Store, ToolUse, records,
};
use taffrail_model::{Signal, Timestamp};

/// The adapter for Codebuff.
pub static ADAPTER: Agent = Agent {
    start: Some(&StartPlan {
        resume: &["codebuff", "--continue", "{id}"],
        resume_in: &[],
        brief: &["codebuff", "{ask}"],
        repeated: &[],
    }),
    ..Agent::new(
        &DESCRIPTOR,
        &[Store::document("projects/*/chats/{session}/chat-messages.json", "", read)],
    )
};

static DESCRIPTOR: Descriptor = Descriptor {
    id: "codebuff",
    label: "Codebuff",
    short: "codebuff",
    scheme: "codebuff-chat",
    homes: &[&[HomeRule::user(".config/manicode")]],
    roots: &["projects"],
    rewrites_records: true,
    processes: &["codebuff"],
    evidence: Evidence::Source,
    ..Descriptor::NOTHING
};

fn read(message: &Value, speaker: &mut Speaker<'_, '_>) {
    let written = speaker.written().filter(|_| speaker.is_last());
    speaker.at(time(message, "/timestamp").or(written).or(began(speaker)));
    speaker.id(text(message, "/id").unwrap_or_default());
    let said = text(message, "/content").unwrap_or_default();
    match text(message, "/variant").unwrap_or("no variant") {
        "user" => speaker.prompt(said),
        "ai" => answer(message, said, speaker),
        "agent" => speaker.notice("agent", Some(said)),
        "error" => speaker.failed_turn(said),
        other => speaker.unknown(&format!("variant/{other}")),
    }
}

/// When the chat began: its folder is named by that time. Messages may have the hour alone.
fn began(speaker: &Speaker<'_, '_>) -> Option<Timestamp> {
    let (day, hour) = speaker.name("session")?.split_once('T')?;
    records::time(&format!("{day}T{}", hour.replacen('-', ":", 2)))
}

fn answer(message: &Value, said: &str, speaker: &mut Speaker<'_, '_>) {
    let blocks = list(message, "/blocks");
    let over = flag(message, "/isComplete");
    let is_text = |it: &Value| is(it, "/type", "text") && !is(it, "/textType", "reasoning");
    let last = blocks.iter().rposition(is_text).filter(|_| over);
    for (index, block) in blocks.iter().enumerate() {
        shown(block, last == Some(index), speaker);
    }
    match (blocks.is_empty() && !said.is_empty(), over) {
        (true, true) => speaker.last_answer(said),
        (true, false) => speaker.answer(said),
        (false, true) if last.is_none() => speaker.turn_over(None),
        (false, _) => {}
    }
    if let Some(error) = text(message, "/userError") {
        speaker.failed_turn(error);
    }
}

fn is(value: &Value, pointer: &str, word: &str) -> bool {
    text(value, pointer) == Some(word)
}

fn shown(block: &Value, ends: bool, speaker: &mut Speaker<'_, '_>) {
    let field = |name: &str| text(block, name).unwrap_or_default();
    match field("/type") {
        "text" if is(block, "/textType", "reasoning") => speaker.thought(field("/content")),
        "text" if ends => speaker.last_answer(field("/content")),
        "text" => speaker.answer(field("/content")),
        "tool" => {
            speaker.call(field("/toolCallId"), field("/toolName"), block.get("input"));
            if let Some(output) = text(block, "/output") {
                speaker.result(field("/toolCallId"), Some(output), Outcome::default());
            }
        }
        "agent" => agent(block, speaker),
        "ask-user" => asked(block, speaker),
        "plan" => speaker.notice("plan", Some(field("/content"))),
        "agent-list" | "gate-state" | "html" | "image" | "mode-divider" => {}
        other => speaker.unknown(&format!("block/{other}")),
    }
}

/// A sub-agent is a call within its parent's answer.
fn agent(block: &Value, speaker: &mut Speaker<'_, '_>) {
    let field = |name: &str| text(block, name).unwrap_or_default();
    speaker.call(field("/agentId"), field("/agentType"), block.get("initialPrompt"));
    let outcome = match field("/status") {
        "running" | "" => return,
        status => Outcome::failed(status != "complete"),
    };
    speaker.result(field("/agentId"), text(block, "/content"), outcome);
}

/// A question is a call, and its answer the result.
fn asked(block: &Value, speaker: &mut Speaker<'_, '_>) {
    let call = text(block, "/toolCallId").unwrap_or_default();
    let labels = list(block, "/questions/0/options").iter().filter_map(|it| text(it, "/label"));
    let options = labels.map(str::to_owned).collect();
    speaker.signal(Some(Signal::Asked { call: call.to_owned(), options }));
    let question = text(block, "/questions/0/question");
    speaker.called(&ToolUse { call, tool: "ask-user", input: None, text: question });
    let skipped = flag(block, "/skipped");
    if let Some(answers) = block.get("answers").and_then(words) {
        speaker.result(call, Some(&answers), Outcome::failed(false));
    } else if skipped || block.get("answers").is_some() {
        speaker.result(call, None, Outcome::failed(skipped));
    }
}
