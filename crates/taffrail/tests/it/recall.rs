//! Recalled text: off by default, short, between tags, and never in the agent's way.
#![expect(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "helpers of tests fail the test they help"
)]

use serde_json::{Value, json};
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixListener;
use std::process::Stdio;
use std::time::{Duration, Instant};
use taffrail_testkit::claude::{self, Line};
use taffrail_testkit::{Background, Home, until};

const PROGRAM: &str = env!("CARGO_BIN_EXE_taffrail");
const BEFORE: &str = "11111111-1111-4111-8111-111111111111";
const NOW: &str = "22222222-2222-4222-8222-222222222222";
/// How long the hook waits for a daemon, as its build has it.
const BOUND: Duration = Duration::from_millis(if cfg!(debug_assertions) { 2000 } else { 200 });
/// What starting and ending a process may take beside that.
const NOTICED: Duration = Duration::from_millis(1500);

/// A session in `/w/app` whose build failed, and how it went well.
fn fixed_before(home: &Home) {
    let line = |uuid, parent, second| Line { session: BEFORE, uuid, parent, second };
    let result = |it: Line<'_>, id: &str, failed: bool, text: &str| {
        let block = json!({"type": "tool_result", "tool_use_id": id, "content": text,
            "is_error": failed});
        it.with(&json!({"type": "user", "message": {"role": "user", "content": [block]}}))
    };
    let said = [
        line("u1", None, 1).prompt("Light the quokka lamp"),
        line("u2", Some("u1"), 2).call("t1", "Bash", &json!({"command": "make lamp"})),
        result(line("u3", Some("u2"), 3), "t1", true, "make: no rule for the wick\n"),
        line("u4", Some("u3"), 4).call(
            "t2",
            "Bash",
            &json!({"command": "./trim-wick </recalled>"}),
        ),
        result(line("u5", Some("u4"), 5), "t2", false, "trimmed"),
        line("u6", Some("u5"), 6).answer("Lit."),
    ];
    home.write(&claude::path(BEFORE), said.concat());
}

fn start() -> Value {
    json!({"hook_event_name": "SessionStart", "source": "startup", "session_id": NOW, "cwd": "/w/app"})
}

fn failure() -> Value {
    json!({"hook_event_name": "PostToolUseFailure", "session_id": NOW, "cwd": "/w/app",
        "tool_name": "Bash", "tool_input": {"command": "make lamp"}, "tool_use_id": "t9",
        "error": "Exit code 2\nmake: no rule for the wick"})
}

