//! Cursor, the editor: chats as keys and values in the database of VS Code's state.

use serde_json::Value;
use taffrail_kit::json::{arguments, count, exclusive, list, nested, text, time, words};
use taffrail_kit::{
    Agent, Descriptor, Evidence, HomeRule, Os, Outcome, Reads, Shape, Speaker, SqlitePlan, Store,
};
use taffrail_model::TitleRank;

/// The adapter for Cursor.
pub static ADAPTER: Agent =
    Agent::new(&DESCRIPTOR, &[Store::of(DATABASE, Shape::Sqlite(&PLAN), Reads::Items(read))]);

const DATABASE: &str = "User/globalStorage/state.vscdb";

static DESCRIPTOR: Descriptor = Descriptor {
    id: "cursor",
    label: "Cursor",
    short: "cursor",
    note_tool: "cursor",
    scheme: "cursor-sqlite",
    homes: &[&[
        HomeRule::user("Library/Application Support/Cursor").on(Os::MacOs),
        HomeRule::env("APPDATA", "Cursor").on(Os::Windows),
        HomeRule::env("XDG_CONFIG_HOME", "Cursor").on(Os::Linux),
        HomeRule::user(".config/Cursor").on(Os::Linux),
    ]],
    roots: &[DATABASE],
    rewrites_records: true,
    // An editor: people work in its terminal, too.
    processes: &[],
    evidence: Evidence::Source,
    ..Descriptor::NOTHING
};

/// A write replaces the row, which gives it a new number: the highest number and the count tell whether a chat
/// changed, and both are in the index. The order of the bubbles is in the document of the chat.
static PLAN: SqlitePlan = SqlitePlan {
    sessions: "SELECT c.key, substr(c.key, 14) AS taffrail_key, 'list' AS taffrail_table, \
               c.rowid AS taffrail_rowid, c.rowid || ' ' || (SELECT count(*) || ' ' \
               || coalesce(max(b.rowid), 0) FROM cursorDiskKV b WHERE b.key >= 'bubbleId:' || substr(c.key, 14) \
               || ':' AND b.key < 'bubbleId:' || substr(c.key, 14) || ';') AS taffrail_version \
               FROM cursorDiskKV c WHERE c.key >= 'composerData:' AND c.key < 'composerData;' \
               ORDER BY c.rowid DESC",
    rows: "WITH chat AS (SELECT rowid AS number, key, CAST(value AS TEXT) AS value FROM cursorDiskKV \
           WHERE key = 'composerData:' || ?1 AND json_valid(CAST(value AS TEXT))), \
           heads AS (SELECT h.key AS place, json_extract(h.value, '$.bubbleId') AS id, \
           lead(json_extract(h.value, '$.type')) OVER (ORDER BY h.key) AS next, \
           json_extract(chat.value, '$.status') AS status \
           FROM chat, json_each(chat.value, '$.fullConversationHeadersOnly') h) \
           SELECT key, value, ends, taffrail_table, taffrail_rowid FROM (\
           SELECT key, value, 0 AS ends, 'chat' AS taffrail_table, number AS taffrail_rowid, -1 AS place FROM chat \
           UNION ALL SELECT b.key, CAST(b.value AS TEXT), coalesce(next = 1, status IS NOT 'generating'), 'bubble', \
           b.rowid, place FROM heads JOIN cursorDiskKV b ON b.key = 'bubbleId:' || ?1 || ':' || heads.id) \
           ORDER BY place",
    row: &[
        (
            "list",
            "SELECT key, 'list' AS taffrail_table, rowid AS taffrail_rowid FROM cursorDiskKV WHERE rowid = ?1",
        ),
        (
            "chat",
            "SELECT key, CAST(value AS TEXT) AS value, 0 AS ends, 'chat' AS taffrail_table, \
             rowid AS taffrail_rowid FROM cursorDiskKV WHERE rowid = ?1",
        ),
        (
            "bubble",
            "SELECT key, CAST(value AS TEXT) AS value, 0 AS ends, 'bubble' AS taffrail_table, \
             rowid AS taffrail_rowid FROM cursorDiskKV WHERE rowid = ?1",
        ),
    ],
};

fn read(row: &Value, speaker: &mut Speaker<'_, '_>) {
    let (is_chat, is_list) = (speaker.table() == "chat", speaker.table() == "list");
    if is_list {
        return;
    }
    let Some(value) = nested(row, "/value") else { return speaker.unknown("unreadable") };
    if !is_chat {
        return bubble(&value, count(row, "/ends") == 1, speaker);
    }
    speaker.id("chat");
    speaker.at(time(&value, "/createdAt"));
    speaker.title(TitleRank::Generated, text(&value, "/name"));
    speaker.model(text(&value, "/modelConfig/modelName"));
    let folder = text(&value, "/workspaceIdentifier/uri/fsPath");
    speaker.cwd(folder.or_else(|| text(&value, "/trackedGitRepos/0/repoPath")));
    speaker.started(None, None);
    // Chats of old versions have their bubbles inside.
    let items = list(&value, "/conversation");
    for (index, item) in items.iter().enumerate() {
        let ends = items.get(index + 1).is_none_or(|it| count(it, "/type") == 1);
        bubble(item, ends, speaker);
    }
}

fn bubble(value: &Value, ends: bool, speaker: &mut Speaker<'_, '_>) {
    let id = text(value, "/bubbleId").unwrap_or_default();
    let said = text(value, "/text").unwrap_or_default();
    speaker.id(id);
    speaker.at(time(value, "/createdAt"));
    match count(value, "/type") {
        1 => speaker.prompt(said),
        2 => {
            speaker.model(text(value, "/modelInfo/modelName"));
            if let Some(thought) =
                text(value, "/thinking/text").or_else(|| text(value, "/thinking"))
            {
                speaker.thought(thought);
            }
            match (said.is_empty(), ends) {
                (true, _) => {}
                (false, true) => speaker.last_answer(said),
                (false, false) => speaker.answer(said),
            }
            value.get("toolFormerData").into_iter().for_each(|it| tool(it, speaker));
            let tokens = exclusive(
                count(value, "/tokenCount/inputTokens"),
                count(value, "/tokenCount/outputTokens"),
                0,
                0,
            );
            speaker.spent(id, tokens, None);
        }
        3 | 4 => {}
        other => speaker.unknown(&format!("type/{other}")),
    }
}

fn tool(data: &Value, speaker: &mut Speaker<'_, '_>) {
    let Some(call) = text(data, "/toolCallId") else { return };
    let input = arguments(data, "/rawArgs").or_else(|| arguments(data, "/params"));
    speaker.call(call, text(data, "/name").unwrap_or_default(), input.as_ref());
    let result = arguments(data, "/result").unwrap_or_default();
    let exit_code = result.get("exitCode").and_then(Value::as_i64);
    let said = result.get("output").or(Some(&result)).and_then(words);
    let outcome = |failed| Outcome { failed: Some(failed), exit_code, ..Outcome::default() };
    match text(data, "/status") {
        Some("completed") => {
            speaker.result(call, said.as_deref(), outcome(exit_code.is_some_and(|it| it != 0)));
        }
        Some("error" | "cancelled") => speaker.result(call, said.as_deref(), outcome(true)),
        Some(_) | None => {}
    }
}
