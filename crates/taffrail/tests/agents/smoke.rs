//! Real agents do what the scripted model says, and Taffrail sees what they did.

use crate::PROGRAM;
use serde_json::{Value, json};
use taffrail_testkit::agents::{Agent, Machine};
use taffrail_testkit::model::{Say, TOKENS, text};

fn machine() -> Machine {
    let machine = Machine::new(PROGRAM);
    let run = vec![Say::Text("I will run it.".into()), Say::Shell("echo it-ran".into())];
    machine.model().script("shell", vec![run, text("It printed what it should.")]);
    machine
}

/// What a session came to, of what must be the same for every agent.
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

/// One prompt, one command, two answers; the same through every command.
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
