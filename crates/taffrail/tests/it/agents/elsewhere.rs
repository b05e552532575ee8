//! Real agents on one device that receive answers and prompts from another over a hub.

use crate::agents::PROGRAM;
use crate::agents::carrying::online;
use crate::agents::desk::{decision, goes_on, held};
use crate::agents::expected::Evidence;
use crate::agents::sending::{begun, prompts};
use crate::agents::stage::{PAUSE, Stage};
use serde_json::{Value, json};
use std::cell::RefCell;
use taffrail_testkit::agents::{Agent, Machine};
use taffrail_testkit::hubs::{Flush, NatsServer, Proxy};
use taffrail_testkit::{Home, Run, until_every};

const USER: &str = "ann@x.org";

/// Another device of the same user, which may answer the requests of the stage's project.
struct Tower {
    // Ends before its home and the hub do.
    _daemon: Run,
    home: Home,
    /// The stage is in a separate network.
    _way: Option<Proxy>,
    _hub: NatsServer,
}

fn two_devices(agent: Agent) -> (Stage, Tower) {
    let (hub, home) = (NatsServer::start(Flush::Always), Home::new(PROGRAM));
    let way = RefCell::new(None);
    let stage = Stage::prepared(agent, Evidence::Hooks, |machine| {
        join(machine, &home);
        home.ok(&["hub", "use", &hub.url()]);
        way.replace(Some(online(machine, &hub)));
        let projects = json!([machine.project()]).to_string();
        machine.home().ok(&["config", "set", "sync.remote", &projects]);
    });
    let daemon = home.spawn(&["daemon", "run"]);
    (stage, Tower { _daemon: daemon, home, _way: way.into_inner(), _hub: hub })
}

fn join(machine: &Machine, tower: &Home) {
    let laptop = machine.home();
    for (it, name) in [(laptop, "laptop"), (tower, "tower")] {
        it.ok(&["device", "init", "--name", name, "--user", USER]);
    }
    let invite = laptop.json(&["device", "invite", "--json"]);
    let asked = tower.json(&["device", "join", invite["invite"].as_str().unwrap(), "--json"]);
    laptop.ok(&["device", "approve", asked["request"].as_str().unwrap(), "--yes"]);
}

#[test]
fn agents_are_allowed_from_another_device() {
    // Codex shows no dialog while a hook waits, so the hook waits only while the user is away; and
    // Codex does not record who decided.
    for (agent, outcome) in [(Agent::Claude, "taken"), (Agent::Codex, "unconfirmed")] {
        let (stage, tower) = two_devices(agent);
        if agent == Agent::Codex {
            stage.machine.home().ok(&["away"]);
        }
        let (screen, id) = held(&stage);
        until_every(PAUSE, "the request", || {
            let told = tower.home.json(&["approvals", "--json"]);
            let all = told["approvals"].as_array().unwrap();
            all.iter().any(|it| it["id"] == *id && it["device"] == "laptop").then_some(())
        });
        tower.home.ok(&["approve", &id]);
        goes_on(&stage, &screen);
        let made = decision(&stage, outcome);
        assert_eq!((&made["decision"], &made["by"]), (&json!("allow"), &json!("tower (cli)")));
        assert!(stage.machine.project().join("made.txt").exists());
        drop(screen);
        stage.check_daemon();
    }
}

#[test]
fn a_prompt_from_another_device_arrives_once() {
    for agent in [Agent::Claude, Agent::Codex] {
        let (stage, tower) = two_devices(agent);
        let (screen, id) = begun(&stage);
        let rests = |it: &Value| it["id"] == *id && it["status"] == "waiting";
        until_every(PAUSE, "the session", || {
            tower.home.sessions().iter().find(|it| rests(it)).map(|_| ())
        });
        let told = tower.home.json(&["send", &id, "From afar [[scenario:hello]]", "--json"]);
        let state = told["delivery_state"].as_str().unwrap_or_default();
        assert!(["accepted", "delivered", "picked_up"].contains(&state), "{told}");
        let second = || prompts(&stage, &id).into_iter().nth(1);
        let said = until_every(PAUSE, "the prompt's line", second);
        assert!(said.starts_with("From afar"), "{said}");
        until_every(PAUSE, "the answer", || {
            let row = stage.machine.home().sessions().into_iter().find(|it| it["id"] == *id)?;
            (row["status"] == "waiting").then_some(())
        });
        assert_eq!(prompts(&stage, &id).len(), 2, "{agent:?}");
        drop(screen);
        stage.check_daemon();
    }
}
