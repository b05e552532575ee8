//! Crush: one SQLite database in each project.

use serde_json::Value;
use taffrail_kit::json::{arguments, list, microdollars, nested, text, time};
use taffrail_kit::{
    Agent, Descriptor, Evidence, Outcome, Reads, Shape, Speaker, SqlitePlan, Store,
};
use taffrail_model::{TitleRank, Tokens};

/// The adapter for Crush.
pub static ADAPTER: Agent =
    Agent::new(&DESCRIPTOR, &[Store::of(DATABASE, Shape::Sqlite(&PLAN), Reads::Items(read))]);

const DATABASE: &str = ".crush/crush.db";

static DESCRIPTOR: Descriptor = Descriptor {
    id: "crush",
    label: "Crush",
    short: "crush",
    scheme: "crush-sqlite",
    homes: &[],
    roots: &[DATABASE],
    in_projects: true,
    rewrites_records: true,
    processes: &["crush"],
    evidence: Evidence::Source,
    ..Descriptor::NOTHING
};

/// `updated_at` has whole seconds, so the sizes of the messages count, too.
static PLAN: SqlitePlan = SqlitePlan {
    sessions: "SELECT s.*, s.id AS taffrail_key, 'sessions' AS taffrail_table, \
               s.rowid AS taffrail_rowid, s.updated_at || ' ' || coalesce(s.cost, 0) || ' ' || s.title || ' ' \
               || (SELECT count(*) || ' ' || coalesce(max(m.updated_at), 0) || ' ' \
               || coalesce(sum(length(m.parts)), 0) FROM messages m WHERE m.session_id = s.id) \
               AS taffrail_version FROM sessions s ORDER BY s.updated_at DESC, s.id DESC",
    rows: "SELECT m.*, 'messages' AS taffrail_table, m.rowid AS taffrail_rowid \
           FROM messages m WHERE m.session_id = ?1 ORDER BY m.created_at, m.rowid",
    row: &[
        (
            "sessions",
            "SELECT s.*, 'sessions' AS taffrail_table, s.rowid AS taffrail_rowid \
             FROM sessions s WHERE s.rowid = ?1",
        ),
        (
            "messages",
            "SELECT m.*, 'messages' AS taffrail_table, m.rowid AS taffrail_rowid \
             FROM messages m WHERE m.rowid = ?1",
        ),
    ],
};

fn read(row: &Value, speaker: &mut Speaker<'_, '_>) {
    speaker.at(time(row, "/created_at"));
    if speaker.table() == "sessions" {
        return session(row, speaker);
    }
    let Some(parts) = nested(row, "/parts") else { return speaker.unknown("unreadable") };
    speaker.id(text(row, "/id").unwrap_or_default());
    match text(row, "/role") {
        Some("user") => {
            let said: Vec<_> =
                list(&parts, "").iter().filter_map(|it| text(it, "/data/text")).collect();
            speaker.prompt(&said.join("\n"));
        }
        Some("assistant" | "tool") => {
            speaker.model(text(row, "/model"));
            let is_summary = row.get("is_summary_message") == Some(&Value::from(1));
            answer(list(&parts, ""), is_summary, speaker);
        }
        Some("system") => {}
        other => speaker.unknown(&format!("role/{}", other.unwrap_or_default())),
    }
}

fn session(row: &Value, speaker: &mut Speaker<'_, '_>) {
    speaker.title(TitleRank::Generated, text(row, "/title").filter(|it| *it != "New Session"));
    if let Some(parent) = text(row, "/parent_session_id") {
        speaker.child_of(parent);
    }
    speaker.started(None, None);
    // The counts of tokens are those of the last call; only the cost is a sum.
    speaker.spent("session", Tokens::default(), microdollars(row, "/cost"));
}

fn answer(parts: &[Value], is_summary: bool, speaker: &mut Speaker<'_, '_>) {
    let finish = parts.iter().find(|it| text(it, "/type") == Some("finish"));
    let reason = finish.and_then(|it| text(it, "/data/reason"));
    let last = parts.iter().rposition(|it| text(it, "/data/text").is_some());
    for (index, part) in parts.iter().enumerate() {
        let said = text(part, "/data/text").unwrap_or_default();
        match text(part, "/type") {
            Some("text") if said.is_empty() => {}
            Some("text") if is_summary => speaker.compacted(Some(said)),
            Some("text") if reason == Some("end_turn") && Some(index) == last => {
                speaker.last_answer(said);
            }
            Some("text") => speaker.answer(said),
            Some("reasoning") => speaker.thought(text(part, "/data/thinking").unwrap_or_default()),
            Some("tool_call") => {
                let id = text(part, "/data/id").unwrap_or_default();
                let name = text(part, "/data/name").unwrap_or_default();
                speaker.call(id, name, arguments(part, "/data/input").as_ref());
            }
            Some("tool_result") => result(part, speaker),
            Some("shell_command") => speaker.notice("shell", text(part, "/data/command")),
            Some("finish" | "image_url" | "binary") => {}
            other => speaker.unknown(&format!("part/{}", other.unwrap_or_default())),
        }
    }
    speaker.at(finish.and_then(|it| time(it, "/data/time")));
    let said = finish.and_then(|it| text(it, "/data/message")).unwrap_or("error");
    match reason {
        Some("canceled") => speaker.interrupted(),
        Some("permission_denied") => speaker.turn_over(reason),
        Some("error") => speaker.failed_turn(said),
        Some("end_turn") if last.is_none() => speaker.turn_over(reason),
        Some(_) | None => {}
    }
}

fn result(part: &Value, speaker: &mut Speaker<'_, '_>) {
    let failed = part.pointer("/data/is_error").and_then(Value::as_bool);
    let call = text(part, "/data/tool_call_id").unwrap_or_default();
    speaker.result(call, text(part, "/data/content"), Outcome { failed, ..Outcome::default() });
}
