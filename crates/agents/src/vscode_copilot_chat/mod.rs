//! Copilot Chat in VS Code: one file a session, since 1.109 a log of changes, before a document.

mod replay;
mod request;

use serde_json::Value;
use taffrail_kit::json::{list, local_path, text, time};
use taffrail_kit::{Agent, Descriptor, Evidence, HomeRule, Os, Reads, Shape, Speaker, Store};
use taffrail_model::TitleRank;

/// The adapter for Copilot Chat in VS Code.
pub static ADAPTER: Agent = Agent::new(
    &DESCRIPTOR,
    &[
        Store {
            beside: &["workspaceStorage/{hash}/workspace.json"],
            ..log("workspaceStorage/{hash}/chatSessions/{session}.jsonl")
        },
        Store {
            beside: &["workspaceStorage/{hash}/workspace.json"],
            ..document("workspaceStorage/{hash}/chatSessions/{session}.json")
        },
        log("globalStorage/emptyWindowChatSessions/{session}.jsonl"),
        document("globalStorage/emptyWindowChatSessions/{session}.json"),
    ],
);

const fn log(path: &'static str) -> Store {
    // Of a session that was migrated, the document is the older half.
    Store { rank: 1, ..Store::of(path, Shape::Text, Reads::Text(read_log)) }
}

const fn document(path: &'static str) -> Store {
    Store { head: Some(head), ..Store::document(path, "/requests", request::read) }
}

static DESCRIPTOR: Descriptor = Descriptor {
    id: "vscode-copilot-chat",
    label: "Copilot Chat",
    short: "vscode",
    scheme: "vscode-chat",
    homes: &[
        &[
            HomeRule::user("Library/Application Support/Code/User").on(Os::MacOs),
            HomeRule::env("APPDATA", "Code/User").on(Os::Windows),
            HomeRule::env("XDG_CONFIG_HOME", "Code/User").on(Os::Linux),
            HomeRule::user(".config/Code/User").on(Os::Linux),
        ],
        &[
            HomeRule::user("Library/Application Support/Code - Insiders/User").on(Os::MacOs),
            HomeRule::env("APPDATA", "Code - Insiders/User").on(Os::Windows),
            HomeRule::env("XDG_CONFIG_HOME", "Code - Insiders/User").on(Os::Linux),
            HomeRule::user(".config/Code - Insiders/User").on(Os::Linux),
        ],
        &[
            HomeRule::user("Library/Application Support/VSCodium/User").on(Os::MacOs),
            HomeRule::env("APPDATA", "VSCodium/User").on(Os::Windows),
            HomeRule::env("XDG_CONFIG_HOME", "VSCodium/User").on(Os::Linux),
            HomeRule::user(".config/VSCodium/User").on(Os::Linux),
        ],
        &[HomeRule::user(".vscode-server/data/User")],
    ],
    roots: &["workspaceStorage", "globalStorage/emptyWindowChatSessions"],
    rewrites_records: true,
    evidence: Evidence::Source,
    ..Descriptor::NOTHING
};

/// Reads a log: the state after all its changes, as if it were a document.
fn read_log(log: &str, speaker: &mut Speaker<'_, '_>) {
    let Some(state) = replay::state_of(log) else { return speaker.unknown("unreadable") };
    head(&state, speaker);
    for item in list(&state, "/requests") {
        request::read(item, speaker);
    }
}

fn head(state: &Value, speaker: &mut Speaker<'_, '_>) {
    speaker.facts().started_at = time(state, "/creationDate");
    speaker.title(TitleRank::Generated, text(state, "/customTitle"));
    if let Some(workspace) = speaker.beside_json("workspace.json") {
        let uri = text(&workspace, "/folder").or(text(&workspace, "/workspace"));
        speaker.cwd(uri.and_then(local_path).as_deref());
    }
}
