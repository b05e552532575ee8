//! Published agents that run one prompt without a screen: a turn of each, and what Taffrail reads
//! of it. `TAFFRAIL_FULL=1` runs all, otherwise `TAFFRAIL_SEED` chooses three; `TAFFRAIL_AGENT`
//! names one.

mod cases;

use crate::agents::PROGRAM;
use cases::{CASES, Case, Project, Tools};
use serde_json::{Value, json};
use std::fs::File;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;
use taffrail_testkit::Scale;
use taffrail_testkit::agents::Machine;
use taffrail_testkit::model::{Purpose, Say, TOKENS, text};

/// The number of agents in a slice.
const SLICE: usize = 3;
/// The last answers of the two turns.
const PRINTED: &str = "It printed what it should.";
const HELLO: &str = "Hello there.";

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
    let mut all: Vec<_> = CASES.into_iter().flatten().collect();
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
    let session = read(&machine, case, &first_turn(case.tools));
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
    let resumed = read(machine, case, &second_turn(case.tools));
    assert_eq!(resumed["id"], session["id"], "{}: another session", case.agent);
    let mut asked = machine.model().asked();
    asked.retain(|it| it.picked.scenario == "hello" && it.picked.purpose == Purpose::Turn);
    let is_known = asked.iter().all(|it| it.body.to_string().contains(PRINTED));
    assert!(is_known && !asked.is_empty(), "{}: the first turn is forgotten", case.agent);
}

/// How much was played.
struct Played {
    prompts: u64,
    answers: u64,
    calls: u64,
}

fn first_turn(tools: Tools) -> Played {
    let (answers, calls) = match tools {
        Tools::Nothing => (1, 0),
        Tools::Shell(_) => (2, 1),
        Tools::ShellAndEnd(..) => (2, 2),
    };
    Played { prompts: 1, answers, calls }
}

fn second_turn(tools: Tools) -> Played {
    let first = first_turn(tools);
    let ends = u64::from(matches!(tools, Tools::ShellAndEnd(..)));
    Played { prompts: 2, answers: first.answers + 1, calls: first.calls + ends }
}

/// The first answer of a turn runs a command, the second says something.
fn script(machine: &Machine, case: &Case) {
    let model = machine.model();
    let call = |(name, input): (&str, &str)| {
        Say::Tool(name.to_owned(), serde_json::from_str(input).unwrap())
    };
    let run = |shell| vec![Say::Text("I will run it.".into()), call(shell)];
    let ended = |words: &str, end| vec![Say::Text(words.into()), call(end)];
    let (shell, hello) = match case.tools {
        Tools::Nothing => return model.script("side", vec![text(PRINTED)]),
        Tools::Shell(shell) => (vec![run(shell), text(PRINTED)], text(HELLO)),
        Tools::ShellAndEnd(shell, end) => {
            (vec![run(shell), ended(PRINTED, end)], ended(HELLO, end))
        }
    };
    model.script("shell", shell);
    model.script("hello", vec![hello]);
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
fn read(machine: &Machine, case: &Case, played: &Played) -> Value {
    let home = machine.home();
    let index = home.index();
    let mut sessions = home.sessions();
    if case.project == Project::Holds {
        sessions.retain(|it| it["agent"] != "claude-code");
    }
    assert_eq!(sessions.len(), 1, "{}: {index} {sessions:?}", case.agent);
    let session = sessions[0].clone();
    let actual = summary(&session, &index, &home.index());
    assert_eq!(actual, expected(machine, case, played), "{session}");
    let shown = home.ok(&["show", session["id"].as_str().unwrap()]);
    let ran = (played.calls > 0).then_some("echo it-ran");
    for words in ["Run it", PRINTED].into_iter().chain(ran) {
        assert!(shown.contains(words), "{}: {words:?} is not shown:\n{shown}", case.agent);
    }
    session
}

fn expected(machine: &Machine, case: &Case, played: &Played) -> Value {
    let (input, output) = TOKENS;
    let project = (case.project != Project::Unnamed).then(|| machine.project());
    json!({
        "agent": case.agent, "prompts": played.prompts, "calls": played.calls, "unknown": 0,
        "input": played.answers * input, "output": played.answers * output,
        "model": case.model, "project": project, "is_over": true, "again": 0,
    })
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