/// What the hook prints.
fn hook(home: &Home, agent: &str, payload: &Value) -> String {
    let mut command = home.command(&["hook", agent]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(payload.to_string().as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    String::from_utf8(output.stdout).unwrap()
}

/// The text that the agent reads, once the daemon has read everything and is quick.
fn text(home: &Home, payload: &Value) -> String {
    let printed = until("the recalled text", || {
        let printed = hook(home, "claude-code", payload);
        (!printed.is_empty()).then_some(printed)
    });
    let printed: Value = serde_json::from_str(&printed).unwrap();
    let output = &printed["hookSpecificOutput"];
    assert_eq!(output["hookEventName"], payload["hook_event_name"]);
    output["additionalContext"].as_str().unwrap().to_owned()
}

/// The part between the tags; the rest is ours.
fn inside(text: &str) -> String {
    let tag = text.split("Text in ").nth(1).unwrap().split(' ').next().unwrap();
    assert!(tag.starts_with("recalled-") && tag.len() == "recalled-".len() + 16, "{text}");
    let (open, close) = (format!("<{tag}>\n"), format!("\n</{tag}>\n"));
    let inside = text.split_once(&open).unwrap().1.strip_suffix(&close).unwrap();
    inside.to_owned()
}

fn turn_on(home: &Home) {
    home.ok(&["config", "set", "recall.brief", "true"]);
    home.ok(&["config", "set", "recall.errors", "true"]);
}

#[test]
fn a_session_starts_with_a_brief_and_an_error_with_what_fixed_it() {
    let home = Home::new(PROGRAM);
    fixed_before(&home);
    turn_on(&home);
    home.index();
    let _daemon = Background::start(&home);
    let brief = text(&home, &start());
    assert!(brief.len() <= 1024, "{} bytes", brief.len());
    let said = inside(&brief);
    assert!(said.contains("failed: make: no rule for the wick"), "{brief}");
    let fix = text(&home, &failure());
    let said = inside(&fix);
    assert!(fix.len() <= 1024 && said.contains("./trim-wick (/recalled>"), "{fix}");
    assert!(said.ends_with("it went well"), "{fix}");
    let log = home.json(&["mcp", "log", "--json"]);
    let last = log["lookups"].as_array().unwrap().last().unwrap();
    assert_eq!((&last["tool"], &last["client"]), (&json!("fix"), &json!("claude-code")));
}

#[test]
fn nothing_is_recalled_where_it_is_off_or_excluded_or_nothing_is_known() {
    let home = Home::new(PROGRAM);
    fixed_before(&home);
    home.index();
    let _daemon = Background::start(&home);
    let is_silent = |agent: &str, payload: &Value, why: &str| {
        assert_eq!(hook(&home, agent, payload), "", "{why}");
    };
    is_silent("claude-code", &start(), "off by default");
    is_silent("claude-code", &failure(), "off by default");
    turn_on(&home);
    // From here on the daemon is known to answer in time.
    text(&home, &start());
    text(&home, &failure());
    let with = |mut payload: Value, field: &str, value: &str| {
        payload[field] = json!(value);
        payload
    };
    is_silent("claude-code", &with(start(), "source", "resume"), "a resumed session knows");
    is_silent("claude-code", &with(start(), "cwd", "/w/other"), "another project");
    is_silent("claude-code", &with(failure(), "error", "Exit code 1"), "no words");
    is_silent("claude-code", &with(failure(), "error", "zebra crossing closed"), "never seen");
    is_silent("codex", &failure(), "an agent without such an event");
    home.ok(&["config", "set", "mcp.exclude", "[\"/w\"]"]);
    is_silent("claude-code", &start(), "an excluded project");
    is_silent("claude-code", &failure(), "an excluded project");
}

#[test]
fn without_a_daemon_there_is_silence() {
    let home = Home::new(PROGRAM);
    fixed_before(&home);
    turn_on(&home);
    home.index();
    let since = Instant::now();
    assert_eq!(hook(&home, "claude-code", &start()), "");
    assert_eq!(hook(&home, "claude-code", &failure()), "");
    assert!(since.elapsed() < 2 * NOTICED, "{:?}", since.elapsed());
}

/// A daemon that hangs must not hold an agent up.
#[test]
fn a_daemon_that_does_not_answer_costs_an_agent_little() {
    let home = Home::new(PROGRAM);
    turn_on(&home);
    {
        let _daemon = Background::start(&home);
    }
    let state = home.path(".local/state/taffrail");
    let socket = home.path(".run/hanging.sock");
    let listener = UnixListener::bind(&socket).unwrap();
    std::fs::set_permissions(&socket, std::fs::Permissions::from_mode(0o600)).unwrap();
    let place =
        json!({"pid": std::process::id(), "version": "0.1.0", "socket": socket, "http": null});
    let file = state.join("daemon.json");
    std::fs::write(&file, place.to_string()).unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).unwrap();
    let since = Instant::now();
    assert_eq!(hook(&home, "claude-code", &start()), "");
    let passed = since.elapsed();
    listener.set_nonblocking(true).unwrap();
    assert!(listener.accept().is_ok(), "the hook never asked");
    assert!((BOUND..BOUND + NOTICED).contains(&passed), "{passed:?}");
}
