//! Real agents on a terminal of ours: what their screen alone shows, and that nothing acts on it.

use crate::agents::PROGRAM;
use crate::agents::driving::{allow, dialog, quit, ready, usual};
use crate::agents::expected::Evidence;
use crate::agents::stage::{GUARDED, PAUSE, Stage, WORKING, finished, prompt};
use serde_json::Value;
use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use taffrail_testkit::agents::Agent;
use taffrail_testkit::{Tmux, until_every};

/// Our name of an agent, its program, and the variable of its home.
fn names(agent: Agent) -> (&'static str, &'static str, &'static str) {
    match agent {
        Agent::Claude => ("claude-code", "claude", "CLAUDE_CONFIG_DIR"),
        Agent::Codex => ("codex", "codex", "CODEX_HOME"),
        Agent::Gemini => ("gemini-cli", "gemini", "GEMINI_CLI_HOME"),
        Agent::Goose => ("goose", "goose", "GOOSE_PATH_ROOT"),
    }
}

/// Runs the agent on a terminal of ours, as a person does.
fn run(stage: &Stage) -> Tmux<'_> {
    let (_, program, _) = names(stage.agent);
    let words = [&["run", "--", program], usual(stage.agent)].concat();
    let screen = stage.machine.beside(stage.agent, Path::new(PROGRAM), &words);
    screen.wait_for(ready(stage.agent));
    screen
}

/// The same with a home that is not watched.
fn run_withheld(stage: &Stage) -> Tmux<'_> {
    let (agent, program, variable) = names(stage.agent);
    let home = stage.machine.home();
    for (from, to) in
        [(".claude.json", ".away/.claude.json"), (".codex/config.toml", ".away/config.toml")]
    {
        home.write(to, std::fs::read_to_string(home.path(from)).unwrap());
    }
    let set = format!("{variable}={}", home.path(".away").display());
    let words =
        [&["run", "--agent", agent, "--", "env", &set, program], usual(stage.agent)].concat();
    let screen = stage.machine.beside(stage.agent, Path::new(PROGRAM), &words);
    screen.wait_for(ready(stage.agent));
    screen
}

fn live(stage: &Stage) -> Vec<Value> {
    let mut rows = stage.machine.home().sessions();
    rows.retain(|it| it["status"] != "exited");
    rows
}

/// Waits until the only live session has this status.
fn is(stage: &Stage, status: &str, has: impl Fn(&Value) -> bool) -> Value {
    let mut last = Vec::new();
    let found = until_every(PAUSE, status, || {
        last = live(stage);
        let [one] = last.as_slice() else { return None };
        (one["status"] == status && has(one)).then(|| one.clone())
    });
    eprintln!("{status}: {} {}", found["confidence"], found["runtime_session_id"]);
    found
}

/// The same, as the screen alone shows it.
fn shows(stage: &Stage, status: &str) -> Value {
    let row = is(stage, status, |row| row["confidence"] == "low");
    assert!(row["runtime_session_id"].as_str().unwrap().starts_with("run-"), "{row}");
    row
}

fn approvals(stage: &Stage) -> Vec<Value> {
    let told = stage.machine.home().json(&["approvals", "--json"]);
    told["approvals"].as_array().unwrap().clone()
}

/// The screen alone shows the status of an agent; a dialog is listed, and no rule answers it.
fn plays_withheld(agent: Agent) {
    let stage = Stage::new(agent, Evidence::Files);
    let home = stage.machine.home();
    home.ok(&["rules", "add", "--allow", "--tool", "Bash", "--command", "touch *"]);
    let screen = run_withheld(&stage);
    let row = shows(&stage, "waiting");
    let executor = |row: &Value| row["executor"].as_str().unwrap_or_default().starts_with("pty:");
    is(&stage, "waiting", executor);
    assert_eq!(row["agent"], names(agent).0);
    assert_eq!(row["project_path"], stage.machine.project().to_str().unwrap());
    stage.hold(&screen, "held");
    shows(&stage, "running");
    stage.release("held");
    finished(&screen, "Here it is.");
    shows(&stage, "waiting");
    prompt(&screen, "guarded");
    screen.wait_for(dialog(agent));
    // The agent may report that it asks before it shows what.
    let asks = is(&stage, "waiting_approval", |row| row["waiting_for"]["text"] == GUARDED);
    assert_eq!(asks["confidence"], "low", "{asks}");
    let explained = home.json(&["explain", asks["id"].as_str().unwrap(), "--json"]);
    let decided: Vec<_> = explained["evidence"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|it| it["decided"] == true)
        .collect();
    assert_eq!(
        (&decided[0]["source"], &decided[0]["confidence"]),
        (&"pty".into(), &"low".into()),
        "{explained}"
    );
    let listed = approvals(&stage);
    assert_eq!(listed.len(), 1, "{listed:?}");
    let it = &listed[0];
    let told = (&it["state"], &it["confidence"], &it["command"], &it["sources"][0]);
    assert_eq!(told, (&"dialog_only".into(), &"low".into(), &GUARDED.into(), &"pty".into()));
    let refused = home.run(&["approve", it["id"].as_str().unwrap()]);
    assert_eq!(refused.status, 6, "{refused:?}");
    assert!(screen.screen().contains(dialog(agent)), "something answered the dialog");
    assert!(!stage.machine.project().join("made.txt").exists());
    screen.press_until(&[allow(agent)], "the command", |it| !it.contains(dialog(agent)));
    stage.machine.model().reached("allowed");
    shows(&stage, "running");
    assert_eq!(approvals(&stage), [] as [Value; 0]);
    stage.release("allowed");
    finished(&screen, "Here it is.");
    shows(&stage, "waiting");
    screen.enter(quit(agent));
    until_every(PAUSE, "the end", || live(&stage).is_empty().then_some(()));
    until_every(PAUSE, "the end of the run", || screen.ended().then_some(()));
    drop(screen);
    stage.check_daemon();
}

