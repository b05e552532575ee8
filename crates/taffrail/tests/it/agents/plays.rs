//! Every situation of a session, played by real agents.
//!
//! A slice plays each situation once per agent, with the evidence that the seed chooses; a full run
//! plays everything.

use crate::agents::driving::{allow, broken_off, dialog, fork, hooks_file, print, quit, resume};
use crate::agents::expected::Evidence;
use crate::agents::stage::{PAUSE, Stage, WORKING, finished, prompt, runtime};
use serde_json::{Value, json};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::Stdio;
use std::time::{Duration, Instant};
use taffrail_testkit::agents::{Agent, Machine};
use taffrail_testkit::{Scale, Tmux, until, until_every};

/// Plays a situation with every requested agent and evidence, and fails with all errors.
fn each(situation: &str, play: impl Fn(Agent, Evidence)) {
    let scale = Scale::from_env();
    let mut chance = scale.chance(situation);
    let mut failed = Vec::new();
    for agent in [Agent::Claude, Agent::Codex] {
        let both = [Evidence::Hooks, Evidence::Files];
        let one = [*chance.pick(&both)];
        for evidence in scale.pick(&one[..], &both[..]) {
            eprintln!("{situation}: {agent:?} with {evidence:?}");
            if catch_unwind(AssertUnwindSafe(|| play(agent, *evidence))).is_err() {
                failed.push(format!("{agent:?} with {evidence:?}"));
            }
        }
    }
    assert!(failed.is_empty(), "{situation} failed for {failed:?}");
}

/// The same for a play that starts on a default stage.
fn each_on_stage(situation: &str, play: impl Fn(&Stage)) {
    each(situation, |agent, evidence| {
        let stage = Stage::new(agent, evidence);
        play(&stage);
        stage.check_daemon();
    });
}

#[test]
fn a_turn() {
    each_on_stage("a turn", |stage| {
        let screen = stage.start(&[]);
        stage.hold(&screen, "held");
        let session = stage.new_is("a prompt is taken");
        if stage.knows_processes() {
            let executor = json!(format!("tmux:{}", screen.place()));
            stage.same_has(&session, "a prompt is taken", ("executor", executor));
        }
        stage.release("held");
        finished(&screen, "Here it is.");
        stage.same_is(&session, "the turn is over");
        stage.rests(&session);
    });
}

#[test]
fn a_folder_without_history() {
    // The folder of the future transcript exists before Taffrail starts, and is empty.
    let empty = "mkdir -p .codex/sessions/$(date +%Y/%m/%d) .claude/projects/$(pwd | tr / -)-app";
    each("a folder without history", |agent, evidence| {
        let stage = Stage::prepared(agent, evidence, |machine| {
            let status =
                machine.command("/bin/sh").args(["-c", &format!("cd && {empty}")]).status();
            assert!(status.unwrap().success());
        });
        let screen = stage.start(&[]);
        prompt(&screen, "hello");
        finished(&screen, "Hello there.");
        let session = stage.new_is("the turn is over");
        stage.same_has(&session, "the turn is over", ("prompts", json!(1)));
        drop(screen);
        stage.check_daemon();
    });
}

/// Runs up to the open dialog.
fn asked(stage: &Stage) -> (Tmux<'_>, Value) {
    let screen = stage.start(&[]);
    prompt(&screen, "guarded");
    screen.wait_for(dialog(stage.agent));
    let session = stage.new_is("a dialog is open");
    (screen, session)
}

#[test]
fn a_person_allows() {
    each_on_stage("a person allows", |stage| {
        let (screen, session) = asked(stage);
        let allow = allow(stage.agent);
        screen.press_until(&[allow], "the command", |it| !it.contains(dialog(stage.agent)));
        stage.machine.model().reached("allowed");
        stage.same_is(&session, "it was allowed");
        stage.release("allowed");
        finished(&screen, "Here it is.");
        stage.same_is(&session, "the turn is over");
    });
}

#[test]
fn a_person_denies() {
    each_on_stage("a person denies", |stage| {
        let (screen, session) = asked(stage);
        screen.press_until(&["Escape"], "the denial", |it| it.contains(broken_off(stage.agent)));
        stage.same_is(&session, "the turn is over");
    });
}

