//! Rules mean what they say, whatever a tool calls its command and whatever a repository contains.

use super::agent::{SESSION, request};
use super::{LOOK, PROGRAM, daemon};
use serde_json::{Value, json};
use std::fs;
use std::io::Write;
use std::process::Stdio;
use std::time::{Duration, Instant};
use taffrail_testkit::{Home, claude, until_every};

/// The output of a hook for a call that is about to run.
fn pre(home: &Home, folder: &str, tool: &str, input: &Value) -> String {
    hooked(home, "claude-code", &request(folder, "PreToolUse", tool, input))
}

/// The output of an agent's hook.
fn hooked(home: &Home, agent: &str, payload: &str) -> String {
    let mut hook = home.command(&["hook", agent]);
    let mut child = hook.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(payload.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{agent}");
    String::from_utf8(output.stdout).unwrap()
}

fn denied(text: &str) -> bool {
    let answer: Value = serde_json::from_str(text).unwrap_or_default();
    answer["hookSpecificOutput"]["permissionDecision"] == "deny"
}

#[test]
fn a_deny_answers_a_call_without_a_daemon() {
    let home = Home::new(PROGRAM);
    home.ok(&["rules", "add", "--deny", "--tool", "*", "--command", "git push *"]);
    home.ok(&["rules", "add", "--allow", "--tool", "Bash", "--command", "cargo test *"]);
    let check = |tool: &str, input: Value, expected: bool| {
        let said = pre(&home, "/w/app", tool, &input);
        assert_eq!(denied(&said), expected, "{tool} {input}: {said}");
        assert!(expected || said.is_empty(), "{said}");
    };
    check("Bash", json!({"command": "git push --force"}), true);
    check("mcp__shell__run", json!({"cmd": "git push -f"}), true);
    check("mcp__x__exec", json!({"argv": ["git", "push", "-f"]}), true);
    check("mcp__x__sh", json!({"script": "true\ngit push -f"}), true);
    check("mcp__x__run", json!({"command": ["bash", "-lc", "git push -f"]}), true);
    check("Bash", json!({"command": "ls"}), false);
    // An allowed call is left to the agent's own permissions.
    check("Bash", json!({"command": "cargo test"}), false);
    check("Read", json!({"file_path": "/w/app/a"}), false);
}

#[test]
fn a_deny_answers_gemini_and_goose_in_their_own_words() {
    let home = Home::new(PROGRAM);
    home.ok(&["rules", "add", "--deny", "--tool", "*", "--command", "git push *"]);
    let check = |agent: &str, payload: &Value, expected: &str| {
        for (command, expected) in [("git push -f", expected), ("ls", "")] {
            let mut payload = payload.clone();
            payload["tool_input"] = json!({"command": command});
            let said = hooked(&home, agent, &payload.to_string());
            assert!(said.starts_with(expected), "{agent} {command}: {said}");
            assert!(!expected.is_empty() || said.is_empty(), "{agent} {command}: {said}");
        }
    };
    let gemini = json!({"session_id": "s", "hook_event_name": "BeforeTool", "cwd": "/w/app",
        "tool_name": "run_shell_command"});
    check("gemini-cli", &gemini, "{\"decision\":\"deny\",\"reason\":");
    let goose = json!({"session_id": "20261114_1", "event": "PreToolUse", "working_dir": "/w/app",
        "tool_name": "shell"});
    check("goose", &goose, "{\"decision\":\"block\",\"reason\":");
}

#[test]
fn a_repository_of_rules_without_end_costs_little() {
    let home = Home::new(PROGRAM);
    let rule = |number: usize| {
        let words = "w ".repeat(60);
        format!(
            "\n[[rule]]\ndecision = \"deny\"\ntool = \"Bash\"\ncommand = \"zz{number} {words}*\"\n"
        )
    };
    let rules: String = (0..1000).map(rule).collect();
    let mut folder = "repository".to_owned();
    fs::create_dir_all(home.path("repository/.git")).unwrap();
    for _ in 0..24 {
        home.write(&format!("{folder}/.taffrail/policy.toml"), format!("version = 1\n{rules}"));
        folder.push_str("/d");
    }
    fs::create_dir_all(home.path(&folder)).unwrap();
    let command = format!("echo {}", "aa; bb ".repeat(2_500));
    let test = ["rules", "test", "--tool", "Bash", "--command", &command, "--json"];
    let took = |folder: &str| {
        let began = Instant::now();
        let output = home.run_in(&home.path(folder), &test);
        assert_eq!(output.status, 0, "{}", output.stderr);
        assert!(!output.stdout.contains("\"allow\""), "{}", output.stdout);
        began.elapsed()
    };
    fs::create_dir_all(home.path("plain")).unwrap();
    let (plain, hostile) = (took("plain"), took(&folder));
    assert!(hostile < plain * 4 + Duration::from_secs(1), "{plain:?} {hostile:?}");
    // The user's own deny still counts there, and nothing is allowed.
    home.ok(&["rules", "add", "--deny", "--tool", "Bash", "--command", "git push *"]);
    home.ok(&["rules", "add", "--allow", "--tool", "Bash", "--command", "ls *"]);
    let inside = home.path(&folder).display().to_string();
    assert!(denied(&pre(&home, &inside, "Bash", &json!({"command": "git push"}))));
    let ls = ["rules", "test", "--tool", "Bash", "--command", "ls", "--json"];
    assert!(home.run_in(&home.path(&folder), &ls).stdout.contains("\"ask\""));
}

#[test]
fn no_rule_allows_a_command_outside_of_its_sandbox() {
    let home = Home::new(PROGRAM);
    home.write(&claude::path(SESSION), claude::talk(SESSION, 0, 2));
    let _run = daemon(&home);
    home.ok(&["rules", "add", "--allow", "--tool", "Bash", "--command", "cargo test *"]);
    let asked = |input: Value| {
        let payload = request("/w/app", "PermissionRequest", "Bash", &input);
        let mut hook = home.command(&["hook", "claude-code"]);
        hook.env("CLAUDE_CODE_ENTRYPOINT", "sdk-cli");
        let mut child = hook.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(payload.as_bytes()).unwrap();
        String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap()
    };
    // Nobody is at the agent, so a request without a matching rule is left to the agent at once.
    let plain = json!({"command": "cargo test", "description": "d", "timeout": 9000});
    assert!(asked(plain).contains("allow"));
    assert_eq!(asked(json!({"command": "cargo test", "dangerouslyDisableSandbox": true})), "");
    assert_eq!(asked(json!({"command": "cargo test", "env": {"PATH": "/tmp"}})), "");
}

/// What the hook answers to a request while sessions cost this much, and a budget is this large.
#[expect(
    clippy::disallowed_methods,
    clippy::string_slice,
    reason = "a session of this month needs the time, which is ASCII"
)]
fn asked_with_budget(prices: &str, usd: &str) -> String {
    let home = Home::new(PROGRAM);
    let budget = format!("[[budgets]]\nproject = \"/w/app\"\nper = \"month\"\nusd = {usd}\n");
    home.append(".config/taffrail/config.toml", format!("{prices}{budget}"));
    let now = jiff::Timestamp::now().to_string();
    let talk = claude::talk(SESSION, 0, 2).replace("2026-10-01T10:00", &now[..16]);
    home.write(&claude::path(SESSION), talk);
    home.ok(&["rules", "add", "--allow", "--tool", "Bash", "--command", "cargo test *"]);
    home.ok(&["rules", "add", "--deny", "--tool", "*", "--when", "over-budget"]);
    let _run = daemon(&home);
    until_every(LOOK, "the history to be read", || {
        home.json(&["health", "--json"])["reading"].is_null().then_some(())
    });
    let payload = request("/w/app", "PermissionRequest", "Bash", &json!({"command": "cargo test"}));
    let mut hook = home.command(&["hook", "claude-code"]);
    hook.env("CLAUDE_CODE_ENTRYPOINT", "sdk-cli");
    let mut child = hook.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(payload.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
    answer["hookSpecificOutput"]["decision"]["behavior"].as_str().unwrap_or_default().to_owned()
}

#[test]
fn a_spent_budget_denies_and_one_of_unknown_cost_is_left_to_a_person() {
    let prices = "[[prices]]\nmodel = \"claude-x-1\"\ninput = 1000\noutput = 1000\n";
    assert_eq!(asked_with_budget(prices, "0.001"), "deny");
    assert_eq!(asked_with_budget(prices, "1000.0"), "allow");
    // The model has no price. Nobody is at the agent, so that the request is left to it.
    assert_eq!(asked_with_budget("", "1000.0"), "");
}
