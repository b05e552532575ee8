//! Sessions of real agents that move to another machine, continue there, and come back.

use crate::agents::PROGRAM;
use crate::agents::driving::{print, quit, ready};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::process::Command;
use taffrail_testkit::agents::{Agent, Machine};
use taffrail_testkit::hubs::{Flush, NatsServer, Proxy, Weather};
use taffrail_testkit::model::{ModelRequest, Purpose, Say, text};
use taffrail_testkit::{Chance, until, until_every};

/// A word that occurs only in the history.
const WORD: &str = "zebra-crossing";
/// The interval between two polls of the program.
const PAUSE: std::time::Duration = std::time::Duration::from_millis(50);

/// A machine whose model knows every scenario.
fn machine(name: &str) -> Machine {
    let machine = Machine::new(PROGRAM);
    let worker = "Do your part. [[scenario:part]]".to_owned();
    let model = machine.model();
    model.script("begin", vec![vec![Say::Worker(worker)], text("It is begun.")]);
    model.script("part", vec![text("My part is done.")]);
    model.script("more", vec![text("I remember it.")]);
    model.script("back", vec![text("I am back.")]);
    machine.home().ok(&["device", "init", "--name", name]);
    machine
}

fn take_in(admin: &Machine, new: &Machine) {
    let invite = admin.home().json(&["device", "invite", "--json"]);
    let joined = new.home().json(&["device", "join", invite["invite"].as_str().unwrap(), "--json"]);
    admin.home().ok(&["device", "approve", joined["request"].as_str().unwrap(), "--yes"]);
}

fn git(folder: &Path, words: &[&str]) {
    let mut git = Command::new("git");
    git.arg("-C").arg(folder).args(["-c", "user.name=a", "-c", "user.email=a@b"]).args(words);
    let output = git.output().unwrap();
    assert!(output.status.success(), "{words:?}: {output:?}");
}

/// The same repository on both machines, with uncommitted changes on the first.
fn repositories(here: &Path, there: &Path) {
    git(here, &["init", "-q", "-b", "main"]);
    fs::write(here.join("a.txt"), "one\n").unwrap();
    git(here, &["add", "."]);
    git(here, &["commit", "-q", "-m", "one"]);
    fs::remove_dir_all(there).unwrap();
    git(here, &["clone", "-q", here.to_str().unwrap(), there.to_str().unwrap()]);
    fs::write(here.join("a.txt"), "two\n").unwrap();
    fs::create_dir_all(here.join(".ai-session")).unwrap();
    fs::write(here.join(".ai-session/active.yaml"), "a: 1\n").unwrap();
}

/// How a session moves from one machine to the other.
enum Way {
    /// As a file.
    File,
    /// Through a server in a third network.
    Hub(NatsServer),
}

/// A proxy from a machine to the server; dropping it takes the machine offline.
pub(crate) fn online(machine: &Machine, server: &NatsServer) -> Proxy {
    let listener = machine.namespace().listen();
    let way = Proxy::from(listener, server.port(), Weather::default(), Chance::new(1));
    machine.home().ok(&["hub", "use", &format!("nats://127.0.0.1:{}", way.port())]);
    way
}

/// Makes the session available to the other machine; returns the command that imports it there.
fn leave(way: &Way, from: &Machine, (id, name): (&str, &str)) -> Vec<String> {
    let words = match way {
        Way::File => {
            let file = from.home().path("carried.bundle");
            let file = file.to_str().unwrap();
            from.home().ok(&["teleport", "pack", id, "--force", "--to", name, "--out", file]);
            ["unpack".to_owned(), file.to_owned()]
        }
        Way::Hub(server) => {
            let _way = online(from, server);
            from.home().ok(&["teleport", "push", id]);
            ["pull".to_owned(), id.to_owned()]
        }
    };
    words.into()
}

/// Moves a session to the other machine. The first is offline when the other one starts.
fn carry(way: &Way, (from, to): (&Machine, &Machine), what: (&str, &str), more: &[&str]) -> Value {
    let left = leave(way, from, what);
    let _way = match way {
        Way::File => None,
        Way::Hub(server) => Some(online(to, server)),
    };
    let project = to.project();
    let words = ["teleport", &left[0], &left[1], "--project", project.to_str().unwrap(), "--json"];
    let told = to.home().json(&[&words[..], more].concat());
    assert_eq!(
        (&told["state"], &told["events_missing"]),
        (&json!("unpacked"), &json!(0)),
        "{told}"
    );
    told
}

