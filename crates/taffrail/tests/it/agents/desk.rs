//! Real agents ask, and users answer through Taffrail while the agents' own dialogs are open.

use crate::agents::driving::{allow, dialog};
use crate::agents::expected::Evidence;
use crate::agents::stage::{GUARDED, PAUSE, Stage, finished, prompt, soon};
use serde_json::Value;
use std::time::Instant;
use taffrail_testkit::Tmux;
use taffrail_testkit::agents::Agent;
use taffrail_testkit::until_every;

/// A stage whose agent calls our hooks.
pub(crate) fn stage(agent: Agent) -> Stage {
    Stage::new(agent, Evidence::Hooks)
}

/// All requests.
fn requests(stage: &Stage) -> Vec<Value> {
    let told = stage.machine.home().json(&["approvals", "--all", "--json"]);
    told["approvals"].as_array().unwrap().clone()
}

/// Waits for the one request in this state.
pub(crate) fn request(stage: &Stage, state: &str) -> Value {
    until_every(PAUSE, state, || requests(stage).into_iter().find(|it| it["state"] == state))
}

/// Waits until the one decision has this outcome.
pub(crate) fn decision(stage: &Stage, outcome: &str) -> Value {
    until_every(PAUSE, outcome, || {
        let log = stage.machine.home().json(&["approvals", "log", "--json"]);
        let found = log["decisions"].as_array().unwrap().iter().find(|it| it["outcome"] == outcome);
        found.cloned()
    })
}

/// Runs up to a request that the broker holds.
pub(crate) fn held(stage: &Stage) -> (Tmux<'_>, String) {
    let screen = stage.start(&[]);
    prompt(&screen, "guarded");
    let it = request(stage, "pending");
    assert!(it["command"].as_str().unwrap().contains(GUARDED), "{it}");
    if stage.agent == Agent::Claude {
        screen.wait_for(dialog(stage.agent));
    }
    (screen, it["id"].as_str().unwrap().to_owned())
}

/// Continues a turn after the decision.
pub(crate) fn goes_on(stage: &Stage, screen: &Tmux<'_>) {
    screen.wait_until("no dialog", |it| !it.contains(dialog(stage.agent)));
    stage.machine.model().reached("allowed");
    stage.release("allowed");
    finished(screen, "Here it is.");
}

fn away(stage: &Stage) {
    stage.machine.home().ok(&["away"]);
}

#[test]
fn claude_is_allowed_from_the_desk() {
    let stage = stage(Agent::Claude);
    let (screen, id) = held(&stage);
    stage.machine.home().ok(&["approve", &id]);
    goes_on(&stage, &screen);
    let made = decision(&stage, "taken");
    assert_eq!((&made["decision"], &made["by"]), (&"allow".into(), &"cli".into()));
    assert!(stage.machine.project().join("made.txt").exists());
    drop(screen);
    stage.check_daemon();
}

#[test]
fn claude_is_denied_from_the_desk() {
    let stage = stage(Agent::Claude);
    let (screen, id) = held(&stage);
    stage.machine.home().ok(&["deny", &id, "--reason", "not today"]);
    goes_on(&stage, &screen);
    let made = decision(&stage, "taken");
    assert_eq!((&made["decision"], &made["why"]), (&"deny".into(), &"not today".into()));
    assert!(!stage.machine.project().join("made.txt").exists());
    drop(screen);
    stage.check_daemon();
}

#[test]
fn codex_is_answered_from_the_desk_while_the_user_is_away() {
    for (word, made) in [("approve", true), ("deny", false)] {
        let stage = stage(Agent::Codex);
        away(&stage);
        let (screen, id) = held(&stage);
        assert!(!screen.screen().contains(dialog(Agent::Codex)), "the hook hides the dialog");
        stage.machine.home().ok(&[word, &id]);
        goes_on(&stage, &screen);
        // The agent does not record who decided, so neither do we.
        decision(&stage, "unconfirmed");
        assert_eq!(stage.machine.project().join("made.txt").exists(), made, "{word}");
        drop(screen);
        stage.check_daemon();
    }
}

#[test]
fn codex_shows_its_dialog_at_once_while_the_user_is_there() {
    let stage = stage(Agent::Codex);
    let screen = stage.start(&[]);
    prompt(&screen, "guarded");
    screen.wait_for(dialog(Agent::Codex));
    let it = request(&stage, "dialog_only");
    let refused = stage.machine.home().run(&["approve", it["id"].as_str().unwrap()]);
    assert_eq!(refused.status, 6, "{refused:?}");
    screen.press_until(&[allow(Agent::Codex)], "the command", |it| {
        !it.contains(dialog(Agent::Codex))
    });
    goes_on(&stage, &screen);
    decision(&stage, "overtaken");
    drop(screen);
    stage.check_daemon();
}

