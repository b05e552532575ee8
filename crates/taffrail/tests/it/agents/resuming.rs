//! Sessions of real agents, resumed after everything was killed.

use crate::agents::PROGRAM;
use crate::agents::driving::ready;
use crate::agents::expected::Evidence;
use crate::agents::stage::{PAUSE, Stage, finished, prompt, runtime};
use serde_json::{Value, json};
use std::path::Path;
use taffrail_testkit::agents::Agent;
use taffrail_testkit::{Tmux, until, until_every};

/// Plays one turn, then kills the agent and the daemon.
fn killed(stage: &Stage) -> Value {
    let screen = stage.start(&[]);
    prompt(&screen, "hello");
    finished(&screen, "Hello there.");
    let session = stage.new_is("the turn is over");
    // An agent writes its history a moment later; nothing can restore what it never wrote.
    stage.same_has(&session, "the turn is over", ("prompts", json!(1)));
    stage.rests(&session);
    stage.machine.signal("-KILL", screen.pid());
    stage.kill_daemon();
    until("the end", || screen.ended().then_some(()));
    session
}

/// The text on the screen when a prompt can be typed, whatever the agent asks first.
fn prompting(agent: Agent) -> &'static str {
    match agent {
        Agent::Claude => "mode on",
        Agent::Codex | Agent::Gemini | Agent::Goose => ready(agent),
    }
}

/// `taffrail resume` on a screen, with the agent in its usual place.
fn resumed<'a>(stage: &'a Stage, id: &str) -> Tmux<'a> {
    stage.machine.beside(stage.agent, Path::new(PROGRAM), &["resume", id])
}

#[test]
fn a_session_comes_back_after_everything_was_killed() {
    for agent in [Agent::Claude, Agent::Codex] {
        let stage = Stage::new(agent, Evidence::Files);
        let session = killed(&stage);
        let id = session["id"].as_str().unwrap();
        let home = stage.machine.home();
        let plan = home.json(&["resume", id, "--dry-run", "--json"]);
        let tied = || home.ok(&["binding", id]);
        assert_eq!(plan["state"], "resume_available", "{agent:?}: {plan} {}", tied());
        assert_eq!(plan["cwd"], json!(stage.machine.project()), "{plan}");
        let words = plan["command"].as_array().unwrap();
        assert!(words.contains(&json!(runtime(&session))), "{plan}");
        let lost = home.json(&["resume", "--all-lost", "--dry-run", "--json"]);
        let known = stage.knows_processes();
        let ids: Vec<_> =
            lost["sessions"].as_array().unwrap().iter().map(|it| &it["session_id"]).collect();
        // Without evidence of the process that ran it, there is no evidence that it was lost.
        assert_eq!(ids, if known { vec![&session["id"]] } else { vec![] }, "{agent:?}: {lost}");
        stage.start_daemon();
        let screen = resumed(&stage, id);
        // The last turns are shown before the agent starts.
        screen.wait_for(prompting(agent));
        stage.hold(&screen, "held");
        stage.release("held");
        finished(&screen, "Here it is.");
        let is_it = |row: &Value| row["id"] == session["id"] && row["prompts"] == 2;
        until_every(PAUSE, "the second prompt", || home.sessions().into_iter().find(is_it));
        let mut tops = home.sessions();
        tops.retain(|row| row["parent_id"].is_null());
        assert_eq!(tops.len(), 1, "{agent:?}: {tops:?}");
        let active = home.json(&["resume", id, "--dry-run", "--json"]);
        // Only a registry or a hook reports which process runs a session.
        let expected = if agent == Agent::Claude { "active_executor" } else { "resume_available" };
        assert_eq!(active["state"], expected, "{active}");
    }
}
