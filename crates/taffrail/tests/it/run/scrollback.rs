//! The output of a terminal of ours is kept until its agent exits normally.

use super::Person;
use rustix::process::Signal;
use serde_json::{Value, json};
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use taffrail_testkit::claude::{path, talk};
use taffrail_testkit::{Background, Home, until};

const SESSION: &str = "11111111-1111-4111-8111-111111111111";
/// An agent that lists itself, prints, and prints what is typed.
const AGENT: &str = r#"#!/bin/bash
mkdir -p ~/.claude/sessions
printf '{"pid":%s,"sessionId":"SESSION","procStart":"%s","cwd":"%s","status":"busy"}' \
  $$ "$(cut -d' ' -f22 /proc/$$/stat)" "$PWD" > ~/.claude/sessions/$$.json
echo "started with $*"
while read -r line; do
  case "$line" in
    exit*) exit "${line#exit }" ;;
    hide) stty -echo; echo during; read -r line; stty echo; echo after ;;
    *) echo "got $line" ;;
  esac
done
"#;

/// A home with the history of a session, and its agent.
fn home() -> Home {
    let home = Home::new(env!("CARGO_BIN_EXE_taffrail"));
    let project = home.root().to_string_lossy().into_owned();
    home.write(&path(SESSION), talk(SESSION, 0, 14).replace("/w/app", &project));
    home.write("bin/claude", AGENT.replace("SESSION", SESSION));
    fs::set_permissions(home.path("bin/claude"), Permissions::from_mode(0o755)).unwrap();
    home.index();
    home
}

/// A run of the agent.
fn started(home: Home) -> Person {
    let words = ["run", "--", "claude", "--model", "big", "--dangerously-skip-permissions"];
    let mut person = Person::types_command(home, &words);
    person.sees("started with");
    person
}

/// Waits until every kept run names its session.
fn known(person: &mut Person) {
    let field = format!("\"session\":\"{SESSION}\"");
    let is_known =
        |it: &PathBuf| fs::read_to_string(it.join("run.json")).is_ok_and(|it| it.contains(&field));
    // The session is looked up when the screen changes.
    person.types(b"ready\r");
    until("the session", || {
        let runs = runs(&person.home);
        (!runs.is_empty() && runs.iter().all(is_known)).then_some(())
    });
}

/// The folders of kept runs.
fn runs(home: &Home) -> Vec<PathBuf> {
    let folder = fs::read_dir(home.path(".local/share/taffrail/terminals"));
    folder.into_iter().flatten().flatten().map(|it| it.path()).collect()
}

/// The kept output of the only run.
fn output(home: &Home) -> String {
    let runs = runs(home);
    assert!(runs.len() < 2, "{runs:?}");
    let read = |it: &PathBuf| fs::read_to_string(it.join("output.cast")).ok();
    runs.first().and_then(read).unwrap_or_default()
}

fn holds(person: &Person, text: &str) {
    until("the output", || output(&person.home).contains(text).then_some(()));
}

/// Kills `run` itself, as a crash of the terminal or of the machine does.
fn crashes(person: Person) -> Home {
    person.signals(Signal::KILL);
    let Person { home, mut child, .. } = person;
    child.wait().unwrap();
    home
}

fn shown(home: &Home) -> Value {
    home.json(&["show", SESSION, "--terminal", "--json"])
}

