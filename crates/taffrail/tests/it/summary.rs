//! Final summaries and the user's own command, tested through the program and a real daemon.
#![expect(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "helpers of tests fail the test they help"
)]

use serde_json::Value;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;
use std::time::Duration;
use taffrail_testkit::claude::{Line, path};
use taffrail_testkit::{Home, Run, claude, until_every};

const PROGRAM: &str = env!("CARGO_BIN_EXE_taffrail");
const MENDED: &str = "11111111-1111-4111-8111-111111111111";
const ASKED: &str = "22222222-2222-4222-8222-222222222222";
const LOOK: Duration = Duration::from_millis(50);

/// Two old sessions: one fixed a parser, and one asked a question.
fn home() -> Home {
    let home = Home::new(PROGRAM);
    let first = Line { session: MENDED, uuid: "u-1", parent: None, second: 1 };
    let second = Line { uuid: "u-2", parent: Some("u-1"), second: 2, ..first };
    home.write(
        &path(MENDED),
        first.prompt("Fix the parser, the parser drops bytes")
            + &second.answer("Fixed the parser."),
    );
    // Records with the same id would be copies of one another.
    let first = Line { session: ASKED, uuid: "a-1", ..first };
    let second = Line { session: ASKED, uuid: "a-2", parent: Some("a-1"), ..second };
    home.write(
        &path(ASKED),
        first.prompt("What is a monad?") + &second.answer("A monad is a monoid."),
    );
    home
}

fn daemon(home: &Home) -> Run {
    let run = home.spawn(&["daemon", "run"]);
    until_every(LOOK, "the daemon to answer", || {
        home.json(&["daemon", "status", "--json"])["running"].as_bool().filter(|it| *it)
    });
    run
}

fn end(mut run: Run) {
    let status = Command::new("kill").args(["-TERM", &run.id().to_string()]).status().unwrap();
    assert!(status.success());
    assert_eq!(run.wait().code(), Some(0), "the daemon's own end");
}

/// The runtime ids of the listed sessions.
fn listed(home: &Home, arguments: &[&str]) -> Vec<String> {
    let list = home.json(&[&["ls", "--json"], arguments].concat());
    let id = |it: &Value| it["runtime_session_id"].as_str().unwrap().to_owned();
    let mut ids: Vec<_> = list["sessions"].as_array().unwrap().iter().map(id).collect();
    ids.sort();
    ids
}

fn check_found(home: &Home) {
    let check = |arguments: &[&str], expected: &[&str]| {
        assert_eq!(listed(home, arguments), expected, "{arguments:?}");
    };
    check(&["--topic", "parser"], &[MENDED]);
    check(&["--topic", "Parser", "--category", "fix"], &[MENDED]);
    check(&["--topic", "parser", "--category", "docs"], &[]);
    check(&["--category", "question"], &[ASKED]);
    check(&["--topic", "parser", "--waiting"], &[]);
    let asked = |query: &str, expected: u64| {
        let reply = home.json(&["search", query, "--json"]);
        let got = (reply["total"].as_u64(), reply["partial"].as_bool());
        assert_eq!(got, (Some(expected), Some(false)), "{query}: {reply}");
    };
    asked("topic:parser", 2);
    // Two events of the session whose summary has the text.
    asked("summary:\"FIXED the parser\"", 2);
    asked("summary:drops kind:prompt", 1);
    asked("summary:monad", 2);
    asked("summary:%", 0);
    asked("summary:parser category:question", 0);
    asked("category:fix kind:prompt", 1);
    asked("category:question \"drops bytes\"", 0);
    asked("topic:monad monoid", 1);
    asked("topic:nothing", 0);
}

