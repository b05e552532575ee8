//! Prompts that wait for the reset of a limit, in sessions of real agents that the limit stopped:
//! each goes in once, over daemons that are killed, and none where the user has gone on.

use crate::agents::driving::{ready, usual};
use crate::agents::expected::Evidence;
use crate::agents::limits::{
    Windows, decline_offer, has_declined_offer, refusal, report, seconds_from_now,
};
use crate::agents::sending::prompts;
use crate::agents::stage::{PAUSE, Stage, finished, prompt};
use serde_json::Value;
use std::time::Instant;
use taffrail_model::Timestamp;
use taffrail_testkit::agents::Agent;
use taffrail_testkit::model::{Purpose, text};
use taffrail_testkit::{Scale, Tmux, patiently, until_every};

/// The sessions of a round; the user goes on in the last one.
const AGENTS: [Agent; 4] = [Agent::Claude, Agent::Codex, Agent::Claude, Agent::Codex];
const BY_HAND: usize = 3;
/// The seconds after the reset in which a prompt must be due, so that a round ends soon.
const SOON: i64 = 45;
/// The seconds until the reset. The agents must be stopped and the prompts left before it.
const RESET: u64 = 60;

/// A session that a limit stopped.
struct Stopped<'a> {
    agent: Agent,
    screen: Tmux<'a>,
    id: String,
}

/// The scenario of the prompt that waits for a session.
fn after(number: usize) -> String {
    format!("after-{number}")
}

fn text_of(number: usize) -> String {
    format!("go on [[scenario:{}]]", after(number))
}

/// Starts the agents, and lets a limit stop them that resets soon.
fn stopped(stage: &Stage) -> (Vec<Stopped<'_>>, i64) {
    let machine = &stage.machine;
    let start = |agent| {
        let screen = machine.on_screen(agent, usual(agent));
        screen.wait_for(ready(agent));
        prompt(&screen, "hello");
        finished(&screen, "Hello there.");
        screen
    };
    let screens = AGENTS.map(start);
    let resets_at = seconds_from_now(RESET);
    let week = (41, seconds_from_now(200_000));
    report(machine, Windows { five_hours: (100, resets_at), week });
    for agent in [Agent::Claude, Agent::Codex] {
        machine.model().script(limited(agent), vec![refusal(agent, resets_at)]);
    }
    (AGENTS.into_iter().zip(screens).map(|it| stop(stage, it)).collect(), resets_at)
}

/// Types the prompt that the limit stops.
fn stop<'a>(stage: &Stage, (agent, screen): (Agent, Tmux<'a>)) -> Stopped<'a> {
    // Codex asks about its limits now and then, so its offer may come before the prompt.
    let is_declined = agent == Agent::Codex && has_declined_offer(&screen);
    prompt(&screen, limited(agent));
    screen.wait_until("the limit", |it| it.contains("hit your"));
    if agent == Agent::Codex && !is_declined {
        decline_offer(&screen);
    }
    let id = id_of(stage, &screen);
    Stopped { agent, screen, id }
}

fn limited(agent: Agent) -> &'static str {
    if agent == Agent::Codex { "limited-codex" } else { "limited-claude" }
}

/// The session on a screen, once its agent has reported the failed turn.
fn id_of(stage: &Stage, screen: &Tmux<'_>) -> String {
    let place = format!("tmux:{}", screen.place());
    until_every(PAUSE, "the stopped session", || {
        let mut all = stage.machine.home().sessions().into_iter();
        let row = all.find(|row| row["executor"] == *place && row["failed"] == true)?;
        Some(row["id"].as_str()?.to_owned())
    })
}

