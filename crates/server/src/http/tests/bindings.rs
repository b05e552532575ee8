//! Bindings and peers over HTTP.

use super::{FIRST, Machine, SECOND, id};
use serde_json::{Value, json};
use taffrail_contracts::{Strictness, find, validate};
use taffrail_model::status::Status;
use taffrail_model::text::excerpt;
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
    assert_eq!(done["binding"]["metadata"]["supersedes"], json!([id(SECOND)]));
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

/// Two sessions of one piece of work.
fn joined() -> Machine {
    let machine = Machine::new();
    let path = format!("/sessions/{}/binding", id(FIRST));
    let done: Value = machine.client().post(&path, &json!({"join": SECOND})).unwrap();
    assert_eq!(done["changed"], json!([id(SECOND)]));
    machine
}

#[test]
fn a_joined_session_has_a_pointer_to_each_history() {
    let machine = joined();
    let binding = machine.get(&format!("/sessions/{}/binding", id(FIRST))).json();
    conforms(&binding);
    let pointers = binding["provenance"].as_array().unwrap();
    let told: Vec<_> = pointers.iter().map(|it| &it["runtime_session_id"]).collect();
    assert_eq!(told, [&json!(FIRST), &json!(SECOND)], "its own first");
    for pointer in pointers {
        assert!(pointer["source_event_id"].is_string(), "{pointer}");
        assert!(pointer["source_cursor"]["generation"].is_u64(), "{pointer}");
    }
    // A session that nothing is joined to has one pointer.
    assert!(
        machine.get(&format!("/sessions/{}/binding", id(SECOND))).json()["provenance"].is_object()
    );
}

/// The whole texts of 25,000 turns took seconds to read, for a page that shows one line of each.
#[test]
fn a_brief_timeline_is_the_whole_one_without_answers() {
    let machine = Machine::new();
    let of = |query: &str| machine.get(&format!("/sessions/{}/timeline{query}", id(FIRST))).json();
    let mut whole = of("");
    let turns = whole["turns"].as_array_mut().unwrap();
    assert!(turns.iter().any(|it| it["text"] != ""), "{turns:?}");
    for turn in turns {
        turn["prompt"] = excerpt(turn["prompt"].as_str().unwrap()).into();
        turn["text"] = "".into();
    }
    assert_eq!(of("?brief=true"), whole);
}

#[test]
fn the_timeline_of_a_joined_session_lacked_the_other_history() {
    let of = |machine: &Machine, rest: &str| machine.get(&format!("/sessions/{rest}")).json();
    let turns = |it: &Value| {
        let ids = it["turns"].as_array().unwrap().iter().map(|it| it["id"].clone());
        ids.collect::<Vec<_>>()
    };
    let alone = Machine::new();
    let [first, second] =
        [FIRST, SECOND].map(|it| turns(&of(&alone, &format!("{}/timeline", id(it)))));
    assert!(!first.is_empty() && !second.is_empty());
    let machine = joined();
    let whole = of(&machine, &format!("{}/timeline", id(FIRST)));
    let mut found = turns(&whole);
    let mut both = [first, second.clone()].concat();
    found.sort_by_key(ToString::to_string);
    both.sort_by_key(ToString::to_string);
    assert_eq!(found, both);
    let started: Vec<_> =
        whole["turns"].as_array().unwrap().iter().map(|it| it["started_at"].to_string()).collect();
    assert!(started.is_sorted(), "{started:?}");
    let named: Vec<_> =
        whole["histories"].as_array().unwrap().iter().map(|it| &it["runtime_session_id"]).collect();
    assert_eq!(named, [&json!(SECOND), &json!(FIRST)]);
    assert_eq!(whole["histories"][0]["turn_ids"], json!(second));
    // One of the histories alone.
    let part = of(&machine, &format!("{}/timeline?runtime_session_id={SECOND}", id(FIRST)));
    assert_eq!(turns(&part), second);
    let part = of(&machine, &format!("{}/transcript?runtime_session_id={SECOND}", id(FIRST)));
    assert_eq!(part["runtime_session_id"], json!(SECOND));
}

#[test]
fn a_timeline_of_a_runtime_session_that_it_has_not_was_its_own() {
    let machine = Machine::new();
    for what in ["timeline", "transcript"] {
        let ask = |runtime: &str| {
            machine
                .get(&format!("/sessions/{}/{what}?runtime_session_id={runtime}", id(FIRST)))
                .status
        };
        assert_eq!((ask(FIRST), ask(SECOND)), (200, 404), "{what}");
    }
}

#[test]
fn a_parameter_that_a_route_does_not_know_was_ignored() {
    let machine = Machine::new();
    let described = machine.get("/openapi.json").json();
    let mut asked = 0;
    for (path, item) in described["paths"].as_object().unwrap() {
        if item.get("get").is_none() {
            continue;
        }
        let path = path.replace("{id}", &id(FIRST).to_string()).replace("{name}", "tmux:%253");
        let path = path.replace("{event}", "6659276627cf6a98ebfadd904416864a");
        let path = path.replace("{number}", "0");
        assert!(!path.contains('{'), "{path}");
        let answer = machine.get(&format!("{path}?zz=1"));
        assert_eq!(answer.status, 400, "{path}");
        assert_eq!(answer.json()["error"]["kind"], "usage", "{path}");
        asked += 1;
    }
    assert!(asked > 30, "{asked}");
}

#[test]
fn an_executor_says_whether_it_can_receive() {
    let machine = Machine::new();
    machine.stands(FIRST, Status::Waiting);
    machine.runs_at(SECOND, Status::Running, "process:418");
    let peers = machine.get("/peers").json();
    let told: Vec<_> = peers["peers"].as_array().unwrap().iter().collect();
    let told: Vec<_> = told.iter().map(|it| (&it["peer_id"], &it["can_receive"])).collect();
    let expected = [(&json!("process:418"), &json!(false)), (&json!("tmux:%3"), &json!(true))];
    assert_eq!(told, expected);
    for (session, can) in [(FIRST, true), (SECOND, false)] {
        let binding = machine.get(&format!("/sessions/{}/binding", id(session))).json();
        conforms(&binding);
        let told = (&binding["status"], &binding["metadata"]["can_receive"]);
        assert_eq!(told, (&json!("active"), &json!(can)));
    }
}