#[test]
fn without_a_daemon_they_are_made_when_they_are_asked_for() {
    let home = home();
    check_found(&home);
    let told = home.json(&["summary", MENDED, "--json"]);
    assert_eq!(told["category"], "fix");
    assert_eq!(told["topics"][0], "parser");
    assert_eq!(told["by_command"], false);
    let text = home.ok(&["summary", MENDED]);
    assert!(text.contains("Was about: parser, bytes, drops (fix)"), "{text}");
    home.ok(&["rebuild", "--yes"]);
    check_found(&home);
    let wrong = home.run(&["search", "category:poem"]);
    assert_eq!((wrong.status, wrong.stdout.as_str()), (2, ""));
    assert!(wrong.stderr.contains("no category is called `poem`"), "{}", wrong.stderr);
    assert_eq!(home.run(&["ls", "--category", "poem"]).status, 2);
}

/// Waits until every finished session has a summary.
fn made(home: &Home) {
    until_every(LOOK, "final summaries", || {
        let reply = home.json(&["search", "category:other", "--json"]);
        (reply["partial"] == false).then_some(())
    });
}

#[test]
fn a_daemon_makes_them_by_itself() {
    let home = home();
    let run = daemon(&home);
    made(&home);
    check_found(&home);
    // A session that continues gets a new summary.
    let line = Line { session: ASKED, uuid: "a-3", parent: Some("a-2"), second: 9 };
    let more = line.prompt("Rename the lexer, the lexer and the lexer, and tidy the lexer");
    home.append(&path(ASKED), more);
    until_every(LOOK, "the new topic", || {
        (listed(&home, &["--topic", "lexer"]) == [ASKED]).then_some(())
    });
    assert_eq!(listed(&home, &["--category", "question"]), [""; 0]);
    assert_eq!(listed(&home, &["--category", "refactor"]), [ASKED]);
    home.ok(&["rebuild", "--yes"]);
    made(&home);
    assert_eq!(listed(&home, &["--topic", "lexer"]), [ASKED]);
    // Nothing finds a forgotten session.
    home.ok(&["forget", MENDED, "--yes"]);
    assert_eq!(listed(&home, &["--topic", "parser"]), [""; 0]);
    end(run);
}

/// A command that saves its input beside itself.
fn command(home: &Home, says: &str) {
    let script = format!("#!/bin/sh\ncat > {}\necho '{says}'\n", home.path("given").display());
    home.write("bin/sum", script);
    let file = home.path("bin/sum");
    std::fs::set_permissions(&file, PermissionsExt::from_mode(0o755)).unwrap();
    home.ok(&["config", "set", "summary.command", "[\"~/bin/sum\"]"]);
}

#[test]
fn the_command_is_run_when_somebody_asks() {
    let home = home();
    command(&home, "Recent: its own words");
    let run = daemon(&home);
    // The daemon answers before its first scan is done.
    home.ok(&["index"]);
    let told = home.json(&["summary", MENDED, "--json"]);
    assert_eq!((&told["recent"], &told["by_command"]), (&"its own words".into(), &true.into()));
    assert_eq!(told["category"], "fix", "what is kept stays ours");
    let given = std::fs::read_to_string(home.path("given")).unwrap();
    assert!(given.contains("Prompt: Fix the parser"), "{given}");
    end(run);
}

#[test]
fn the_command_is_run_when_a_turn_ends() {
    let home = home();
    command(&home, "Recent: at the end of a turn");
    let run = daemon(&home);
    // What is read before the first scan is done is not news.
    home.ok(&["index"]);
    let date = Command::new("date").args(["-u", "+%Y-%m-%dT%H:%M:%S"]).output().unwrap();
    let now = String::from_utf8(date.stdout).unwrap().trim().to_owned();
    let session = "33333333-3333-4333-8333-333333333333";
    let talk = claude::talk(session, 0, 2);
    let talk = talk.replace("2026-10-01T10:00:00", &now).replace("2026-10-01T10:00:01", &now);
    home.write(&path(session), talk);
    until_every(LOOK, "a run nobody asked for", || home.path("given").exists().then_some(()));
    assert!(!listed(&home, &[]).is_empty());
    end(run);
}
