//! Zencoder: lines of messages a session, after a line about the session.

use crate::dialects::ai_sdk;
use serde_json::Value;
use taffrail_kit::json::{list, text, time};
use taffrail_kit::{Agent, Descriptor, Evidence, HomeRule, Speaker, Store};

/// The adapter for Zencoder.
pub static ADAPTER: Agent = Agent::new(
    &DESCRIPTOR,
    &[Store { time: Some("/createdAt"), ..Store::lines("sessions/{session}.jsonl", read) }],
);

static DESCRIPTOR: Descriptor = Descriptor {
    id: "zencoder",
    label: "Zencoder",
    short: "zencoder",
    scheme: "zencoder-session",
    homes: &[&[HomeRule::user(".zencoder")]],
    roots: &["sessions"],
    evidence: Evidence::Source,
    ..Descriptor::NOTHING
};

/// Reads one line.
fn read(line: &Value, speaker: &mut Speaker<'_, '_>) {
    speaker.at(time(line, "/createdAt"));
    match text(line, "/role") {
        Some("user") => asked(line, speaker),
        Some("assistant") => ai_sdk::answer(line, false, speaker),
        Some("tool") => ai_sdk::results(line, speaker),
        Some("finish") => speaker.turn_over(text(line, "/reason")),
        Some("system") => {
            let said = text(line, "/content").unwrap_or_default();
            let folder = said.lines().find_map(|it| it.trim().strip_prefix("Working directory:"));
            speaker.cwd(folder.map(str::trim));
        }
        Some("permission") => {}
        None if text(line, "/id").is_some() => header(line, speaker),
        other => speaker.unknown(other.unwrap_or("no role")),
    }
}

/// The first line. A session that continues another names it.
fn header(line: &Value, speaker: &mut Speaker<'_, '_>) {
    let goes_on = matches!(
        text(line, "/creationReason"),
        Some("directContinuation" | "summarizedContinuation" | "summarizationRequest")
    );
    if let Some(origin) = text(line, "/parentId").filter(|_| goes_on) {
        speaker.forked_from(origin);
    }
    speaker.id("session");
    speaker.started(None, None);
}

/// A prompt. Texts with another tag than the person's are the program's.
fn asked(line: &Value, speaker: &mut Speaker<'_, '_>) {
    let is_own = |it: &&Value| matches!(text(it, "/tag"), None | Some("user-input"));
    let own = list(line, "/content").iter().filter(is_own).filter_map(|it| text(it, "/text"));
    let said = own.collect::<Vec<_>>().join("\n");
    if !said.trim().is_empty() {
        speaker.prompt(&said);
    }
}
