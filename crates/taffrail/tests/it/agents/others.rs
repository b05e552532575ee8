//! Gemini CLI and Goose, played through the situations in which a person matters. Each play runs
//! with our hooks and without.

use crate::agents::driving::{allow, broken_off, dialog, hooks_file, interrupt};
use crate::agents::expected::Evidence;
use crate::agents::stage::{Stage, finished, prompt};
use serde_json::Value;
use std::panic::{AssertUnwindSafe, catch_unwind};
use taffrail_testkit::agents::Agent;
use taffrail_testkit::{Scale, Tmux, until};

/// Plays a situation with both agents and every requested evidence, and fails with all errors.
fn each(situation: &str, agents: &[Agent], play: impl Fn(&Stage)) {
    let scale = Scale::from_env();
    let mut chance = scale.chance(situation);
    let mut failed = Vec::new();
    for agent in agents {
        let both = [Evidence::Hooks, Evidence::Files];
        let one = [*chance.pick(&both)];
        for evidence in scale.pick(&one[..], &both[..]) {
            eprintln!("{situation}: {agent:?} with {evidence:?}");
            let play = || {
                let stage = Stage::prepared(*agent, *evidence, |it| it.prepare(*agent));
                play(&stage);
                stage.check_daemon();
            };
            if catch_unwind(AssertUnwindSafe(play)).is_err() {
                failed.push(format!("{agent:?} with {evidence:?}"));
            }
        }
    }
    assert!(failed.is_empty(), "{situation} failed for {failed:?}");
}

const BOTH: &[Agent] = &[Agent::Gemini, Agent::Goose];

/// Runs up to the open dialog.
fn asked(stage: &Stage) -> (Tmux<'_>, Value) {
    let screen = stage.start(&[]);
    prompt(&screen, "guarded");
    screen.wait_for(dialog(stage.agent));
    let session = stage.new_is("a dialog is open");
    (screen, session)
}

#[test]
fn a_turn_of_another_agent() {
    each("a turn of another agent", BOTH, |stage| {
        let screen = stage.start(&[]);
        stage.hold(&screen, "held");
        let session = stage.new_is("a prompt is taken");
        stage.release("held");
        finished(&screen, "Here it is.");
        stage.same_is(&session, "the turn is over");
        stage.rests(&session);
    });
}

#[test]
fn a_person_allows_another_agent() {
    each("a person allows another agent", BOTH, |stage| {
        let (screen, session) = asked(stage);
        let is_answered = |it: &str| !it.contains(dialog(stage.agent));
        screen.press_until(&[allow(stage.agent)], "the command", is_answered);
        stage.machine.model().reached("allowed");
        stage.same_is(&session, "it was allowed");
        stage.release("allowed");
        finished(&screen, "Here it is.");
        stage.same_is(&session, "the turn is over");
    });
}

#[test]
fn a_person_denies_another_agent() {
    each("a person denies another agent", BOTH, |stage| {
        let (screen, session) = asked(stage);
        match stage.agent {
            // The third choice; the model then gets the refusal and goes on.
            Agent::Goose => {
                screen.press(&["Down", "Down", "Enter"]);
                stage.machine.model().reached("allowed");
                stage.release("allowed");
                finished(&screen, "Here it is.");
            }
            Agent::Claude | Agent::Codex | Agent::Gemini => {
                screen.press_until(&["Escape"], "the denial", |it| {
                    it.contains(broken_off(stage.agent))
                });
            }
        }
        stage.same_is(&session, "it was denied");
    });
}

#[test]
fn a_person_interrupts_another_agent() {
    each("a person interrupts another agent", BOTH, |stage| {
        let screen = stage.start(&[]);
        stage.hold(&screen, "held");
        let session = stage.new_is("a prompt is taken");
        let keys = [interrupt(stage.agent)];
        screen.press_until(&keys, "the end", |it| it.contains(broken_off(stage.agent)));
        stage.same_is(&session, "it was interrupted");
    });
}

#[test]
fn another_agent_asks_a_question() {
    each("another agent asks a question", &[Agent::Gemini], |stage| {
        let screen = stage.start(&[]);
        prompt(&screen, "question");
        screen.wait_for("Blue");
        let session = stage.new_is("a question is open");
        screen.press_until(&["Enter"], "the answer", |it| it.contains("Thank you."));
        stage.same_is(&session, "the turn is over");
    });
}

#[test]
fn another_agent_is_killed_while_it_asks() {
    each("another agent is killed while it asks", BOTH, |stage| {
        let (screen, session) = asked(stage);
        stage.machine.signal("-KILL", screen.pid());
        until("the end", || screen.ended().then_some(()));
        let killed = stage.same_is(&session, "it was killed");
        assert_eq!(killed["failed"], stage.knows_processes(), "{killed}");
        stage.rests(&session);
    });
}

#[test]
fn hooks_of_other_agents_are_taken_out_again() {
    for agent in BOTH {
        let stage = Stage::prepared(*agent, Evidence::Files, |it| it.prepare(*agent));
        let (home, file) = (stage.machine.home(), hooks_file(*agent));
        let before = std::fs::read_to_string(home.path(file)).ok();
        home.ok(&["hooks", "install", "--yes"]);
        assert!(std::fs::read_to_string(home.path(file)).unwrap().contains("taffrail"));
        home.ok(&["hooks", "uninstall", "--yes"]);
        assert_eq!(std::fs::read_to_string(home.path(file)).ok(), before);
    }
}
