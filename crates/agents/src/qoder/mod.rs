//! Qoder CLI: chats as Qwen Code or as Claude Code writes them, with titles in a file beside each.

use crate::dialects::{claude_blocks, qwen_chat};
use serde_json::Value;
use taffrail_kit::json::text;
use taffrail_kit::{Agent, Descriptor, Evidence, HomeRule, Speaker, Store};
use taffrail_model::TitleRank;

/// The adapter for Qoder CLI.
pub static ADAPTER: Agent = Agent::new(
    &DESCRIPTOR,
    &[
        Store {
            beside: &["projects/{project}/{session}-session.json"],
            ..Store::lines("projects/{project}/{session}.jsonl", read)
        },
        Store::lines("projects/*/{parent}/subagents/{agent}.jsonl", message),
    ],
);

static DESCRIPTOR: Descriptor = Descriptor {
    id: "qoder",
    label: "Qoder CLI",
    short: "qoder",
    scheme: "qoder-chat",
    homes: &[&[HomeRule::env("QODER_CONFIG_DIR", ""), HomeRule::user(".qoder")]],
    roots: &["projects"],
    processes: &["qodercli"],
    evidence: Evidence::Source,
    ..Descriptor::NOTHING
};

fn read(line: &Value, speaker: &mut Speaker<'_, '_>) {
    message(line, speaker);
    let Some(session) = speaker.beside_json("-session.json") else { return };
    speaker.title(TitleRank::Generated, text(&session, "/title"));
    speaker.cwd(text(&session, "/working_dir"));
    if let Some(origin) = text(&session, "/fork_from") {
        speaker.forked_from(origin);
    }
    if let Some(parent) = text(&session, "/parent_session_id") {
        speaker.child_of(parent);
    }
}

fn message(line: &Value, speaker: &mut Speaker<'_, '_>) {
    match line.pointer("/message/content") {
        Some(_) => claude_blocks::read(line, speaker),
        None => qwen_chat::read(line, speaker),
    }
}
