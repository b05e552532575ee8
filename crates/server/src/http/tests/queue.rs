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
    assert_eq!(told["delivery_receipt_provenance"]["observed_at"].take(), at);
    let provenance = json!({"source_kind": "ctm_input", "source_event_id": null,
        "runtime_source_uri": null, "observed_by_peer_id": null, "observed_at": null});
    let expected = json!({
        "schema_version": 1, "correlation_id": name, "accepted_at": null,
        "from": {"repowire_session_id": id(SECOND), "peer_id": "tmux:%9"},
        "to": {"repowire_session_id": id(FIRST), "peer_id": null},
        "delivery_state": "accepted", "reason": null, "text": "go on",
        "from_repowire_session_id": id(SECOND), "to_repowire_session_id": id(FIRST),
        "from_peer_id": "tmux:%9", "to_peer_id": null,
        "provenance": provenance, "delivery_receipt_provenance": provenance,
    });
    assert_eq!(told, expected);
    let receipt = format!("/api/receipts/{name}");
    let waiting: Value = machine.client().get(&queue).unwrap();
    assert_eq!(waiting["messages"][0], machine.client().get::<Value>(&receipt).unwrap());
    // A DELETE has no body, so it needs no content type.
    let gone = machine.ask("DELETE", &receipt, "", "");
    assert_eq!(gone.status, 200);
    let gone = gone.json();
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

/// A message that the agent took, as the event with this id says.
fn taken(machine: &Machine, event: taffrail_model::EventId) -> Value {
    use taffrail_model::message::{Happening, Sender};
    let settings = machine.handle.settings();
    let now = (settings.now)();
    let mut ledger = taffrail_store::Ledger::open(&settings.data, &settings.new_device).unwrap();
    let said = (Sender::default(), "go on".to_owned());
    let accepted = ledger.accept_message(id(FIRST), said, now).unwrap().unwrap();
    let begun = accepted.after(&Happening::Begun("tmux:%3".to_owned()), now).unwrap();
    let heard = begun.after(&Happening::Heard(event), now).unwrap();
    assert!(ledger.move_message(&accepted, &begun).unwrap());
    assert!(ledger.move_message(&begun, &heard).unwrap());
    machine.client().get(&format!("/api/receipts/{}", accepted.id.as_str())).unwrap()
}

#[test]
fn a_receipt_of_a_hook_said_that_it_rests_on_a_transcript() {
    let machine = Machine::new();
    let payload = json!({"session_id": FIRST, "hook_event_name": "UserPromptSubmit",
        "cwd": "/w/app", "prompt": "go on"});
    let via = ("claude-code", taffrail_model::Origin::Hook);
    let settings = machine.handle.settings();
    taffrail_context::write_entry(settings, via, [7; 16], &payload.to_string()).unwrap();
    machine.read_all();
    let events = machine.changes(FIRST, None);
    let of = |origin: taffrail_model::Origin| {
        let found = events.iter().find_map(|it| match it {
            taffrail_api::EventLine::Event(it) if it.source == origin => Some(it.clone()),
            _ => None,
        });
        found.unwrap()
    };
    for (event, kind) in [
        (of(taffrail_model::Origin::Hook), "runtime_hook"),
        (of(taffrail_model::Origin::Transcript), "runtime_transcript"),
    ] {
        let told = taken(&machine, event.id);
        assert_eq!(told["delivery_state"], "picked_up");
        let at = &told["delivery_receipt_provenance"];
        assert_eq!((&at["source_kind"], &at["source_event_id"]), (&json!(kind), &json!(event.id)));
        assert_eq!(at["runtime_source_uri"], json!(event.provenance.runtime_source_uri));
        assert_eq!(at, &told["provenance"]);
    }
    // An event that is not indexed is not guessed at.
    let key = taffrail_model::RecordKey::Provider("gone".into());
    let gone = taken(&machine, taffrail_model::EventId::of(id(FIRST), &key, 0));
    assert_eq!(gone["provenance"]["source_kind"], "runtime_unknown");
}

fn code(reply: &Result<Value, ClientError>) -> Option<u8> {
    match reply {
        Err(ClientError::Refused(error)) => Some(error.code),
        _ => None,
    }
}

#[test]
fn a_prompt_with_a_time_waits_for_it_alone() {
    let machine = Machine::new();
    let queue = format!("/api/sessions/{}/queue", id(FIRST));
    for (body, expected) in [
        (json!({"text": "go on", "at_reset": true}), 3),
        (json!({"text": "go on", "at": "soon"}), 2),
        (json!({"text": "go on", "at": "2026-10-01T10:30:00Z"}), 2),
        (json!({"text": " ", "at": "30m"}), 2),
    ] {
        assert_eq!(code(&post(&machine, &queue, &body)), Some(expected), "{body}");
    }
    let body = json!({"text": "go on", "at": "30m"});
    let receipt = post(&machine, &queue, &body).unwrap();
    let found = [&receipt["delivery_state"], &receipt["text"], &receipt["not_before"]];
    assert_eq!(found, ["accepted", "go on", "2026-10-01T11:00:00Z"]);
    let Err(ClientError::Refused(second)) = post(&machine, &queue, &body) else {
        panic!("a second one is taken")
    };
    let name = receipt["correlation_id"].as_str().unwrap();
    assert!(second.code == 6 && second.message.contains(name), "{second:?}");
    let waiting: Value = machine.client().get(&queue).unwrap();
    assert_eq!(waiting["messages"], json!([receipt]));
    // The switch is for resets.
    let stopped: Value = machine.client().delete("/api/queue/at-reset").unwrap();
    assert_eq!(stopped, json!({"schema_version": 1, "removed": 0}));
    machine.client().delete::<Value>(&format!("/api/receipts/{name}")).unwrap();
    assert!(post(&machine, &queue, &body).is_ok());
}
