//! Homes that a program may start in, from an empty one to an unreadable one.

use super::{PROGRAM, unread};
use std::fs::{Permissions, set_permissions};
use std::os::unix::fs::PermissionsExt;
use taffrail_testkit::Home;

/// A user who may not read everything.
const NOBODY: u32 = 65534;

#[test]
fn a_home_without_anything_leads_on() {
    let home = Home::new(PROGRAM);
    for command in ["ls", "status", "approvals", "stats", "doctor", "agents"] {
        let told = home.run(&[command]);
        assert_eq!(told.status, 0, "{command}: {}", told.stderr);
        assert!(!told.stdout.is_empty() || !told.stderr.is_empty(), "{command} says nothing");
    }
    let check = |arguments: &[&str], code: i32, hint: &str| {
        let told = home.run(arguments);
        assert_eq!(told.status, code, "{arguments:?}: {}", told.stderr);
        assert!(told.stderr.contains(hint), "{arguments:?}: {}", told.stderr);
    };
    check(&["show", "@last"], 3, "hint: ");
    check(&["send", "@last", "go on"], 5, "taffrail daemon start");
    check(&["approve"], 5, "taffrail daemon start");
    check(&["deny", "3f2a"], 5, "taffrail daemon start");
    check(&["daemon", "logs"], 3, "taffrail daemon start");
}

#[test]
fn usage_of_an_empty_home_is_no_table_of_zeros() {
    let home = Home::new(PROGRAM);
    let told = home.run(&["usage"]);
    assert_eq!(told.status, 0, "{}", told.stderr);
    assert!(told.stdout.starts_with("No sessions. Looked for "), "{}", told.stdout);
    assert!(told.stdout.contains("Next: taffrail doctor"), "{}", told.stdout);
    assert_eq!(home.json(&["usage", "--json"])["totals"]["answers"], 0);
}

#[test]
fn usage_that_no_answer_matches_says_so() {
    let home = unread(1);
    let told = home.run(&["usage", "--agent", "codex"]);
    assert!(told.stdout.starts_with("No model answer matches"), "{}", told.stdout);
}

#[test]
fn a_home_named_by_half_a_path_is_refused_in_plain_words() {
    let home = Home::new(PROGRAM);
    let told = |value: Option<&str>| {
        let mut command = home.command(&["ls"]);
        match value {
            Some(value) => command.env("HOME", value),
            None => command.env_remove("HOME"),
        };
        let output = command.output().unwrap();
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    let (code, said) = told(Some("some/where"));
    assert_eq!((code, said.as_str()), (Some(1), "taffrail: HOME must be an absolute path\n"));
    let (code, said) = told(None);
    assert_eq!(code, Some(1));
    assert!(said.contains("HOME is not set"), "{said}");
}

#[test]
fn what_cannot_be_read_is_named_and_stops_nothing_else() {
    let mut home = unread(2);
    home.write(".codex/sessions/2026/x.jsonl", "");
    if !home.give_to(NOBODY) {
        return;
    }
    let closed = home.path(".claude/projects");
    set_permissions(&closed, Permissions::from_mode(0o000)).unwrap();
    let told = home.run(&["ls"]);
    assert_eq!(told.status, 0, "{}", told.stderr);
    let checks = home.run(&["doctor"]);
    assert!(checks.stdout.contains(closed.to_str().unwrap()), "{}", checks.stdout);
    set_permissions(&closed, Permissions::from_mode(0o700)).unwrap();
    home.ok(&["index"]);
    assert_eq!(home.sessions().len(), 2);
}

/// The commands that a new user copies from the first page, in its order.
#[test]
fn the_commands_of_the_first_page_work_without_a_daemon_or_an_index() {
    let home = unread(3);
    let list = home.ok(&["ls"]);
    assert_eq!(list.lines().filter(|it| it.contains(" claude ")).count(), 3, "{list}");
    let found = home.ok(&["search", "prompt"]);
    assert!(found.contains("Prompt number"), "{found}");
    let shown = home.ok(&["show", "@last"]);
    assert!(!shown.is_empty());
}

#[test]
fn doctor_believes_the_permission_mode_that_settings_name() {
    let check = |settings: &str, is_warned: bool| {
        let home = Home::new(PROGRAM);
        home.write(".claude/settings.json", settings);
        let told = home.run(&["doctor"]).stdout;
        assert_eq!(told.contains("claude-code-auto-mode"), is_warned, "{settings}: {told}");
    };
    check("{}", true);
    check(r#"{"permissions": {"defaultMode": "auto"}}"#, true);
    check(r#"{"permissions": {"defaultMode": "default"}}"#, false);
}
