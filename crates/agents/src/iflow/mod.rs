//! iFlow CLI: one file of lines a session, in the frame and the blocks of Claude Code.

use crate::dialects::claude_blocks;
use serde_json::Value;
use taffrail_kit::json::{list, text};
use taffrail_kit::{Agent, Descriptor, Evidence, HomeRule, Speaker, Store, Traces};

/// The adapter for iFlow CLI.
pub static ADAPTER: Agent =
    Agent::new(&DESCRIPTOR, &[Store::lines("projects/*/{session}.jsonl", read)]);

static DESCRIPTOR: Descriptor = Descriptor {
    id: "iflow",
    label: "iFlow CLI",
    short: "iflow",
    scheme: "iflow-session",
    homes: &[&[HomeRule::user(".iflow")]],
    roots: &["projects"],
    rewrites_records: true,
    processes: &["iflow"],
    traces: Traces { instructions: &["IFLOW.md"], ..Traces::NONE },
    evidence: Evidence::Source,
    ..Descriptor::NOTHING
};

fn read(line: &Value, speaker: &mut Speaker<'_, '_>) {
    match text(line, "/type") {
        Some("assistant") => answer(line, speaker),
        _ => claude_blocks::read(line, speaker),
    }
}

/// While an answer arrives, the agent writes it again with a new id and the same parent. What is in
/// it has the same identity each time.
fn answer(line: &Value, speaker: &mut Speaker<'_, '_>) {
    claude_blocks::frame(line, speaker);
    speaker.model(text(line, "/message/model"));
    let parent = text(line, "/parentUuid").unwrap_or_default();
    let blocks = list(line, "/message/content");
    let last = claude_blocks::last_text(blocks);
    for (index, block) in blocks.iter().enumerate() {
        let own = ["/id", "/text", "/thinking"].into_iter().find_map(|it| text(block, it));
        speaker.id(&format!("{parent}/{}", own.unwrap_or_default()));
        claude_blocks::answer_block(block, last == Some(index), speaker);
    }
    claude_blocks::usage(line, parent, speaker);
}
