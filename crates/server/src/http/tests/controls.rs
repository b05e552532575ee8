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

#[test]
fn resume_by_peer_is_resume_of_the_session_it_runs() {
    let machine = Machine::new();
    machine.runs_at(FIRST, Status::Waiting, "process:418");
    for folder in ["", "/api"] {
        let path = format!("{folder}/peers/process:418/controls/resume");
        let told: Value = machine.client().post(&path, &json!({})).unwrap();
        assert_eq!(told, asked(&machine, FIRST));
        let state = (&told["state"], &told["can_receive"], &told["support"]);
        assert_eq!(state, (&json!("active_executor"), &json!(false), &json!("native")));
        assert!(told["reason"].as_str().unwrap().contains("nothing can be typed"), "{told}");
    }
    let path = "/peers/process:419/controls/resume";
    let none = machine.client().post::<Value>(path, &json!({}));
    assert!(matches!(none, Err(ClientError::Refused(told)) if told.code == 3));
}

#[test]
fn the_binding_says_how_a_session_is_resumed() {
    let machine = Machine::new();
    let told = machine.get(&format!("/sessions/{}/binding", id(FIRST))).json();
    let told = &told["resume_capability"];
    assert_eq!(told["support"], "native");
    assert_eq!(told["command"], json!(["claude", "--resume", FIRST]));
    assert_eq!(
        (&told["cwd"], &told["reason"]),
        (&asked(&machine, FIRST)["cwd"], &asked(&machine, FIRST)["reason"])
    );
}

#[test]
fn attempts_to_resume_are_records_that_can_be_read() {
    let machine = Machine::new();
    let path = format!("/api/sessions/{}/operations", id(FIRST));
    let read = || machine.get(&path).json()["operations"].clone();
    assert_eq!(read(), json!([]));
    machine.runs_at(FIRST, Status::Running, "tmux:%4");
    let resume = format!("/api/sessions/{}/controls/resume", id(FIRST));
    let refused = machine.client().post::<Value>(&resume, &json!({"dry_run": false}));
    assert!(matches!(refused, Err(ClientError::Refused(told)) if told.code == 6));
    let all = read();
    assert_eq!(all.as_array().map(Vec::len), Some(1), "{all}");
    let mut one = all[0].clone();
    one["began_at"].take();
    one["runtime_source_uri"].take();
    assert_eq!(
        one,
        json!({
            "id": 1, "kind": "session.acquire_executor", "strategy": "live_executor", "via": null,
            "state": "failed", "result": null, "began_at": null, "pid": null, "peer_id": null,
            "failure": {"kind": "already_running", "message": "it runs at tmux:%4"},
            "repowire_session_id": id(FIRST), "runtime_session_id": FIRST,
            "runtime_source_uri": null,
        })
    );
}

#[test]
fn what_cannot_be_pressed_or_ended_from_here_is_refused_with_its_reason() {
    let machine = Machine::new();
    let post = |what: &str, body: &Value| {
        let path = format!("/api/sessions/{}/controls/{what}", id(FIRST));
        match machine.client().post::<Value>(&path, body) {
            Err(ClientError::Refused(told)) => (told.code, told.message),
            other => panic!("{other:?}"),
        }
    };
    let check = |what: &str, body: &Value, why: &str| {
        let (code, said) = post(what, body);
        assert!(code == 6 && said.contains(why), "{what}: {code} {said}");
    };
    let red = json!({"option": 1, "text": "Red"});
    check("stop", &json!({}), "it is not running");
    check("answer", &red, "no running process was found");
    machine.runs_at(FIRST, Status::Waiting, "process:418");
    check("answer", &red, "it does not run in tmux");
    check("interrupt", &json!({}), "it does not run in tmux");
    machine.runs_at(FIRST, Status::Waiting, "pty:418");
    check("answer", &red, "under `taffrail run`");
}

#[test]
fn how_an_agent_starts_is_said_before_it_does() {
    let machine = Machine::new();
    let folder = machine.path("home").canonicalize().unwrap();
    let body = json!({"agent": "claude", "folder": folder, "prompt": "fix it"});
    let said: Value = machine.client().post("/api/agents/start", &body).unwrap();
    assert_eq!((&said["command"], &said["started"]), (&json!(["claude", "fix it"]), &json!(false)));
    assert_eq!(said["cwd"], json!(folder));
    let words = said["tmux"]["command"].as_array().unwrap();
    assert_eq!(words[..2], [json!("tmux"), json!("new-session")]);
    let body = json!({"agent": "claude", "folder": "/no/such/folder"});
    let refused = machine.client().post::<Value>("/api/agents/start", &body);
    assert!(matches!(refused, Err(ClientError::Refused(told)) if told.code == 2));
}
