//! What the loop publishes about the status of a session that only hooks report.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on must stop")]

use crate::awake::{MEANWHILE, Machine, SESSION};
use serde_json::{Value, json};
use std::sync::Arc;
use taffrail_capture::{spool, start_of};
use taffrail_context::{Update, UpdateKind};
use taffrail_model::journal::Entry;
use taffrail_model::process::Ancestor;
use taffrail_model::{AgentId, Origin, RuntimeIdentity};
use taffrail_store::Ledger;
use tokio::sync::broadcast::Receiver;

/// This process, as if it were the agent.
fn agent() -> Ancestor {
    let pid = std::process::id();
    Ancestor { pid, start: start_of(pid).unwrap(), name: "claude".to_owned() }
}

/// Reports to the daemon as a hook does.
fn hook(machine: &Machine, (nonce, name): (&str, &str), ancestors: Vec<Ancestor>, more: &Value) {
    let mut payload = json!({"session_id": SESSION, "hook_event_name": name, "cwd": "/w/app"});
    payload.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let payload = serde_json::value::to_raw_value(&payload).unwrap();
    let entry = Entry {
        at: MEANWHILE(),
        nonce: nonce.to_owned(),
        agent: AgentId::new("claude-code"),
        via: Origin::Hook,
        ancestors,
        store: None,
        shortened: false,
        payload: &payload,
    };
    spool(&machine.handle.settings().data, &entry).unwrap();
    machine.settle();
}

/// The kind of each update about a row since the last call, with the status and whether a process is
/// known.
fn published(updates: &mut Receiver<Arc<Update>>) -> Vec<(&'static str, &'static str, bool)> {
    let mut out = Vec::new();
    while let Ok(update) = updates.try_recv() {
        let (kind, row) = match &update.what {
            UpdateKind::Status { row } => ("status", row),
            UpdateKind::Row { row } => ("row", row),
            _ => continue,
        };
        out.push((kind, row.status.as_str(), row.pid.is_some()));
    }
    out
}

/// The process became known right after the start, and `waiting` was sent again.
#[test]
fn the_same_status_was_sent_twice_at_the_start_of_a_session() {
    let machine = Machine::start_at(MEANWHILE, ("data", "state"), |_| {});
    let mut updates = machine.handle.live().subscribe();
    hook(&machine, ("1", "SessionStart"), Vec::new(), &json!({"source": "startup"}));
    assert_eq!(published(&mut updates), [("status", "waiting", false)]);
    hook(&machine, ("2", "SessionStart"), vec![agent()], &json!({"source": "startup"}));
    let told = published(&mut updates);
    assert_eq!(told.first(), Some(&("row", "waiting", true)), "{told:?}");
    assert!(told.iter().all(|it| it.0 == "row"), "{told:?}");
    hook(&machine, ("3", "UserPromptSubmit"), vec![agent()], &json!({"prompt": "go"}));
    let told = published(&mut updates);
    assert_eq!(told.first(), Some(&("status", "running", true)), "{told:?}");
    let stop = json!({"last_assistant_message": "Done.", "background_tasks": []});
    hook(&machine, ("4", "Stop"), vec![agent()], &stop);
    let told = published(&mut updates);
    assert_eq!(told.first(), Some(&("status", "waiting", true)), "{told:?}");
    assert_eq!(told.iter().filter(|it| it.0 == "status").count(), 1, "{told:?}");
}

/// A status that nobody received counted as sent.
#[test]
fn a_subscriber_that_comes_later_receives_the_next_status() {
    let machine = Machine::start_at(MEANWHILE, ("data", "state"), |_| {});
    let updates = machine.handle.live().subscribe();
    hook(&machine, ("1", "UserPromptSubmit"), vec![agent()], &json!({"prompt": "go"}));
    let call = json!({"tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": "t"});
    drop(updates);
    hook(&machine, ("2", "PermissionRequest"), vec![agent()], &call);
    let mut updates = machine.handle.live().subscribe();
    let done = json!({"tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": "t",
        "tool_response": {"stdout": ""}});
    hook(&machine, ("3", "PostToolUse"), vec![agent()], &done);
    let told = published(&mut updates);
    assert_eq!(told.first(), Some(&("status", "running", true)), "{told:?}");
}

/// A row that a stream sent lacked the tags and findings that a list has.
#[test]
fn a_published_row_has_its_findings_and_tags() {
    let machine = Machine::start_at(MEANWHILE, ("data", "state"), |_| {});
    hook(&machine, ("1", "UserPromptSubmit"), vec![agent()], &json!({"prompt": "go"}));
    let id = RuntimeIdentity::new(AgentId::new("claude-code"), "", SESSION).session();
    let settings = machine.handle.settings();
    let mut ledger = Ledger::open(&settings.data, &settings.new_device).unwrap();
    ledger.tag(id, &["flaky".to_owned()], &[]).unwrap();
    let mut updates = machine.handle.live().subscribe();
    let call = json!({"tool_name": "Bash", "tool_input": {"command": "rm -rf /"}});
    hook(&machine, ("2", "PermissionRequest"), vec![agent()], &call);
    let mut rows = Vec::new();
    while let Ok(update) = updates.try_recv() {
        if let UpdateKind::Status { row } | UpdateKind::Row { row } = &update.what {
            rows.push((row.status.as_str(), row.findings.clone(), row.tags.clone()));
        }
    }
    // On a busy machine the row of the prompt is published after the tag was written.
    rows.retain(|it| it.0 == "waiting_approval");
    let expected =
        ("waiting_approval", vec!["risky_approval".to_owned()], vec!["flaky".to_owned()]);
    assert_eq!(rows, [expected]);
}
