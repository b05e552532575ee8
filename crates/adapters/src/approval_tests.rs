//! Tests of `taffrail_kit::approvals` with the adapters that use it.

use crate::by_id;
use serde_json::json;
use taffrail_kit::approvals::*;
use taffrail_model::approval::Decision;

fn request(agent: &str, json: &serde_json::Value) -> Option<Request> {
    (by_id(agent).unwrap().approval_plan().unwrap().request)(&json.to_string())
}

#[test]
fn only_a_request_is_one() {
    let check = |agent: &str, hook: &str, tool: &str, expected: Option<&str>| {
        let payload = json!({"session_id": "s", "hook_event_name": hook, "tool_name": tool,
            "cwd": "/w", "tool_input": {"command": "ls", "description": "look"}});
        let got = request(agent, &payload).map(|it| it.says);
        assert_eq!(got.as_deref(), expected, "{agent} {hook} {tool}");
    };
    for agent in ["claude-code", "codex"] {
        check(agent, "PermissionRequest", "Bash", Some("ls"));
        check(agent, "PreToolUse", "Bash", None);
    }
    check("claude-code", "PermissionRequest", "AskUserQuestion", None);
    check("codex", "PermissionRequest", "request_user_input", None);
}

#[test]
fn a_request_of_a_worker_is_the_workers() {
    let payload = json!({"session_id": "s", "hook_event_name": "PermissionRequest",
        "tool_name": "Edit", "agent_id": "a1", "agent_type": "general", "cwd": "/w",
        "tool_input": {"file_path": "/etc/hosts", "new_string": "x"}});
    let got = request("claude-code", &payload).unwrap();
    assert_eq!((got.who.scope.as_str(), got.who.id.as_str()), ("s", "a1"));
    assert_eq!((got.command, got.says.as_str()), (None, "Edit /etc/hosts"));
    assert_eq!(got.files, ["/etc/hosts"]);
    assert_eq!(request("codex", &payload).unwrap().who.id.as_str(), "a1");
}

#[test]
fn an_answer_says_no_more_than_the_agent_reads() {
    let check = |decision, reason: Option<&str>, expected: serde_json::Value| {
        let answer = Answer { decision, reason: reason.map(str::to_owned) };
        let got: serde_json::Value = serde_json::from_str(&answer_in(&answer)).unwrap();
        assert_eq!(got["hookSpecificOutput"]["decision"], expected);
        assert_eq!(got["hookSpecificOutput"]["hookEventName"], "PermissionRequest");
    };
    check(Decision::Allow, Some("fine"), json!({"behavior": "allow"}));
    check(Decision::Deny, Some("not now"), json!({"behavior": "deny", "message": "not now"}));
    let unknown = Decision::Unknown("perhaps".to_owned());
    check(unknown, None, json!({"behavior": "deny", "message": "Denied from Taffrail."}));
}

#[test]
fn nobody_sits_at_a_print_session() {
    let plan = by_id("claude-code").unwrap().approval_plan().unwrap();
    let check = |variable: (&str, &str), line: &str, expected: bool| {
        let read = |name: &str| (name == variable.0).then(|| variable.1.to_owned());
        let line: Vec<_> = line.split(' ').map(str::to_owned).collect();
        assert_eq!(plan.unattended.matches(read, &line), expected, "{variable:?} {line:?}");
    };
    check(("", ""), "claude", false);
    check(("", ""), "claude -p mend", true);
    check(("", ""), "claude --print mend", true);
    check(("", ""), "claude --resume x -- -p", false);
    check(("", ""), "-p", false);
    check(("CI", "true"), "claude", true);
    check(("CI", "false"), "claude", false);
    check(("CLAUDE_CODE_ENTRYPOINT", "sdk-cli"), "claude", true);
    check(("CLAUDE_CODE_ENTRYPOINT", "cli"), "claude", false);
}
