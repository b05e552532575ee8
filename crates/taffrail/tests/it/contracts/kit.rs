//! The conformance kit through the program: other validators and other writers against it.

use crate::contracts::history::PROGRAM;
use serde_json::Value;
use std::collections::BTreeSet;
use taffrail_testkit::Home;

fn run(home: &Home, words: &[&str]) -> (i32, Value) {
    let ran = home.run(&[&["conformance"], words, &["--json"]].concat());
    (ran.status, serde_json::from_str(&ran.stdout).unwrap())
}

#[test]
fn a_validator_is_compared_with_the_manifest() {
    let home = Home::new(PROGRAM);
    let ours = format!("{PROGRAM} validate --contract {{contract}} {{}}");
    let strict = format!("{PROGRAM} validate --strict --contract {{contract}} {{}}");
    let check = |cmd: &str, more: &[&str], expected: (i32, bool)| {
        let words = [&["run", "--cmd", cmd, "--contract", "binding"], more].concat();
        let (code, told) = run(&home, &words);
        let disagreed = told["disagreed"].as_array().unwrap();
        assert_eq!((code, disagreed.is_empty()), expected, "{cmd} {disagreed:?}");
        let sum = told["agreed"].as_u64().unwrap() + disagreed.len() as u64;
        assert_eq!(Some(sum), told["run"].as_u64());
        assert!(sum > 40, "{sum}");
    };
    check(&ours, &[], (0, true));
    check(&strict, &["--strict"], (0, true));
    check("true {}", &[], (6, false));
    check("false {}", &[], (6, false));
    check("sh -c 'kill -9 $$' {}", &[], (6, false));
}

#[test]
fn a_disagreement_names_the_document_the_rule_and_both_verdicts() {
    let home = Home::new(PROGRAM);
    let (_, told) = run(&home, &["run", "--cmd", "true {}", "--contract", "event"]);
    let about = |rule: &str| {
        let all = told["disagreed"].as_array().unwrap();
        all.iter().find(|it| it["rule"] == rule).unwrap().clone()
    };
    let expected = serde_json::json!({
        "document": "event/bad/id.required.json", "contract": "event", "rule": "id.required",
        "strictness": "lenient", "expected": "invalid", "got": "valid",
    });
    assert_eq!(about("id.required"), expected);
}

#[test]
fn a_command_that_cannot_run_is_an_error_and_no_verdict() {
    let home = Home::new(PROGRAM);
    let check = |cmd: &str, code: i32, words: &str| {
        let ran = home.run(&["conformance", "run", "--cmd", cmd]);
        assert_eq!(ran.status, code, "{}", ran.stderr);
        assert!(ran.stderr.contains(words), "{}", ran.stderr);
    };
    check("no-such-validator {}", 1, "cannot be started");
    check("true", 2, "{}");
    check("true '{}", 2, "quote");
    check("", 2, "empty");
}

#[test]
fn the_kit_that_is_written_has_what_its_manifest_names() {
    let home = Home::new(PROGRAM);
    home.ok(&["conformance", "write", "kit"]);
    let text = std::fs::read_to_string(home.path("kit/manifest.json")).unwrap();
    let manifest: Value = serde_json::from_str(&text).unwrap();
    let documents = manifest["documents"].as_array().unwrap();
    let contracts: BTreeSet<_> =
        documents.iter().map(|it| it["contract"].as_str().unwrap()).collect();
    let five = ["ai-session", "binding", "ecc", "event", "state"];
    assert_eq!(contracts.into_iter().collect::<Vec<_>>(), five);
    for entry in documents {
        let document = format!("kit/{}", entry["document"].as_str().unwrap());
        assert!(home.path(&document).exists(), "{document}");
    }
    assert_eq!(home.run(&["conformance", "write", "kit"]).status, 6);
}

#[test]
fn two_writers_of_ours_lose_nothing() {
    let home = Home::new(PROGRAM);
    let cmd = format!(
        "{PROGRAM} work log --command {{entry}} --model opus --agent w{{writer}} --status success --duration-ms 1"
    );
    let (code, told) = run(&home, &["torture", "--cmd", &cmd, "--rounds", "8"]);
    assert_eq!((code, &told["succeeded"]), (0, &Value::from(16)), "{told}");
}

#[test]
fn a_writer_that_loses_or_doubles_or_rewrites_is_noticed() {
    let home = Home::new(PROGRAM);
    let file = ".ai-session/ai-orchestrator-2025-01-09";
    let line = r#"{\"timestamp\":\"2026-01-01T00:00:00Z\",\"command\":\"{entry}\",\"arguments\":\"\",\"model\":\"opus\",\"agent\":\"a\",\"task_id\":null,\"status\":\"success\",\"duration_ms\":1}"#;
    let sh = |script: String| format!("sh -c '{script}' {{entry}}");
    let append = format!("echo \"{line}\" >> {file}/history.jsonl");
    let check = |script: String, name: &str, words: &str| {
        let (code, told) = run(&home, &["torture", "--cmd", &sh(script), "--rounds", "3"]);
        let all = told[name].as_array().unwrap();
        assert!(code == 6 && all.iter().any(|it| it.as_str().unwrap().contains(words)), "{told}");
    };
    let (code, told) = run(&home, &["torture", "--cmd", &sh(append.clone()), "--rounds", "3"]);
    assert_eq!(code, 0, "{told}");
    check("true".to_owned(), "lost", "entry-1-000002");
    check(format!("{append}; {append}"), "doubled", "entry-2-000000");
    check(format!("echo \"{line}\" > {file}/history.jsonl"), "faults", "have changed");
    check(format!("{append}; echo torn > {file}/state.yaml"), "faults", "state.yaml");
    check("false".to_owned(), "faults", "no command succeeded");
}
