//! Real agents send telemetry with the settings we print for them, and it agrees with their own
//! records.

use crate::agents::PROGRAM;
use crate::agents::driving::print;
use crate::agents::stage::PAUSE;
use serde_json::Value;
use taffrail_testkit::agents::{Agent, Machine};
use taffrail_testkit::model::{Say, TOKENS, text};
use taffrail_testkit::{Run, until_every};

/// A word of the prompt, which must not occur in the journal.
const WORD: &str = "unheardof";

/// A machine that receives telemetry.
fn machine() -> (Run, Machine) {
    let machine = Machine::new(PROGRAM);
    let run = vec![Say::Text("I will run it.".into()), Say::Shell("echo it-ran".into())];
    machine.model().script("shell", vec![run, text("It printed what it should.")]);
    let daemon = machine.home().spawn(&["daemon", "run", "--otel", "127.0.0.1:0"]);
    let home = machine.home();
    until_every(PAUSE, "the address", || {
        let status = home.json(&["daemon", "status", "--json"]);
        status["otel"].as_str().map(|it| assert!(it.starts_with("http://127.0.0.1:"), "{it}"))
    });
    (daemon, machine)
}

/// The printed settings of an agent, with their introduction as a comment.
fn settings(machine: &Machine, agent: &str) -> String {
    machine.home().ok(&["otel", agent])
}

/// The telemetry of the only session, once these events are in it.
fn arrived(machine: &Machine, names: &[&str]) -> (Value, Vec<Value>) {
    let home = machine.home();
    until_every(PAUSE, "the telemetry", || {
        let session = home.sessions().into_iter().next()?;
        let all = home.events(session["id"].as_str()?);
        let of_it: Vec<_> = all.into_iter().filter(|it| it["source"] == "telemetry").collect();
        let has = |name: &&str| of_it.iter().any(|it| it["data"]["telemetry"] == *name);
        names.iter().all(has).then_some((session, of_it))
    })
}

fn sum(events: &[Value], name: &str, field: &str) -> u64 {
    let of_it = events.iter().filter(|it| it["data"]["telemetry"] == name);
    let number = |it: &Value| it.as_u64().or_else(|| it.as_str()?.parse().ok());
    of_it.filter_map(|it| number(&it["data"][field])).sum()
}

/// Checks for every agent.
fn check(machine: &Machine, session: &Value) {
    let home = machine.home();
    let sessions = home.sessions();
    assert_eq!(sessions.len(), 1, "{sessions:?}");
    assert_eq!(session["usage"]["input_tokens"], 2 * TOKENS.0, "{session}");
    assert_eq!(session["usage"]["output_tokens"], 2 * TOKENS.1, "{session}");
    let status = session["status"].as_str().unwrap();
    assert!(["exited", "waiting", "unknown"].contains(&status), "{session}");
    let id = session["id"].as_str().unwrap();
    let evidence = home.json(&["explain", id, "--json"])["evidence"].take();
    let says = |word: &str| {
        let all = evidence.as_array().unwrap().iter();
        let of_it = all.filter(|it| it["source"] == "telemetry");
        of_it.filter(|it| it["says"].as_str().is_some_and(|it| it.contains(word))).count()
    };
    assert_eq!((says("prompted"), says("settled")), (1, 2), "{evidence}");
    let grep = format!("grep -rl {WORD} ~/.local/share/taffrail/journal");
    let found = machine.command("/bin/sh").args(["-c", &grep]).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&found.stdout), "", "the prompt is in the journal");
    // The journal alone gives the same result.
    home.ok(&["daemon", "stop"]);
    home.ok(&["rebuild", "--yes"]);
    let again = home.sessions();
    let told = |row: &Value| (row["usage"].clone(), row["cost_microdollars"].clone());
    assert_eq!(told(&again[0]), told(session));
}

#[test]
fn claude_code() {
    let (_daemon, machine) = machine();
    let prompt = format!("Run it, {WORD} [[scenario:shell]]");
    let mut command = machine.agent(Agent::Claude, &print(Agent::Claude, &prompt));
    for line in settings(&machine, "claude-code").lines() {
        let Some((name, value)) = line.strip_prefix("export ").and_then(|it| it.split_once('='))
        else {
            continue;
        };
        command.env(name, value.trim_matches('\''));
    }
    let ran = command.output().unwrap();
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    let names = ["user_prompt", "api_request", "tool_decision", "tool_result", "cost.usage"];
    let (_, events) = arrived(&machine, &names);
    assert_eq!(sum(&events, "api_request", "input_tokens"), 2 * TOKENS.0);
    assert_eq!(sum(&events, "api_request", "output_tokens"), 2 * TOKENS.1);
    let cost = sum(&events, "api_request", "cost_usd_micros");
    assert!(cost > 0, "{events:?}");
    let session = machine.home().sessions().remove(0);
    assert_eq!(session["cost_microdollars"], cost, "{session}");
    check(&machine, &session);
}

#[test]
fn codex() {
    let (_daemon, machine) = machine();
    let file = machine.home().path(".codex/config.toml");
    let config = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, format!("{config}\n{}", settings(&machine, "codex"))).unwrap();
    let prompt = format!("Run it, {WORD} [[scenario:shell]]");
    let ran = machine.run(Agent::Codex, &print(Agent::Codex, &prompt));
    assert_eq!(ran.stdout.trim(), "It printed what it should.", "{}", ran.stderr);
    let names = ["user_prompt", "api_request", "sse_event", "tool_decision", "tool_result"];
    let (session, events) = arrived(&machine, &names);
    assert_eq!(sum(&events, "sse_event", "input_token_count"), 2 * TOKENS.0);
    assert_eq!(sum(&events, "sse_event", "output_token_count"), 2 * TOKENS.1);
    check(&machine, &session);
}
