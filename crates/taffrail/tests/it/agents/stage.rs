//! One agent on a separate machine, observed by Taffrail: its reports are compared with the facts.

use crate::agents::PROGRAM;
use crate::agents::driving::{hooks_file, ready, usual};
use crate::agents::expected::{Evidence, expected, is_among};
use crate::agents::faces;
use serde_json::Value;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::time::{Duration, Instant};
use taffrail_testkit::agents::{Agent, Machine};
use taffrail_testkit::model::{Answer, Say, text};
use taffrail_testkit::{Run, Scale, Tmux, until_every};

/// How soon Taffrail must report a fact: within a second. In a slice other tests keep the machine
/// busy, so the limit there is four seconds.
pub(crate) fn soon() -> Duration {
    Duration::from_secs(Scale::from_env().pick(4, 1))
}

/// How long a test waits, to distinguish late from never.
const NEVER: Duration = Duration::from_secs(8);
/// The interval between two polls.
pub(crate) const PAUSE: Duration = Duration::from_millis(20);

/// The text on every agent's screen while it works.
pub(crate) const WORKING: &str = "esc to interrupt";

/// The command a person has to allow.
pub(crate) const GUARDED: &str = "touch made.txt";
/// The question of the agent.
pub(crate) const QUESTION: &str = "Which color?";

/// A machine, its agent, and the evidence that Taffrail gets.
pub(crate) struct Stage {
    // Ends before its machine.
    daemon: RefCell<Run>,
    pub machine: Machine,
    pub agent: Agent,
    pub evidence: Evidence,
    /// Sessions seen so far, by our id.
    met: RefCell<BTreeSet<String>>,
}

impl Stage {
    /// A machine with Taffrail running.
    pub(crate) fn new(agent: Agent, evidence: Evidence) -> Self {
        Self::prepared(agent, evidence, |_| {})
    }

    /// The same, with preparations before hooks are installed.
    pub(crate) fn prepared(agent: Agent, evidence: Evidence, first: impl Fn(&Machine)) -> Self {
        let machine = Machine::new(PROGRAM);
        first(&machine);
        script(&machine);
        if evidence == Evidence::Hooks {
            machine.home().ok(&["hooks", "install", "--yes"]);
            let file = std::fs::read_to_string(machine.home().path(hooks_file(agent))).unwrap();
            assert!(file.contains("taffrail"), "no hooks in {}: {file}", hooks_file(agent));
        }
        let daemon = RefCell::new(daemon_on(&machine));
        Self { daemon, machine, agent, evidence, met: RefCell::default() }
    }

    /// Kills the daemon, as a power cut would.
    pub(crate) fn kill_daemon(&self) {
        let home = self.machine.home();
        let pid = home.json(&["daemon", "status", "--json"])["pid"].as_u64().unwrap();
        self.machine.signal("-KILL", pid.try_into().unwrap());
        self.daemon.borrow_mut().kill();
        until_every(PAUSE, "the end of the daemon", || (!runs(&self.machine)).then_some(()));
    }

    /// Starts another daemon.
    pub(crate) fn start_daemon(&self) {
        self.daemon.replace(daemon_on(&self.machine));
    }

