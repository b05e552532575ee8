//! Notifications end to end: real hooks, a real daemon, and programs that record what they receive.
//!
//! There is no desktop here: a program called `notify-send` records its arguments and prints a
//! number, as the real one does.
#![expect(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "helpers of tests fail the test they help"
)]

use serde_json::{Value, json};
use std::fs;
use std::io::{Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use taffrail_testkit::hostile::{payloads, raw};
use taffrail_testkit::{Home, until_every};

const PROGRAM: &str = env!("CARGO_BIN_EXE_taffrail");
const LOOK: Duration = Duration::from_millis(100);

/// A process of ours that ends with the test.
struct Ours(Child);

impl Drop for Ours {
    fn drop(&mut self) {
        // The process may have ended by itself.
        self.0.kill().ok();
        self.0.wait().ok();
    }
}

/// A home whose daemon notifies a command, which records every message.
fn home() -> Home {
    let home = Home::new(PROGRAM);
    let notes = home.path("notes").display().to_string();
    let command = json!(["sh", "-c", format!("cat >> {notes}")]).to_string();
    home.ok(&["config", "set", "notifications.command", &command]);
    home
}

fn daemon(home: &Home, change: impl FnOnce(&mut Command)) -> Ours {
    let mut command = home.command(&["daemon", "run"]);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    change(&mut command);
    let run = Ours(command.spawn().unwrap());
    until_every(LOOK, "the daemon to answer", || {
        let status = home.run(&["daemon", "status", "--json"]);
        let status: Value = serde_json::from_str(&status.stdout).ok()?;
        status["running"].as_bool().filter(|it| *it)
    });
    run
}

/// Stops it as a service manager does.
fn end(mut run: Ours) {
    let pid = run.0.id().to_string();
    assert!(Command::new("kill").args(["-TERM", &pid]).status().unwrap().success());
    assert_eq!(run.0.wait().unwrap().code(), Some(0), "the daemon's own end");
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

/// Waits for this many recorded messages.
fn notes(home: &Home, count: usize) -> Vec<Value> {
    let read = || {
        let text = fs::read_to_string(home.path("notes")).unwrap_or_default();
        let lines = text.lines().map(serde_json::from_str).collect::<Result<Vec<Value>, _>>();
        lines.ok().filter(|it| it.len() >= count)
    };
    let notes = until_every(LOOK, &format!("{count} messages"), read);
    assert_eq!(notes.len(), count, "{notes:?}");
    notes
}

/// The kind of a message, and its texts.
fn said(message: &Value) -> (&str, &str, &str) {
    let text = |name: &str| message[name].as_str().unwrap();
    (text("event"), text("title"), text("body"))
}

#[test]
fn a_request_is_told_once_and_withdrawn_when_it_is_answered_elsewhere() {
    let home = home();
    let run = daemon(&home, |_| {});
    let secret = "ghp_A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8";
    let hook = asks(&home, "api", &format!("git push https://{secret}@example.com"));
    let told = notes(&home, 1);
    let (event, title, body) = said(&told[0]);
    assert_eq!((event, title), ("told", "api waits for you"));
    assert!(body.contains("[redacted:") && !told[0].to_string().contains(secret), "{body}");
    // After a restart the request is still open at the agent, and was announced already; another
    // one was not.
    end(run);
    let run = daemon(&home, |_| {});
    let other = asks(&home, "web", "rm -rf /");
    let told = notes(&home, 2);
    let expected = ("told", "web asks for something risky", "Asks for: rm -rf /");
    assert_eq!(said(&told[1]), expected);
    let asked = home.json(&["approvals", "--json"]);
    let mut rows = asked["approvals"].as_array().unwrap().iter();
    let row = rows.find(|it| it["command"] == "rm -rf /").unwrap();
    home.ok(&["deny", row["id"].as_str().unwrap()]);
    let told = notes(&home, 3);
    assert_eq!(said(&told[2]).0, "withdrawn");
    assert_eq!(told[2]["id"], told[1]["id"]);
    drop((hook, other));
    end(run);
}

#[test]
fn many_at_once_are_one_message_and_the_desktop_takes_it_back() {
    let home = home();
    home.ok(&["config", "set", "notifications.desktop", "true"]);
    let calls = home.path("calls");
    let script =
        format!("#!/bin/sh\nprintf '%s|' \"$@\" >> {0}; echo >> {0}; echo 41\n", calls.display());
    home.write("bin/notify-send", script);
    fs::set_permissions(home.path("bin/notify-send"), fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:{}", home.path("bin").display(), "/usr/local/bin:/usr/bin:/bin");
    let run = daemon(&home, |it| {
        it.env("PATH", &path);
    });
    let _hooks: Vec<Ours> = ["a", "b", "c"].iter().map(|it| asks(&home, it, "ls")).collect();
    let told = notes(&home, 1);
    assert_eq!(said(&told[0]), ("told", "3 sessions wait", "a, b, c"));
    let lines = || fs::read_to_string(&calls).unwrap_or_default();
    let first = "--app-name=Taffrail|--urgency=normal|--print-id|--|3 sessions wait|a, b, c|\n";
    until_every(LOOK, "the desktop's call", || (lines() == first).then_some(()));
    for row in home.json(&["approvals", "--json"])["approvals"].as_array().unwrap() {
        home.ok(&["approve", row["id"].as_str().unwrap()]);
    }
    let over = "--app-name=Taffrail|--urgency=low|--expire-time=1|--hint=int:transient:1|\
                --replace-id=41|--|3 sessions wait|It is over.|\n";
    let both = format!("{first}{over}");
    until_every(LOOK, "the desktop's second call", || (lines() == both).then_some(()));
    assert_eq!(said(&notes(&home, 2)[1]).0, "withdrawn");
    end(run);
}

/// An address that accepts one message at a time, and records all of it.
fn address(notes: std::path::PathBuf) -> String {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            stream.set_read_timeout(Some(Duration::from_secs(1))).unwrap();
            let (mut all, mut piece) = (Vec::new(), [0; 65_536]);
            while let Ok(count) = stream.read(&mut piece) {
                all.extend_from_slice(&piece[..count]);
                if count == 0 || all.ends_with(b"}") {
                    break;
                }
            }
            fs::write(&notes, &all).unwrap();
            stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n").unwrap();
        }
    });
    url
}

