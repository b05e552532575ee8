//! Kiro, the editor by Amazon: one document a session, with what was said and not what was done.

use serde_json::Value;
use taffrail_kit::json::{text, time, words};
use taffrail_kit::{Agent, Descriptor, Evidence, HomeRule, Os, Speaker, Store};
use taffrail_model::TitleRank;

/// The adapter for Kiro, the editor.
pub static ADAPTER: Agent = Agent::new(
    &DESCRIPTOR,
    // The list of sessions is beside them, so that the name of a file is not always an id.
    &[Store {
        head: Some(head),
        ..Store::document("workspace-sessions/*/*.json", "/history", read)
    }],
);

static DESCRIPTOR: Descriptor = Descriptor {
    id: "kiro-ide",
    label: "Kiro IDE",
    short: "kiro-ide",
    scheme: "kiro-workspace",
    homes: &[
        &[
            HomeRule::user("Library/Application Support/Kiro/User/globalStorage/kiro.kiroagent")
                .on(Os::MacOs),
            HomeRule::env("APPDATA", "Kiro/User/globalStorage/kiro.kiroagent").on(Os::Windows),
            HomeRule::env("XDG_CONFIG_HOME", "Kiro/User/globalStorage/kiro.kiroagent")
                .on(Os::Linux),
            HomeRule::user(".config/Kiro/User/globalStorage/kiro.kiroagent").on(Os::Linux),
        ],
        &[HomeRule::user(".kiro-server/data/User/globalStorage/kiro.kiroagent")],
    ],
    roots: &["workspace-sessions"],
    rewrites_records: true,
    evidence: Evidence::Source,
    ..Descriptor::NOTHING
};

fn head(session: &Value, speaker: &mut Speaker<'_, '_>) {
    let Some(id) = text(session, "/sessionId") else { return };
    speaker.session(id);
    speaker.cwd(text(session, "/workspaceDirectory").or(text(session, "/workspacePath")));
    speaker.title(TitleRank::Generated, text(session, "/title"));
    let model = text(session, "/selectedModel").filter(|it| *it != "auto");
    // Answers do not repeat the model, so it is a fact about the session only.
    speaker.facts().model = model.map(str::to_owned);
    speaker.facts().started_at = created(session);
}

/// The time of creation: a number, or a text that holds one.
fn created(session: &Value) -> Option<taffrail_model::Timestamp> {
    let text = text(session, "/dateCreated").and_then(|it| it.parse::<u64>().ok());
    let number = text.and_then(|it| taffrail_kit::json::time_of(&Value::from(it)));
    number.or_else(|| time(session, "/dateCreated"))
}

/// Reads one message. Only the last has a time: that of the file.
fn read(entry: &Value, speaker: &mut Speaker<'_, '_>) {
    let Some(message) = entry.get("message") else { return speaker.unknown("no message") };
    speaker.id(text(message, "/id").unwrap_or_default());
    speaker.at(speaker.written().filter(|_| speaker.is_last()));
    let said = message.get("content").and_then(words);
    let said = said.as_deref().unwrap_or_default();
    match text(message, "/role") {
        Some("user") => speaker.prompt(said),
        // An answer is written when its execution is over.
        Some("assistant") => speaker.last_answer(said),
        Some("system" | "tool") => {}
        other => speaker.unknown(&format!("role/{}", other.unwrap_or_default())),
    }
}