/// A user's own hook that reports when it is called, and allows once a file exists.
fn allowing_hook(machine: &Machine, agent: Agent) {
    let answer = json!({"hookSpecificOutput": {"hookEventName": "PermissionRequest",
        "decision": {"behavior": "allow"}}});
    let script = format!(
        "cat >/dev/null; touch ~/hook-is-asked\n\
         while [ ! -e ~/hook-may-allow ]; do sleep 0.02; done\n\
         echo '{answer}'\n"
    );
    machine.home().write("allow.sh", script);
    let command = format!("/bin/sh {}", machine.home().path("allow.sh").display());
    let hook = json!([{"hooks": [{"type": "command", "command": command, "timeout": 60}]}]);
    let hooks = json!({"hooks": {"PermissionRequest": hook}});
    machine.home().write(hooks_file(agent), hooks.to_string());
}

#[test]
fn a_hook_allows() {
    each("a hook allows", |agent, evidence| {
        let stage = Stage::prepared(agent, evidence, |it| allowing_hook(it, agent));
        let screen = stage.start(&[]);
        prompt(&screen, "guarded");
        let home = stage.machine.home();
        until("the hook", || home.path("hook-is-asked").exists().then_some(()));
        let session = stage.new_is("a hook is asked");
        home.write("hook-may-allow", "");
        stage.machine.model().reached("allowed");
        stage.same_is(&session, "it was allowed");
        stage.release("allowed");
        finished(&screen, "Here it is.");
        stage.same_is(&session, "the turn is over");
        drop(screen);
        stage.check_daemon();
    });
}

#[test]
fn an_interrupt() {
    each_on_stage("an interrupt", |stage| {
        let screen = stage.start(&[]);
        stage.hold(&screen, "held");
        let session = stage.new_is("a prompt is taken");
        screen.press_until(&["Escape"], "the end", |it| it.contains(broken_off(stage.agent)));
        stage.same_is(&session, "the turn is over");
    });
}

#[test]
fn an_error_of_the_model() {
    each_on_stage("an error of the model", |stage| {
        let screen = stage.start(&[]);
        prompt(&screen, "broken");
        screen.wait_for("529");
        let session = stage.new_is("the turn is over");
        stage.same_has(&session, "the turn is over", ("group", json!("failed")));
    });
}

#[test]
fn a_kill_while_it_waits() {
    each_on_stage("a kill while it waits", |stage| {
        let (screen, session) = asked(stage);
        stage.machine.signal("-KILL", screen.pid());
        until("the end", || screen.ended().then_some(()));
        let killed = stage.same_is(&session, "it was killed");
        assert_eq!(killed["failed"], stage.knows_processes(), "{killed}");
        stage.rests(&session);
    });
}

#[test]
fn a_folded_context() {
    each_on_stage("a folded context", |stage| {
        let screen = stage.start(&[]);
        prompt(&screen, "hello");
        finished(&screen, "Hello there.");
        let session = stage.new_is("the turn is over");
        screen.enter("/compact");
        stage.machine.model().reached("summary");
        stage.same_is(&session, "the context is folded");
        stage.release("summary");
        screen.wait_until("the end", |it| it.to_lowercase().contains("compacted"));
        stage.same_is(&session, "the turn is over");
    });
}

#[test]
fn a_cleared_session() {
    each_on_stage("a cleared session", |stage| {
        let screen = stage.start(&[]);
        prompt(&screen, "hello");
        finished(&screen, "Hello there.");
        let old = stage.new_is("the turn is over");
        screen.enter("/clear");
        screen.wait_until("the empty screen", |it| !it.contains("Hello there."));
        stage.same_is(&old, "it was cleared");
        stage.hold(&screen, "held");
        stage.new_is("a prompt is taken");
        stage.same_is(&old, "another took its place");
    });
}

/// Plays one turn, then quits the agent.
fn left(stage: &Stage) -> Value {
    let screen = stage.start(&[]);
    prompt(&screen, "hello");
    finished(&screen, "Hello there.");
    let session = stage.new_is("the turn is over");
    screen.enter(quit(stage.agent));
    until("the end", || screen.ended().then_some(()));
    stage.same_is(&session, "it was quit");
    stage.rests(&session);
    session
}

#[test]
fn a_session_taken_up_again() {
    each_on_stage("a session taken up again", |stage| {
        let session = left(stage);
        let screen = stage.start(&resume(stage.agent, runtime(&session)));
        stage.same_is(&session, "it was taken up again");
        stage.hold(&screen, "held");
        stage.same_is(&session, "a prompt is taken");
        stage.release("held");
        finished(&screen, "Here it is.");
        stage.same_is(&session, "the turn is over");
    });
}

