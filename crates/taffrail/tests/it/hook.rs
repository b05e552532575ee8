//! The hook itself: it writes one entry, prints nothing and never fails.
#![expect(clippy::unwrap_used, reason = "helpers of tests fail the test they help")]

use serde_json::{Value, json};
use std::fs;
use std::io::{ErrorKind, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};
use taffrail_testkit::{Background, Home};

const PROGRAM: &str = env!("CARGO_BIN_EXE_taffrail");
const SPOOL: &str = ".local/share/taffrail/journal/spool";

/// Calls the hook; whatever happens, it exits with 0 and prints nothing.
fn call(mut command: Command, payload: &[u8]) {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let written = child.stdin.take().unwrap().write_all(payload);
    assert!(written.is_ok() || written.unwrap_err().kind() == ErrorKind::BrokenPipe);
    let output = child.wait_with_output().unwrap();
    let said = (output.stdout.as_slice(), output.stderr.as_slice());
    assert_eq!((output.status.code(), said), (Some(0), (&b""[..], &b""[..])));
}

/// The entries in a spool, each complete, private and on one line.
fn entries(spool: &Path) -> Vec<Value> {
    let Ok(list) = fs::read_dir(spool) else { return Vec::new() };
    let mut paths: Vec<_> = list.map(|it| it.unwrap().path()).collect();
    paths.sort();
    let read = |path: &std::path::PathBuf| {
        let mode = fs::metadata(path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{path:?}");
        assert_eq!(path.extension().unwrap(), "json", "{path:?}");
        let text = fs::read_to_string(path).unwrap();
        assert_eq!(text.find('\n'), Some(text.len() - 1), "{path:?}");
        serde_json::from_str(&text).unwrap()
    };
    paths.iter().map(read).collect()
}

#[test]
fn every_payload_becomes_one_entry() {
    let check = |payload: &str, expected: &[Value]| {
        let home = Home::new(PROGRAM);
        call(home.command(&["hook", "claude-code"]), payload.as_bytes());
        let got = entries(&home.path(SPOOL));
        let payloads: Vec<_> = got.iter().map(|it| it["payload"].clone()).collect();
        assert_eq!(payloads, expected, "{payload}");
        for entry in &got {
            assert_eq!((&entry["agent"], &entry["via"]), (&json!("claude-code"), &json!("hook")));
            assert_eq!(entry["nonce"].as_str().unwrap().len(), 32);
            let above: Vec<_> = entry["ancestors"].as_array().unwrap().iter().collect();
            assert_eq!(above[0]["pid"], std::process::id());
        }
    };
    let asked = json!({"hook_event_name": "PermissionRequest", "session_id": "8f3", "tool_input": {"command": "rm"}});
    check(&asked.to_string(), std::slice::from_ref(&asked));
    check(&format!("{asked:#}\n"), &[asked]);
    check("{}", &[json!({})]);
    check("no json", &[json!("no json")]);
    check("", &[]);
    check(" \n ", &[]);
}

#[test]
fn equal_payloads_are_told_apart() {
    let home = Home::new(PROGRAM);
    for _ in 0..20 {
        call(home.command(&["hook", "codex"]), b"{\"session_id\":\"a\"}");
    }
    assert_eq!(entries(&home.path(SPOOL)).len(), 20);
}

#[test]
fn a_long_payload_is_read_to_its_end_and_shortened() {
    let home = Home::new(PROGRAM);
    let long = json!({"session_id": "8f3", "hook_event_name": "PostToolUse", "tool_use_id": "t1", "tool_response": {"stdout": "x".repeat(5_000_000)}});
    call(home.command(&["hook", "claude-code"]), long.to_string().as_bytes());
    let entry = &entries(&home.path(SPOOL))[0];
    assert_eq!(entry["shortened"], true);
    let payload = &entry["payload"];
    assert!(payload.to_string().len() <= 64 * 1024);
    let small = ["session_id", "hook_event_name", "tool_use_id"].map(|it| payload[it].clone());
    assert_eq!(small, ["8f3", "PostToolUse", "t1"]);
}

#[test]
fn nothing_stops_an_agent() {
    let home = Home::new(PROGRAM);
    for words in [&["hook", "nobody"][..], &["hook"], &["hook", ""], &["hook", "codex", "--more"]] {
        call(home.command(words), b"{\"a\":1}");
    }
    let known = entries(&home.path(SPOOL));
    assert_eq!(known.len(), 1, "only a known agent is written down");
    let mut closed = home.command(&["hook", "codex"]);
    closed.stdin(Stdio::null());
    assert_eq!(closed.status().unwrap().code(), Some(0));
}

#[test]
fn a_folder_that_cannot_be_written_is_no_failure() {
    let home = Home::new(PROGRAM);
    home.write("file", "not a folder");
    let below_a_file = home.path("file/data");
    let odd = ["", "relative", "/proc/none", below_a_file.to_str().unwrap()];
    for data in odd {
        let mut command = home.command(&["hook", "codex"]);
        command.env("XDG_DATA_HOME", data).env("HOME", "/proc/none");
        call(command, b"{\"a\":1}");
    }
    for home_of in ["", "relative"] {
        let mut command = home.command(&["hook", "codex"]);
        command.env_remove("XDG_DATA_HOME").env("HOME", home_of);
        call(command, b"{\"a\":1}");
    }
    assert!(!home.path("relative").exists(), "nothing is left in the project");
}

#[test]
fn data_is_where_every_other_command_looks() {
    let check = |data: Option<&str>, user: Option<&str>, expected: &str| {
        let home = Home::new(PROGRAM);
        let mut command = home.command(&["hook", "codex"]);
        command.env_remove("XDG_DATA_HOME").env_remove("HOME");
        command.envs(data.map(|it| ("XDG_DATA_HOME", home.path(it))));
        command.envs(user.map(|it| ("HOME", home.path(it))));
        call(command, b"{\"a\":1}");
        let spool = home.path(expected).join("taffrail/journal/spool");
        assert_eq!(entries(&spool).len(), 1, "{data:?} {user:?}");
        let mode = fs::metadata(spool).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o700);
    };
    check(Some("d"), Some("h"), "d");
    check(Some("d"), None, "d");
    check(None, Some("h"), "h/.local/share");
}

