//! Changes go through the loop, and only when confirmed.

use super::{FIRST, Machine, id};
use serde_json::{Value, json};
use taffrail_api::{ClientError, Done, ForgetReport, IndexReport, SessionList};

fn code(result: Result<Value, ClientError>) -> u8 {
    match result {
        Err(ClientError::Refused(told)) => told.code,
        other => panic!("{other:?}"),
    }
}

#[test]
fn forgetting_is_told_before_it_is_done() {
    let machine = Machine::new();
    let client = machine.client();
    let told: ForgetReport = client.post("/api/forget", &json!({"ids": [FIRST]})).unwrap();
    assert_eq!((told.done, told.sessions.len()), (false, 1));
    let done: ForgetReport =
        client.post("/api/forget", &json!({"ids": [FIRST], "yes": true})).unwrap();
    assert!(done.done);
    let left: SessionList = client.get("/api/sessions").unwrap();
    assert!(left.sessions.iter().all(|it| it.id != id(FIRST)) && left.sessions.len() == 1);
    assert_eq!(machine.woken(), ["settle", "alone", "settle", "alone", "settle"]);
}

#[test]
fn what_is_not_understood_is_not_done() {
    let machine = Machine::new();
    let client = machine.client();
    let check = |path: &str, body: Value, expected: u8| {
        assert_eq!(code(client.post(path, &body)), expected, "{path} {body}");
    };
    check("/api/forget", json!({}), 2);
    check("/api/forget", json!({"ids": [FIRST], "project": "/w"}), 2);
    check("/api/forget", json!({"ids": [FIRST], "sure": true}), 2);
    check("/api/forget", json!({"before": "soon"}), 2);
    check("/api/rebuild", json!({}), 6);
    check("/api/rebuild", json!({"yes": "yes"}), 2);
    check("/api/restore", json!({"file": "/x"}), 6);
    check("/api/backup", json!({"file": "x"}), 2);
    check("/api/stop", json!({"now": true}), 2);
    check("/api/archive/prune", json!({"older_than": "soon"}), 2);
    assert_eq!(machine.woken(), [""; 0]);
    check("/api/forget", json!({"ids": ["ffff"], "yes": true}), 3);
}

#[test]
fn the_rest_is_handed_to_the_loop() {
    let machine = Machine::new();
    let client = machine.client();
    let report: IndexReport = client.post("/api/index", &json!({})).unwrap();
    assert_eq!((report.sources, report.sessions), (2, 2));
    let report: IndexReport = client.post("/api/rebuild", &json!({"yes": true})).unwrap();
    assert_eq!(report.sessions, 2);
    let file = machine.path("backup.db");
    let _: Done = client.post("/api/backup", &json!({"file": file})).unwrap();
    assert_eq!(code(client.post("/api/backup", &json!({"file": file}))), 6);
    let _: Done = client.post("/api/restore", &json!({"file": file, "yes": true})).unwrap();
    for path in ["/api/archive/prune", "/api/archive/verify"] {
        let told: Value = client.post(path, &json!({})).unwrap();
        assert_eq!(told["schema_version"], 1);
    }
    let _: Done = client.post("/api/stop", &json!({})).unwrap();
    let expected = ["settle", "alone", "alone", "alone", "alone", "alone", "alone", "stop"];
    super::until("the stop", || (machine.woken() == expected).then_some(()));
}

#[test]
fn files_are_for_our_own_programs_only() {
    let machine = Machine::new();
    let file = machine.path("backup.db").display().to_string();
    for path in ["/api/backup", "/api/restore"] {
        let answer = machine.post(path, &json!({"file": file, "yes": true}).to_string());
        assert_eq!((answer.status, answer.json()["error"]["code"].clone()), (403, json!(6)));
    }
    assert_eq!(machine.woken(), [""; 0]);
    assert_eq!(machine.post("/api/index", "{}").status, 200);
}
