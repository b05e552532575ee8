//! What a command that fails leaves behind and prints.

use crate::work::{id, project};
use serde_json::Value;
use taffrail_contracts::Strictness;
use taffrail_contracts::ai_session::{Kind, validate};
use taffrail_testkit::Home;

fn context(home: &Home, arguments: &[&str]) -> Value {
    let output = home.run(&[&["work"], arguments, &["--json"]].concat());
    assert_ne!(output.status, 0, "{arguments:?}");
    let told: Value = serde_json::from_str(&output.stderr).unwrap();
    let report = validate(Kind::ErrorContext, &told, Strictness::Strict);
    assert!(report.is_valid(), "{:?}", report.faults);
    assert_eq!(told["error_context"]["details"], told["error"]["message"]);
    told["error_context"].clone()
}

#[test]
fn every_failing_command_has_an_error_context() {
    let home = project();
    let feature = id(&home);
    let check = |arguments: &[&str], operation: &str, file: &str, is_known: bool| {
        let context = context(&home, arguments);
        assert_eq!(context["operation"], operation, "{arguments:?}");
        let file = file.replace("ID", &feature);
        assert_eq!(context["file"], format!(".ai-session{file}"), "{arguments:?}");
        let expected = if is_known { Value::from(feature.as_str()) } else { Value::Null };
        assert_eq!(context["feature_id"], expected, "{arguments:?}");
    };
    let add = ["task", "add", "t1", "--phase", "p", "--description", "d", "--agent", "a"];
    check(&["new", "Dark mode"], "create", "/ID", true);
    check(&["import", "nothing.json"], "create", "", false);
    check(&add, "create", "/ID/implementation-plan.yaml", true);
    check(&["task", "start", "t9"], "update", "/ID/implementation-plan.yaml", true);
    check(&["use", "gpt"], "update", "/ID/state.yaml", true);
    check(&["resume"], "update", "/active-features.yaml", true);
    check(&["complete"], "update", "/active-features.yaml", true);
    check(&["archive"], "delete", "/ID", true);
    check(&["ack", "--agent", " "], "update", "/contract-acknowledgment.md", false);
    check(&["show", "--feature", "nothing"], "read", "/active-features.yaml", false);
    check(&["show", "--archived"], "read", "/active-features.yaml", false);
    check(&["check", "--feature", "nothing"], "read", "/active-features.yaml", false);
    check(&["recover", "--feature", "nothing"], "update", "/active-features.yaml", false);
    home.write(&format!(".ai-session/{feature}/state.yaml"), "x: [");
    check(&["show"], "read", "/ID/state.yaml", true);
    check(&["use", "opus"], "read", "/ID/state.yaml", true);
    let elsewhere = Home::new(env!("CARGO_BIN_EXE_taffrail"));
    assert_eq!(context(&elsewhere, &["ls"])["file"], ".ai-session");
}

#[test]
fn a_command_that_only_reads_leaves_no_line() {
    let home = project();
    let file = home.path(&format!(".ai-session/{}/history.jsonl", id(&home)));
    let before = std::fs::read(&file).unwrap();
    home.write(&format!(".ai-session/{}/implementation-plan.yaml", id(&home)), "x: [");
    assert_eq!(home.run(&["work", "plan"]).status, 6);
    assert_eq!(home.run(&["work", "check"]).status, 6);
    assert_eq!(home.run(&["work", "log", "--archived"]).status, 3);
    assert_eq!(std::fs::read(&file).unwrap(), before);
}

#[test]
fn taffrail_acknowledges_the_contract_itself() {
    let home = project();
    let warned = |home: &Home| {
        let told = home.json(&["work", "check", "--json"]);
        let all = told["warnings"].as_array().unwrap().clone();
        all.iter().map(|it| it["error_context"]["details"].to_string()).collect::<String>()
    };
    assert!(warned(&home).contains("taffrail wrote to a history"), "{}", warned(&home));
    home.ok(&["work", "ack", "--agent", "a1"]);
    assert_eq!(warned(&home), "");
    let text =
        std::fs::read_to_string(home.path(".ai-session/contract-acknowledgment.md")).unwrap();
    assert_eq!(text.matches("Agent: taffrail\n").count(), 1, "{text}");
    home.ok(&["work", "ack", "--agent", "a2"]);
    let again =
        std::fs::read_to_string(home.path(".ai-session/contract-acknowledgment.md")).unwrap();
    assert!(again.starts_with(&text), "{again}");
}
