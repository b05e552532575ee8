//! Requests as Qwen Code 0.24.4 sent them, and the answers that it obeyed.

use super::*;
use serde_json::Value;
use taffrail_kit::Answer;
use taffrail_model::approval::Decision;

/// `touch c.txt` was denied by a hook, `touch d.txt` allowed by one; `touch e.txt` was allowed, and its call denied. The
/// hook printed what these tests expect, byte for byte but for spaces.
const RECORDED: &str = include_str!(
    "../../../../adapters/tests/replay/qwen_allowed_refused_and_answered/journal.jsonl"
);

/// The recorded payloads about a command, in order.
fn about(command: &str) -> Vec<Value> {
    let entries = RECORDED.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let payloads = entries.map(|it| it["payload"].clone());
    payloads.filter(|it| it["tool_input"]["command"] == command).collect()
}

fn hooks_about(command: &str) -> Vec<String> {
    let name = |it: &Value| it["hook_event_name"].as_str().unwrap().to_owned();
    about(command).iter().map(name).collect()
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

fn answer(decision: Decision, reason: Option<&str>) -> Value {
    json(&(PLAN.answer)(&Answer { decision, reason: reason.map(str::to_owned) }))
}

#[test]
fn a_request_is_answered_in_the_words_that_the_program_reads() {
    let asked = (PLAN.request)(&about("touch c.txt")[0].to_string()).unwrap();
    assert_eq!(
        (asked.command.as_deref(), asked.says.as_str()),
        (Some("touch c.txt"), "touch c.txt")
    );
    assert_eq!(
        (asked.tool.as_str(), asked.project.as_deref()),
        ("run_shell_command", Some("/w/app"))
    );
    let denied = r#"{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","message":"not now"}}}"#;
    assert_eq!(answer(Decision::Deny, Some("not now")), json(denied));
    assert_eq!(hooks_about("touch c.txt"), ["PermissionRequest"], "it never ran");
    let allowed = r#"{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow"}}}"#;
    assert_eq!(answer(Decision::Allow, None), json(allowed));
    let ran = ["PermissionRequest", "PreToolUse", "PostToolUse"];
    assert_eq!(hooks_about("touch d.txt"), ran, "it ran");
    assert_eq!(PLAN.dialog, Dialog::After);
}

#[test]
fn a_rule_denies_a_call_that_is_about_to_run() {
    let call = about("touch e.txt")[1].to_string();
    assert_eq!((PLAN.call)(&call).unwrap().command.as_deref(), Some("touch e.txt"));
    assert_eq!((PLAN.request)(&call), None);
    let denied = r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"a rule says no"}}"#;
    assert_eq!(json(&(PLAN.denial)("a rule says no")), json(denied));
    assert_eq!(hooks_about("touch e.txt"), ["PermissionRequest", "PreToolUse"], "it never ran");
}

#[test]
fn nobody_attends_a_run_with_a_prompt_in_its_command() {
    let check = |line: &str, expected: bool| {
        let line: Vec<_> = line.split(' ').map(str::to_owned).collect();
        assert_eq!(PLAN.unattended.matches(|_| None, &line), expected, "{line:?}");
    };
    check("qwen", false);
    check("node /usr/bin/qwen -p mend", true);
    check("qwen --prompt mend", true);
    check("qwen --prompt-interactive mend", false);
    check("qwen --acp", false);
}
