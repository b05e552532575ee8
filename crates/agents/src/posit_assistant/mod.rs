//! Posit Assistant: the messages for the model in one file, the tree of the conversation beside it.

use crate::dialects::ai_sdk;
use serde_json::Value;
use taffrail_kit::json::{list, text, time, words};
use taffrail_kit::{Agent, Descriptor, Evidence, HomeRule, Reads, Shape, Speaker, Store};

/// The adapter for Posit Assistant.
pub static ADAPTER: Agent = Agent::new(
    &DESCRIPTOR,
    &[Store {
        beside: &[
            "workspaces/{space}/{session}/conversation.json",
            "workspaces/{space}/workspace.json",
        ],
        ..Store::of(
            "workspaces/{space}/{session}/lm-messages.jsonl",
            Shape::Text,
            Reads::Text(read),
        )
    }],
);

static DESCRIPTOR: Descriptor = Descriptor {
    id: "posit-assistant",
    label: "Posit Assistant",
    short: "posit",
    scheme: "posit-messages",
    homes: &[&[HomeRule::user(".posit/assistant")]],
    roots: &["workspaces"],
    rewrites_records: true,
    evidence: Evidence::Source,
    ..Descriptor::NOTHING
};

/// Reads all messages. Their times are in the tree beside them.
fn read(messages: &str, speaker: &mut Speaker<'_, '_>) {
    if let Some(space) = speaker.beside_json("workspace.json") {
        speaker.cwd(text(&space, "/path"));
    }
    let tree = speaker.beside_json("conversation.json").unwrap_or_default();
    speaker.facts().started_at = time(&tree, "/root/timestamp");
    for line in messages.lines().filter(|it| !it.trim().is_empty()) {
        let Ok(line) = serde_json::from_str::<Value>(line) else {
            speaker.unknown("unreadable");
            continue;
        };
        let id = line.get("id").map(Value::to_string).unwrap_or_default();
        speaker.id(&id);
        speaker.at(when(&tree, line.get("id")));
        say(line.get("message").unwrap_or(&line), speaker);
    }
}

/// The time of the node that holds a message.
fn when(tree: &Value, id: Option<&Value>) -> Option<taffrail_model::Timestamp> {
    let holds = |it: &&Value| list(it, "/lmMessageIds").iter().any(|own| Some(own) == id);
    time(list(tree, "/messages").iter().find(holds)?, "/timestamp")
}

fn say(message: &Value, speaker: &mut Speaker<'_, '_>) {
    match text(message, "/role") {
        Some("user") => {
            let said = message.get("content").and_then(words);
            speaker.prompt(said.as_deref().unwrap_or_default());
        }
        Some("assistant") => ai_sdk::answer(message, !ai_sdk::calls(message), speaker),
        Some("tool") => ai_sdk::results(message, speaker),
        Some("system") => {}
        other => speaker.unknown(&format!("role/{}", other.unwrap_or_default())),
    }
}
