//! Zed's own agent: one compressed document a thread, in a SQLite database.

use serde_json::Value;
use taffrail_kit::json::{count, exclusive, list, nested, text, time, variant};
use taffrail_kit::{
    Agent, Descriptor, Evidence, HomeRule, Os, Outcome, Reads, Shape, Speaker, SqlitePlan, Store,
};
use taffrail_model::TitleRank;

/// The adapter for Zed.
pub static ADAPTER: Agent = Agent::new(
    &DESCRIPTOR,
    &[Store::of("threads/threads.db", Shape::Sqlite(&PLAN), Reads::Items(read))],
);

static DESCRIPTOR: Descriptor = Descriptor {
    id: "zed",
    label: "Zed",
    short: "zed",
    scheme: "zed-sqlite",
    homes: &[&[
        HomeRule::user("Library/Application Support/Zed").on(Os::MacOs),
        HomeRule::env("LOCALAPPDATA", "Zed").on(Os::Windows),
        HomeRule::env("XDG_DATA_HOME", "zed").on(Os::Linux),
        HomeRule::user(".local/share/zed").on(Os::Linux),
    ]],
    roots: &["threads/threads.db"],
    rewrites_records: true,
    // An editor: people work in its terminal, too.
    processes: &[],
    evidence: Evidence::Source,
    ..Descriptor::NOTHING
};

/// The list leaves out the documents, which are unpacked only for threads that changed.
static PLAN: SqlitePlan = SqlitePlan {
    sessions: "SELECT t.id, t.summary, t.id AS taffrail_key, 'list' AS taffrail_table, \
               t.rowid AS taffrail_rowid, t.updated_at || ' ' || length(t.data) AS taffrail_version \
               FROM threads t ORDER BY t.updated_at DESC, t.id DESC",
    rows: "SELECT t.*, 'threads' AS taffrail_table, t.rowid AS taffrail_rowid \
           FROM threads t WHERE t.id = ?1",
    row: &[
        (
            "list",
            "SELECT t.id, t.summary, 'list' AS taffrail_table, t.rowid AS taffrail_rowid \
             FROM threads t WHERE t.rowid = ?1",
        ),
        (
            "threads",
            "SELECT t.*, 'threads' AS taffrail_table, t.rowid AS taffrail_rowid \
             FROM threads t WHERE t.rowid = ?1",
        ),
    ],
};

fn read(row: &Value, speaker: &mut Speaker<'_, '_>) {
    speaker.title(TitleRank::Generated, text(row, "/summary"));
    if speaker.table() == "list" {
        return;
    }
    let Some(thread) = nested(row, "/data") else { return speaker.unknown("unreadable") };
    if let Some(parent) = text(row, "/parent_id") {
        speaker.child_of(parent);
    }
    let folder = text(row, "/folder_paths").and_then(|it| it.lines().next());
    speaker.cwd(
        folder.or_else(|| {
            text(&thread, "/initial_project_snapshot/worktree_snapshots/0/worktree_path")
        }),
    );
    speaker.model(text(&thread, "/model/model"));
    speaker.at(time(row, "/created_at"));
    speaker.started(text(&thread, "/version"), None);
    speaker.timeless();
    let messages = list(&thread, "/messages");
    let last = messages.iter().rposition(|it| variant(it).0 != "Resume");
    for (index, message) in messages.iter().enumerate() {
        speaker.id(&format!("#{index}"));
        if Some(index) == last {
            speaker.at(time(row, "/updated_at"));
        }
        say(message, speaker);
    }
    let count = |name: &str| count(&thread, &format!("/cumulative_token_usage/{name}"));
    let (read, written) = (count("cache_read_input_tokens"), count("cache_creation_input_tokens"));
    speaker.spent(
        "thread",
        exclusive(count("input_tokens"), count("output_tokens"), read, written),
        None,
    );
}

fn say(message: &Value, speaker: &mut Speaker<'_, '_>) {
    match variant(message) {
        ("User", it) => speaker.prompt(&words(it.get("content").unwrap_or(it))),
        ("Agent", it) => answer(it, speaker),
        ("Compaction", it) => {
            speaker.compacted(text(it, "/Summary").or_else(|| text(it, "/Summary/text")));
        }
        ("Resume", _) => {}
        (other, _) => speaker.unknown(&format!("message/{other}")),
    }
}

fn answer(message: &Value, speaker: &mut Speaker<'_, '_>) {
    let content = list(message, "/content");
    let calls: Vec<_> = content.iter().filter_map(|it| it.get("ToolUse")).collect();
    let last = content.iter().rposition(|it| it.get("Text").is_some()).filter(|_| calls.is_empty());
    for (index, part) in content.iter().enumerate() {
        match variant(part) {
            ("Text", said) if Some(index) == last => {
                speaker.last_answer(said.as_str().unwrap_or_default());
            }
            ("Text", said) => speaker.answer(said.as_str().unwrap_or_default()),
            ("Thinking", it) => speaker.thought(text(it, "/text").unwrap_or_default()),
            ("ToolUse", it) => {
                let name = text(it, "/name").unwrap_or_default();
                speaker.call(text(it, "/id").unwrap_or_default(), name, it.get("input"));
            }
            ("RedactedThinking", _) => {}
            (other, _) => speaker.unknown(&format!("content/{other}")),
        }
    }
    for id in calls.iter().filter_map(|it| text(it, "/id")) {
        let Some(result) = message.get("tool_results").and_then(|it| it.get(id)) else { continue };
        let failed = result.get("is_error").and_then(Value::as_bool);
        let said = result.get("content").map(words).unwrap_or_default();
        speaker.result(id, Some(&said), Outcome { failed, ..Outcome::default() });
    }
}

/// The texts of a list of parts, or of one; a mention is shown as what it names.
fn words(value: &Value) -> String {
    if let Some(parts) = value.as_array() {
        return parts.iter().map(words).filter(|it| !it.is_empty()).collect::<Vec<_>>().join("\n");
    }
    let said = match variant(value) {
        ("Text", said) => said.as_str(),
        ("Mention", it) => text(it, "/uri/File/abs_path").or_else(|| text(it, "/content")),
        (_, _) => value.as_str(),
    };
    said.unwrap_or_default().to_owned()
}
