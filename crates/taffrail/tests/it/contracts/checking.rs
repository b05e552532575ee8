//! `validate` and `schema`.

use crate::contracts::history::PROGRAM;
use crate::contracts::steady::{check_json, check_text};
use serde_json::{Value, json};
use std::io::Write;
use std::process::Stdio;
use taffrail_testkit::Home;

fn snapshot() -> Value {
    json!({
        "schemaVersion": "ecc.session.v1", "adapterId": "x",
        "session": {
            "id": "s", "kind": "history", "state": "recorded",
            "sourceTarget": { "type": "session", "value": "s" },
        },
        "workers": [], "aggregates": { "workerCount": 0, "states": {} },
    })
}

fn home() -> Home {
    let home = Home::new(PROGRAM);
    let mut bad = snapshot();
    bad["session"].as_object_mut().unwrap().remove("kind");
    bad["aggregates"]["workerCount"] = json!(2);
    let mut extra = snapshot();
    extra["mood"] = json!("calm");
    home.write("good.json", snapshot().to_string());
    home.write("bad.json", bad.to_string());
    home.write("extra.json", extra.to_string());
    home.write("many/a.json", snapshot().to_string());
    home.write("many/deep/b.json", bad.to_string());
    home.write("many/notes.txt", "no document");
    home.write("torn.json", "{\"schemaVersion\": ");
    home.write("empty/none.txt", "");
    home
}

#[test]
fn screens_of_a_check() {
    let home = home();
    for (name, arguments) in [
        ("good", &["good.json"][..]),
        ("bad", &["bad.json"]),
        ("extra", &["extra.json"]),
        ("extra_strict", &["extra.json", "--strict"]),
        ("many", &["many"]),
        ("torn", &["torn.json"]),
        ("nothing", &["none.json"]),
        ("empty", &["empty"]),
    ] {
        let arguments = [&["validate", "--contract", "ecc"], arguments].concat();
        check_text(&home, &format!("validate_{name}"), &arguments);
    }
    let told = home.run(&["validate", "--contract", "ecc", "--json", "many"]);
    assert_eq!(told.status, 6);
    check_json("validate_json", serde_json::from_str(&told.stdout).unwrap());
    assert_eq!(home.run(&["validate", "--contract", "poem", "good.json"]).status, 2);
}

#[test]
fn stdin_is_a_document_too() {
    let home = home();
    let check = |document: &str, code: i32| {
        let mut command = home.command(&["validate", "--contract", "ecc", "--json", "-"]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        child.stdin.take().unwrap().write_all(document.as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        let told: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!((output.status.code(), &told["valid"]), (Some(code), &json!(code == 0)));
    };
    check(&snapshot().to_string(), 0);
    check("7", 6);
    check("", 6);
}

#[test]
fn every_schema_is_printed() {
    let home = Home::new(PROGRAM);
    let names = home.ok(&["schema"]);
    let names: Vec<_> = names.lines().map(|it| it.split(' ').next().unwrap()).collect();
    for name in ["ecc.session.v1", "session-state-v1", "binding-v1", "event-v1"] {
        assert!(names.contains(&name), "{names:?}");
    }
    for name in names {
        let schema = home.json(&["schema", name]);
        assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema", "{name}");
        let strict = home.json(&["schema", name, "--strict"]);
        assert_eq!(strict["title"], schema["title"]);
    }
    let output = home.run(&["schema", "poem"]);
    assert_eq!((output.status, output.stdout.as_str()), (2, ""));
}
