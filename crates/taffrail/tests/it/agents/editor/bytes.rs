//! Every byte between an editor and a real agent passes our pipe, however often the daemon is killed.
//! `TAFFRAIL_FULL=1`: 10,000 messages and 100 kills under each agent; otherwise one agent, by
//! `TAFFRAIL_SEED`, and less of both.

use super::{COPILOT, GEMINI, GOOSE, OPENCODE, Speaker, begin};
use crate::agents::PROGRAM;
use crate::agents::stage::PAUSE;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::time::Instant;
use taffrail_testkit::agents::Machine;
use taffrail_testkit::model::Say;
use taffrail_testkit::{Editor, Home, Scale, until, until_every};

/// Keeps what arrives at the agent, and what leaves it.
const KEPT: &str = "tee \"$HOME/to-agent\" | \"$@\" | tee \"$HOME/from-agent\"";
/// The pieces of an answer, and the requests of the editor beside it that the agent refuses.
const PIECES: usize = 200;
const REQUESTS: usize = 100;

#[test]
fn every_byte_passes_between_an_editor_and_an_agent() {
    let scale = Scale::from_env();
    let all = [&GEMINI, &GOOSE, &OPENCODE, &COPILOT];
    let one = [*scale.chance("bytes").pick(&all)];
    let (messages, kills) = scale.pick((600, 3), (10_000, 100));
    for speaker in scale.pick(&one[..], &all[..]) {
        let (start, passed) = (Instant::now(), check(speaker, messages, kills));
        eprintln!("{}: {passed} messages, {kills} kills, {:?}", speaker.id, start.elapsed());
    }
}

/// Prompts until so many messages have passed and the daemon was killed so many times; returns how
/// many passed.
fn check(speaker: &Speaker, messages: usize, kills: usize) -> usize {
    let machine = Machine::new(PROGRAM);
    let words = (0..PIECES).map(|it| Say::Text(format!("piece {it} ä\u{2028}é, ")));
    machine.model().script("long", vec![words.collect()]);
    let mut editor = speaker.editor(&machine, &["sh", "-c", KEPT, "sh"]);
    let session = begin(&machine, speaker, &mut editor);
    let home = machine.home();
    std::thread::scope(|scope| {
        let killer = scope.spawn(|| (0..kills).for_each(|_| kill_a_daemon(home)));
        while editor.passed() < messages || !killer.is_finished() {
            turn(&mut editor, &session);
        }
    });
    equal(&machine, &editor, speaker);
    editor.passed()
}

fn kill_a_daemon(home: &Home) {
    let mut daemon = home.spawn(&["daemon", "run"]);
    let pid = until_every(PAUSE, "the daemon", || {
        // One that was just killed may still break off the connection.
        let status = home.run(&["daemon", "status", "--json"]);
        let status: Value = serde_json::from_str(&status.stdout).ok()?;
        status["pid"].as_u64().filter(|_| status["running"] == true)
    });
    let signal = |name: &str| {
        let mut kill = home.any_command(Path::new("/bin/kill"), home.root());
        kill.args([name, &pid.to_string()]).stderr(Stdio::null()).status().unwrap().success()
    };
    assert!(signal("-KILL"), "{pid}");
    // While it holds the lock, the next one takes it for a daemon that runs.
    until_every(PAUSE, "the end of the daemon", || (!signal("-0")).then_some(()));
    daemon.kill();
}

/// A prompt, and requests that the agent does not know.
fn turn(editor: &mut Editor, session: &Value) {
    let text = "Tell me all [[scenario:long]] ä\u{2028}é";
    let prompt = json!([{"type": "text", "text": text}]);
    let asked = editor.ask("session/prompt", json!({"sessionId": session, "prompt": prompt}));
    let unknown: Vec<_> =
        (0..REQUESTS).map(|it| editor.ask("x/unknown", json!({"n": it, "text": text}))).collect();
    for id in unknown {
        assert!(editor.reply(id)["error"].is_object());
    }
    editor.answer(asked);
}

/// What the agent got is what the editor sent, and the other way round.
fn equal(machine: &Machine, editor: &Editor, speaker: &Speaker) {
    let kept = |name: &str| fs::read(machine.home().path(name)).unwrap();
    until(&format!("{}: the last bytes", speaker.id), || {
        (kept("from-agent").len() == editor.received().len()).then_some(())
    });
    assert!(kept("to-agent") == editor.sent(), "{}: to the agent", speaker.id);
    assert!(kept("from-agent") == editor.received(), "{}: from the agent", speaker.id);
}
