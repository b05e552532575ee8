//! Kimi Code: `agents/main/wire.jsonl` below the folder of a session, and one such log a sub-agent.

mod server;

use serde_json::Value;
use taffrail_kit::agent_server::report;
use taffrail_kit::json::{count, exclusive, flag, text, time, words};
use taffrail_kit::{Agent, Descriptor, Evidence, HomeRule, Outcome, Speaker, Store, ToolUse};
use taffrail_model::TitleRank;

/// The adapter for Kimi Code.
pub static ADAPTER: Agent = Agent {
    server: Some(&server::SERVER),
    entries: Some(report::read_entry),
    ..Agent::new(
        &DESCRIPTOR,
        &[
            Store {
                beside: &["sessions/{project}/{session}/state.json"],
                ..Store::lines("sessions/{project}/{session}/agents/main/wire.jsonl", read)
            },
            Store::lines("sessions/*/{parent}/agents/{agent}/wire.jsonl", read),
        ],
    )
};

static DESCRIPTOR: Descriptor = Descriptor {
    id: "kimi-code",
    label: "Kimi Code",
    short: "kimi",
    scheme: "kimi-code-wire",
    homes: &[&[HomeRule::env("KIMI_CODE_HOME", ""), HomeRule::user(".kimi-code")]],
    roots: &["sessions"],
    processes: &["kimi"],
    evidence: Evidence::Recorded,
    ..Descriptor::NOTHING
};

fn read(line: &Value, speaker: &mut Speaker<'_, '_>) {
    // At the end of a turn the agent repeats the turn as events of another kind.
    if text(line, "/kind") == Some("event") {
        return;
    }
    speaker.at(time(line, "/time").or(time(line, "/created_at")));
    match text(line, "/type").unwrap_or("no type") {
        "metadata" => start(speaker),
        "profile.bind" => speaker.cwd(text(line, "/environmentDisclosure/cwd")),
        "llm.request" => speaker.model(text(line, "/model")),
        "turn.prompt" => prompt(line, speaker),
        "context.append_loop_event" => step(line.get("event").unwrap_or(line), speaker),
        "usage.record" => usage(line, speaker),
        "interaction.request" => requested(line, speaker),
        "interaction.resolved" => resolved(line, speaker),
        "permission.record_approval_result" => {
            let call = text(line, "/toolCallId").unwrap_or_default();
            speaker.decided(call, text(line, "/result/decision").unwrap_or_default());
        }
        "turn.ended" => ended(line, speaker),
        "context.apply_compaction" => speaker.compacted(text(line, "/summary")),
        "context.undo" => speaker.notice("undo", None),
        "context.clear" => speaker.notice("clear", None),
        kind if BOOKKEEPING.split(' ').any(|it| it == kind) => {}
        kind => speaker.unknown(kind),
    }
}

/// Records that say nothing a person would read, or repeat what others say.
const BOOKKEEPING: &str = "context.append_message file_history.checkpoint file_history.restored \
    file_history.tracked forked full_compaction.begin full_compaction.cancel full_compaction.complete \
    llm.tools_snapshot permission.set_mode plugin.session_start prompt.aborted prompt.completed \
    runtime.set_binding subagent.completed subagent.failed subagent.spawned subagent.started \
    token_counting.measured token_counting.turn_recorded turn.cancel turn.step.retrying";

fn start(speaker: &mut Speaker<'_, '_>) {
    speaker.id("metadata");
    speaker.started(None, None);
    let Some(state) = speaker.beside_json("state.json") else { return };
    speaker.cwd(text(&state, "/cwd"));
    let given = flag(&state, "/isCustomTitle");
    let rank = if given { TitleRank::Given } else { TitleRank::Generated };
    speaker.title(rank, text(&state, "/title"));
    if let Some(origin) = text(&state, "/forkedFrom") {
        speaker.forked_from(origin);
    }
}

fn prompt(line: &Value, speaker: &mut Speaker<'_, '_>) {
    speaker.id(text(line, "/promptId").unwrap_or_default());
    let said = line.get("input").and_then(words);
    speaker.prompt(said.as_deref().unwrap_or_default());
}

fn step(event: &Value, speaker: &mut Speaker<'_, '_>) {
    let field = |name: &str| text(event, name).unwrap_or_default();
    speaker.id(field("/uuid"));
    match (field("/type"), field("/part/type")) {
        ("content.part", "text") => speaker.answer(field("/part/text")),
        ("content.part", "think") => speaker.thought(field("/part/think")),
        ("content.part", "image_url" | "audio_url" | "video_url") => {}
        ("tool.call", _) => speaker.call(field("/toolCallId"), field("/name"), event.get("args")),
        ("tool.result", _) => result(event, speaker),
        ("step.begin" | "step.end", _) => {}
        (kind, part) => speaker.unknown(format!("{kind} {part}").trim_end()),
    }
}

fn result(event: &Value, speaker: &mut Speaker<'_, '_>) {
    speaker.id(&format!("{}/result", text(event, "/parentUuid").unwrap_or_default()));
    let said = event.pointer("/result/output").and_then(words);
    let outcome = Outcome {
        failed: Some(flag(event, "/result/isError")),
        duration_ms: event.pointer("/result/durationMs").and_then(Value::as_u64),
        ..Outcome::default()
    };
    speaker.result(text(event, "/toolCallId").unwrap_or_default(), said.as_deref(), outcome);
}

fn usage(line: &Value, speaker: &mut Speaker<'_, '_>) {
    let count = |name: &str| count(line, &format!("/usage/{name}"));
    let (read, write) = (count("inputCacheRead"), count("inputCacheCreation"));
    let tokens = exclusive(count("inputOther"), count("output"), read, write);
    // The record has no id; a session asks its model once at a time.
    speaker.spent(&line.get("time").map(Value::to_string).unwrap_or_default(), tokens, None);
}

fn requested(line: &Value, speaker: &mut Speaker<'_, '_>) {
    speaker.id(text(line, "/id").unwrap_or_default());
    // A tool of the user's program is not a question to a person.
    if text(line, "/kind") == Some("user_tool") {
        return;
    }
    let asks = text(line, "/request/action").or(text(line, "/request/questions/0/question"));
    speaker.asked(&ToolUse {
        call: text(line, "/toolCallId").unwrap_or_default(),
        tool: text(line, "/request/toolName").or(text(line, "/kind")).unwrap_or_default(),
        input: None,
        text: asks,
    });
}

/// A decision about a call has a record of its own, which names the call.
fn resolved(line: &Value, speaker: &mut Speaker<'_, '_>) {
    if text(line, "/response/decision").is_none() {
        speaker.id(&format!("{}/resolved", text(line, "/id").unwrap_or_default()));
        speaker.decided("", "answered");
    }
}

fn ended(line: &Value, speaker: &mut Speaker<'_, '_>) {
    match text(line, "/reason") {
        Some("cancelled" | "aborted" | "interrupted") => speaker.interrupted(),
        Some("failed" | "error") => {
            speaker.failed_turn(text(line, "/error/message").unwrap_or("failed"));
        }
        reason => speaker.turn_over(reason),
    }
}
