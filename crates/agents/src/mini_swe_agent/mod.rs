//! mini-swe-agent: one document, which every run overwrites.

use serde_json::{Value, json};
use taffrail_kit::json::{count, inclusive, list, microdollars, text, time, words};
use taffrail_kit::{
    Agent, Descriptor, Evidence, HomeRule, Os, Outcome, Reads, Shape, Speaker, Store,
};

/// The adapter for mini-swe-agent.
pub static ADAPTER: Agent = Agent::new(&DESCRIPTOR, &[LAST_RUN]);

static DESCRIPTOR: Descriptor = Descriptor {
    id: "mini-swe-agent",
    label: "mini-swe-agent",
    short: "mini-swe",
    scheme: "mini-swe-agent-run",
    homes: &[&[
        HomeRule::env("MSWEA_GLOBAL_CONFIG_DIR", ""),
        HomeRule::env("XDG_CONFIG_HOME", "mini-swe-agent").on(Os::Linux),
        HomeRule::user(".config/mini-swe-agent").on(Os::Linux),
        HomeRule::user("Library/Application Support/mini-swe-agent").on(Os::MacOs),
        HomeRule::env("LOCALAPPDATA", "mini-swe-agent/mini-swe-agent").on(Os::Windows),
    ]],
    roots: &["last_mini_run.traj.json"],
    rewrites_records: true,
    processes: &["mini", "mini-swe-agent"],
    evidence: Evidence::Recorded,
    ..Descriptor::NOTHING
};

/// Read whole, because the id of a run is the time of its first answer.
const LAST_RUN: Store = Store::of("last_mini_run.traj.json", Shape::Text, Reads::Text(read));

/// What the agent's template puts around the task.
const TEMPLATE: (&str, &str) = ("Please solve this issue: ", "\n\nYou can execute bash commands");

fn read(document: &str, speaker: &mut Speaker<'_, '_>) {
    let Ok(run) = serde_json::from_str::<Value>(document) else {
        return speaker.unknown("unreadable");
    };
    let messages = list(&run, "/messages");
    let first = messages.iter().find_map(|it| it.pointer("/extra/timestamp"));
    // A run without an answer has no id.
    let Some(first) = first else { return };
    speaker.session(&format!("run-{first}"));
    speaker.cwd(text(&run, "/info/config/environment/cwd"));
    speaker.model(text(&run, "/info/config/model/model_name"));
    speaker.at(taffrail_kit::json::time_of(first));
    speaker.id("run");
    speaker.started(text(&run, "/info/mini_version"), None);
    for (index, message) in messages.iter().enumerate() {
        speaker.id(&format!("#{index}"));
        speaker.at(time(message, "/extra/timestamp"));
        read_message(message, index, speaker);
    }
}

fn read_message(message: &Value, index: usize, speaker: &mut Speaker<'_, '_>) {
    let said = message.get("content").and_then(words);
    let said = said.as_deref().unwrap_or_default();
    let is_output = message.pointer("/extra/returncode").is_some();
    match text(message, "/role") {
        // Models that call no tools get the output of their command as a user's message.
        Some("tool" | "user") if is_output => result(message, said, speaker),
        Some("user") => {
            let said = said.strip_prefix(TEMPLATE.0).unwrap_or(said);
            speaker.prompt(said.split(TEMPLATE.1).next().unwrap_or(said));
        }
        Some("assistant") => answer(message, (said, index), speaker),
        Some("exit") => exit(message, speaker),
        Some("system") => {}
        other => speaker.unknown(&format!("role/{}", other.unwrap_or_default())),
    }
}

fn answer(message: &Value, (said, index): (&str, usize), speaker: &mut Speaker<'_, '_>) {
    if !said.is_empty() {
        speaker.answer(said);
    }
    for (number, action) in list(message, "/extra/actions").iter().enumerate() {
        let input = json!({"command": action.get("command")});
        let own = format!("{index}/{number}");
        speaker.call(text(action, "/tool_call_id").unwrap_or(&own), "bash", Some(&input));
    }
    let count = |name: &str| count(message, &format!("/extra/response/usage/{name}"));
    let read = count("prompt_tokens_details/cached_tokens");
    let tokens = inclusive(count("prompt_tokens"), count("completion_tokens"), read, 0);
    speaker.spent(&format!("#{index}"), tokens, microdollars(message, "/extra/cost"));
}

fn result(message: &Value, said: &str, speaker: &mut Speaker<'_, '_>) {
    let exit_code = message.pointer("/extra/returncode").and_then(Value::as_i64);
    let call = text(message, "/tool_call_id").map(str::to_owned);
    let call = call.or_else(|| speaker.oldest_call()).unwrap_or_default();
    let outcome = Outcome { exit_code, ..Outcome::failed(exit_code != Some(0)) };
    speaker.result(&call, text(message, "/extra/raw_output").or(Some(said)), outcome);
}

fn exit(message: &Value, speaker: &mut Speaker<'_, '_>) {
    if let Some(submission) = text(message, "/extra/submission") {
        speaker.answer(submission);
    }
    match text(message, "/extra/exit_status") {
        Some("Submitted") => speaker.turn_over(Some("Submitted")),
        other => speaker.failed_turn(other.unwrap_or_default()),
    }
}