fn mode(path: &PathBuf) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[test]
fn the_scrollback_is_shown_again_after_a_crash_and_a_restart() {
    let mut person = started(home());
    known(&mut person);
    let secret = format!("gh{}_{}", "p", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
    person.types(format!("zebra {secret}\r").as_bytes());
    holds(&person, "got zebra");
    let folder = runs(&person.home).remove(0);
    assert_eq!(mode(&folder), 0o700);
    for file in fs::read_dir(&folder).unwrap() {
        assert_eq!(mode(&file.unwrap().path()), 0o600);
    }
    drop(Background::start(&person.home));
    assert_eq!(shown(&person.home)["runs"][0]["is_running"], true);
    let home = crashes(person);
    drop(Background::start(&home));
    let run = &shown(&home)["runs"][0];
    let lines: Vec<_> = run["lines"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    let lines = lines.join("\n");
    assert!(lines.contains("started with --model big") && lines.contains("got zebra"), "{lines}");
    let facts = json!([run["is_running"], run["columns"], run["rows"], run["is_cut"]]);
    assert_eq!(facts, json!([false, 60, 10, false]), "{run}");
    assert!(home.ok(&["show", SESSION, "--terminal"]).contains("got zebra"));
    let found = home.json(&["search", "--terminal", "ZEBRA", "got", "--json"]);
    assert_eq!(
        (&found["total"], &found["hits"][0]["session_id"]),
        (&json!(1), &home.session(SESSION)["id"])
    );
    let plain = home.ok(&["export", SESSION, "--terminal"]);
    let redacted = home.ok(&["export", SESSION, "--terminal", "--redacted"]);
    assert!(plain.contains(&secret) && !redacted.contains(&secret), "{redacted}");
    assert!(redacted.contains("got zebra"), "{redacted}");
    // Terminals are no part of histories: other exports, and what goes to other devices.
    assert!(!home.ok(&["export", SESSION, "--format", "jsonl"]).contains("zebra"));
}

#[test]
fn only_a_normal_exit_clears_the_scrollback() {
    let check = |typed: &str, kept: usize| {
        let mut person = started(home());
        holds(&person, "started");
        person.types(format!("{typed}\r").as_bytes());
        let (home, ..) = person.ends_at_home();
        assert_eq!(runs(&home).len(), kept, "{typed}");
    };
    check("exit 0", 0);
    check("exit 3", 1);
    // The terminal is closed.
    let person = started(home());
    holds(&person, "started");
    person.signals(Signal::HUP);
    assert_eq!(runs(&person.ends_at_home().0).len(), 1);
}

#[test]
fn a_scrollback_that_is_off_keeps_no_output() {
    let check = |key: &str, value: &str, kept: usize| {
        let home = home();
        home.ok(&["config", "set", key, value]);
        let mut person = started(home);
        person.types(b"more\r");
        person.sees("got more");
        // The exit code keeps what there is.
        person.types(b"exit 3\r");
        let (home, ..) = person.ends_at_home();
        assert_eq!((runs(&home).len(), output(&home)), (kept, String::new()), "{key}");
    };
    check("run.scrollback_kb", "0", 1);
    check("archive.enabled", "false", 1);
    let project = |home: &Home| json!([home.root()]).to_string();
    let home = home();
    home.ok(&["config", "set", "exclude", &project(&home)]);
    let mut person = started(home);
    person.types(b"exit 3\r");
    assert_eq!(runs(&person.ends_at_home().0), Vec::<PathBuf>::new());
    // A program that is not an agent has no session.
    let person = Person::runs(&[], "echo hello; exit 3");
    assert_eq!(runs(&person.ends_at_home().0), Vec::<PathBuf>::new());
}

#[test]
fn what_is_forgotten_or_not_captured_has_no_scrollback() {
    for words in [&["forget", SESSION, "--yes"][..], &["capture", "off", SESSION]] {
        let mut person = started(home());
        known(&mut person);
        person.home.ok(words);
        assert_eq!(runs(&person.home), Vec::<PathBuf>::new(), "{words:?}");
        person.types(b"more\r");
        person.sees("got more");
        person.types(b"exit 3\r");
        let (home, ..) = person.ends_at_home();
        assert_eq!(runs(&home), Vec::<PathBuf>::new(), "{words:?}");
        // The next run of the session keeps nothing either.
        let mut person = started(home);
        person.types(b"again\r");
        until("the end of the recording", || runs(&person.home).is_empty().then_some(()));
        person.types(b"exit 3\r");
        assert_eq!(runs(&person.ends_at_home().0), Vec::<PathBuf>::new(), "{words:?}");
    }
}

#[test]
fn output_beside_a_hidden_line_is_not_kept() {
    let mut person = started(home());
    known(&mut person);
    person.types(b"hide\r");
    person.sees("during");
    person.types(b"hunter2\r");
    person.sees("after");
    holds(&person, "after");
    let kept = output(&person.home);
    assert!(!kept.contains("during") && !kept.contains("hunter2"), "{kept}");
    assert_eq!(shown(&person.home)["runs"][0]["hidden_at"].as_array().unwrap().len(), 1, "{kept}");
    crashes(person);
}

#[test]
fn a_session_is_resumed_as_it_was_started_with_a_summary() {
    let mut person = started(home());
    known(&mut person);
    person.types(b"zebra\r");
    holds(&person, "got zebra");
    let home = crashes(person);
    let plan = home.json(&["resume", SESSION, "--dry-run", "--json"]);
    assert_eq!(plan["command"], json!(["claude", "--resume", SESSION, "--model", "big"]), "{plan}");
    assert_eq!(plan["not_repeated"], json!(["--dangerously-skip-permissions"]));
    let words = ["claude", "--model", "big", "--dangerously-skip-permissions"];
    assert_eq!(plan["started_as"], json!(words));
    assert_eq!((&plan["model"], &plan["worktree"]), (&json!("claude-x-1"), &Value::Null));
    let prompts = plan["recap"]["turns"].as_array().unwrap().iter().map(|it| it["prompt"].clone());
    let expected: Vec<_> = (2..7).map(|it| format!("Prompt number {:04}.", it * 2)).collect();
    assert_eq!(prompts.collect::<Vec<_>>(), expected);
    assert!(plan["recap"]["summary"].as_str().unwrap().contains("Prompt number 0012."), "{plan}");
    let mut person = Person::types_command(home, &["resume", SESSION]);
    for text in [
        "got zebra",
        "> Prompt number 0004.",
        "> Prompt number 0012.",
        "not repeated: --dangerously",
    ] {
        person.sees(text);
    }
    person.sees("started with --resume");
    known(&mut person);
    assert_eq!(runs(&person.home).len(), 2, "the agent runs on a terminal of ours again");
    person.types(b"exit 0\r");
    // A normal exit also clears what the crash left.
    assert_eq!(runs(&person.ends_at_home().0), Vec::<PathBuf>::new());
}

#[test]
fn a_worktree_is_named_where_its_session_is_resumed() {
    let home = Home::new(env!("CARGO_BIN_EXE_taffrail"));
    let script = "git init -q main && cd main && git -c user.name=a -c user.email=a@b.c commit -q \
                  --allow-empty -m x && git worktree add -q ../tree";
    let mut git = home.any_command("sh".as_ref(), home.root());
    assert!(git.args(["-c", script]).output().unwrap().status.success());
    let tree = home.path("tree").canonicalize().unwrap();
    home.write(&path(SESSION), talk(SESSION, 0, 2).replace("/w/app", &tree.to_string_lossy()));
    home.index();
    let plan = home.json(&["resume", SESSION, "--dry-run", "--json"]);
    assert_eq!((&plan["worktree"], &plan["cwd"]), (&json!(tree), &json!(tree)), "{plan}");
    assert_eq!(plan["started_as"], Value::Null);
}
