//! Keys that the daemon presses for a person in a real agent's pane: the number of an answer, and the key
//! that interrupts a turn.

use crate::agents::driving::broken_off;
use crate::agents::expected::Evidence;
use crate::agents::stage::{PAUSE, Stage, WORKING, finished, prompt};
use serde_json::{Value, json};
use std::process::Command;
use taffrail_testkit::agents::Agent;
use taffrail_testkit::model::Say;
use taffrail_testkit::until_every;

fn socket(stage: &Stage) -> String {
    let status = stage.machine.home().json(&["daemon", "status", "--json"]);
    status["socket"].as_str().unwrap().to_owned()
}

/// The status and the body of the daemon's answer.
fn post(socket: &str, id: &str, what: &str, body: &Value) -> (String, Value) {
    let url = format!("http://localhost/api/sessions/{id}/controls/{what}");
    let mut curl = Command::new("curl");
    curl.args(["-s", "-w", "\n%{http_code}", "--unix-socket", socket, "-d", &body.to_string()]);
    curl.args(["-H", "content-type: application/json", &url]);
    let said = String::from_utf8(curl.output().unwrap().stdout).unwrap();
    let (body, code) = said.rsplit_once('\n').unwrap();
    (code.to_owned(), serde_json::from_str(body).unwrap_or_default())
}

/// Waits until the session's pane is known.
fn placed(stage: &Stage, id: &str) {
    until_every(PAUSE, "its pane", || {
        let row = stage.machine.home().sessions().into_iter().find(|it| it["id"] == id)?;
        row["executor"].as_str()?.starts_with("tmux:").then_some(())
    });
}

#[test]
fn a_question_is_answered_once_with_the_number_of_an_answer() {
    for agent in [Agent::Claude, Agent::Codex] {
        let stage = Stage::new(agent, Evidence::Hooks);
        let screen = match agent {
            Agent::Codex => stage.start(&["-c", "features.default_mode_request_user_input=true"]),
            _ => stage.start(&[]),
        };
        prompt(&screen, "question");
        screen.wait_for("Blue");
        let session = stage.new_is("a question is open");
        let id = session["id"].as_str().unwrap();
        placed(&stage, id);
        let socket = socket(&stage);
        let options = until_every(PAUSE, "its answers", || {
            let row = stage.machine.home().sessions().into_iter().find(|it| it["id"] == id)?;
            Some(row["waiting_for"]["options"].clone()).filter(|it| !it.is_null())
        });
        assert_eq!(options, json!(["Red", "Blue"]), "{agent:?}");
        // Another answer than the one that was seen is not chosen, and neither is one without a key.
        for wrong in [json!({"option": 1, "text": "Blue"}), json!({"option": 3, "text": "Green"})] {
            let (code, said) = post(&socket, id, "answer", &wrong);
            assert_eq!(code, "409", "{agent:?}: {said}");
            assert!(screen.screen().contains("Blue"), "{agent:?} was answered with {wrong}");
        }
        let blue = json!({"option": 2, "text": "Blue"});
        let both: Vec<_> = std::thread::scope(|all| {
            let press = || post(&socket, id, "answer", &blue);
            let two = [all.spawn(press), all.spawn(press)];
            two.map(|it| it.join().unwrap()).into_iter().collect()
        });
        let mut codes: Vec<_> = both.iter().map(|it| it.0.as_str()).collect();
        codes.sort_unstable();
        assert_eq!(codes, ["200", "409"], "{agent:?}: {both:?}\n{}", screen.screen());
        finished(&screen, "Thank you.");
        let row = stage.same_is(&session, "the turn is over");
        let events = stage.machine.home().events(row["id"].as_str().unwrap());
        let is_blue = |it: &Value| it["kind"] != "tool.call" && it.to_string().contains("Blue");
        assert!(events.iter().any(is_blue), "{agent:?}: {events:#?}");
        stage.check_daemon();
    }
}

#[test]
fn a_turn_is_interrupted_only_while_it_runs() {
    for agent in [Agent::Claude, Agent::Codex, Agent::Gemini] {
        let stage = Stage::prepared(agent, Evidence::Hooks, |it| it.prepare(agent));
        let screen = stage.start(&[]);
        prompt(&screen, "hello");
        finished(&screen, "Hello there.");
        let session = stage.new_is("the turn is over");
        let id = session["id"].as_str().unwrap();
        placed(&stage, id);
        let socket = socket(&stage);
        let (code, said) = post(&socket, id, "interrupt", &json!({}));
        assert_eq!(code, "409", "{agent:?}: {said}");
        // Codex shows that it works until the first words of its answer, Claude Code from those on.
        let scenario = if agent == Agent::Codex { "silent" } else { "held" };
        let silent = vec![Say::Hold("silent".to_owned()), Say::Text("Done.".to_owned())];
        stage.machine.model().script("silent", vec![silent]);
        stage.hold(&screen, scenario);
        screen.wait_for(if agent == Agent::Gemini { "esc to cancel" } else { WORKING });
        let (code, said) = post(&socket, id, "interrupt", &json!({}));
        assert_eq!(code, "200", "{agent:?}: {said}\n{}", screen.screen());
        screen.wait_for(broken_off(agent));
        stage.release(scenario);
        stage.check_daemon();
    }
}
