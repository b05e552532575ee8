//! Checks for every command: earlier names, `--json`, `@waiting` and `-n`.

use crate::cli::history::{PROGRAM, SESSION, home};
use serde_json::Value;
use std::time::Duration;
use taffrail_testkit::{Home, Run, until_every};

/// Commands that take a session, as they behave when no session waits.
const OF_A_SESSION: &[&[&str]] = &[
    &["show"],
    &["events"],
    &["tail"],
    &["explain"],
    &["summary"],
    &["handoff"],
    &["findings"],
    &["link"],
    &["binding"],
    &["link", "split"],
    &["link", "archive"],
    &["tag"],
    &["note"],
    &["export", "--format", "md"],
    &["forget"],
    &["capture", "off"],
    &["capture", "on"],
    &["archive", "cat"],
    &["resume", "--dry-run"],
    &["attach", "--print"],
    &["document", "export"],
    &["document", "snapshot"],
    &["state", "export"],
    &["snapshot"],
];

fn check_nobody_waits(home: &Home) {
    for words in OF_A_SESSION {
        let output = home.run(&[*words, &["@waiting"]].concat());
        assert_eq!(output.status, 3, "{words:?}: {}{}", output.stdout, output.stderr);
    }
}

fn daemon(home: &Home) -> Run {
    let run = home.spawn(&["daemon", "run"]);
    until_every(Duration::from_millis(50), "the daemon to answer", || {
        home.json(&["daemon", "status", "--json"])["running"].as_bool().filter(|it| *it)
    });
    run
}

#[test]
fn every_command_of_a_session_answers_with_3_when_nobody_waits() {
    let home = home();
    home.index();
    check_nobody_waits(&home);
    let _daemon = daemon(&home);
    check_nobody_waits(&home);
    for words in [&["wait"][..], &["approve"], &["deny"], &["approvals", "show"]] {
        let output = home.run(&[words, &["@waiting"]].concat());
        assert_eq!(output.status, 3, "{words:?}: {}{}", output.stdout, output.stderr);
    }
    for words in [&["send", "@waiting", "hello"][..], &["queue", "@waiting", "ls"]] {
        assert_eq!(home.run(words).status, 3, "{words:?}");
    }
}

#[test]
fn an_earlier_name_prints_the_same() {
    let home = home();
    home.index();
    for (earlier, today) in [
        (&["binding", SESSION][..], &["link", SESSION][..]),
        (&["binding", SESSION, "--json"], &["link", SESSION, "--json"]),
        (&["status"], &["status-bar"]),
        (&["status", "--format", "waybar"], &["status-bar", "--format", "waybar"]),
        (&["otel"], &["telemetry"]),
        (&["notify", "test", "--dry-run"], &["notifications", "test", "--dry-run"]),
        (&["health"], &["daemon", "health"]),
        (&["schema"], &["document", "schema"]),
        (&["schema", "event-v1"], &["document", "schema", "event-v1"]),
        (&["state", "export", SESSION], &["document", "export", SESSION]),
        (&["tail", "--lines", "2", SESSION], &["tail", "-n", "2", SESSION]),
    ] {
        let print = |words: &[&str]| {
            let output = home.run(words);
            (output.status, steady(&output.stdout), output.stderr)
        };
        assert_eq!(print(earlier), print(today), "{earlier:?}");
    }
}

/// The text without the lines that contain the current time.
fn steady(text: &str) -> String {
    let is_time = |it: &&str| !it.contains("updated_at") && !it.contains("observed_at");
    text.lines().filter(is_time).collect::<Vec<_>>().join("\n")
}

#[test]
fn what_writes_something_else_prints_a_document_with_json() {
    let home = home();
    home.index();
    for (words, field) in [
        (&["completions", "bash"][..], "script"),
        (&["man"], "page"),
        (&["man", "--out", "pages"], "pages"),
        (&["config", "path"], "path"),
        (&["config", "get", "exclude"], "value"),
        (&["config", "set", "exclude", "[]"], "value"),
        (&["schema"], "schemas"),
        (&["backup", "ledger.bak"], "file"),
        (&["restore", "ledger.bak", "--yes"], "restored"),
        (&["status-bar"], "text"),
        (&["statusline", "claude-code"], "line"),
        (&["telemetry"], "agents"),
        (&["token"], "token"),
        (&["archive", "cat", SESSION], "text"),
        (&["export", SESSION, "--format", "md", "--out", "a.md"], "sessions"),
        (&["work", "contract"], "checksum"),
        (&["hooks", "plugin", "plugin", "--agent", "claude-code"], "files"),
        (&["service", "install", "--dry-run"], "text"),
        (&["setup", "--dry-run"], "steps"),
        (&["hub", "leave"], "schema_version"),
        (&["daemon", "stop"], "stopped"),
        (&["upgrade", "--check"], "version"),
        (&["uninstall", "--yes"], "removed"),
    ] {
        let output = home.run(&[words, &["--json"]].concat());
        assert_eq!(output.status, 0, "{words:?}: {}", output.stderr);
        let document: Value = serde_json::from_str(&output.stdout).unwrap();
        assert!(document["schema_version"].is_u64(), "{words:?}: {document}");
        assert!(!document[field].is_null(), "{words:?}: {document}");
    }
}

#[test]
fn json_is_taken_before_a_command_too() {
    let home = home();
    for words in [&["--json"][..], &["--json", "ls"], &["ls", "--json"]] {
        assert!(home.json(words)["sessions"].is_array(), "{words:?}");
    }
    let all = home.lines(&["--json", "export", SESSION]);
    assert_eq!(all.len(), home.events(SESSION).len());
    for words in [
        &["--json", "export", SESSION, "-f", "md"][..],
        &["--json", "show", "ffffffff"],
        &["show", "--json"],
        &["ls", "--json", "-n", "many"],
        &["dance", "--json"],
    ] {
        let error: Value = serde_json::from_str(&home.run(words).stderr).unwrap();
        assert!(error["error"]["code"].is_u64(), "{words:?}: {error}");
    }
    let to = ["--json", "handoff", SESSION, "--to", "codex", "--yes"];
    assert_eq!(home.run(&to).status, 2);
}

#[test]
fn a_dry_run_has_no_letter() {
    let home = Home::new(PROGRAM);
    for words in [
        &["forget", "3f2a"][..],
        &["setup"],
        &["hooks", "install"],
        &["hooks", "uninstall"],
        &["service", "install"],
        &["notifications", "test"],
    ] {
        let output = home.run(&[words, &["-n"]].concat());
        assert_eq!(output.status, 2, "{words:?}");
        assert!(output.stderr.contains("unexpected argument '-n'"), "{}", output.stderr);
    }
}

#[test]
fn the_log_of_the_daemon_is_cut_to_its_last_lines() {
    let home = Home::new(PROGRAM);
    home.write(".local/state/taffrail/daemon.log", "one\ntwo\nthree\n");
    assert_eq!(home.ok(&["daemon", "logs"]), "one\ntwo\nthree\n");
    assert_eq!(home.ok(&["daemon", "logs", "-n", "1"]), "three\n");
    let lines = home.lines(&["daemon", "logs", "-n", "2", "--json"]);
    let line = |text: &str| serde_json::json!({"at": null, "level": null, "target": null, "message": text, "fields": {}});
    assert_eq!(lines, [line("two"), line("three")], "what was printed before the log began");
}
