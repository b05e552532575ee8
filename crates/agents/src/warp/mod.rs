//! Warp's agent: prompts and usage from its SQLite database. Answers are Protocol Buffers and are not read.

use serde_json::Value;
use taffrail_kit::json::{count, exclusive, list, nested, text, time, variant};
use taffrail_kit::{
    Agent, Descriptor, Evidence, HomeRule, Os, Reads, Shape, Speaker, SqlitePlan, Store,
};
use taffrail_model::Tokens;

/// The adapter for Warp.
pub static ADAPTER: Agent =
    Agent::new(&DESCRIPTOR, &[Store::of("warp.sqlite", Shape::Sqlite(&PLAN), Reads::Items(read))]);

static DESCRIPTOR: Descriptor = Descriptor {
    id: "warp",
    label: "Warp",
    short: "warp",
    scheme: "warp-sqlite",
    homes: &[&[
        HomeRule::user(MAC_HOME).on(Os::MacOs),
        HomeRule::env("LOCALAPPDATA", "warp/Warp/data").on(Os::Windows),
        HomeRule::env("XDG_STATE_HOME", "warp-terminal").on(Os::Linux),
        HomeRule::user(".local/state/warp-terminal").on(Os::Linux),
    ]],
    roots: &["warp.sqlite"],
    rewrites_records: true,
    // A terminal: people work in it, too.
    processes: &[],
    evidence: Evidence::Source,
    ..Descriptor::NOTHING
};

const MAC_HOME: &str =
    "Library/Group Containers/2BBY89MBSN.dev.warp/Library/Application Support/dev.warp.Warp-Stable";

/// The agent goes on by itself after a query, so a status ends the turn only before the next prompt.
static PLAN: SqlitePlan = SqlitePlan {
    sessions: "SELECT c.conversation_id, c.conversation_data, c.last_modified_at, (SELECT min(q.start_ts) \
               FROM ai_queries q WHERE q.conversation_id = c.conversation_id) AS first_ts, \
               c.conversation_id AS taffrail_key, \
               'agent_conversations' AS taffrail_table, c.rowid AS taffrail_rowid, c.last_modified_at || ' ' \
               || length(c.conversation_data) || ' ' || (SELECT count(*) || ' ' || coalesce(max(q.rowid), 0) \
               || ' ' || coalesce(sum(length(q.output_status)), 0) FROM ai_queries q \
               WHERE q.conversation_id = c.conversation_id) AS taffrail_version \
               FROM agent_conversations c ORDER BY c.last_modified_at DESC, c.rowid DESC",
    rows: "SELECT q.exchange_id, q.start_ts, q.input, q.output_status, q.model_id, q.working_directory, \
           coalesce(lead(q.input LIKE '[{_Query_:%') OVER (ORDER BY q.start_ts, q.rowid), 1) AS ends, \
           'ai_queries' AS taffrail_table, q.rowid AS taffrail_rowid \
           FROM ai_queries q WHERE q.conversation_id = ?1 ORDER BY q.start_ts, q.rowid",
    row: &[
        (
            "agent_conversations",
            "SELECT c.conversation_id, c.conversation_data, c.last_modified_at, (SELECT min(q.start_ts) \
             FROM ai_queries q WHERE q.conversation_id = c.conversation_id) AS first_ts, \
             'agent_conversations' AS taffrail_table, \
             c.rowid AS taffrail_rowid FROM agent_conversations c WHERE c.rowid = ?1",
        ),
        (
            "ai_queries",
            "SELECT q.exchange_id, q.start_ts, q.input, q.output_status, q.model_id, q.working_directory, \
             1 AS ends, 'ai_queries' AS taffrail_table, q.rowid AS taffrail_rowid \
             FROM ai_queries q WHERE q.rowid = ?1",
        ),
    ],
};

fn read(row: &Value, speaker: &mut Speaker<'_, '_>) {
    if speaker.table() == "agent_conversations" {
        return conversation(row, speaker);
    }
    speaker.id(text(row, "/exchange_id").unwrap_or_default());
    speaker.at(time(row, "/start_ts"));
    speaker.cwd(text(row, "/working_directory"));
    speaker.model(text(row, "/model_id"));
    let inputs = nested(row, "/input").unwrap_or_default();
    for input in list(&inputs, "") {
        match variant(input) {
            ("Query", it) => speaker.prompt(text(it, "/text").unwrap_or_default()),
            (other, _) => speaker.unknown(&format!("input/{other}")),
        }
    }
    // The status is a word in quotation marks.
    let status = text(row, "/output_status").unwrap_or_default().trim_matches('"');
    match (status, count(row, "/ends")) {
        ("Completed", 1) => speaker.turn_over(None),
        ("Cancelled", 1) => speaker.interrupted(),
        ("Failed", 1) => speaker.failed_turn(status),
        (_, _) => {}
    }
}

fn conversation(row: &Value, speaker: &mut Speaker<'_, '_>) {
    let Some(data) = nested(row, "/conversation_data") else {
        return speaker.unknown("unreadable");
    };
    speaker.id("conversation");
    if let Some(parent) = text(&data, "/parent_conversation_id") {
        speaker.child_of(parent);
    }
    speaker.at(time(row, "/first_ts"));
    speaker.started(None, None);
    speaker.at(time(row, "/last_modified_at"));
    for used in list(&data, "/conversation_usage_metadata/token_usage") {
        let model = text(used, "/model_id").unwrap_or_default();
        speaker.model(Some(model));
        let count = |name: &str| count(used, &format!("/{name}_tokens"));
        let all =
            count("warp").saturating_add(count("byok")).saturating_add(count("custom_endpoint"));
        speaker.spent(model, exclusive(all, 0, 0, 0), None);
    }
    let cents = data
        .pointer("/conversation_usage_metadata/total_provider_cost_in_cents")
        .and_then(Value::as_f64);
    let cost = cents.filter(|it| *it > 0.0).map(|it| (it * 10_000.0).round() as i64);
    speaker.spent("conversation", Tokens::default(), cost);
}
