//! Real agents do what the scripted model says, and Taffrail sees what they did.

use crate::agents::PROGRAM;
use serde_json::{Value, json};
use std::time::Duration;
use taffrail_testkit::agents::{Agent, Machine};
use taffrail_testkit::model::{Say, TOKENS, text};
use taffrail_testkit::{until, until_every};

/// The interval between two polls of the program.
const PAUSE: Duration = Duration::from_millis(20);

fn machine() -> Machine {
    let machine = Machine::new(PROGRAM);
    let run = vec![Say::Text("I will run it.".into()), Say::Shell("echo it-ran".into())];
    machine.model().script("shell", vec![run, text("It printed what it should.")]);
    machine
}

/// The totals of a session that must be the same for every agent.
fn counts(session: &Value) -> Value {
    json!([
        session["agent"],
        session["prompts"],
        session["turns"],
        session["tool_calls"],
        session["usage"]["input_tokens"],
        session["usage"]["output_tokens"],
        session["project_path"],
    ])
}

/// One prompt, one command, two answers; the same in every command.
fn check(machine: &Machine, agent: &str) {
    let home = machine.home();
    let sessions = home.sessions();
    assert_eq!(sessions.len(), 1, "{sessions:?}");
    let (read, written) = TOKENS;
    let project = machine.project();
    let expected = json!([agent, 1, 1, 1, 2 * read, 2 * written, project.to_str()]);
    assert_eq!(counts(&sessions[0]), expected);
    let id = sessions[0]["id"].as_str().unwrap();
    let events = home.events(id);
    let kinds: Vec<_> = events.iter().filter_map(|it| it["kind"].as_str()).collect();
    let order = ["user.prompt", "assistant.message", "tool.call", "tool.result"];
    let said: Vec<_> = kinds.into_iter().filter(|it| order.contains(it)).collect();
    assert_eq!(said, [order.as_slice(), &["assistant.message"]].concat());
    let shown = home.ok(&["show", id]);
    for words in ["Run it [[scenario:shell]]", "echo it-ran", "It printed what it should."] {
        assert!(shown.contains(words), "{words:?} is not shown:\n{shown}");
    }
}

#[test]
fn claude_prints() {
    let machine = machine();
    let ran = machine.run(Agent::Claude, &["-p", "Run it [[scenario:shell]]"]);
    assert_eq!(ran.stdout.trim(), "It printed what it should.", "{}", ran.stderr);
    check(&machine, "claude-code");
}

#[test]
fn codex_executes() {
    let machine = machine();
    let ran =
        machine.run(Agent::Codex, &["exec", "--skip-git-repo-check", "Run it [[scenario:shell]]"]);
    assert_eq!(ran.stdout.trim(), "It printed what it should.", "{}", ran.stderr);
    check(&machine, "codex");
}

/// A command that must be allowed, and the text on the screen until then.
fn guarded(machine: &Machine) {
    let asks = vec![Say::Guarded("touch made.txt".into())];
    machine.model().script("guarded", vec![asks, text("It is made.")]);
}

#[test]
fn claude_stops_at_a_dialog() {
    let machine = machine();
    guarded(&machine);
    let screen = machine.on_screen(Agent::Claude, &["--permission-mode", "default"]);
    screen.wait_for("manual mode on");
    let pid = screen.pid();
    until("an idle entry", || told(&machine, pid).filter(|it| it["status"] == "idle"));
    screen.enter("Make it [[scenario:guarded]]");
    screen.wait_for("Do you want to proceed?");
    let waits =
        until("a waiting entry", || told(&machine, pid).filter(|it| it["status"] == "waiting"));
    assert_eq!(waits["waitingFor"], "permission prompt");
    // The dialog appears before the call is on disk.
    until_every(PAUSE, "the call", || called(&machine, &waits["sessionId"]));
    screen.press_until(&["Enter"], "the end", |it| it.contains("It is made."));
    assert!(machine.project().join("made.txt").exists());
}

/// The registry entry of Claude Code about a live process; at first it has no status.
fn told(machine: &Machine, pid: u32) -> Option<Value> {
    let path = machine.home().path(&format!(".claude/sessions/{pid}.json"));
    serde_json::from_slice(&std::fs::read(path).ok()?).ok()
}

/// Whether Taffrail sees the one call of a session; `null` matches any session.
fn called(machine: &Machine, runtime: &Value) -> Option<Value> {
    let mut sessions = machine.home().sessions().into_iter();
    let found = sessions.find(|it| runtime.is_null() || it["runtime_session_id"] == *runtime);
    found.filter(|it| it["tool_calls"] == 1)
}

#[test]
fn codex_stops_at_a_dialog() {
    let machine = machine();
    guarded(&machine);
    let screen = machine.on_screen(Agent::Codex, &["-a", "on-request", "-s", "read-only"]);
    screen.wait_for("Ask Codex to do anything");
    screen.enter("Make it [[scenario:guarded]]");
    screen.wait_for("Would you like to run the following command?");
    let session = until_every(PAUSE, "the call", || called(&machine, &Value::Null));
    assert_eq!(session["agent"], "codex");
    screen.press_until(&["y"], "the end", |it| it.contains("It is made."));
    assert!(machine.project().join("made.txt").exists());
}
