//! ZCode: all sessions of a machine in one SQLite database, with a table of its own for the tokens.

use serde_json::Value;
use taffrail_kit::json::{count, inclusive, list, nested, text, time, words};
use taffrail_kit::{
    Agent, Descriptor, Evidence, HomeRule, Outcome, Reads, Shape, Speaker, SqlitePlan, Store,
};
use taffrail_model::{TitleRank, Tokens};

/// The adapter for ZCode.
pub static ADAPTER: Agent =
    Agent::new(&DESCRIPTOR, &[Store::of(DATABASE, Shape::Sqlite(&PLAN), Reads::Items(read))]);

const DATABASE: &str = "cli/db/db.sqlite";

static DESCRIPTOR: Descriptor = Descriptor {
    id: "zcode",
    label: "ZCode",
    short: "zcode",
    scheme: "zcode-sqlite",
    homes: &[&[HomeRule::user(".zcode")]],
    roots: &[DATABASE],
    rewrites_records: true,
    processes: &["zcode"],
    evidence: Evidence::Source,
    ..Descriptor::NOTHING
};

/// The columns of a session that are read. Macros, because a constant cannot be a part of another text.
macro_rules! session {
    () => {
        "s.id, s.directory, s.title, s.time_created, 'session' AS taffrail_table, \
         s.rowid AS taffrail_rowid"
    };
}

/// Messages with their parts.
macro_rules! message {
    () => {
        "SELECT m.id, m.time_created, m.data, (SELECT json_group_array(json_object('id', p.id, \
         'at', p.time_created, 'data', json(p.data))) FROM (SELECT * FROM part \
         WHERE message_id = m.id AND json_valid(data) ORDER BY time_created, rowid) p) AS parts, \
         'message' AS taffrail_table, m.rowid AS taffrail_rowid FROM message m WHERE "
    };
}

/// The tokens of a request, in the columns of a message.
macro_rules! usage {
    () => {
        "SELECT u.id, coalesce(u.completed_at, u.started_at) AS time_created, \
         json_object('model', u.model_id, 'input', u.input_tokens, 'output', u.output_tokens, \
         'reasoning', u.reasoning_tokens, 'cache_write', u.cache_creation_input_tokens, \
         'cache_read', u.cache_read_input_tokens) AS data, NULL AS parts, \
         'model_usage' AS taffrail_table, u.rowid AS taffrail_rowid FROM model_usage u WHERE "
    };
}

/// Messages and parts have no time of their last change, so their sizes count.
static PLAN: SqlitePlan = SqlitePlan {
    sessions: concat!(
        "SELECT ",
        session!(),
        ", s.id AS taffrail_key, coalesce(s.time_updated, 0) || ' ' || coalesce(s.title, '') || ' ' \
         || (SELECT count(*) || ' ' || coalesce(sum(length(data)), 0) FROM message \
         WHERE session_id = s.id) || ' ' \
         || (SELECT count(*) || ' ' || coalesce(sum(length(data)), 0) FROM part \
         WHERE session_id = s.id) || ' ' \
         || (SELECT count(*) || ' ' || coalesce(max(completed_at), 0) FROM model_usage \
         WHERE session_id = s.id) AS taffrail_version \
         FROM session s ORDER BY s.time_updated DESC, s.id DESC"
    ),
    rows: concat!(
        "SELECT * FROM (",
        message!(),
        "m.session_id = ?1 UNION ALL ",
        usage!(),
        "u.session_id = ?1) ORDER BY time_created, taffrail_table, taffrail_rowid"
    ),
    row: &[
        ("session", concat!("SELECT ", session!(), " FROM session s WHERE s.rowid = ?1")),
        ("message", concat!(message!(), "m.rowid = ?1")),
        ("model_usage", concat!(usage!(), "u.rowid = ?1")),
    ],
};

fn read(row: &Value, speaker: &mut Speaker<'_, '_>) {
    speaker.at(time(row, "/time_created"));
    if speaker.table() == "session" {
        return session(row, speaker);
    }
    let id = text(row, "/id").unwrap_or_default();
    let Some(data) = nested(row, "/data") else { return speaker.unknown("unreadable") };
    if speaker.table() == "model_usage" {
        return spent(id, &data, speaker);
    }
    let Some(parts) = nested(row, "/parts") else { return speaker.unknown("unreadable") };
    speaker.id(id);
    speaker.model(text(&data, "/modelID"));
    match text(&data, "/role") {
        Some("user") => question(list(&parts, ""), speaker),
        Some("assistant") => answer(list(&parts, ""), speaker),
        other => speaker.unknown(&format!("role/{}", other.unwrap_or_default())),
    }
}

fn session(row: &Value, speaker: &mut Speaker<'_, '_>) {
    speaker.id("session");
    speaker.cwd(text(row, "/directory"));
    speaker.title(TitleRank::Generated, text(row, "/title"));
    speaker.started(None, None);
}

/// The output has no reasoning in it, and the input has the cache.
fn spent(id: &str, data: &Value, speaker: &mut Speaker<'_, '_>) {
    let count = |name: &str| count(data, &format!("/{name}"));
    let reasoning = count("reasoning");
    let output = count("output").saturating_add(reasoning);
    let tokens = inclusive(count("input"), output, count("cache_read"), count("cache_write"));
    let model = text(data, "/model").map(str::to_owned);
    speaker.spent_by(model, id, Tokens { reasoning, ..tokens }, None);
}

/// A prompt is one event, however many texts it has.
fn question(parts: &[Value], speaker: &mut Speaker<'_, '_>) {
    let mut lines = Vec::new();
    for part in parts {
        match text(part, "/data/type") {
            Some("text") => lines.extend(text(part, "/data/text")),
            other => speaker.unknown(&format!("part/{}", other.unwrap_or_default())),
        }
    }
    if !lines.is_empty() {
        speaker.prompt(&lines.join("\n"));
    }
}

/// Nothing says that a turn is over, but after a call the model goes on: a text after which no call comes is the
/// last answer.
fn answer(parts: &[Value], speaker: &mut Speaker<'_, '_>) {
    let last = parts.iter().rposition(|it| matches!(text(it, "/data/type"), Some("text" | "tool")));
    for (index, part) in parts.iter().enumerate() {
        speaker.id(text(part, "/id").unwrap_or_default());
        speaker.at(time(part, "/at"));
        let said = text(part, "/data/text").unwrap_or_default();
        match text(part, "/data/type") {
            Some("text" | "reasoning") if said.is_empty() => {}
            Some("text") if Some(index) == last => speaker.last_answer(said),
            Some("text") => speaker.answer(said),
            Some("reasoning") => speaker.thought(said),
            Some("tool") => tool(part, speaker),
            other => speaker.unknown(&format!("part/{}", other.unwrap_or_default())),
        }
    }
}

fn tool(part: &Value, speaker: &mut Speaker<'_, '_>) {
    let call = text(part, "/data/callID").unwrap_or_default();
    let name = text(part, "/data/tool").unwrap_or_default();
    speaker.call(call, name, part.pointer("/data/state/input"));
    let said = |place: &str| part.pointer(place).and_then(words);
    match text(part, "/data/state/status") {
        Some("pending" | "running") => {}
        Some("completed") => {
            speaker.result(call, said("/data/state/output").as_deref(), Outcome::failed(false));
        }
        Some("error") => {
            speaker.result(call, said("/data/state/error").as_deref(), Outcome::failed(true));
        }
        other => speaker.unknown(&format!("status/{}", other.unwrap_or_default())),
    }
}
