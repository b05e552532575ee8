//! Bindings and peers over HTTP.

use super::{FIRST, Machine, SECOND, id};
use serde_json::{Value, json};
use taffrail_contracts::{Strictness, find, validate};
use taffrail_model::status::Status;
use taffrail_store::Ledger;

const FOLDERS: [&str; 2] = ["", "/api"];

fn conforms(document: &Value) {
    let report = validate(find("binding").unwrap(), document, Strictness::Strict);
    assert!(report.is_valid(), "{:?}: {document}", report.faults);
}

#[test]
fn a_binding_is_the_contract_s_document_by_both_names() {
    let machine = Machine::new();
    machine.stands(FIRST, Status::Waiting);
    for folder in FOLDERS {
        let binding = machine.get(&format!("{folder}/sessions/{}/binding", id(FIRST))).json();
        conforms(&binding);
        assert_eq!(binding["repowire_session_id"], json!(id(FIRST)));
        assert_eq!(binding["status"], "active");
        assert_eq!(binding["current_executor_peer_id"], "tmux:%3");
        let timeline = machine.get(&format!("{folder}/sessions/{}/timeline", id(FIRST))).json();
        assert_eq!(timeline["binding"], binding);
    }
    // The process is alive but the session is over: nothing can be sent to it.
    machine.stands(FIRST, Status::Exited);
    let binding = machine.get(&format!("/sessions/{}/binding", id(FIRST))).json();
    conforms(&binding);
    assert_eq!(binding["status"], "resumable");
    // Who ran it last is remembered, and no longer runs it.
    assert_eq!(binding["peer_id"], "tmux:%3");
    assert_eq!(binding["current_executor_peer_id"], Value::Null);
}

#[test]
fn repairs_are_asked_for_one_at_a_time() {
    let machine = Machine::new();
    let post = |session: &str, body: Value| {
        let path = format!("/sessions/{}/binding", id(session));
        let head = "Content-Type: application/json\r\n";
        machine.ask("POST", &path, head, &body.to_string())
    };
    let status = |body: Value| post(FIRST, body).status;
    assert_eq!(status(json!({})), 400);
    assert_eq!(status(json!({"split": true, "archive": true})), 400);
    assert_eq!(status(json!({"merge": true})), 400);
    assert_eq!(status(json!({"join": "zzzz"})), 404);
    assert_eq!(status(json!({"join": FIRST})), 409);
    let done = post(FIRST, json!({"join": SECOND})).json();
    assert_eq!(done["changed"], json!([id(SECOND)]));
    conforms(&done["binding"]);
    assert_eq!(done["binding"]["metadata"], json!({"supersedes": [id(SECOND)]}));
    let kind = post(SECOND, json!({"join": FIRST})).json()["error"]["kind"].clone();
    assert_eq!(kind, "refused");
    assert_eq!(post(SECOND, json!({"split": true})).json()["changed"], json!([id(SECOND)]));
    let done = post(FIRST, json!({"archive": true})).json();
    assert_eq!(done["binding"]["status"], "archived");
    assert_eq!(post(FIRST, json!({"archive": false})).json()["binding"]["status"], "resumable");
    assert!(machine.woken().contains(&"alone"));
}

#[test]
fn a_peer_stands_for_the_session_it_runs() {
    let machine = Machine::new();
    machine.stands(FIRST, Status::Waiting);
    machine.runs_at(SECOND, Status::Running, "process:418");
    let peers = machine.get("/peers").json();
    let told: Vec<_> = peers["peers"].as_array().unwrap().iter().collect();
    let names: Vec<_> = told.iter().map(|it| (&it["peer_id"], &it["status"])).collect();
    assert_eq!(
        names,
        [(&json!("process:418"), &json!("busy")), (&json!("tmux:%3"), &json!("online"))]
    );
    assert_eq!(told[1]["sessions"], json!([id(FIRST)]));
    for folder in FOLDERS {
        for what in ["timeline", "transcript"] {
            let own = machine.get(&format!("/sessions/{}/{what}", id(SECOND))).json();
            let peer = machine.get(&format!("{folder}/peers/process:418/{what}"));
            assert_eq!((peer.status, peer.json()), (200, own), "{folder} {what}");
        }
    }
}

#[test]
fn a_peer_of_several_sessions_is_a_conflict_with_candidates() {
    let machine = Machine::new();
    machine.stands(FIRST, Status::Waiting);
    machine.stands(SECOND, Status::Running);
    let answer = machine.get("/peers/tmux:%253/timeline");
    assert_eq!(answer.status, 409);
    let mut ids = [id(FIRST), id(SECOND)];
    ids.sort();
    assert_eq!(answer.json()["error"]["candidates"], json!(ids));
    // The agent's own id selects the session.
    let chosen = machine.get(&format!("/peers/tmux:%253/timeline?session_id={SECOND}")).json();
    assert_eq!(chosen["session"]["id"], json!(id(SECOND)));
    assert_eq!(machine.get("/peers/tmux:%258/timeline").status, 404);
}

#[test]
fn a_peer_that_ended_stands_for_the_session_it_ran_last() {
    let machine = Machine::new();
    let settings = machine.handle.settings();
    let mut ledger = Ledger::open(&settings.data, &settings.new_device).unwrap();
    ledger.attach(&[id(FIRST)], Some("tmux:%7")).unwrap();
    ledger.attach(&[id(FIRST)], None).unwrap();
    let timeline = machine.get("/peers/tmux:%257/timeline").json();
    assert_eq!(timeline["session"]["id"], json!(id(FIRST)));
    let told = &timeline["binding"];
    assert_eq!(
        (&told["peer_id"], &told["current_executor_peer_id"]),
        (&json!("tmux:%7"), &Value::Null)
    );
    assert_eq!(machine.get("/peers").json()["peers"], json!([]));
}