/// The last request to the model in a scenario.
fn asked(machine: &Machine, scenario: &str) -> String {
    let all = machine.model().asked();
    // The agent requests a title on the side.
    let is_turn = |it: &&ModelRequest| it.picked.purpose == Purpose::Turn;
    let last = all.iter().filter(is_turn).rfind(|it| it.picked.scenario == scenario);
    last.unwrap_or_else(|| panic!("nothing was asked in {scenario}")).body.to_string()
}

/// The sessions of a person, without sub-agents.
fn sessions(machine: &Machine) -> Vec<Value> {
    let mut all = machine.home().sessions();
    all.retain(|it| it["parent_id"].is_null());
    all
}

fn begin(machine: &Machine, agent: Agent) -> Value {
    let asks = format!("Remember the word {WORD}. [[scenario:begin]]");
    let ran = machine.run(agent, &print(agent, &asks));
    assert!(ran.stdout.contains("It is begun."), "{agent:?}: {}{}", ran.stdout, ran.stderr);
    let all = sessions(machine);
    assert_eq!(all.len(), 1, "{all:?}");
    all[0].clone()
}

/// Continues the session on a screen, as a person does.
fn go_on(machine: &Machine, agent: Agent, id: &str) {
    let screen = machine.beside(agent, Path::new(PROGRAM), &["resume", id]);
    screen.wait_for(match agent {
        Agent::Claude => "mode on",
        Agent::Codex | Agent::Gemini | Agent::Goose => ready(agent),
    });
    screen.enter("What was the word? [[scenario:more]]");
    screen.wait_for("I remember it.");
    let prompts = || sessions(machine).into_iter().find(|it| it["prompts"] == 2);
    until_every(PAUSE, "the second prompt", prompts);
    screen.enter(quit(agent));
    until("the end", || screen.ended().then_some(()));
}

fn check(agent: Agent, way: &Way) {
    let (laptop, tower) = (machine("laptop"), machine("tower"));
    take_in(&laptop, &tower);
    repositories(&laptop.project(), &tower.project());
    let session = begin(&laptop, agent);
    let id = session["id"].as_str().unwrap();
    let told = carry(way, (&laptop, &tower), (id, "tower"), &["--patch", "--here", "--plan"]);
    assert_eq!((&told["patch_applied"], &told["plan_put"]), (&json!(true), &json!(true)));
    assert_eq!(fs::read_to_string(tower.project().join("a.txt")).unwrap(), "two\n");
    assert!(tower.project().join(".ai-session/active.yaml").exists());
    let count = |it: &Machine| it.home().sessions().len();
    assert_eq!(count(&tower), count(&laptop), "workers came along");
    assert_eq!(count(&laptop), 2, "there is a worker");
    go_on(&tower, agent, id);
    let seen = asked(&tower, "more");
    assert!(seen.contains(WORD) && seen.contains("It is begun."), "{agent:?} knows nothing of it");
    let all = sessions(&tower);
    assert_eq!((all.len(), &all[0]["id"]), (1, &session["id"]), "{agent:?}: {all:?}");
    assert_eq!(all[0]["project_path"], json!(tower.project()), "{agent:?}");
    // And back.
    carry(way, (&tower, &laptop), (id, "laptop"), &[]);
    let runtime = session["runtime_session_id"].as_str().unwrap();
    let asks = "And now? [[scenario:back]]";
    let ran = match agent {
        Agent::Claude => laptop.run(agent, &["-p", "--resume", runtime, asks]),
        Agent::Codex | Agent::Gemini | Agent::Goose => {
            laptop.run(agent, &["exec", "--skip-git-repo-check", "resume", runtime, asks])
        }
    };
    assert!(ran.stdout.contains("I am back."), "{agent:?}: {}{}", ran.stdout, ran.stderr);
    let seen = asked(&laptop, "back");
    assert!(
        seen.contains(WORD) && seen.contains("I remember it."),
        "{agent:?} knows nothing of it"
    );
    let all = sessions(&laptop);
    assert_eq!((all.len(), &all[0]["id"], &all[0]["prompts"]), (1, &session["id"], &json!(3)));
}

#[test]
fn a_session_of_claude_goes_on_at_another_machine_and_comes_back() {
    check(Agent::Claude, &Way::File);
}

#[test]
fn a_thread_of_codex_goes_on_at_another_machine_and_comes_back() {
    check(Agent::Codex, &Way::File);
}

#[test]
fn a_session_of_claude_goes_on_elsewhere_through_a_hub_and_comes_back() {
    check(Agent::Claude, &Way::Hub(NatsServer::start(Flush::Always)));
}

#[test]
fn a_thread_of_codex_goes_on_elsewhere_through_a_hub_and_comes_back() {
    check(Agent::Codex, &Way::Hub(NatsServer::start(Flush::Always)));
}