/// Leaves a prompt for the reset. Its delay after the reset is drawn, so a prompt that would be due
/// late is taken back and left again. Returns when it is due.
fn leave(stage: &Stage, (number, it): (usize, &Stopped<'_>), resets_at: i64) -> i64 {
    let home = stage.machine.home();
    until_every(PAUSE, "a short delay", || {
        let add = ["queue", &it.id, "add", &text_of(number), "--at-reset", "--json"];
        let receipt = home.json(&add);
        let due: Timestamp = receipt["not_before"].as_str()?.parse().ok()?;
        let delay = due.as_second() - resets_at;
        assert!((0..300).contains(&delay), "{resets_at}: {receipt}");
        if delay <= SOON {
            return Some(due.as_second());
        }
        home.ok(&["queue", &it.id, "rm", receipt["correlation_id"].as_str()?]);
        None
    })
}

/// How often the model got the prompt that waited for each session.
fn arrived(stage: &Stage) -> Vec<usize> {
    let asked = stage.machine.model().asked();
    let count = |number| {
        let is_it = |scenario: &str| scenario == after(number);
        asked
            .iter()
            .filter(|it| it.picked.purpose == Purpose::Turn && is_it(&it.picked.scenario))
            .count()
    };
    (0..AGENTS.len()).map(count).collect()
}

fn wait_until_second(second: i64) {
    // The clock decides, so that a long reset is not taken for a fault.
    while seconds_from_now(0) < second {
        std::thread::park_timeout(PAUSE);
    }
}

fn row(stage: &Stage, id: &str) -> Value {
    stage.machine.home().sessions().into_iter().find(|row| row["id"] == id).unwrap()
}

/// What waits for each session and what its screen shows, for a failure.
fn states(stage: &Stage, all: &[Stopped<'_>]) -> String {
    let waits = |it: &Stopped<'_>| stage.machine.home().run(&["queue", &it.id, "ls"]).stdout;
    all.iter().map(|it| format!("{}\n{}\n", waits(it), it.screen.screen())).collect()
}

/// One round; the daemon is down when the prompts become due, or only before.
fn round(is_down_when_due: bool) {
    let stage = Stage::prepared(Agent::Claude, Evidence::Hooks, |machine| {
        machine.subscribe();
        (0..AGENTS.len())
            .for_each(|it| machine.model().script(&after(it), vec![text("Going on.")]));
    });
    let (all, resets_at) = stopped(&stage);
    let due = all.iter().enumerate().map(|it| leave(&stage, it, resets_at)).max().unwrap();
    assert!(seconds_from_now(0) < resets_at, "the round is too slow for its reset");
    stage.kill_daemon();
    let user = &all[BY_HAND];
    prompt(&user.screen, "hello");
    if !is_down_when_due {
        stage.start_daemon();
    }
    wait_until_second(resets_at);
    assert_eq!(arrived(&stage), [0; 4], "before the reset");
    let week = (41, seconds_from_now(200_000));
    report(&stage.machine, Windows { five_hours: (1, seconds_from_now(18_000)), week });
    wait_until_second(due);
    if is_down_when_due {
        stage.start_daemon();
    }
    let is_there = || (arrived(&stage)[..BY_HAND] == [1; BY_HAND]).then_some(());
    let all_there = patiently(PAUSE, is_there);
    assert!(all_there.is_some(), "{:?}\n{}", arrived(&stage), states(&stage, &all));
    let started = Instant::now();
    all.iter().take(BY_HAND).for_each(|it| finished(&it.screen, "Going on."));
    eprintln!("answers after {:?}", started.elapsed());
    // Another daemon finds nothing that is left to do.
    stage.kill_daemon();
    stage.start_daemon();
    all.iter().for_each(|it| stage.rests(&row(&stage, &it.id)));
    assert_eq!(arrived(&stage), [1, 1, 1, 0], "the number of times that each prompt arrived");
    for (number, it) in all.iter().enumerate() {
        let said = prompts(&stage, &it.id);
        let ours = said.iter().filter(|text| text.contains(&after(number))).count();
        assert_eq!(ours, usize::from(number != BY_HAND), "{:?}: {said:?}", it.agent);
    }
    stage.check_daemon();
}

#[test]
fn prompts_left_for_a_reset_go_in_once_and_none_where_the_user_went_on() {
    let scale = Scale::from_env();
    for number in 0..scale.pick(1, 10) {
        let begun = Instant::now();
        round(number % 2 == 1);
        eprintln!("round {number}: {:?}", begun.elapsed());
    }
}
