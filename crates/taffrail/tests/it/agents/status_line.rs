//! A real agent draws our status line beside the user's own, and its data becomes evidence.

use crate::agents::PROGRAM;
use crate::agents::expected::Evidence;
use crate::agents::stage::{PAUSE, Stage, prompt};
use serde_json::json;
use taffrail_testkit::agents::{Agent, Machine};
use taffrail_testkit::until_every;

/// The agent's settings, with our line after one of the user's own.
pub(crate) fn lined(machine: &Machine) {
    let command = format!("{PROGRAM} statusline claude-code --then 'printf mine'");
    let settings = json!({"statusLine": {"type": "command", "command": command}});
    machine.home().write(".claude/settings.json", settings.to_string());
}

#[test]
fn claude_tells_its_status_line_and_it_is_heard() {
    let stage = Stage::prepared(Agent::Claude, Evidence::Files, lined);
    let screen = stage.start(&[]);
    prompt(&screen, "hello");
    screen.wait_until("the answer", |it| it.contains("Hello there."));
    // One working session: our line comes after the user's.
    screen.wait_until("both lines", |it| it.contains("mine · ◇1") || it.contains("mine · ◐1"));
    let home = stage.machine.home();
    let told = until_every(PAUSE, "what it said", || {
        let row = home.sessions().into_iter().next()?;
        let all = home.events(row["id"].as_str()?);
        let mut told = all.into_iter().filter(|it| it["data"]["label"] == "status_line");
        let told = told.rfind(|it| it["data"]["context_used"].as_u64() > Some(0))?;
        (row["cost_microdollars"].as_i64() > Some(0)).then_some(told)
    });
    assert_eq!((&told["source"], &told["kind"]), (&json!("hook"), &json!("heartbeat")), "{told}");
    let window = told["data"]["context_window"].as_u64().unwrap();
    assert!(window >= 100_000, "{told}");
    drop(screen);
    stage.check_daemon();
}
