//! SWE-agent: one document a run, in the folder where it ran.

use serde_json::{Value, json};
use taffrail_kit::json::{count, exclusive, list, microdollars, text, words};
use taffrail_kit::{Agent, Descriptor, Evidence, HomeRule, Outcome, Speaker, Store};

/// The adapter for SWE-agent.
pub static ADAPTER: Agent = Agent::new(&DESCRIPTOR, &[TRAJECTORY]);

static DESCRIPTOR: Descriptor = Descriptor {
    id: "swe-agent",
    label: "SWE-agent",
    short: "swe",
    scheme: "swe-agent-trajectory",
    homes: &[&[HomeRule::user("SWE-agent")]],
    roots: &["trajectories"],
    in_projects: true,
    rewrites_records: true,
    processes: &["sweagent"],
    evidence: Evidence::Source,
    ..Descriptor::NOTHING
};

/// An instance may run several times, so the run's folder is a part of the id.
const TRAJECTORY: Store = Store {
    head: Some(head),
    ..Store::document("trajectories/*/{run}/*/{instance}.traj", "/trajectory", step)
};

fn head(document: &Value, speaker: &mut Speaker<'_, '_>) {
    let names = (speaker.name("run"), speaker.name("instance"));
    speaker.session(&format!("{}.{}", names.0.unwrap_or_default(), names.1.unwrap_or_default()));
    speaker.at(speaker.written());
    let is_task = |it: &&Value| {
        text(it, "/role") == Some("user") && it.get("is_demo") != Some(&Value::Bool(true))
    };
    let task = list(document, "/history").iter().find(is_task).and_then(|it| it.get("content"));
    if let Some(task) = task.and_then(words) {
        speaker.prompt(&task);
    }
    let stats = |name: &str| count(document, &format!("/info/model_stats/{name}"));
    let tokens = exclusive(stats("tokens_sent"), stats("tokens_received"), 0, 0);
    speaker.spent("run", tokens, microdollars(document, "/info/model_stats/instance_cost"));
    speaker.note("exit", text(document, "/info/exit_status").unwrap_or_default());
}

fn step(step: &Value, speaker: &mut Speaker<'_, '_>) {
    speaker.at(speaker.written());
    if let Some(thought) = text(step, "/thought").or_else(|| text(step, "/response")) {
        speaker.answer(thought);
    }
    if let Some(action) = text(step, "/action") {
        let id = speaker.pointer().to_owned();
        speaker.call(&id, "shell", Some(&json!({"command": action.trim_end()})));
        let seconds = step.get("execution_time").and_then(Value::as_f64).unwrap_or_default();
        let duration_ms = (seconds > 0.0).then(|| (seconds * 1000.0).round() as u64);
        let outcome = Outcome { duration_ms, ..Outcome::default() };
        speaker.result(&id, text(step, "/observation"), outcome);
    }
    match speaker.noted("exit").as_deref().filter(|_| speaker.is_last()) {
        Some("") | None => {}
        Some(exit) if exit.starts_with("submitted") => speaker.turn_over(Some(exit)),
        Some(exit) => speaker.failed_turn(exit),
    }
}
