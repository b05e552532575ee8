//! Amazon Q CLI: one conversation a folder, a document in a SQLite database.

use serde_json::Value;
use std::borrow::Cow;
use taffrail_kit::json::{arguments, list, nested, text, time, variant, words};
use taffrail_kit::{
    Agent, Descriptor, Evidence, HomeRule, Os, Outcome, Reads, Shape, Speaker, SqlitePlan, Store,
};

/// The adapter for Amazon Q.
pub static ADAPTER: Agent =
    Agent::new(&DESCRIPTOR, &[Store::of("data.sqlite3", Shape::Sqlite(&PLAN), Reads::Items(read))]);

static DESCRIPTOR: Descriptor = Descriptor {
    id: "amazon-q",
    label: "Amazon Q",
    short: "amazon-q",
    scheme: "amazon-q-sqlite",
    homes: &[&[
        HomeRule::user("Library/Application Support/amazon-q").on(Os::MacOs),
        HomeRule::env("LOCALAPPDATA", "amazon-q").on(Os::Windows),
        HomeRule::env("XDG_DATA_HOME", "amazon-q").on(Os::Linux),
        HomeRule::user(".local/share/amazon-q").on(Os::Linux),
    ]],
    roots: &["data.sqlite3"],
    rewrites_records: true,
    processes: &["qchat"],
    evidence: Evidence::Source,
    ..Descriptor::NOTHING
};

/// Only the table of conversations is read; another one holds credentials.
static PLAN: SqlitePlan = SqlitePlan {
    sessions: "SELECT c.key, json_extract(c.value, '$.conversation_id') AS taffrail_key, \
               'list' AS taffrail_table, c.rowid AS taffrail_rowid, length(c.value) || ' ' \
               || coalesce(json_array_length(c.value, '$.history'), 0) || ' ' \
               || coalesce(json_extract(c.value, '$.history[#-1].user.timestamp'), '') AS taffrail_version \
               FROM conversations c WHERE json_valid(c.value) ORDER BY c.rowid DESC",
    rows: "SELECT c.key, c.value, 'conversations' AS taffrail_table, c.rowid AS taffrail_rowid \
           FROM conversations c WHERE CASE WHEN json_valid(c.value) \
           THEN json_extract(c.value, '$.conversation_id') END = ?1",
    row: &[
        (
            "list",
            "SELECT c.key, 'list' AS taffrail_table, c.rowid AS taffrail_rowid \
             FROM conversations c WHERE c.rowid = ?1",
        ),
        (
            "conversations",
            "SELECT c.key, c.value, 'conversations' AS taffrail_table, c.rowid AS taffrail_rowid \
             FROM conversations c WHERE c.rowid = ?1",
        ),
    ],
};

fn read(row: &Value, speaker: &mut Speaker<'_, '_>) {
    speaker.cwd(text(row, "/key"));
    if speaker.table() == "list" {
        return;
    }
    let Some(state) = nested(row, "/value") else { return speaker.unknown("unreadable") };
    let turns = list(&state, "/history");
    speaker.at(turns.first().and_then(|it| time(it, "/user/timestamp")));
    speaker.model(text(&state, "/model_info/model_id"));
    speaker.started(None, None);
    for (index, turn) in turns.iter().enumerate() {
        let (kind, answer) = variant(turn.get("assistant").unwrap_or(turn));
        let place = format!("#{index}");
        speaker.id(text(answer, "/message_id").unwrap_or(&place));
        speaker.at(time(turn, "/user/timestamp"));
        speaker.model(text(turn, "/request_metadata/model_id"));
        turn.pointer("/user/content").into_iter().for_each(|it| question(it, speaker));
        say(kind, answer, speaker);
    }
}

fn question(content: &Value, speaker: &mut Speaker<'_, '_>) {
    let (kind, inner) = variant(content);
    list(inner, "/tool_use_results").iter().for_each(|it| result(it, speaker));
    match (kind, text(inner, "/prompt")) {
        ("Prompt" | "CancelledToolUses", Some(said)) => speaker.prompt(said),
        ("CancelledToolUses", None) => speaker.interrupted(),
        ("Prompt" | "ToolUseResults", _) => {}
        (other, _) => speaker.unknown(&format!("content/{other}")),
    }
}

fn result(result: &Value, speaker: &mut Speaker<'_, '_>) {
    // A command returns JSON, of which a person reads what it printed.
    let line = |it| text(it, "/stdout").map(Cow::Borrowed).or_else(|| words(it));
    let lines = list(result, "/content").iter().filter_map(|it| line(variant(it).1));
    let said = lines.collect::<Vec<_>>().join("\n");
    let failed = text(result, "/status").map(|it| it == "Error");
    let call = text(result, "/tool_use_id").unwrap_or_default();
    speaker.result(call, Some(&said), Outcome { failed, ..Outcome::default() });
}

fn say(kind: &str, answer: &Value, speaker: &mut Speaker<'_, '_>) {
    let said = text(answer, "/content").unwrap_or_default();
    match kind {
        "Response" => speaker.last_answer(said),
        "ToolUse" if said.is_empty() => {}
        "ToolUse" => speaker.answer(said),
        other => speaker.unknown(&format!("assistant/{other}")),
    }
    for call in list(answer, "/tool_uses") {
        let name = text(call, "/name").unwrap_or_default();
        speaker.call(
            text(call, "/id").unwrap_or_default(),
            name,
            arguments(call, "/args").as_ref(),
        );
    }
}
