//! Devin CLI: all sessions of a machine in one SQLite database, each a tree of messages.

use serde_json::Value;
use taffrail_kit::json::{arguments, count, exclusive, list, nested, text, time, words};
use taffrail_kit::{
    Agent, Descriptor, Evidence, HomeRule, Os, Outcome, Reads, Shape, Speaker, SqlitePlan,
    StartPlan, Store,
};
use taffrail_model::TitleRank;

/// The adapter for Devin CLI.
pub static ADAPTER: Agent = Agent {
    start: Some(&StartPlan {
        resume: &["devin", "--resume", "{id}"],
        resume_in: &[],
        brief: &["devin", "--prompt-file", "{file}"],
        repeated: &["--model="],
    }),
    ..Agent::new(&DESCRIPTOR, &[Store::of(DATABASE, Shape::Sqlite(&PLAN), Reads::Items(read))])
};

const DATABASE: &str = "cli/sessions.db";

static DESCRIPTOR: Descriptor = Descriptor {
    id: "devin-cli",
    label: "Devin CLI",
    short: "devin",
    scheme: "devin-sqlite",
    homes: &[&[
        HomeRule::user("Library/Application Support/devin").on(Os::MacOs),
        HomeRule::env("XDG_DATA_HOME", "devin"),
        HomeRule::user(".local/share/devin"),
    ]],
    roots: &[DATABASE],
    rewrites_records: true,
    processes: &["devin"],
    evidence: Evidence::Source,
    ..Descriptor::NOTHING
};

/// Saving writes all messages of a session again, so the highest row number changes. A message with calls is
/// stored twice under one id; the second one counts.
static PLAN: SqlitePlan = SqlitePlan {
    sessions: "SELECT s.id, s.working_directory, s.model, s.title, s.created_at, s.id AS taffrail_key, \
               'sessions' AS taffrail_table, s.rowid AS taffrail_rowid, s.last_activity_at || ' ' \
               || coalesce(s.title, '') || ' ' || (SELECT count(*) || ' ' || coalesce(max(m.row_id), 0) \
               FROM message_nodes m WHERE m.session_id = s.id) AS taffrail_version \
               FROM sessions s WHERE s.hidden = 0 ORDER BY s.last_activity_at DESC, s.id DESC",
    rows: "SELECT m.node_id, m.chat_message, 'message_nodes' AS taffrail_table, m.row_id AS taffrail_rowid \
           FROM message_nodes m WHERE m.session_id = ?1 AND NOT EXISTS (SELECT 1 FROM message_nodes n \
           WHERE n.session_id = m.session_id AND n.node_id = m.node_id + 1 \
           AND n.parent_node_id = m.parent_node_id AND json_valid(m.chat_message) AND json_valid(n.chat_message) \
           AND json_extract(n.chat_message, '$.message_id') = json_extract(m.chat_message, '$.message_id')) \
           ORDER BY m.node_id",
    row: &[
        (
            "sessions",
            "SELECT s.id, s.working_directory, s.model, s.title, s.created_at, \
             'sessions' AS taffrail_table, s.rowid AS taffrail_rowid FROM sessions s WHERE s.rowid = ?1",
        ),
        (
            "message_nodes",
            "SELECT m.node_id, m.chat_message, 'message_nodes' AS taffrail_table, m.row_id AS taffrail_rowid \
             FROM message_nodes m WHERE m.row_id = ?1",
        ),
    ],
};

fn read(row: &Value, speaker: &mut Speaker<'_, '_>) {
    if speaker.table() == "sessions" {
        speaker.at(time(row, "/created_at"));
        speaker.cwd(text(row, "/working_directory"));
        speaker.model(text(row, "/model"));
        speaker.title(TitleRank::Generated, text(row, "/title"));
        return speaker.started(None, None);
    }
    let Some(message) = nested(row, "/chat_message") else { return speaker.unknown("unreadable") };
    // The number of a node stays when the session is saved again; that of its row does not.
    let node = format!("node/{}", count(row, "/node_id"));
    speaker.id(text(&message, "/message_id").unwrap_or(&node));
    speaker.at(time(&message, "/metadata/created_at"));
    let said = message.get("content").and_then(words).unwrap_or_default();
    match text(&message, "/role") {
        Some("user") if is_typed(&message) => speaker.prompt(&said),
        Some("assistant") => answer(&message, &said, speaker),
        Some("tool") => result(&message, &said, speaker),
        Some("user" | "system") => {}
        other => speaker.unknown(&format!("role/{}", other.unwrap_or_default())),
    }
}

/// Whether a person wrote it; sub-agents and reminders have a mark that says no.
fn is_typed(message: &Value) -> bool {
    let mark = message.pointer("/metadata/is_user_input");
    mark.is_none_or(|it| it.as_bool() == Some(true))
}

fn answer(message: &Value, said: &str, speaker: &mut Speaker<'_, '_>) {
    speaker.model(text(message, "/metadata/generation_model"));
    let calls = list(message, "/tool_calls");
    let thought =
        message.get("thinking").map(|it| it.get("thinking").unwrap_or(it)).and_then(Value::as_str);
    thought.filter(|it| !it.is_empty()).into_iter().for_each(|it| speaker.thought(it));
    match (said.is_empty(), calls.is_empty()) {
        (true, _) => {}
        (false, true) => speaker.last_answer(said),
        (false, false) => speaker.answer(said),
    }
    for call in calls {
        let input =
            arguments(call, "/arguments").or_else(|| arguments(call, "/function/arguments"));
        let name = text(call, "/name").or_else(|| text(call, "/function/name")).unwrap_or_default();
        speaker.call(text(call, "/id").unwrap_or_default(), name, input.as_ref());
    }
    let count = |name: &str| count(message, &format!("/metadata/metrics/{name}_tokens"));
    let tokens =
        exclusive(count("input"), count("output"), count("cache_read"), count("cache_creation"));
    speaker.spent(text(message, "/message_id").unwrap_or_default(), tokens, None);
}

fn result(message: &Value, said: &str, speaker: &mut Speaker<'_, '_>) {
    let done = message
        .pointer("/metadata/extensions/chisel~1tool_result_meta/success")
        .and_then(Value::as_bool);
    let took = message
        .pointer("/metadata/extensions/chisel~1tool_call_timing/duration_ms")
        .and_then(Value::as_u64);
    let failed = done.map(|it| !it);
    let outcome = Outcome { failed, duration_ms: took, ..Outcome::default() };
    speaker.result(text(message, "/tool_call_id").unwrap_or_default(), Some(said), outcome);
}
