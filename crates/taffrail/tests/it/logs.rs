//! The daemon's log end to end: what it contains, what it never contains, and how to read it.
#![expect(clippy::unwrap_used, reason = "helpers of tests fail the test they help")]

use serde_json::{Value, json};
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::PermissionsExt;
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use taffrail_testkit::claude::{Line, path};
use taffrail_testkit::{Background, Home, until_every};

const PROGRAM: &str = env!("CARGO_BIN_EXE_taffrail");
const LOOK: Duration = Duration::from_millis(100);
const LOG: &str = ".local/state/taffrail/daemon.log";

/// A process of ours that ends with the test.
struct Ours(Child);

impl Drop for Ours {
    fn drop(&mut self) {
        // The process may have ended by itself.
        self.0.kill().ok();
        self.0.wait().ok();
    }
}

/// Starts a daemon that logs at a level, and returns what was said.
fn started<'a>(home: &'a Home, level: Option<&str>) -> (Background<'a>, String) {
    let mut command = home.command(&["daemon", "start"]);
    if let Some(level) = level {
        command.env("TAFFRAIL_LOG", level);
    }
    let output = command.output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{said}");
    (Background::stopped_later(home), said)
}

fn log(home: &Home) -> String {
    fs::read_to_string(home.path(LOG)).unwrap_or_default()
}

/// Waits for a log line that contains this.
fn until_logged(home: &Home, what: &str) {
    until_every(LOOK, what, || log(home).contains(what).then_some(()));
}

/// An agent asks for approval of a command; its hook waits for the answer.
fn asks(home: &Home, session: &str, command: &str) -> Ours {
    let payload = json!({"session_id": session, "hook_event_name": "PermissionRequest",
        "tool_name": "Bash", "tool_input": {"command": command}, "cwd": format!("/w/{session}"),
        "permission_mode": "default"});
    let mut hook = home.command(&["hook", "claude-code"]);
    hook.env("CLAUDE_CODE_ENTRYPOINT", "cli");
    let mut child = hook.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(payload.to_string().as_bytes()).unwrap();
    Ours(child)
}

fn line(uuid: &str) -> Line<'_> {
    Line { session: "api", uuid, parent: None, second: 1 }
}

#[test]
fn logs_hold_no_text_of_sessions_no_command_and_no_secret() {
    let home = Home::new(PROGRAM);
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/hook/urlmarkerword", silent.local_addr().unwrap());
    drop(silent);
    home.ok(&["config", "set", "notifications.webhook", &url]);
    home.write(&path("api"), line("1").prompt("promptmarkerword please"));
    let (daemon, _) = started(&home, Some("debug"));
    home.append(&path("api"), line("2").answer("answermarkerword"));
    // A record that cannot be parsed, and one of an unknown type.
    home.append(&path("api"), "{\"type\": \"tornmarkerword\n{\"type\":\"typemarkerword\"}\n");
    let hook = asks(&home, "api", "rm -rf commandmarkerword");
    let row = until_every(LOOK, "the request", || {
        home.json(&["approvals", "--json"])["approvals"].get(0).cloned()
    });
    until_logged(&home, "cannot notify");
    home.ok(&["search", "promptmarkerword"]);
    home.ok(&["note", "api", "notemarkerword"]);
    home.ok(&["deny", row["id"].as_str().unwrap(), "--reason", "reasonmarkerword"]);
    until_logged(&home, "a request was decided");
    drop((hook, daemon));
    let log = log(&home);
    for marker in ["prompt", "answer", "torn", "type", "command", "url", "note", "reason"] {
        assert!(!log.contains(&format!("{marker}markerword")), "{marker}: {log}");
    }
    for line in [
        "the daemon starts",
        "the first pass ended",
        "a request was asked",
        "GET",
        "the daemon ended",
    ] {
        assert!(log.contains(line), "{line}: {log}");
    }
    assert!(!log.contains('?'), "a query string: {log}");
    let mode = fs::metadata(home.path(LOG)).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn logs_are_printed_for_people_and_programs() {
    let home = Home::new(PROGRAM);
    let none = home.run(&["daemon", "logs"]);
    assert_eq!(none.status, 3, "{none:?}");
    assert!(none.stderr.contains("there is no log yet"), "{none:?}");
    assert!(none.stderr.contains("hint: taffrail daemon start"), "{none:?}");
    let (daemon, said) = started(&home, None);
    assert_eq!(said, "");
    until_logged(&home, "the first pass ended");
    drop(daemon);
    let lines = home.lines(&["daemon", "logs", "--json"]);
    let messages: Vec<_> = lines.iter().map(|it| it["message"].as_str().unwrap()).collect();
    assert!(messages.contains(&"the daemon starts"), "{messages:?}");
    assert_eq!(messages.last(), Some(&"the daemon ended"), "{messages:?}");
    let first = lines.iter().find(|it| it["message"] == "the daemon starts").unwrap();
    assert_eq!((&first["level"], &first["fields"]["version"]), (&json!("info"), &json!("0.1.0")));
    assert!(lines.iter().all(|it| it["level"] != "debug"), "{lines:?}");
    let text = home.ok(&["daemon", "logs", "-n", "1"]);
    assert!(text.ends_with("the daemon ended\n") && text.lines().count() == 1, "{text}");
    // The old log comes first if the new one is too short.
    fs::rename(home.path(LOG), home.path(&format!("{LOG}.1"))).unwrap();
    fs::write(home.path(LOG), "another line\n").unwrap();
    let both = home.ok(&["daemon", "logs", "-n", "2"]);
    assert!(both.ends_with("the daemon ended\nanother line\n"), "{both}");
    let raw = &home.lines(&["daemon", "logs", "-n", "1", "--json"])[0];
    assert_eq!((&raw["message"], &raw["at"]), (&json!("another line"), &Value::Null));
}

#[test]
fn logs_are_followed_across_a_rename() {
    let home = Home::new(PROGRAM);
    home.write(LOG, "one\n");
    let mut follow = home.command(&["daemon", "logs", "-f"]);
    let mut follow = Ours(follow.stdout(Stdio::piped()).spawn().unwrap());
    let mut lines = BufReader::new(follow.0.stdout.take().unwrap()).lines();
    let mut check = |expected: &str| assert_eq!(lines.next().unwrap().unwrap(), expected);
    check("one");
    home.append(LOG, "two\n");
    check("two");
    fs::rename(home.path(LOG), home.path(&format!("{LOG}.1"))).unwrap();
    home.write(LOG, "three\n");
    check("three");
    let interrupted = Command::new("kill").args(["-INT", &follow.0.id().to_string()]).status();
    assert!(interrupted.unwrap().success());
}

#[test]
fn a_wrong_level_is_reported_and_the_usual_one_is_used_in_logs() {
    let home = Home::new(PROGRAM);
    let (daemon, said) = started(&home, Some("wran"));
    assert!(said.contains("TAFFRAIL_LOG: `wran` is neither a level"), "{said}");
    drop(daemon);
    let log = log(&home);
    assert!(log.contains("cannot read TAFFRAIL_LOG; the level is info"), "{log}");
    assert!(log.contains("the daemon ended"), "{log}");
}
