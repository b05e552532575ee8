//! The log of the hub, the process that runs Cline's sessions: requests for approval.

use super::messages::gist;
use serde_json::Value;
use taffrail_kit::json::{text, time};
use taffrail_kit::{Speaker, SqlitePlan, ToolUse};

/// Only the rows about approvals: the rest repeats the messages, and grows with every token.
pub(super) static PLAN: SqlitePlan = SqlitePlan {
    sessions: "SELECT session_id AS taffrail_key, 'hub_sessions' AS taffrail_table, \
               min(sequence) AS taffrail_rowid, \
               CAST(max(sequence) AS TEXT) AS taffrail_version \
               FROM hub_events WHERE session_id IS NOT NULL \
               AND event IN ('approval.requested', 'approval.resolved') \
               GROUP BY session_id ORDER BY max(sequence) DESC",
    rows: "SELECT e.*, 'hub_events' AS taffrail_table, e.sequence AS taffrail_rowid \
           FROM hub_events e WHERE e.session_id = ?1 \
           AND e.event IN ('approval.requested', 'approval.resolved') ORDER BY e.sequence",
    row: &[
        (
            "hub_sessions",
            "SELECT session_id, 'hub_sessions' AS taffrail_table, sequence AS taffrail_rowid \
             FROM hub_events WHERE sequence = ?1",
        ),
        (
            "hub_events",
            "SELECT e.*, 'hub_events' AS taffrail_table, e.sequence AS taffrail_rowid \
             FROM hub_events e WHERE e.sequence = ?1",
        ),
    ],
};

/// Reads one row.
pub(super) fn read(row: &Value, speaker: &mut Speaker<'_, '_>) {
    if speaker.table() == "hub_sessions" {
        return;
    }
    speaker.at(time(row, "/created_at"));
    let envelope = text(row, "/envelope_json").and_then(|it| serde_json::from_str(it).ok());
    let envelope: Value = envelope.unwrap_or_default();
    match text(row, "/event") {
        Some("approval.requested") => {
            let input = text(&envelope, "/payload/inputJson");
            let input: Option<Value> = input.and_then(|it| serde_json::from_str(it).ok());
            speaker.asked(&ToolUse {
                call: text(&envelope, "/payload/toolCallId").unwrap_or_default(),
                tool: text(&envelope, "/payload/toolName").unwrap_or_default(),
                input: input.as_ref(),
                text: input.as_ref().and_then(gist).as_deref(),
            });
        }
        Some("approval.resolved") => {
            // The row names the request, not the call.
            let approved = envelope.pointer("/payload/approved").and_then(Value::as_bool);
            speaker.decided("", if approved == Some(true) { "allow" } else { "deny" });
        }
        other => speaker.unknown(other.unwrap_or("no event")),
    }
}
