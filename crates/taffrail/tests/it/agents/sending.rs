//! Prompts sent to real agents: each arrives once, and none where it must not.

use crate::agents::driving::{dialog, program, ready, usual};
use crate::agents::expected::Evidence;
use crate::agents::stage::{GUARDED, PAUSE, Stage, finished, prompt};
use serde_json::Value;
use std::path::Path;
use taffrail_testkit::agents::Agent;
use taffrail_testkit::{Scale, Tmux, until_every};

/// An agent on a screen that has answered one prompt, and the id of its session.
pub(crate) fn begun(stage: &Stage) -> (Tmux<'_>, String) {
    let screen = stage.start(&[]);
    prompt(&screen, "hello");
    finished(&screen, "Hello there.");
    let id = placed(stage);
    (screen, id)
}

/// The id of the only session, once its pane is known.
fn placed(stage: &Stage) -> String {
    let session = stage.new_is("the turn is over");
    let id = session["id"].as_str().unwrap().to_owned();
    until_every(PAUSE, "its pane", || {
        let row = row(stage, &id);
        row["executor"].as_str().filter(|it| it.starts_with("tmux:")).map(|_| ())
    });
    id
}

fn row(stage: &Stage, id: &str) -> Value {
    let mut all = stage.machine.home().sessions().into_iter();
    all.find(|row| row["id"] == id).unwrap()
}

/// The prompts in the transcript, in order.
pub(crate) fn prompts(stage: &Stage, id: &str) -> Vec<String> {
    let events = stage.machine.home().events(id);
    let said = events.iter().filter(|it| it["kind"] == "user.prompt");
    said.map(|it| it["text"].as_str().unwrap().trim().to_owned()).collect()
}

fn receipt(stage: &Stage, words: &[&str]) -> Value {
    stage.machine.home().json(&[words, &["--json"]].concat())
}

fn waits(stage: &Stage, id: &str) -> usize {
    receipt(stage, &["queue", id, "ls"])["messages"].as_array().unwrap().len()
}

#[test]
fn prompts_arrive_once_each_and_in_their_order() {
    let scale = Scale::from_env();
    for agent in [Agent::Claude, Agent::Codex] {
        let stage = Stage::new(agent, Evidence::Hooks);
        let (screen, id) = begun(&stage);
        let mut expected = vec!["Go on [[scenario:hello]]".to_owned()];
        for number in 0..scale.pick(3, 50) {
            for how in [&["send", &id][..], &["queue", &id, "add"]] {
                let text = format!("Say {} number {number}.\n[[scenario:hello]]", how[0]);
                let told = receipt(&stage, &[how, &[&text]].concat());
                let state = told["delivery_state"].as_str().unwrap();
                assert!(["accepted", "delivered", "picked_up"].contains(&state), "{told}");
                expected.push(text);
            }
        }
        until_every(PAUSE, "the last prompt", || (waits(&stage, &id) == 0).then_some(()));
        let rest = || (row(&stage, &id)["status"] == "waiting").then_some(());
        until_every(PAUSE, "the last answer", rest);
        // A hook reports a prompt before the transcript has it.
        let all = || Some(prompts(&stage, &id)).filter(|it| it.len() >= expected.len());
        let told = until_every(PAUSE, "the last prompt's line", all);
        let same = told
            .iter()
            .zip(&expected)
            .all(|(told, expected)| told.split_whitespace().eq(expected.split_whitespace()));
        assert!(same && told.len() == expected.len(), "{agent:?}: {told:#?}");
        drop(screen);
        stage.check_daemon();
    }
}