/// Runs the status line; returns its output.
fn draw(home: &Home, words: &[&str], payload: &[u8]) -> String {
    let mut command = home.command(words);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let written = child.stdin.take().unwrap().write_all(payload);
    assert!(written.is_ok() || written.unwrap_err().kind() == ErrorKind::BrokenPipe);
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), &b""[..]), "{words:?}");
    String::from_utf8(output.stdout).unwrap()
}

fn told(percent: u32, duration: u32) -> Vec<u8> {
    let it = json!({"session_id": "8f3", "cost": {"total_cost_usd": 0.5, "total_duration_ms": duration},
        "context_window": {"context_window_size": 200_000, "used_percentage": percent}});
    it.to_string().into_bytes()
}

#[test]
fn a_status_line_is_noted_only_where_it_says_something_new() {
    let home = Home::new(PROGRAM);
    for (percent, duration, expected) in
        [(10, 1, 1), (10, 2, 1), (11, 3, 2), (11, 4, 2), (10, 5, 3)]
    {
        draw(&home, &["statusline", "claude-code"], &told(percent, duration));
        assert_eq!(entries(&home.path(SPOOL)).len(), expected, "{percent} {duration}");
    }
    assert!(!home.path(".local/share/taffrail/index.db").exists(), "no database is opened");
}

#[test]
fn a_status_line_is_never_empty_and_follows_the_users_own() {
    let home = Home::new(PROGRAM);
    let check = |words: &[&str], payload: &[u8], expected: &str| {
        let words = [&["statusline", "claude-code"], words].concat();
        assert_eq!(draw(&home, &words, payload), expected, "{words:?}");
    };
    let off = "? taffrail is off";
    check(&[], b"", &format!("{off}\n"));
    check(&[], b"no json", &format!("{off}\n"));
    check(&[], &told(10, 1), &format!("{off}\n"));
    check(&["--then", "printf mine"], b"{}", &format!("mine\u{1b}[0m · {off}\n"));
    check(&["--then", "cat"], b"{}", &format!("{{}}\u{1b}[0m · {off}\n"));
    check(&["--then", "exit 1"], b"{}", &format!("{off}\n"));
    assert_eq!(draw(&home, &["statusline", "nobody"], b"{}"), format!("{off}\n"));
}

#[test]
fn who_asks_for_help_gets_it() {
    let home = Home::new(PROGRAM);
    let said = home.ok(&["hook", "--help"]);
    assert!(said.contains("taffrail hook claude-code"), "{said}");
}

#[test]
fn forget_waiting_means_who_waits_now_and_not_who_waited_when_the_index_was_made() {
    let home = Home::new(PROGRAM);
    let ask = |session: &str| {
        let payload = json!({"hook_event_name": "PermissionRequest", "session_id": session,
            "cwd": "/w/app", "tool_name": "Bash", "tool_input": {"command": "rm x"}});
        call(home.command(&["hook", "claude-code"]), payload.to_string().as_bytes());
    };
    ask("first");
    home.index();
    assert_eq!(
        home.json(&["ls", "--waiting", "--json"])["sessions"][0]["runtime_session_id"],
        "first"
    );
    ask("second");
    let told = home.json(&["forget", "@waiting", "--json"]);
    let second = home.session("second")["id"].clone();
    assert_eq!(told["sessions"][0]["id"], second, "{told}");
}

/// Right after a prompt, a session was listed as its transcript alone told, without its process.
#[test]
fn a_list_right_after_a_hook_lacks_what_the_hook_said() {
    let home = Home::new(PROGRAM);
    let _daemon = Background::start(&home);
    for number in 0..20 {
        let session = format!("00000000-0000-4000-8000-{number:012}");
        let payload = json!({"session_id": session, "hook_event_name": "UserPromptSubmit",
            "prompt": "hello", "cwd": "/w", "permission_mode": "default"});
        let mut hook = home.command(&["hook", "claude-code"]);
        hook.env("CLAUDE_CODE_ENTRYPOINT", "cli");
        call(hook, payload.to_string().as_bytes());
        let listed = home.json(&["ls", "--all", "--json"]);
        let listed = listed["sessions"].as_array().unwrap();
        assert!(
            listed.iter().any(|it| it["runtime_session_id"] == session),
            "{number}: {listed:?}"
        );
    }
}