/// Hostile text in folders and commands of many sessions at once.
#[test]
fn what_strangers_wrote_is_text_wherever_it_is_told() {
    let home = home();
    let (log, calls, posted) = (home.path("log"), home.path("calls"), home.path("posted"));
    home.ok(&["config", "set", "notifications.webhook", &address(posted.clone())]);
    home.ok(&["config", "set", "notifications.desktop", "true"]);
    let script = format!("#!/bin/sh\nprintf '%s\\n' \"$@\" >> {}; echo 41\n", calls.display());
    home.write("bin/notify-send", script);
    fs::set_permissions(home.path("bin/notify-send"), fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:{}", home.path("bin").display(), "/usr/local/bin:/usr/bin:/bin");
    let run = daemon(&home, |it| {
        let out = fs::File::create(&log).unwrap();
        it.env("PATH", &path).stdout(out.try_clone().unwrap()).stderr(out);
    });
    let payloads = payloads();
    assert!(payloads.len() >= 150);
    let hooks: Vec<Ours> =
        payloads.iter().enumerate().map(|(at, it)| hostile(&home, at, it)).collect();
    let count = |messages: &[Value]| -> usize {
        messages.iter().map(|it| it["about"].as_array().unwrap().len()).sum()
    };
    let told = until_every(LOOK, "all of them", || {
        let text = fs::read_to_string(home.path("notes")).unwrap_or_default();
        let lines: Result<Vec<Value>, _> = text.lines().map(serde_json::from_str).collect();
        lines.ok().filter(|it| count(it) >= payloads.len())
    });
    assert_eq!(count(&told), payloads.len());
    until_every(LOOK, "the other two", || (calls.exists() && posted.exists()).then_some(()));
    drop(hooks);
    for file in [&home.path("notes"), &calls, &log] {
        let text = fs::read_to_string(file).unwrap();
        assert_eq!(raw(&text), None, "{}: {text:?}", file.display());
    }
    let posted = fs::read_to_string(&posted).unwrap().replace("\r\n", "\n");
    assert!(posted.contains("\"about\"") && raw(&posted).is_none(), "{posted:?}");
    for words in [&["daemon", "status"][..], &["health"], &["doctor"], &["approvals"]] {
        let said = home.run(words);
        assert_eq!(raw(&(said.stdout + &said.stderr)), None, "{words:?}");
    }
    end(run);
}

/// A separate session in a folder of that name asks for approval of this.
fn hostile(home: &Home, number: usize, payload: &str) -> Ours {
    let said = json!({"session_id": format!("h{number}"), "hook_event_name": "PermissionRequest",
        "tool_name": payload, "tool_input": {"command": format!("echo {payload}")},
        "cwd": format!("/w/{payload}"), "permission_mode": "default"});
    let mut hook = home.command(&["hook", "claude-code"]);
    hook.env("CLAUDE_CODE_ENTRYPOINT", "cli");
    let mut child = hook.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(said.to_string().as_bytes()).unwrap();
    Ours(child)
}

#[test]
fn a_channel_that_fails_is_counted_and_holds_nothing_up() {
    let home = home();
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/", silent.local_addr().unwrap());
    drop(silent);
    home.ok(&["config", "set", "notifications.webhook", &url]);
    let run = daemon(&home, |_| {});
    let _hook = asks(&home, "api", "ls");
    assert_eq!(said(&notes(&home, 1)[0]).0, "told");
    let trouble = "notifications by webhook: nobody listens there";
    until_every(LOOK, "the failure", || {
        let health = home.json(&["health", "--json"]);
        let problems = health["problems"].as_array().unwrap().clone();
        problems.contains(&json!(trouble)).then_some(())
    });
    end(run);
}

#[test]
fn a_try_shows_and_sends_one_and_says_what_is_not_set() {
    let bare = Home::new(PROGRAM);
    let none = bare.run(&["notify", "test"]);
    assert_eq!(none.status, 6, "{none:?}");
    assert!(none.stderr.contains("no notification channel configured"), "{none:?}");
    let home = home();
    let shown = home.ok(&["notify", "test", "--dry-run"]);
    assert!(shown.contains("Taffrail can notify you") && shown.contains("not sent"), "{shown}");
    assert!(!home.path("notes").exists());
    let sent = home.json(&["notify", "test", "--channel", "command", "--json"]);
    assert_eq!(sent["channels"][0]["sent"], json!(true), "{sent}");
    assert_eq!(said(&notes(&home, 1)[0]).1, "Taffrail can notify you");
    home.ok(&["config", "set", "notifications.command", "[\"/nowhere/at/all\"]"]);
    let failed = home.run(&["notify", "test"]);
    assert_eq!(failed.status, 1, "{failed:?}");
    assert!(failed.stdout.contains("not sent: "), "{failed:?}");
    let unknown = home.run(&["notify", "test", "--channel", "pigeon"]);
    assert_eq!(unknown.status, 2, "{unknown:?}");
}
