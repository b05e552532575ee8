//! Messages to sessions: which are accepted, which are refused, and what a receipt contains.

use super::{FIRST, Machine, SECOND, id};
use serde_json::{Value, json};
use taffrail_api::ClientError;
use taffrail_model::status::Status;

fn post(machine: &Machine, path: &str, body: &Value) -> Result<Value, ClientError> {
    machine.client().post(path, body)
}

fn is_refused(told: &Result<Value, ClientError>) -> bool {
    matches!(told, Err(ClientError::Refused(told)) if told.code == 6)
}

#[test]
fn a_receipt_names_both_ends_and_what_it_rests_on() {
    let machine = Machine::new();
    let queue = format!("/api/sessions/{}/queue", id(FIRST));
    let body = json!({"text": "go on", "from_session_id": id(SECOND), "from_peer_id": "tmux:%9"});
    let mut told = post(&machine, &queue, &body).unwrap();
    let name = told["correlation_id"].as_str().unwrap().to_owned();
    let at = told["accepted_at"].take();
    assert_eq!(told["provenance"]["observed_at"].take(), at);
    let expected = json!({
        "schema_version": 1, "correlation_id": name, "accepted_at": null,
        "from": {"repowire_session_id": id(SECOND), "peer_id": "tmux:%9"},
        "to": {"repowire_session_id": id(FIRST), "peer_id": null},
        "delivery_state": "accepted", "reason": null, "text": "go on",
        "provenance": {"source_kind": "ctm_input", "source_event_id": null,
            "observed_by_peer_id": null, "observed_at": null},
    });
    assert_eq!(told, expected);
    let receipt = format!("/api/receipts/{name}");
    let waiting: Value = machine.client().get(&queue).unwrap();
    assert_eq!(waiting["messages"][0], machine.client().get::<Value>(&receipt).unwrap());
    let gone: Value = machine.client().delete(&receipt).unwrap();
    assert_eq!((&gone["delivery_state"], &gone["text"]), (&json!("failed"), &Value::Null));
    assert!(is_refused(&machine.client().delete(&receipt)), "it is taken back already");
    let waiting: Value = machine.client().get(&queue).unwrap();
    assert_eq!(waiting["messages"], json!([]));
    // A peer names the session it runs.
    machine.runs_at(FIRST, Status::Running, "tmux:%4");
    let told =
        post(&machine, "/peers/tmux:%254/controls/notify", &json!({"text": "x", "queue": true}))
            .unwrap();
    assert_eq!(told["to"]["repowire_session_id"], json!(id(FIRST)));
}

#[test]
fn what_cannot_be_sent_is_refused_and_nothing_is_guessed() {
    let machine = Machine::new();
    let notify = format!("/sessions/{}/controls/notify", id(FIRST));
    assert!(is_refused(&post(&machine, &notify, &json!({"text": "x"}))), "nobody runs it");
    machine.runs_at(FIRST, Status::Waiting, "process:4");
    assert!(is_refused(&post(&machine, &notify, &json!({"text": "x"}))), "it is in no pane");
    for text in ["", " \n ", &"x".repeat(64 * 1024 + 1)] {
        let told = post(&machine, &notify, &json!({"text": text, "queue": true}));
        assert!(
            matches!(told, Err(ClientError::Refused(told)) if told.code == 2),
            "{}",
            text.len()
        );
    }
    let gone = machine.client().get::<Value>("/api/receipts/abcdef");
    assert!(matches!(gone, Err(ClientError::Refused(told)) if told.code == 3));
}
