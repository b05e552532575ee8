//! A real agent whose screens share its own server: observed and answered through it, without
//! hooks.

use crate::agents::desk::{decision, goes_on, request};
use crate::agents::driving::{allow, dialog, ready};
use crate::agents::expected::Evidence;
use crate::agents::stage::{GUARDED, PAUSE, Stage, finished, prompt, soon};
use serde_json::json;
use std::process::{Child, Stdio};
use std::time::Instant;
use taffrail_testkit::agents::{Agent, Machine};
use taffrail_testkit::{Tmux, until_every};

/// The server of this machine; dropping it ends it.
struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        self.0.kill().ok();
        self.0.wait().ok();
    }
}

/// The agent asks a person before it changes anything. Arguments for that would keep a screen away
/// from the server.
fn asking(machine: &Machine) {
    let home = machine.home();
    home.ok(&["config", "set", "agents.codex.server", "true"]);
    let config = std::fs::read_to_string(home.path(".codex/config.toml")).unwrap();
    let asks = "approval_policy = \"on-request\"\nsandbox_mode = \"read-only\"\n";
    home.write(".codex/config.toml", format!("{asks}{config}"));
}

fn served(stage: &Stage) -> Server {
    let mut server = stage.machine.agent(stage.agent, &["app-server", "--listen", "unix://"]);
    server.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let server = Server(server.spawn().unwrap());
    let socket = stage.machine.home().path(".codex/app-server-control/app-server-control.sock");
    until_every(PAUSE, "the server", || socket.exists().then_some(()));
    server
}

fn stage() -> Stage {
    Stage::prepared(Agent::Codex, Evidence::Files, asking)
}

/// Runs up to a request that the server reports.
fn asked(stage: &Stage) -> (Tmux<'_>, String) {
    let screen = stage.machine.on_screen(stage.agent, &[]);
    screen.wait_for(ready(stage.agent));
    prompt(&screen, "guarded");
    screen.wait_for(dialog(stage.agent));
    let since = Instant::now();
    let it = request(stage, "pending");
    assert!(since.elapsed() < soon(), "only after {:?}", since.elapsed());
    assert_eq!((&it["command"], &it["sources"]), (&json!(GUARDED), &json!(["server"])), "{it}");
    (screen, it["id"].as_str().unwrap().to_owned())
}

/// The only session.
fn session(stage: &Stage) -> serde_json::Value {
    let all = stage.machine.home().sessions();
    assert_eq!(all.len(), 1, "{all:?}");
    all[0].clone()
}

/// Waits for this status.
fn stands(stage: &Stage, status: &str) {
    let (since, soon) = (Instant::now(), soon());
    loop {
        let row = session(stage);
        if row["status"] == status && row["confidence"] == "high" {
            return;
        }
        let why = || stage.machine.home().ok(&["explain", row["id"].as_str().unwrap()]);
        assert!(since.elapsed() < soon, "not {status}: {row}\n{}", why());
        std::thread::park_timeout(PAUSE);
    }
}

#[test]
fn codex_is_answered_through_its_own_server_while_its_dialog_is_open() {
    for (word, made) in [("approve", true), ("deny", false)] {
        let stage = stage();
        let server = served(&stage);
        let (screen, id) = asked(&stage);
        stands(&stage, "waiting_approval");
        assert!(session(&stage)["waiting_for"]["text"].as_str().unwrap().contains(GUARDED));
        stage.machine.home().ok(&[word, &id]);
        screen.wait_until("no dialog", |it| !it.contains(dialog(stage.agent)));
        stage.machine.model().reached("allowed");
        stands(&stage, "running");
        stage.release("allowed");
        finished(&screen, "Here it is.");
        stands(&stage, "waiting");
        // The agent does not record who decided, so neither do we.
        decision(&stage, "unconfirmed");
        assert_eq!(stage.machine.project().join("made.txt").exists(), made, "{word}");
        drop((screen, server));
        stage.check_daemon();
    }
}

#[test]
fn a_person_at_codex_is_first_and_the_desk_says_so() {
    let stage = stage();
    let server = served(&stage);
    let (screen, id) = asked(&stage);
    screen
        .press_until(&[allow(stage.agent)], "the command", |it| !it.contains(dialog(stage.agent)));
    stage.machine.model().reached("allowed");
    let since = Instant::now();
    decision(&stage, "overtaken");
    assert!(since.elapsed() < soon(), "only after {:?}", since.elapsed());
    assert_eq!(stage.machine.home().run(&["deny", &id]).status, 6);
    goes_on(&stage, &screen);
    drop((screen, server));
    stage.check_daemon();
}

#[test]
fn a_request_of_codex_is_found_again_by_a_daemon_that_came_back() {
    let stage = stage();
    let server = served(&stage);
    let (screen, id) = asked(&stage);
    stage.kill_daemon();
    assert!(screen.screen().contains(dialog(stage.agent)));
    stage.start_daemon();
    assert_eq!(request(&stage, "pending")["id"], json!(id));
    stage.machine.home().ok(&["approve", &id]);
    goes_on(&stage, &screen);
    assert!(stage.machine.project().join("made.txt").exists());
    drop((screen, server));
}

#[test]
fn a_server_that_is_killed_leaves_no_certainty_behind() {
    let stage = stage();
    let mut server = served(&stage);
    let (screen, id) = asked(&stage);
    server.0.kill().unwrap();
    server.0.wait().unwrap();
    let since = Instant::now();
    let over = until_every(PAUSE, "no certainty", || {
        let row = session(&stage);
        (row["status"] != "waiting_approval" || row["confidence"] == "low").then_some(row)
    });
    assert!(since.elapsed() < soon(), "only after {:?}: {over}", since.elapsed());
    assert_eq!(stage.machine.home().run(&["approve", &id]).status, 6);
    drop(screen);
    stage.check_daemon();
}

#[test]
fn a_server_is_left_alone_unless_the_user_names_it() {
    let stage = stage();
    stage.machine.home().ok(&["config", "set", "agents.codex.server", "false"]);
    stage.kill_daemon();
    stage.start_daemon();
    let server = served(&stage);
    let screen = stage.machine.on_screen(stage.agent, &[]);
    screen.wait_for(ready(stage.agent));
    prompt(&screen, "hello");
    finished(&screen, "Hello there.");
    let id = session(&stage)["id"].as_str().unwrap().to_owned();
    let told = stage.machine.home().json(&["explain", &id, "--json"]);
    let is_told = |it: &serde_json::Value| it["source"] == "registry";
    assert!(!told["evidence"].as_array().unwrap().iter().any(is_told), "{told}");
    drop((screen, server));
}
