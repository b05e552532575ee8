//! Cursor's command line: one SQLite database a chat, a store of blobs by their hashes.

use serde_json::Value;
use taffrail_kit::json::{arguments, list, nested, text, time, words};
use taffrail_kit::{
    Agent, Descriptor, Evidence, HomeRule, Outcome, Reads, Shape, Speaker, SqlitePlan, StartPlan,
    Store,
};
use taffrail_model::TitleRank;

/// The adapter for Cursor CLI.
pub static ADAPTER: Agent = Agent {
    start: Some(&StartPlan {
        resume: &["cursor-agent", "--resume", "{id}"],
        resume_in: &[],
        brief: &["cursor-agent", "{ask}"],
        repeated: &["--model="],
    }),
    ..Agent::new(
        &DESCRIPTOR,
        &[Store {
            beside: &["chats/{folder}/{session}/meta.json"],
            ..Store::of(
                "chats/{folder}/{session}/store.db",
                Shape::Sqlite(&PLAN),
                Reads::Items(read),
            )
        }],
    )
};

static DESCRIPTOR: Descriptor = Descriptor {
    id: "cursor-cli",
    label: "Cursor CLI",
    short: "cur-cli",
    note_tool: "cursor",
    scheme: "cursor-cli-sqlite",
    homes: &[&[HomeRule::user(".cursor")]],
    roots: &["chats"],
    rewrites_records: true,
    processes: &["cursor-agent"],
    evidence: Evidence::Source,
    ..Descriptor::NOTHING
};

/// The root lists the messages in order: each id of 32 bytes after its tag and length. A blob never changes, so a
/// new root is the only change.
static PLAN: SqlitePlan = SqlitePlan {
    sessions: "SELECT json_remove(CAST(unhex(value) AS TEXT), '$.blobEncryptionKey') AS value, \
               json_extract(CAST(unhex(value) AS TEXT), '$.agentId') AS taffrail_key, 'meta' AS taffrail_table, \
               rowid AS taffrail_rowid, value AS taffrail_version FROM meta \
               WHERE json_valid(CAST(unhex(value) AS TEXT))",
    rows: "WITH root AS (SELECT hex(b.data) AS ids FROM meta m JOIN blobs b ON b.id = \
           json_extract(CAST(unhex(m.value) AS TEXT), '$.latestRootBlobId') \
           WHERE json_valid(CAST(unhex(m.value) AS TEXT)) AND ?1 <> ''), \
           parts AS (SELECT b.rowid AS number, b.id, b.data, instr(ids, '0A20' || upper(b.id)) AS place \
           FROM root, blobs b WHERE length(b.id) = 64) \
           SELECT id, data, lead(place) OVER (ORDER BY place) IS NULL AS is_last, \
           'blobs' AS taffrail_table, number AS taffrail_rowid FROM parts WHERE place > 0 ORDER BY place",
    row: &[
        (
            "meta",
            "SELECT json_remove(CAST(unhex(value) AS TEXT), '$.blobEncryptionKey') AS value, 'meta' AS taffrail_table, rowid AS taffrail_rowid \
             FROM meta WHERE rowid = ?1",
        ),
        (
            "blobs",
            "SELECT id, data, 0 AS is_last, 'blobs' AS taffrail_table, rowid AS taffrail_rowid \
             FROM blobs WHERE rowid = ?1",
        ),
    ],
};

fn read(row: &Value, speaker: &mut Speaker<'_, '_>) {
    let beside = speaker.beside_json("meta.json").unwrap_or_default();
    if speaker.table() == "meta" {
        let Some(meta) = nested(row, "/value") else { return speaker.unknown("unreadable") };
        speaker.at(time(&meta, "/createdAt"));
        speaker.cwd(text(&beside, "/cwd"));
        let name = text(&meta, "/name").filter(|it| *it != "New Agent");
        speaker.title(TitleRank::Generated, text(&beside, "/title").or(name));
        speaker.model(text(&meta, "/lastUsedModel"));
        return speaker.started(None, None);
    }
    let Some(message) = nested(row, "/data") else { return speaker.unknown("unreadable") };
    speaker.id(text(row, "/id").unwrap_or_default());
    if row.get("is_last") == Some(&Value::from(1)) {
        speaker.at(time(&beside, "/updatedAtMs").or_else(|| speaker.written()));
    }
    match text(&message, "/role") {
        Some("user") => question(&message, speaker),
        Some("assistant") => answer(&message, speaker),
        Some("tool") => list(&message, "/content").iter().for_each(|it| result(it, speaker)),
        Some("system") => {}
        other => speaker.unknown(&format!("role/{}", other.unwrap_or_default())),
    }
}

/// The person's words are in a tag; other tags hold what the agent added.
fn question(message: &Value, speaker: &mut Speaker<'_, '_>) {
    let said = message.get("content").and_then(words).unwrap_or_default();
    let inner =
        said.split_once("<user_query>").and_then(|(_, rest)| rest.split_once("</user_query>"));
    match inner {
        Some((inner, _)) => speaker.prompt(inner.trim()),
        None if said.trim_start().starts_with('<') => {}
        None => speaker.prompt(said.trim()),
    }
}

fn answer(message: &Value, speaker: &mut Speaker<'_, '_>) {
    if let Some(said) = text(message, "/content") {
        return speaker.last_answer(said);
    }
    let parts = list(message, "/content");
    let calls = parts.iter().any(|it| text(it, "/type") == Some("tool-call"));
    let last = parts.iter().rposition(|it| text(it, "/type") == Some("text")).filter(|_| !calls);
    for (index, part) in parts.iter().enumerate() {
        let said = text(part, "/text").unwrap_or_default();
        match text(part, "/type") {
            Some("text") if Some(index) == last => speaker.last_answer(said),
            Some("text") => speaker.answer(said),
            Some("reasoning") => speaker.thought(said),
            Some("tool-call") => {
                let input = arguments(part, "/args").or_else(|| arguments(part, "/input"));
                let name = text(part, "/toolName").unwrap_or_default();
                speaker.call(text(part, "/toolCallId").unwrap_or_default(), name, input.as_ref());
            }
            Some("redacted-reasoning" | "image" | "file") => {}
            other => speaker.unknown(&format!("content/{}", other.unwrap_or_default())),
        }
    }
}

fn result(part: &Value, speaker: &mut Speaker<'_, '_>) {
    let said = part.get("result").or_else(|| part.pointer("/output/value")).and_then(words);
    let failed = part.get("isError").and_then(Value::as_bool);
    let call = text(part, "/toolCallId").unwrap_or_default();
    speaker.result(call, said.as_deref(), Outcome { failed, ..Outcome::default() });
}
