//! The board in a real terminal: what a person sees and presses, and what remains when it ends.

mod first;
mod hostile;
mod screen;

use serde_json::{Value, json};
use std::time::Duration;
use taffrail_testkit::agents::Machine;
use taffrail_testkit::{Run, Tmux, until_every};

const PROGRAM: &str = env!("CARGO_BIN_EXE_taffrail");
/// The interval between two polls.
const PAUSE: Duration = Duration::from_millis(20);

/// A machine with a few sessions, and a daemon that has read them.
struct Stage {
    // Ends before its machine.
    _daemon: Run,
    machine: Machine,
}

impl Stage {
    /// A machine with sessions that got these prompts.
    fn new(prompts: &[String]) -> Self {
        let machine = machine_with(prompts);
        let daemon = machine.home().spawn(&["daemon", "run"]);
        let stage = Self { _daemon: daemon, machine };
        until_every(PAUSE, "the daemon", || {
            let status = stage.machine.home().json(&["daemon", "status", "--json"]);
            (status.get("running") == Some(&Value::Bool(true))).then_some(())
        });
        until_every(PAUSE, "all sessions", || {
            (stage.machine.home().sessions().len() == prompts.len()).then_some(())
        });
        stage
    }

    /// The board on a screen.
    fn board(&self) -> Tmux<'_> {
        let path = std::path::Path::new(PROGRAM);
        let screen = Tmux::start(&self.machine, path, &[], &environment());
        screen.wait_for("NEEDS YOU");
        screen
    }
}

/// A machine with these sessions of an agent, on which Taffrail never ran.
fn machine_with(prompts: &[String]) -> Machine {
    let machine = Machine::new(PROGRAM);
    for (number, prompt) in prompts.iter().enumerate() {
        let id = format!("0000000{}-0000-4000-8000-{number:012}", number % 10);
        let below = format!(".claude/projects/-x/{id}.jsonl");
        machine.home().write(&below, format!("{}\n", record(&id, number, prompt)));
    }
    machine
}

fn environment() -> Vec<(&'static str, String)> {
    vec![("COLORTERM", "truecolor".to_owned()), ("LC_ALL", "C.UTF-8".to_owned())]
}

/// A prompt as its agent records it.
fn record(id: &str, number: usize, prompt: &str) -> Value {
    json!({
        "type": "user", "uuid": format!("{number:08}-0000-4000-8000-000000000000"),
        "parentUuid": null, "sessionId": id, "timestamp": "2026-11-01T10:00:00.000Z",
        "cwd": format!("/x/p{number}"), "version": "2.1.0", "isSidechain": false,
        "message": {"role": "user", "content": prompt},
    })
}
