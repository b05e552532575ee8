//! Published agents that run one prompt without a screen: a turn of each, and what Taffrail reads
//! of it. `TAFFRAIL_FULL=1` runs all, otherwise `TAFFRAIL_SEED` chooses three; `TAFFRAIL_AGENT`
//! names one.

mod cases;

use crate::agents::PROGRAM;
use cases::{CASES, Case};
use serde_json::{Value, json};
use std::fs::File;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;
use taffrail_testkit::Scale;
use taffrail_testkit::agents::Machine;
use taffrail_testkit::model::{Say, TOKENS, text};

/// The number of agents in a slice.
const SLICE: usize = 3;

#[test]
fn a_turn_of_each_is_read() {
    let mut failed = Vec::new();
    for case in chosen() {
        let start = Instant::now();
        let result = catch_unwind(AssertUnwindSafe(|| check(case)));
        eprintln!("{}: {:?}", case.agent, start.elapsed());
        if result.is_err() {
            failed.push(case.agent);
        }
    }
    assert!(failed.is_empty(), "not read as it ran: {failed:?}");
}

#[expect(clippy::disallowed_methods, reason = "a person may name one agent")]
fn chosen() -> Vec<&'static Case> {
    let mut all: Vec<_> = CASES.iter().collect();
    if let Ok(named) = std::env::var("TAFFRAIL_AGENT") {
        all.retain(|it| it.agent == named);
        assert!(!all.is_empty(), "no case is called {named:?}");
        return all;
    }
    let scale = Scale::from_env();
    let mut chance = scale.chance("headless");
    let count = scale.pick(SLICE, all.len());
    (0..count).map(|_| all.swap_remove(chance.below(all.len()))).collect()
}

/// Runs a turn, then a second one where the agent resumes a session by its id without a screen.
fn check(case: &Case) {
    let machine = Machine::new(PROGRAM);
    script(&machine, case);
    case.prepare(&machine);
    let output = turn(&machine, case, "Run it [[scenario:shell]]", &[]);
    let session = read(&machine, case, (1, 2));
    let own = session["runtime_session_id"].as_str().unwrap();
    assert!(case.names(&machine, own, &output), "{}: {own} is not its id", case.agent);
    if case.resumes() {
        resume(&machine, case, &session);
    }
}

/// A second turn in the same session, started with the words that Taffrail prints for it.
fn resume(machine: &Machine, case: &Case, session: &Value) {
    let id = session["id"].as_str().unwrap();
    let plan = machine.home().json(&["resume", id, "--dry-run", "--json"]);
    let words: Vec<String> = serde_json::from_value(plan["command"].clone()).unwrap();
    turn(machine, case, "Go on [[scenario:hello]]", &words[1..]);
    let resumed = read(machine, case, (2, 3));
    assert_eq!(resumed["id"], session["id"], "{}: another session", case.agent);
}

/// The first answer of a turn runs a command, the second says something.
fn script(machine: &Machine, case: &Case) {
    let (name, input) = case.tool;
    let call = Say::Tool(name.to_owned(), serde_json::from_str(input).unwrap());
    let run = vec![Say::Text("I will run it.".into()), call];
    machine.model().script("shell", vec![run, text("It printed what it should.")]);
    machine.model().script("hello", vec![text("Hello there.")]);
}

/// Runs the agent to its end, and returns what it printed. A process that it leaves behind must not
/// keep the test waiting, so its output goes to files.
fn turn(machine: &Machine, case: &Case, prompt: &str, resume: &[String]) -> String {
    let (out, error) = (machine.home().path("tmp/out"), machine.home().path("tmp/error"));
    let mut command = case.command(machine, prompt, resume);
    command.stdout(File::create(&out).unwrap()).stderr(File::create(&error).unwrap());
    let status = command.status().unwrap();
    let [out, error] = [out, error].map(|it| std::fs::read_to_string(it).unwrap_or_default());
    let asked = machine.model().asked().len();
    assert!(status.success(), "{}: {status}, {asked} requests: {out}{error}", case.agent);
    out
}

/// What Taffrail reads, compared with what was played: one session, everything in it, nothing
/// unknown, and nothing more when it is read again.
fn read(machine: &Machine, case: &Case, (prompts, answers): (u64, u64)) -> Value {
    let home = machine.home();
    let index = home.index();
    let sessions = home.sessions();
    assert_eq!(sessions.len(), 1, "{}: {index} {sessions:?}", case.agent);
    let session = sessions[0].clone();
    let (input, output) = TOKENS;
    let expected = json!({
        "agent": case.agent, "prompts": prompts, "calls": 1, "unknown": 0,
        "input": answers * input, "output": answers * output,
        "model": case.model, "project": machine.project(), "is_over": true, "again": 0,
    });
    assert_eq!(summary(&session, &index, &home.index()), expected, "{session}");
    let shown = home.ok(&["show", session["id"].as_str().unwrap()]);
    for words in ["Run it", "echo it-ran", "It printed what it should."] {
        assert!(shown.contains(words), "{}: {words:?} is not shown:\n{shown}", case.agent);
    }
    session
}

fn summary(session: &Value, index: &Value, again: &Value) -> Value {
    let (usage, status) = (&session["usage"], session["status"].as_str().unwrap());
    let is_over = ["waiting", "idle", "exited"].contains(&status);
    json!({
        "agent": session["agent"], "prompts": session["prompts"], "calls": session["tool_calls"],
        "unknown": index["unknown_records"],
        "input": usage["input_tokens"], "output": usage["output_tokens"],
        "model": session["model"], "project": session["project_path"],
        "is_over": is_over, "again": again["records"],
    })
}
