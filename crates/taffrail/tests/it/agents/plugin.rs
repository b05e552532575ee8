//! The plugin folder of the packages, installed and removed by the agents' own commands.

use crate::agents::PROGRAM;
use crate::agents::driving::{hooks_file, print};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::process::Output;
use taffrail_testkit::agents::{Agent, Machine, packages};
use taffrail_testkit::model::text;

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../packaging/plugin");
const SPOOL: &str = ".local/share/taffrail/journal/spool";
/// How our MCP server introduces itself, and how one skill does: both go to the model.
const SERVER: &str = "Taffrail remembers what every coding agent";
const SKILL: &str = "Use when the person asks for a standup";

/// What an agent does with a plugin: lines of arguments.
struct Words {
    validate: &'static [&'static [&'static str]],
    install: &'static [&'static [&'static str]],
    remove: &'static [&'static [&'static str]],
}

/// The commands; `DIR` stands for the folder.
fn words(agent: Agent) -> Words {
    match agent {
        Agent::Claude => Words {
            validate: &[
                &["plugin", "validate", "--strict", "DIR"],
                &["plugin", "validate", "--strict", "DIR/taffrail"],
            ],
            install: &[
                &["plugin", "marketplace", "add", "DIR"],
                &["plugin", "install", "taffrail@taffrail"],
            ],
            remove: &[
                &["plugin", "uninstall", "taffrail@taffrail"],
                &["plugin", "marketplace", "remove", "taffrail"],
            ],
        },
        Agent::Codex => Words {
            validate: &[],
            install: &[
                &["plugin", "marketplace", "add", "DIR"],
                &["plugin", "add", "taffrail@taffrail"],
            ],
            remove: &[
                &["plugin", "remove", "taffrail@taffrail"],
                &["plugin", "marketplace", "remove", "taffrail"],
            ],
        },
        Agent::Gemini => Words {
            validate: &[&["extensions", "validate", "DIR"]],
            install: &[&["extensions", "install", "DIR", "--consent"]],
            remove: &[&["extensions", "uninstall", "taffrail"]],
        },
        Agent::Goose => panic!("{agent:?} has no part in the folder"),
    }
}

/// The settings that the agent's own commands change, and what they are after removal.
fn settings(agent: Agent) -> &'static str {
    match agent {
        Agent::Codex => ".codex/config.toml",
        Agent::Claude | Agent::Gemini | Agent::Goose => hooks_file(agent),
    }
}

fn machine(agent: Agent) -> Machine {
    let machine = Machine::new(PROGRAM);
    machine.prepare(agent);
    machine.model().script("hello", vec![text("Hello there.")]);
    let file = machine.home().path(".codex/config.toml");
    let config = fs::read_to_string(&file).unwrap();
    fs::write(file, config.replace("plugins = false", "plugins = true")).unwrap();
    machine
}

/// Runs an agent that finds our program by its name, as after an installation.
fn run(machine: &Machine, agent: Agent, arguments: &[&str]) -> Output {
    let ours = Path::new(PROGRAM).parent().unwrap().display();
    let mut command = machine.agent(agent, arguments);
    command.env("PATH", format!("{ours}:/usr/local/bin:/usr/bin:/bin"));
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{agent:?} {arguments:?}: {said}");
    output
}

fn carry_out(machine: &Machine, agent: Agent, lines: &[&[&str]]) {
    for line in lines {
        let line: Vec<_> = line.iter().map(|it| it.replace("DIR", FOLDER)).collect();
        run(machine, agent, &line.iter().map(String::as_str).collect::<Vec<_>>());
    }
}

/// Runs one prompt; returns what hooks left in the spool, and whether the model learned of our
/// server and of our skill.
fn turn(machine: &Machine, agent: Agent) -> (Vec<String>, [bool; 2]) {
    fs::remove_dir_all(machine.home().path(SPOOL)).ok();
    let before = machine.model().asked().len();
    let prompt = print(agent, "Go on [[scenario:hello]]");
    let arguments: &[&str] = if agent == Agent::Gemini { &["-m", "gemini-2.5-pro"] } else { &[] };
    run(machine, agent, &[arguments, &prompt].concat());
    let asked: String =
        machine.model().asked().iter().skip(before).map(|it| it.body.to_string()).collect();
    (spooled(machine), [SERVER, SKILL].map(|it| asked.contains(it)))
}

/// The events of all entries in the spool, sorted.
fn spooled(machine: &Machine) -> Vec<String> {
    let Ok(list) = fs::read_dir(machine.home().path(SPOOL)) else { return Vec::new() };
    let read = |it: fs::DirEntry| -> Value {
        serde_json::from_slice(&fs::read(it.path()).unwrap()).unwrap()
    };
    let name = |it: Value| it["payload"]["hook_event_name"].as_str().unwrap().to_owned();
    let mut out: Vec<_> = list.map(|it| name(read(it.unwrap()))).collect();
    out.sort();
    out
}

fn starts(events: &[String]) -> usize {
    events.iter().filter(|it| *it == "SessionStart").count()
}

fn check(agent: Agent, id: &str) {
    let machine = machine(agent);
    let words = words(agent);
    let file = machine.home().path(settings(agent));
    let before = fs::read_to_string(&file).unwrap();
    carry_out(&machine, agent, words.validate);
    carry_out(&machine, agent, words.install);

    let (events, learned) = turn(&machine, agent);
    assert_eq!((starts(&events), learned), (1, [true, true]), "with the plugin: {events:?}");

    // Hooks in the settings beside the plugin: nothing is reported twice.
    machine.home().ok(&["hooks", "install", "--agent", id, "--yes"]);
    let (both, _) = turn(&machine, agent);
    assert_eq!(both, events, "with the plugin and our hooks in the settings");
    machine.home().ok(&["hooks", "uninstall", "--agent", id, "--yes"]);

    carry_out(&machine, agent, words.remove);
    let (events, learned) = turn(&machine, agent);
    assert_eq!((events.as_slice(), learned), (&[][..], [false, false]), "without the plugin");
    left_behind(agent, &before, &fs::read_to_string(&file).unwrap());
}

/// What the agent's own removal leaves in its settings, as docs/plugin.md says.
fn left_behind(agent: Agent, before: &str, after: &str) {
    if agent == Agent::Claude {
        let after: Value = serde_json::from_str(after).unwrap();
        assert_eq!(after, json!({"enabledPlugins": {}, "extraKnownMarketplaces": {}}));
        return;
    }
    let lines = |it: &str| -> Vec<String> {
        it.lines().filter(|it| !it.is_empty()).map(str::to_owned).collect()
    };
    assert_eq!(lines(after), lines(before));
}

#[test]
fn claude_installs_and_removes_the_plugin() {
    check(Agent::Claude, "claude-code");
}

#[test]
fn codex_installs_and_removes_the_plugin() {
    check(Agent::Codex, "codex");
}

#[test]
fn gemini_installs_and_removes_the_plugin() {
    check(Agent::Gemini, "gemini-cli");
}

/// The bundle for desktop clients of MCP, with a file in place of the program.
#[test]
fn the_bundle_is_valid() {
    let machine = Machine::new(PROGRAM);
    let manifest = fs::read(Path::new(FOLDER).with_file_name("mcpb.json")).unwrap();
    machine.home().write("bundle/manifest.json", manifest);
    let path = machine.home().path("bundle/manifest.json");
    let mut command = machine.package(&packages::MCPB);
    let output = command.arg("validate").arg(path).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.contains("passes"), "{said}");
}