#[test]
fn nothing_is_sent_while_an_approval_is_open() {
    for agent in [Agent::Claude, Agent::Codex] {
        let stage = Stage::new(agent, Evidence::Hooks);
        let (screen, id) = begun(&stage);
        prompt(&screen, "guarded");
        screen.wait_for(dialog(agent));
        until_every(PAUSE, "the request", || {
            (row(&stage, &id)["status"] == "waiting_approval").then_some(())
        });
        let told = receipt(&stage, &["send", &id, "After it [[scenario:hello]]"]);
        let state = (told["delivery_state"].as_str(), told["reason"].as_str());
        assert_eq!(state, (Some("accepted"), Some("it asks for an approval")), "{told}");
        let shown = screen.screen();
        assert!(shown.contains(GUARDED) && !shown.contains("After it"), "{shown}");
        screen.press_until(&[crate::agents::driving::allow(agent)], "the command", |it| {
            !it.contains(dialog(agent))
        });
        stage.machine.model().reached("allowed");
        assert!(!screen.screen().contains("After it"), "it is at work");
        stage.release("allowed");
        until_every(PAUSE, "the message", || (waits(&stage, &id) == 0).then_some(()));
        let third = || prompts(&stage, &id).into_iter().nth(2);
        let last = until_every(PAUSE, "the message's line", third);
        assert!(last.starts_with("After it"), "{last}");
        stage.check_daemon();
    }
}

#[test]
fn what_somebody_types_is_left_alone_until_it_is_gone() {
    for agent in [Agent::Claude, Agent::Codex] {
        let stage = Stage::new(agent, Evidence::Hooks);
        let (screen, id) = begun(&stage);
        screen.press(&["h", "a", "l", "f"]);
        screen.wait_for("half");
        let told = receipt(&stage, &["send", &id, "Not yet [[scenario:hello]]"]);
        let state = (told["delivery_state"].as_str(), told["reason"].as_str());
        assert_eq!(state, (Some("accepted"), Some("somebody is typing there")), "{told}");
        let message = told["correlation_id"].as_str().unwrap();
        assert_eq!(waits(&stage, &id), 1);
        stage.machine.home().ok(&["queue", &id, "rm", message]);
        assert_eq!(waits(&stage, &id), 0);
        let late = stage.machine.home().run(&["queue", &id, "rm", message]);
        assert_eq!(late.status, 6, "{late:?}");
        stage.machine.home().ok(&["queue", &id, "add", "Now [[scenario:hello]]"]);
        screen.press(&["BSpace", "BSpace", "BSpace", "BSpace"]);
        until_every(PAUSE, "the message", || (waits(&stage, &id) == 0).then_some(()));
        let second = || prompts(&stage, &id).into_iter().nth(1);
        let said = until_every(PAUSE, "the message's line", second);
        assert!(said.starts_with("Now"), "{said}");
        stage.check_daemon();
    }
}

/// Ctrl-Z suspends the agent, and the shell below it asks for a password.
#[test]
fn nothing_goes_into_a_password_prompt() {
    for agent in [Agent::Claude, Agent::Codex] {
        let stage = Stage::new(agent, Evidence::Hooks);
        let screen = stage.machine.beside(agent, Path::new("/bin/bash"), &["--norc", "-i"]);
        screen.enter(&[&[program(agent)], usual(agent)].concat().join(" "));
        screen.wait_for(ready(agent));
        prompt(&screen, "hello");
        finished(&screen, "Hello there.");
        let id = placed(&stage);
        screen.press_until(&["C-z"], "the shell", |it| it.contains("Stopped"));
        screen.enter("read -rsp 'Password: ' word; echo \"got <$word>\"");
        screen.wait_for("Password:");
        let told = receipt(&stage, &["send", &id, "secret words [[scenario:hello]]"]);
        assert_eq!(told["delivery_state"], "accepted", "{agent:?}: {told}");
        assert_eq!(told["reason"], "another program is in front of it in its terminal", "{told}");
        screen.press(&["o", "k", "Enter"]);
        screen.wait_for("got <ok>");
        assert_eq!(waits(&stage, &id), 1, "{agent:?}: {}", screen.screen());
        screen.enter("fg");
        until_every(PAUSE, "the message", || (waits(&stage, &id) == 0).then_some(()));
        let second = || prompts(&stage, &id).into_iter().nth(1);
        let said = until_every(PAUSE, "the message's line", second);
        assert!(said.starts_with("secret words"), "{said}");
        stage.check_daemon();
    }
}