    /// Starts the agent on a screen, ready for a prompt.
    pub(crate) fn start(&self, arguments: &[&str]) -> Tmux<'_> {
        let arguments = [arguments, usual(self.agent)].concat();
        let screen = self.machine.on_screen(self.agent, &arguments);
        screen.wait_for(ready(self.agent));
        screen
    }

    /// True if a registry or our hooks report which process runs a session.
    pub(crate) fn knows_processes(&self) -> bool {
        self.agent == Agent::Claude || self.evidence == Evidence::Hooks
    }

    /// Types a prompt whose answer is held, and waits until it is.
    pub(crate) fn hold(&self, screen: &Tmux<'_>, scenario: &str) {
        prompt(screen, scenario);
        self.machine.model().reached(scenario);
    }

    /// Releases a held answer.
    pub(crate) fn release(&self, gate: &str) {
        self.machine.model().release(gate);
    }

    /// Waits until an unseen session is reported with the expected status, and returns it.
    pub(crate) fn new_is(&self, moment: &str) -> Value {
        let met = self.met.borrow().clone();
        let is_new = |row: &Value| row["parent_id"].is_null() && !met.contains(id(row));
        let row = self.is(moment, is_new, names_it);
        self.met.borrow_mut().insert(id(&row).to_owned());
        row
    }

    /// Waits until a session is reported with the expected status.
    pub(crate) fn same_is(&self, session: &Value, moment: &str) -> Value {
        self.is(moment, |row| row["id"] == session["id"], names_it)
    }

    /// The same, and until its row has this value, too.
    pub(crate) fn same_has(&self, session: &Value, moment: &str, (field, is): (&str, Value)) {
        self.is(moment, |row| row["id"] == session["id"], |row| row[field] == is);
    }

    /// Nothing happens in a session any more: every poll must return the same.
    pub(crate) fn rests(&self, session: &Value) {
        let look = || {
            let mut all = self.machine.home().sessions().into_iter();
            all.find(|row| row["id"] == session["id"]).unwrap()
        };
        // Waits for what an agent still writes after it stopped, such as bookkeeping and hooks.
        let quiet = Duration::from_millis(500);
        let (mut last, mut since) = (look(), Instant::now());
        let start = Instant::now();
        while since.elapsed() < quiet {
            std::thread::park_timeout(PAUSE);
            let row = look();
            assert!(start.elapsed() < NEVER, "it never rests: {last}\n{}", self.explained(&last));
            if row != last {
                (last, since) = (row, Instant::now());
            }
        }
    }

    fn is(
        &self,
        moment: &str,
        which: impl Fn(&Value) -> bool,
        has: impl Fn(&Value) -> bool,
    ) -> Value {
        let cell = expected(moment, self.agent, self.evidence);
        let (start, mut last) = (Instant::now(), Value::Null);
        loop {
            let found = self.machine.home().sessions().into_iter().find(&which);
            let passed = start.elapsed();
            last = found.unwrap_or(last);
            let (status, confidence) = (word(&last, "status"), word(&last, "confidence"));
            if is_among(cell, status, confidence) && has(&last) {
                eprintln!("{moment}: {status} {confidence} after {passed:?}");
                assert!(passed < soon(), "{moment}: {cell:?} only after {passed:?}: {last}");
                self.check_row(&last);
                return last;
            }
            let said = || self.explained(&last);
            assert!(passed < NEVER, "{moment}: never {cell:?}: {last}\n{}", said());
            std::thread::park_timeout(PAUSE);
        }
    }

    /// What must be consistent in every row.
    fn check_row(&self, row: &Value) {
        let expected = match (word(row, "status"), row["waiting_for"]["kind"].as_str()) {
            ("waiting" | "exited" | "unknown", _) if row["failed"] == true => "failed",
            ("waiting_approval", Some("approval")) | ("waiting", Some("question")) => "needs_you",
            ("waiting", _) => "your_turn",
            ("running", None) => "working",
            ("idle" | "unknown", _) => "idle",
            ("exited", None) => "done",
            other => panic!("{other:?} do not go together: {row}"),
        };
        assert_eq!(row["group"], expected, "{row}");
        faces::agree(self.machine.home(), id(row));
    }

    fn explained(&self, row: &Value) -> String {
        let said = self.machine.home().run(&["explain", id(row)]);
        format!("{}{}{}", said.stdout, said.stderr, self.written(row))
    }

    /// The last lines the agent itself wrote, to distinguish what was not written from what was not
    /// read.
    fn written(&self, row: &Value) -> String {
        let (scheme, below) = word(row, "source_uri").split_once(':').unwrap_or_default();
        let folder = match scheme {
            "claude-jsonl" => ".claude/projects",
            _ => ".codex/sessions",
        };
        let path = self.machine.home().path(folder).join(below);
        let text = std::fs::read_to_string(path).unwrap_or_default();
        let last = text.lines().rev().take(4).map(|it| it.chars().take(300).collect::<String>());
        last.map(|it| format!("written: {it}\n")).collect()
    }

    /// Fails with the daemon's exit, if it has ended.
    pub(crate) fn check_daemon(&self) {
        assert_eq!(self.daemon.borrow_mut().ended(), None, "the daemon ended");
    }
}

fn daemon_on(machine: &Machine) -> Run {
    let daemon = machine.home().spawn(&["daemon", "run"]);
    until_every(PAUSE, "the daemon", || runs(machine).then_some(()));
    daemon
}

/// True if a daemon answers.
pub(crate) fn runs(machine: &Machine) -> bool {
    let status = machine.home().run(&["daemon", "status", "--json"]);
    status.stdout.contains("\"running\": true")
}

/// Types a prompt that names a scenario.
pub(crate) fn prompt(screen: &Tmux<'_>, scenario: &str) {
    screen.enter(&format!("Go on [[scenario:{scenario}]]"));
}

/// Waits until a turn is over on the screen, after these words.
pub(crate) fn finished(screen: &Tmux<'_>, words: &str) {
    screen.wait_until(words, |it| it.contains(words) && !it.contains(WORKING));
}

/// The agent's id of a session.
pub(crate) fn runtime(row: &Value) -> &str {
    word(row, "runtime_session_id")
}

/// True if a row that waits for an answer names the question.
fn names_it(row: &Value) -> bool {
    let said = word(&row["waiting_for"], "text");
    match row["waiting_for"]["kind"].as_str() {
        Some("approval") => said.contains(GUARDED),
        Some("question") => said.starts_with(QUESTION),
        _ => true,
    }
}

fn id(row: &Value) -> &str {
    word(row, "id")
}

fn word<'a>(row: &'a Value, field: &str) -> &'a str {
    row[field].as_str().unwrap_or_default()
}

/// The model's script for every play; a held scenario waits at a gate with its name.
fn script(machine: &Machine) {
    let say = |words: &str| Say::Text(words.to_owned());
    let hold = |gate: &str| Say::Hold(gate.to_owned());
    let held = |gate: &str| vec![say("Wait."), hold(gate), say("Here it is.")];
    let worker = "Do your part. [[scenario:part]]".to_owned();
    let twin = || Say::Worker("Do your part. [[scenario:twin]]".to_owned());
    let scenarios: [(&str, Vec<Answer>); 11] = [
        ("hello", vec![text("Hello there.")]),
        ("held", vec![held("held")]),
        ("again", vec![held("again")]),
        ("guarded", vec![vec![Say::Guarded(GUARDED.to_owned())], held("allowed")]),
        ("broken", vec![vec![Say::Fail(529)]]),
        ("question", vec![vec![Say::Question(QUESTION.to_owned())], text("Thank you.")]),
        ("part", vec![vec![hold("part"), say("My part is done.")]]),
        ("delegated", vec![vec![Say::Background(worker)], text("It is delegated.")]),
        ("twins", vec![vec![twin(), twin()], text("Both are back.")]),
        ("twin", vec![vec![Say::Guarded(GUARDED.to_owned())], text("My part is done.")]),
        ("summary", vec![vec![hold("summary"), say("A scripted summary.")]]),
    ];
    for (name, answers) in scenarios {
        machine.model().script(name, answers);
    }
}
