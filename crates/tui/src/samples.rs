//! Sessions for tests, as the daemon would send them.

use serde_json::{Value, json};
use taffrail_api::{ApprovalRow, Session};
use taffrail_model::{Event, Timestamp};

/// The current instant in tests.
pub(crate) fn now() -> Timestamp {
    "2026-11-15T12:00:00Z".parse().unwrap()
}

/// A session with these fields instead of the defaults.
pub(crate) fn session(number: u32, fields: &Value) -> Session {
    let mut row = json!({
        "id": format!("00000000-0000-4000-8000-{number:012}"),
        "agent": "claude-code",
        "runtime_session_id": format!("r{number}"),
        "title": "make the refresh test pass on CI",
        "title_derived": true,
        "project_path": "/home/ada/src/api-auth",
        "git_branch": "main",
        "model": "a-model",
        "lifecycle": "active",
        "started_at": "2026-11-15T09:00:00Z",
        "last_event_at": "2026-11-15T11:58:00Z",
        "turns": 41,
        "prompts": 41,
        "tool_calls": 120,
        "usage": {"input_tokens": 100_000, "output_tokens": 2_000, "cache_read_tokens": 80_000,
            "cache_write_tokens": 0, "reasoning_tokens": 0},
        "cost_microdollars": 1_220_000,
        "cost": {"reported_microdollars": 1_220_000, "estimated_microdollars": null,
            "unknown_answers": 0, "with_workers_microdollars": 1_220_000},
        "parent_id": null,
        "lineage": null,
        "source_uri": "file:///x",
        "captured": true,
        "group": "done",
        "status": "exited",
        "status_since": "2026-11-15T11:58:00Z",
        "waiting_for": null,
        "confidence": "high",
        "pid": null,
        "executor": null,
    });
    for (name, value) in fields.as_object().unwrap() {
        row[name] = value.clone();
    }
    serde_json::from_value(row).unwrap()
}

/// A session that waits for an approval.
pub(crate) fn approval() -> Session {
    session(
        1,
        &json!({
            "project_path": "/home/ada/src/api-auth", "group": "needs_you", "status": "waiting_approval",
            "waiting_for": {"kind": "approval", "text": "npm test -- --runInBand"}, "executor": "tmux:%3",
        }),
    )
}

/// A session on another device that waits for an approval there.
pub(crate) fn remote() -> Session {
    session(
        9,
        &json!({
            "project_path": "web", "group": "needs_you", "status": "waiting_approval",
            "waiting_for": {"kind": "approval", "text": ""}, "title": null, "device": "laptop",
            "source_uri": "relay:dev-1/0000000000004000800000000000009a",
            "status_since": "2026-11-15T11:57:00Z",
        }),
    )
}

/// A working session.
pub(crate) fn working() -> Session {
    session(
        2,
        &json!({
            "project_path": "/home/ada/src/parser", "group": "working", "status": "running",
            "title": "speed the lexer up", "status_since": "2026-11-15T11:59:46Z", "pid": 417,
        }),
    )
}

/// The request of the waiting session.
pub(crate) fn request(command: &str, risk: &str) -> ApprovalRow {
    serde_json::from_value(json!({
        "id": "a1b2c3d4e5", "session_id": approval().id, "agent": "claude-code", "tool": "Bash",
        "command": command, "input_hash": "00", "risk": risk, "confidence": "high", "state": "pending", "outcome": null,
        "asked_at": "2026-11-15T11:58:00Z", "expires_at": "2026-11-15T13:00:00Z", "sources": ["hook"],
    }))
    .unwrap()
}

/// An event of the working session, a minute after the previous one.
pub(crate) fn event(number: u32, kind: &str, text: &str, data: &Value) -> Event {
    serde_json::from_value(json!({
        "id": format!("{number:032x}"), "sessionId": working().id, "provider": "claude-code",
        "providerSessionId": "r2", "source": "transcript", "kind": kind,
        "createdAt": format!("2026-11-15T10:{:02}:00Z", number % 60),
        "observedAt": "2026-11-15T11:00:00Z", "sequence": number, "generation": "g", "revision": 1,
        "text": text, "data": data, "confidence": "high",
        "provenance": {"source_kind": "runtime_transcript", "backend": "claude-code",
            "runtime_session_id": "r2", "runtime_source_uri": "file:///x",
            "source_cursor": {"byte_offset": number, "length": 1}, "source_event_id": null,
            "observed_by_peer_id": "dev-1", "observed_at": "2026-11-15T11:00:00Z"},
    }))
    .unwrap()
}