#[test]
fn a_fork() {
    each_on_stage("a fork", |stage| {
        let old = left(stage);
        let screen = stage.start(&fork(stage.agent, runtime(&old)));
        stage.hold(&screen, "held");
        let new = stage.new_is("a prompt is taken");
        stage.release("held");
        finished(&screen, "Here it is.");
        let from = json!({"kind": "fork", "session_id": old["id"]});
        stage.same_has(&new, "the turn is over", ("lineage", from));
        stage.same_is(&old, "it was quit");
    });
}

/// Waits until a sub-agent has ended, and its parent has handled that.
fn worker_ended(stage: &Stage, screen: &Tmux<'_>) {
    match stage.agent {
        // The parent is notified and repeats its last words.
        Agent::Claude => screen.wait_until("the second answer", |it| {
            it.matches("It is delegated.").count() == 2 && !it.contains(WORKING)
        }),
        // Nothing appears on the screen, and the parent is not notified.
        Agent::Codex | Agent::Gemini | Agent::Goose => {
            until_every(PAUSE, "the worker's end", || {
                let grep =
                    "grep -rl 'My part is done' ~/.codex/sessions | xargs grep -l task_complete";
                let found = stage.machine.command("/bin/sh").args(["-c", grep]).output().unwrap();
                (!found.stdout.is_empty()).then_some(())
            });
        }
    }
}

#[test]
fn a_worker_that_works_on() {
    each_on_stage("a worker that works on", |stage| {
        let screen = stage.start(&[]);
        prompt(&screen, "delegated");
        screen.wait_for("It is delegated.");
        stage.machine.model().reached("part");
        let session = stage.new_is("a worker works on");
        stage.release("part");
        worker_ended(stage, &screen);
        stage.same_is(&session, "the turn is over");
    });
}

#[test]
fn a_question() {
    each_on_stage("a question", |stage| {
        let screen = match stage.agent {
            Agent::Claude => stage.start(&[]),
            Agent::Codex | Agent::Gemini | Agent::Goose => {
                stage.start(&["-c", "features.default_mode_request_user_input=true"])
            }
        };
        prompt(&screen, "question");
        screen.wait_for("Blue");
        let session = stage.new_is("a question is open");
        screen.press_until(&["Enter"], "the answer", |it| it.contains("Thank you."));
        stage.same_is(&session, "the turn is over");
    });
}

#[test]
fn a_printed_answer() {
    each_on_stage("a printed answer", |stage| {
        let arguments = print(stage.agent, "Go on [[scenario:held]]");
        let mut command = stage.machine.agent(stage.agent, &arguments);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        stage.machine.model().reached("held");
        let session = stage.new_is("a prompt is taken");
        stage.release("held");
        assert!(child.wait().unwrap().success());
        stage.same_is(&session, "it has printed");
    });
}

/// The duration of each of these printed answers, fastest first: with our hooks, with hooks that do
/// nothing, and without any, in turn.
fn printed_in(times: usize) -> [Vec<Duration>; 3] {
    let stages = [Evidence::Hooks, Evidence::Hooks, Evidence::Files];
    let stages = stages.map(|it| Stage::new(Agent::Claude, it));
    let file = stages[1].machine.home().path(hooks_file(Agent::Claude));
    let settings = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, settings.replace(crate::agents::PROGRAM, "/bin/true")).unwrap();
    let mut took = [const { Vec::new() }; 3];
    for _ in 0..times {
        for (stage, took) in stages.iter().zip(&mut took) {
            let began = Instant::now();
            let arguments = print(Agent::Claude, "Go on [[scenario:hello]]");
            let mut command = stage.machine.agent(Agent::Claude, &arguments);
            let status = command.stdout(Stdio::null()).stderr(Stdio::null()).status().unwrap();
            assert!(status.success());
            took.push(began.elapsed());
        }
    }
    took.map(|mut took| {
        took.sort();
        took
    })
}

/// An agent takes its time to call any hook; ours add next to nothing to that. Another busy program
/// can only make a run longer, so a slice compares the fastest of its few runs; a full run compares
/// the medians strictly.
#[test]
fn hooks_cost_an_agent_next_to_nothing() {
    let scale = Scale::from_env();
    let times = scale.pick(5, 21);
    let [ours, idle, none] = printed_in(times).map(|took| took[scale.pick(0, times / 2)]);
    eprintln!("a printed answer takes {ours:?}, {idle:?} with idle hooks, {none:?} without");
    let most = scale.pick(1.5, 1.05);
    assert!(ours <= idle.mul_f64(most), "{ours:?} with our hooks, {idle:?} with idle ones");
}