#[test]
fn a_person_at_the_dialog_is_first() {
    let stage = stage(Agent::Claude);
    let (screen, id) = held(&stage);
    screen.press_until(&[allow(Agent::Claude)], "the command", |it| {
        !it.contains(dialog(Agent::Claude))
    });
    stage.machine.model().reached("allowed");
    let since = Instant::now();
    let made = decision(&stage, "overtaken");
    assert!(since.elapsed() < soon(), "only after {:?}", since.elapsed());
    assert!(made["by"].as_str().unwrap().starts_with("agent"), "{made}");
    let late = stage.machine.home().run(&["deny", &id]);
    assert_eq!(late.status, 6, "{late:?}");
    assert!(late.stderr.contains("decided by agent"), "{}", late.stderr);
    stage.release("allowed");
    finished(&screen, "Here it is.");
    drop(screen);
    stage.check_daemon();
}

#[test]
fn an_agent_that_dies_takes_its_request_along() {
    let stage = stage(Agent::Claude);
    let (screen, id) = held(&stage);
    stage.machine.signal("-KILL", screen.pid());
    let over = request(&stage, "expired");
    assert_eq!((&over["id"], &over["outcome"]), (&id.as_str().into(), &"void".into()));
    drop(screen);
    stage.check_daemon();
}

#[test]
fn a_dialog_outlives_the_daemon() {
    let stage = stage(Agent::Claude);
    let (screen, id) = held(&stage);
    stage.kill_daemon();
    assert!(screen.screen().contains(dialog(Agent::Claude)));
    screen.press_until(&[allow(Agent::Claude)], "the command", |it| {
        !it.contains(dialog(Agent::Claude))
    });
    goes_on(&stage, &screen);
    stage.start_daemon();
    let made = decision(&stage, "overtaken");
    assert_eq!(made["approval_id"], id.as_str());
}

#[test]
fn a_hook_finds_a_daemon_that_came_back() {
    let stage = stage(Agent::Claude);
    let (screen, id) = held(&stage);
    stage.kill_daemon();
    stage.start_daemon();
    let again = request(&stage, "pending");
    assert_eq!(again["id"], id.as_str());
    stage.machine.home().ok(&["approve", &id]);
    goes_on(&stage, &screen);
    decision(&stage, "taken");
}

#[test]
fn a_rule_answers_before_a_dialog_is_seen() {
    for agent in [Agent::Claude, Agent::Codex] {
        let stage = stage(agent);
        let rule = ["rules", "add", "--allow", "--tool", "Bash", "--command", "touch *"];
        stage.machine.home().ok(&rule);
        let screen = stage.start(&[]);
        prompt(&screen, "guarded");
        goes_on(&stage, &screen);
        let all = requests(&stage);
        assert_eq!((all.len(), &all[0]["state"]), (1, &"decided".into()), "{all:?}");
        let log = stage.machine.home().json(&["approvals", "log", "--json"]);
        assert_eq!(log["decisions"][0]["by"], "rule", "{log}");
        drop(screen);
        stage.check_daemon();
    }
}

#[test]
fn two_workers_that_ask_the_same_are_two_requests() {
    let stage = stage(Agent::Claude);
    let screen = stage.start(&[]);
    prompt(&screen, "twins");
    let both = until_every(PAUSE, "two requests", || {
        let open: Vec<_> =
            requests(&stage).into_iter().filter(|it| it["state"] == "pending").collect();
        (open.len() == 2).then_some(open)
    });
    let id = |at: usize| both[at]["id"].as_str().unwrap();
    assert_eq!(both[0]["command"], both[1]["command"]);
    assert_ne!(both[0]["session_id"], both[1]["session_id"], "each worker has its own");
    stage.machine.home().ok(&["deny", id(0), "--reason", "one is enough"]);
    let other = requests(&stage).into_iter().find(|it| it["id"] == id(1)).unwrap();
    assert_eq!(other["state"], "pending", "a decision is for one request: {other}");
    assert!(!stage.machine.project().join("made.txt").exists());
    stage.machine.home().ok(&["approve", id(1)]);
    // The agent need not wait for its sub-agents.
    let made = stage.machine.project().join("made.txt");
    until_every(PAUSE, "what was allowed", || made.exists().then_some(()));
    finished(&screen, "Both are back.");
    let log = stage.machine.home().json(&["approvals", "log", "--json"]);
    for (at, decision) in [(0, "deny"), (1, "allow")] {
        let of = |it: &&Value| it["approval_id"] == id(at);
        let made: Vec<_> = log["decisions"].as_array().unwrap().iter().filter(of).collect();
        assert_eq!((made.len(), &made[0]["decision"]), (1, &decision.into()), "{log}");
    }
    drop(screen);
    stage.check_daemon();
}
