//! Forge: one document a conversation, in a SQLite database.

use serde_json::Value;
use taffrail_kit::json::{arguments, inclusive, list, microdollars, nested, text, time, variant};
use taffrail_kit::{
    Agent, Descriptor, Evidence, HomeRule, Outcome, Reads, Shape, Speaker, SqlitePlan, StartPlan,
    Store,
};
use taffrail_model::TitleRank;

/// The adapter for Forge.
pub static ADAPTER: Agent = Agent {
    start: Some(&StartPlan {
        resume: &["forge", "conversation", "resume", "{id}"],
        resume_in: &[],
        brief: &["forge", "--prompt", "{ask}"],
        repeated: &[],
    }),
    ..Agent::new(&DESCRIPTOR, &[Store::of(".forge.db", Shape::Sqlite(&PLAN), Reads::Items(read))])
};

static DESCRIPTOR: Descriptor = Descriptor {
    id: "forge",
    label: "Forge",
    short: "forge",
    scheme: "forge-sqlite",
    homes: &[
        &[HomeRule::env("FORGE_CONFIG", "")],
        &[HomeRule::user("forge")],
        &[HomeRule::user(".forge")],
    ],
    roots: &[".forge.db"],
    rewrites_records: true,
    processes: &["forge"],
    evidence: Evidence::Source,
    ..Descriptor::NOTHING
};

/// The list leaves out the documents, which are read only for conversations that changed.
static PLAN: SqlitePlan = SqlitePlan {
    sessions: "SELECT c.conversation_id, c.title, c.created_at, c.conversation_id AS taffrail_key, \
               'list' AS taffrail_table, c.rowid AS taffrail_rowid, coalesce(c.updated_at, '') || ' ' \
               || coalesce(c.title, '') || ' ' || coalesce(length(c.context), 0) AS taffrail_version \
               FROM conversations c ORDER BY c.updated_at DESC, c.conversation_id DESC",
    rows: "SELECT c.context, c.updated_at, 'conversations' AS taffrail_table, c.rowid AS taffrail_rowid \
           FROM conversations c WHERE c.conversation_id = ?1 AND c.context IS NOT NULL",
    row: &[
        (
            "list",
            "SELECT c.conversation_id, c.title, c.created_at, 'list' AS taffrail_table, \
             c.rowid AS taffrail_rowid FROM conversations c WHERE c.rowid = ?1",
        ),
        (
            "conversations",
            "SELECT c.context, c.updated_at, 'conversations' AS taffrail_table, c.rowid AS taffrail_rowid \
             FROM conversations c WHERE c.rowid = ?1",
        ),
    ],
};

fn read(row: &Value, speaker: &mut Speaker<'_, '_>) {
    if speaker.table() == "list" {
        speaker.at(time(row, "/created_at"));
        speaker.title(TitleRank::Generated, text(row, "/title"));
        return speaker.started(None, None);
    }
    let Some(context) = nested(row, "/context") else { return speaker.unknown("unreadable") };
    let items = list(&context, "/messages");
    for (index, item) in items.iter().enumerate() {
        let id = format!("#{index}");
        speaker.id(&id);
        if index + 1 == items.len() {
            speaker.at(time(row, "/updated_at"));
        }
        // Old rows lack the wrapper.
        match variant(item.get("message").unwrap_or(item)) {
            ("text", it) => say(it, speaker),
            ("tool", it) => result(it, speaker),
            ("image", _) => {}
            (other, _) => speaker.unknown(&format!("message/{other}")),
        }
        let count = |name: &str| {
            item.pointer(&format!("/usage/{name}_tokens")).and_then(|it| variant(it).1.as_u64())
        };
        let count = |name: &str| count(name).unwrap_or_default();
        let tokens = inclusive(count("prompt"), count("completion"), count("cached"), 0);
        speaker.spent(&id, tokens, microdollars(item, "/usage/cost"));
    }
}

fn say(message: &Value, speaker: &mut Speaker<'_, '_>) {
    speaker.model(text(message, "/model"));
    let said = text(message, "/content").unwrap_or_default();
    match text(message, "/role") {
        Some("User" | "user")
            if message.get("droppable").and_then(Value::as_bool) == Some(true) => {}
        Some("User" | "user") => speaker.prompt(asked(message).unwrap_or(said)),
        Some("Assistant" | "assistant") => answer(message, said, speaker),
        Some("System" | "system") => {}
        other => speaker.unknown(&format!("role/{}", other.unwrap_or_default())),
    }
}

/// What the person wrote, without the template around it.
fn asked(message: &Value) -> Option<&str> {
    let raw = message.get("raw_content").and_then(|it| variant(it).1.as_str());
    let inner = || text(message, "/content")?.split_once("<task>")?.1.split_once("</task>");
    raw.or_else(|| inner().map(|(task, _)| task.trim()))
}

fn answer(message: &Value, said: &str, speaker: &mut Speaker<'_, '_>) {
    let calls = list(message, "/tool_calls");
    list(message, "/reasoning_details")
        .iter()
        .filter_map(|it| text(it, "/text"))
        .for_each(|it| speaker.thought(it));
    match (said.is_empty(), calls.is_empty()) {
        (true, _) => {}
        (false, true) => speaker.last_answer(said),
        (false, false) => speaker.answer(said),
    }
    for call in calls {
        let name = text(call, "/name").unwrap_or_default();
        speaker.call(
            text(call, "/call_id").unwrap_or_default(),
            name,
            arguments(call, "/arguments").as_ref(),
        );
    }
}

fn result(message: &Value, speaker: &mut Speaker<'_, '_>) {
    let line = |it: &Value| {
        variant(it).1.as_str().or_else(|| text(variant(it).1, "/value")).map(str::to_owned)
    };
    let said: Vec<_> = list(message, "/output/values").iter().filter_map(line).collect();
    let failed = message.pointer("/output/is_error").and_then(Value::as_bool);
    let call = text(message, "/call_id").unwrap_or_default();
    speaker.result(call, Some(&said.join("\n")), Outcome { failed, ..Outcome::default() });
}