#[test]
fn a_screen_alone_tells_how_claude_stands() {
    plays_withheld(Agent::Claude);
}

#[test]
fn a_screen_alone_tells_how_codex_stands() {
    plays_withheld(Agent::Codex);
}

/// An observation belongs to the session that the agent reports, and there is no second one.
fn plays_known(agent: Agent, evidence: Evidence) {
    let stage = Stage::new(agent, evidence);
    let screen = run(&stage);
    if agent == Agent::Codex {
        // The agent names no session before it has a prompt.
        shows(&stage, "waiting");
    }
    stage.hold(&screen, "held");
    let is_known = |row: &Value| {
        let own = row["runtime_session_id"].as_str().unwrap().starts_with("run-");
        !own && row["executor"].as_str().unwrap_or_default().starts_with("pty:")
    };
    let known = is(&stage, "running", is_known);
    stage.release("held");
    finished(&screen, "Here it is.");
    let later = is(&stage, "waiting", is_known);
    assert_eq!(later["id"], known["id"]);
    prompt(&screen, "guarded");
    screen.wait_for(dialog(agent));
    is(&stage, "waiting_approval", |row| {
        is_known(row) && row["waiting_for"]["text"].as_str().unwrap_or_default().contains(GUARDED)
    });
    screen.press_until(&[allow(agent)], "the command", |it| !it.contains(dialog(agent)));
    stage.machine.model().reached("allowed");
    stage.release("allowed");
    finished(&screen, "Here it is.");
    is(&stage, "waiting", is_known);
    drop(screen);
    stage.check_daemon();
}

#[test]
fn what_claude_shows_belongs_to_its_session() {
    plays_known(Agent::Claude, Evidence::Files);
}

#[test]
fn what_codex_shows_belongs_to_its_session() {
    plays_known(Agent::Codex, Evidence::Files);
}

#[test]
fn what_codex_shows_belongs_to_the_session_of_its_hooks() {
    plays_known(Agent::Codex, Evidence::Hooks);
}

/// Asks the only run to paste a text.
fn paste(stage: &Stage, text: &str) -> Value {
    let folder = stage.machine.home().path(".run/taffrail");
    let entries = std::fs::read_dir(folder).unwrap().flatten().map(|it| it.path());
    let is_run =
        |it: &std::path::PathBuf| it.file_name().unwrap().to_string_lossy().starts_with("run-");
    let socket = entries.into_iter().find(is_run).unwrap();
    let mut stream = UnixStream::connect(socket).unwrap();
    let ask = serde_json::json!({"paste": text});
    stream.write_all(format!("{ask}\n").as_bytes()).unwrap();
    let mut said = String::new();
    stream.read_to_string(&mut said).unwrap();
    serde_json::from_str(&said).unwrap()
}

fn is_pasted_to(agent: Agent) {
    let stage = Stage::new(agent, Evidence::Files);
    let screen = run(&stage);
    let delivered = serde_json::json!({"delivered": true});
    let refused = |why: &str| serde_json::json!({"refused": why});
    until_every(PAUSE, "a text that is taken", || {
        (paste(&stage, "First line.\nGo on [[scenario:summary]]") == delivered).then_some(())
    });
    // None of the answer has arrived: once it does, Codex no longer shows that it works.
    stage.machine.model().reached("summary");
    screen.wait_for(WORKING);
    assert_eq!(paste(&stage, "Go on [[scenario:hello]]"), refused("the agent works"));
    stage.release("summary");
    finished(&screen, "A scripted summary.");
    screen.press(&["h", "a", "l", "f"]);
    screen.wait_for("half");
    until_every(PAUSE, "what is typed", || {
        (paste(&stage, "x") == refused("something is typed already")).then_some(())
    });
    screen.press(&["BSpace", "BSpace", "BSpace", "BSpace"]);
    until_every(PAUSE, "a text that is taken", || {
        (paste(&stage, "Go on [[scenario:guarded]]") == delivered).then_some(())
    });
    screen.wait_for(dialog(agent));
    until_every(PAUSE, "the dialog", || {
        (paste(&stage, "Go on [[scenario:hello]]") == refused("a dialog is open")).then_some(())
    });
    assert!(screen.screen().contains(dialog(agent)), "the dialog was answered");
    drop(screen);
    stage.check_daemon();
}

#[test]
fn claude_is_pasted_to_only_when_it_is_ready() {
    is_pasted_to(Agent::Claude);
}

#[test]
fn codex_is_pasted_to_only_when_it_is_ready() {
    is_pasted_to(Agent::Codex);
}
