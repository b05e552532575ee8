//! Hermes: the sessions of all its front ends in one SQLite database, of which those of the terminal are read.

use serde_json::Value;
use std::borrow::Cow;
use taffrail_kit::json::{
    arguments, count, exclusive, list, microdollars, nested, text, time, words,
};
use taffrail_kit::{
    Agent, Descriptor, Evidence, HomeRule, Outcome, Reads, Shape, Speaker, SqlitePlan, StartPlan,
    Store,
};
use taffrail_model::{TitleRank, Tokens};

/// The adapter for Hermes.
pub static ADAPTER: Agent = Agent {
    start: Some(&StartPlan {
        resume: &["hermes", "--resume", "{id}"],
        resume_in: &[],
        brief: &["hermes", "chat", "--query", "{ask}"],
        repeated: &["--model="],
    }),
    ..Agent::new(&DESCRIPTOR, &[Store::of("state.db", Shape::Sqlite(&PLAN), Reads::Items(read))])
};

static DESCRIPTOR: Descriptor = Descriptor {
    id: "hermes",
    label: "Hermes",
    short: "hermes",
    scheme: "hermes-sqlite",
    homes: &[&[HomeRule::env("HERMES_HOME", ""), HomeRule::user(".hermes")]],
    roots: &["state.db"],
    rewrites_records: true,
    processes: &["hermes"],
    evidence: Evidence::Source,
    ..Descriptor::NOTHING
};

/// The columns of a session that are read; the others hold prompts of the vendor.
macro_rules! session {
    () => {
        "s.id, s.source, s.parent_session_id, s.model, s.started_at, s.title, s.cwd, \
         s.input_tokens, s.output_tokens, s.cache_read_tokens, s.cache_write_tokens, \
         s.reasoning_tokens, s.estimated_cost_usd, s.actual_cost_usd, \
         'sessions' AS taffrail_table, s.rowid AS taffrail_rowid"
    };
}

/// The other sources are chats on platforms, which are not work in a project.
static PLAN: SqlitePlan = SqlitePlan {
    sessions: concat!(
        "SELECT ",
        session!(),
        ", s.id AS taffrail_key, coalesce(s.ended_at, '') || ' ' || coalesce(s.title, '') || ' ' \
         || coalesce(s.input_tokens, 0) || ' ' || coalesce(s.output_tokens, 0) || ' ' \
         || (SELECT count(*) || ' ' || coalesce(max(m.id), 0) FROM messages m \
         WHERE m.session_id = s.id) AS taffrail_version FROM sessions s \
         WHERE s.source IN ('cli', 'tui', 'subagent', 'acp') ORDER BY s.started_at DESC, s.id DESC"
    ),
    rows: "SELECT m.*, 'messages' AS taffrail_table, m.id AS taffrail_rowid \
           FROM messages m WHERE m.session_id = ?1 ORDER BY m.id",
    row: &[
        ("sessions", concat!("SELECT ", session!(), " FROM sessions s WHERE s.rowid = ?1")),
        (
            "messages",
            "SELECT m.*, 'messages' AS taffrail_table, m.id AS taffrail_rowid \
             FROM messages m WHERE m.id = ?1",
        ),
    ],
};

fn read(row: &Value, speaker: &mut Speaker<'_, '_>) {
    if speaker.table() == "sessions" {
        return session(row, speaker);
    }
    speaker.at(time(row, "/timestamp"));
    // A person took these back; messages that were only compacted stay.
    if row.get("active") == Some(&Value::from(0)) && count(row, "/compacted") == 0 {
        return;
    }
    let said = content(row).unwrap_or_default();
    match text(row, "/role") {
        Some("user") if said.starts_with("[CONTEXT COMPACTION") => speaker.compacted(Some(&said)),
        Some("user") => speaker.prompt(&said),
        Some("assistant") => answer(row, &said, speaker),
        Some("tool") => result(row, &said, speaker),
        Some("system" | "session_meta") => {}
        other => speaker.unknown(&format!("role/{}", other.unwrap_or_default())),
    }
}

fn session(row: &Value, speaker: &mut Speaker<'_, '_>) {
    speaker.at(time(row, "/started_at"));
    speaker.cwd(text(row, "/cwd"));
    speaker.model(text(row, "/model"));
    speaker.title(TitleRank::Generated, text(row, "/title"));
    // A session that was compacted goes on in a new one, which also names a parent.
    match (text(row, "/parent_session_id"), text(row, "/source")) {
        (Some(parent), Some("subagent")) => speaker.child_of(parent),
        (Some(origin), _) => speaker.forked_from(origin),
        (None, _) => {}
    }
    speaker.started(None, text(row, "/source"));
    let count = |name: &str| count(row, &format!("/{name}_tokens"));
    let spent =
        exclusive(count("input"), count("output"), count("cache_read"), count("cache_write"));
    let cost =
        microdollars(row, "/actual_cost_usd").or_else(|| microdollars(row, "/estimated_cost_usd"));
    speaker.spent("session", Tokens { reasoning: count("reasoning"), ..spent }, cost);
}

/// A text, or the marked JSON of a list of texts and pictures.
fn content(row: &Value) -> Option<Cow<'_, str>> {
    let text = text(row, "/content")?;
    let Some(json) = text.strip_prefix("\0json:") else { return Some(Cow::Borrowed(text)) };
    let value = serde_json::from_str(json).ok()?;
    words(&value).map(|it| Cow::Owned(it.into_owned()))
}

/// A text, or the JSON of what a command printed and returned.
fn result(row: &Value, said: &str, speaker: &mut Speaker<'_, '_>) {
    let inner = nested(row, "/content").unwrap_or_default();
    let exit_code = inner.get("exit_code").and_then(Value::as_i64);
    let failed = exit_code.map(|it| it != 0);
    let outcome = Outcome { failed, exit_code, ..Outcome::default() };
    let said = text(&inner, "/output").unwrap_or(said);
    speaker.result(text(row, "/tool_call_id").unwrap_or_default(), Some(said), outcome);
}

fn answer(row: &Value, said: &str, speaker: &mut Speaker<'_, '_>) {
    let calls = nested(row, "/tool_calls").unwrap_or_default();
    if let Some(thought) = text(row, "/reasoning").or_else(|| text(row, "/reasoning_content")) {
        speaker.thought(thought);
    }
    match (said.is_empty(), list(&calls, "").is_empty()) {
        (true, _) => {}
        (false, true) => speaker.last_answer(said),
        (false, false) => speaker.answer(said),
    }
    for call in list(&calls, "") {
        let id = text(call, "/id").or_else(|| text(call, "/call_id")).unwrap_or_default();
        let name = text(call, "/function/name").unwrap_or_default();
        speaker.call(id, name, arguments(call, "/function/arguments").as_ref());
    }
}
