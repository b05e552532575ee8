//! Whether and how a session can be resumed.

use super::{FIRST, Machine, SECOND, id};
use serde_json::{Value, json};
use taffrail_api::ClientError;
use taffrail_model::status::Status;
use taffrail_testkit::claude;

fn asked(machine: &Machine, session: &str) -> Value {
    let path = format!("/sessions/{}/controls/resume", id(session));
    machine.client().post(&path, &json!({})).unwrap()
}

#[test]
fn resume_says_what_the_binding_allows_and_guesses_nothing() {
    let machine = Machine::new();
    let check = |session: &str, state: &str, command: Value| {
        let told = asked(&machine, session);
        assert_eq!((&told["state"], &told["command"]), (&json!(state), &command), "{told}");
    };
    check(FIRST, "resume_available", json!(["claude", "--resume", FIRST]));
    machine.runs_at(FIRST, Status::Running, "tmux:%4");
    let told = asked(&machine, FIRST);
    assert_eq!((&told["state"], &told["executor"]), (&json!("active_executor"), &json!("tmux:%4")));
    // The history is gone, and the agent cannot resume from our archive.
    std::fs::remove_file(machine.path("home").join(claude::path(SECOND))).unwrap();
    check(SECOND, "unsupported", Value::Null);
    let path = format!("/api/sessions/{}/controls/resume", id(SECOND));
    let refused = machine.client().post::<Value>(&path, &json!({"dry_run": false}));
    assert!(matches!(refused, Err(ClientError::Refused(told)) if told.code == 6));
}
