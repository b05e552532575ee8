//! What is shown is what runs.

use super::agent::{Agent, SESSION};
use super::{PROGRAM, daemon, pending};
use serde_json::json;
use taffrail_testkit::Home;

#[test]
fn a_request_is_shown_whole_with_every_field() {
    let home = Home::new(PROGRAM);
    let _run = daemon(&home);
    let mut agent = Agent::start(&home, "claude");
    let lines: String = (0..300).map(|it| format!("line {it} of a long text\n")).collect();
    let command = format!("cat > n <<EOF\n{lines}EOF\n./tools/zqtail --send-all");
    let input =
        json!({"command": command, "zqfield": "zqvalue", "dangerouslyDisableSandbox": true});
    let id = agent.asks_for(PROGRAM, "Bash", &input);
    assert_eq!(pending(&home)[0]["command"], command.as_str());
    assert_eq!(pending(&home)[0]["truncated"], false);
    let shown = home.ok(&["approvals", "show", &id]);
    for part in ["./tools/zqtail --send-all", "zqfield: zqvalue", "dangerouslyDisableSandbox: true"]
    {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    home.ok(&["deny", &id]);
    agent.answer();
    let edit = json!({"file_path": "/w/app/a.txt", "old_string": "zqold words", "new_string": "zqnew words"});
    let id = agent.asks_for(PROGRAM, "Edit", &edit);
    let shown = home.ok(&["approvals", "show", &id]);
    assert!(shown.contains("  -zqold words") && shown.contains("  +zqnew words"), "{shown}");
    home.ok(&["deny", &id]);
    agent.answer();
}

#[test]
fn what_is_too_long_says_so_and_line_ends_are_seen() {
    let home = Home::new(PROGRAM);
    let _run = daemon(&home);
    let mut agent = Agent::start(&home, "claude");
    let long = json!({"command": format!("echo {} zqend", "x".repeat(70_000))});
    let id = agent.asks_for(PROGRAM, "Bash", &long);
    assert_eq!(pending(&home)[0]["truncated"], true);
    assert!(home.ok(&["approvals", "show", &id]).contains("the rest is too long"), "{id}");
    home.ok(&["deny", &id]);
    agent.answer();
    let two = json!({"command": "git status # left?\nmake zqdeploy"});
    let id = agent.asks_for(PROGRAM, "Bash", &two);
    let listed = home.ok(&["approvals"]);
    assert!(listed.contains("left? ⏎ make zqdeploy"), "{listed}");
    home.ok(&["deny", &id]);
    agent.answer();
}

#[test]
fn json_escapes_what_turns_text_round() {
    let home = Home::new(PROGRAM);
    let _run = daemon(&home);
    let mut agent = Agent::start(&home, "claude");
    let id = agent.asks_for(PROGRAM, "Bash", &json!({"command": "echo \u{202e}gnp.exe\u{7}"}));
    let text = home.ok(&["approvals", "--json"]);
    assert!(!text.contains('\u{202e}') && text.contains("\\u202e"), "{text}");
    // JSON readers get the same text.
    assert_eq!(pending(&home)[0]["command"], "echo \u{202e}gnp.exe\u{7}");
    home.ok(&["deny", &id]);
    agent.answer();
    assert!(home.session(SESSION)["id"].is_string());
}
