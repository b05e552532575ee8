//! gptme: one folder a conversation, whose messages have calls of tools inside their text.

use serde_json::Value;
use taffrail_kit::json::{count, exclusive, setting, text, time};
use taffrail_kit::{Agent, Descriptor, Evidence, HomeRule, Os, Outcome, Speaker, StartPlan, Store};
use taffrail_model::{TitleRank, Tokens};

/// The adapter for gptme.
pub static ADAPTER: Agent = Agent {
    start: Some(&StartPlan {
        resume: &["gptme", "--name", "{id}"],
        resume_in: &[],
        brief: &["gptme", "{ask}"],
        repeated: &["--model="],
    }),
    ..Agent::new(
        &DESCRIPTOR,
        &[Store {
            beside: &["logs/{session}/config.toml"],
            time: Some("/timestamp"),
            ..Store::lines("logs/{session}/conversation.jsonl", read)
        }],
    )
};

static DESCRIPTOR: Descriptor = Descriptor {
    id: "gptme",
    label: "gptme",
    short: "gptme",
    scheme: "gptme-log",
    homes: &[&[
        HomeRule::env("XDG_DATA_HOME", "gptme"),
        HomeRule::user("Library/Application Support/gptme").on(Os::MacOs),
        HomeRule::user(".local/share/gptme"),
    ]],
    roots: &["logs"],
    processes: &["gptme"],
    evidence: Evidence::Recorded,
    ..Descriptor::NOTHING
};

fn read(message: &Value, speaker: &mut Speaker<'_, '_>) {
    speaker.at(time(message, "/timestamp"));
    let said = text(message, "/content").unwrap_or_default();
    match text(message, "/role").unwrap_or("no role") {
        "user" if said.starts_with("<system>") => {}
        "user" => {
            describe(speaker);
            speaker.prompt(said);
        }
        "assistant" => answer(message, said, speaker),
        "system" | "tool" => result(message, said, speaker),
        other => speaker.unknown(&format!("role/{other}")),
    }
}

fn describe(speaker: &mut Speaker<'_, '_>) {
    let config = speaker.beside("config.toml").unwrap_or_default();
    speaker.title(TitleRank::Generated, setting(config, "name"));
    // A path below the user's home is written with a tilde, which means nothing elsewhere.
    speaker.cwd(setting(config, "workspace").filter(|it| it.starts_with('/')));
}

fn answer(message: &Value, said: &str, speaker: &mut Speaker<'_, '_>) {
    speaker.model(text(message, "/metadata/model"));
    let calls = calls(said);
    match calls.first() {
        Some(first) if !first.before.is_empty() => speaker.answer(first.before),
        Some(_) => {}
        None => speaker.last_answer(said),
    }
    for call in &calls {
        speaker.call(call.id, call.tool, call.input.as_ref());
    }
    let count = |name: &str| count(message, &format!("/metadata/usage/{name}_tokens"));
    let (read, write) = (count("cache_read"), count("cache_creation"));
    let tokens = exclusive(count("input"), count("output"), read, write);
    let tokens = Tokens { reasoning: count("reasoning"), ..tokens };
    speaker.spent(text(message, "/timestamp").unwrap_or_default(), tokens, None);
}

/// A call inside a text, `@tool(id): {...}` at the start of a line.
struct Call<'t> {
    before: &'t str,
    tool: &'t str,
    id: &'t str,
    input: Option<Value>,
}

fn calls(said: &str) -> Vec<Call<'_>> {
    let starts = std::iter::once(0).chain(said.match_indices('\n').map(|(at, _)| at + 1));
    starts.filter_map(|at| call(said.split_at_checked(at)?)).collect()
}

fn call<'t>((before, rest): (&'t str, &'t str)) -> Option<Call<'t>> {
    let is_word = |it: char| it.is_alphanumeric() || it == '_';
    let rest = rest.strip_prefix('@')?;
    let (tool, after) = rest.lines().next()?.split_once('(')?;
    let (id, _) = after.split_once("):")?;
    let (_, rest) = rest.split_once("):")?;
    let is_id = id.chars().all(|it| is_word(it) || it == '-');
    if tool.is_empty() || !tool.chars().all(is_word) || !is_id {
        return None;
    }
    // The input may go over several lines, and text may follow it.
    let input = serde_json::Deserializer::from_str(rest).into_iter::<Value>().next();
    let input = input.and_then(Result::ok).filter(Value::is_object);
    let is_call = input.is_some() || id.starts_with("call_");
    is_call.then(|| Call { before: before.trim_end(), tool, id, input })
}

fn result(message: &Value, said: &str, speaker: &mut Speaker<'_, '_>) {
    let tool = text(message, "/metadata/tool");
    match (text(message, "/call_id"), tool) {
        (Some(call), _) => speaker.result(call, Some(said), Outcome::default()),
        // A call in a block of code has no id.
        (None, Some(tool)) => speaker.notice(tool, Some(said)),
        (None, None) => {}
    }
    // Without a person at the terminal, a turn goes on until the model calls this tool.
    if tool == Some("complete") {
        speaker.turn_over(tool);
    }
}
