//! GitHub Copilot CLI: one log of events a session, `session-state/<uuid>/events.jsonl`.

mod approvals;
mod hooks;
mod install;
mod permissions;

use serde_json::Value;
use taffrail_kit::json::{count, inclusive, setting, text, time};
use taffrail_kit::{Agent, Descriptor, Evidence, HomeRule, Outcome, Speaker, StartPlan, Store};
use taffrail_model::{TitleRank, Tokens};

const ID: &str = "copilot-cli";

/// The adapter for Copilot CLI.
pub static ADAPTER: Agent = Agent {
    entries: Some(hooks::read_entry),
    hooks: Some(&install::PLAN),
    mcp: Some(&install::MCP),
    own_payload: Some(hooks::is_own),
    approvals: Some(&approvals::PLAN),
    start: Some(&StartPlan {
        resume: &["copilot", "--resume", "{id}"],
        resume_in: &[],
        brief: &["copilot", "-i", "{ask}"],
        repeated: &["--model="],
    }),
    ..Agent::new(
        &DESCRIPTOR,
        &[
            Store {
                beside: &["session-state/{session}/workspace.yaml"],
                ..Store::lines("session-state/{session}/events.jsonl", read)
            },
            Store::lines("session-state/{session}.jsonl", read),
        ],
    )
};

static DESCRIPTOR: Descriptor = Descriptor {
    id: ID,
    label: "GitHub Copilot CLI",
    short: "copilot",
    note_tool: "github-copilot-cli",
    scheme: "copilot-cli-events",
    homes: &[&[HomeRule::env("COPILOT_HOME", ""), HomeRule::user(".copilot")]],
    roots: &["session-state"],
    processes: &["copilot"],
    evidence: Evidence::Recorded,
    ..Descriptor::NOTHING
};

fn read(event: &Value, speaker: &mut Speaker<'_, '_>) {
    speaker.at(time(event, "/timestamp"));
    speaker.id(text(event, "/id").unwrap_or_default());
    let data = event.get("data").unwrap_or(&Value::Null);
    match text(event, "/type").unwrap_or("no type") {
        "session.start" | "session.resume" => start(data, speaker),
        "session.context_changed" => speaker.cwd(text(data, "/cwd")),
        "session.model_change" => speaker.model(text(data, "/newModel")),
        "session.title_changed" => speaker.title(TitleRank::Generated, text(data, "/title")),
        "user.message" => prompt(event, data, speaker),
        "assistant.reasoning" => speaker.thought(text(data, "/content").unwrap_or_default()),
        "assistant.message" => answer(event, data, speaker),
        "session.usage_record" => usage(text(event, "/id"), data, speaker),
        "tool.execution_start" => call(data, speaker),
        "tool.execution_complete" => result(data, speaker),
        "hook.start" => permissions::hook_starts(data, speaker),
        "hook.end" => permissions::hook_ends(data, speaker),
        "permission.requested" => permissions::requested(data, speaker),
        "permission.completed" => permissions::completed(data, speaker),
        "abort" => speaker.interrupted(),
        "session.compaction_complete" => speaker.compacted(text(data, "/summaryContent")),
        "session.error" => speaker.failed_turn(text(data, "/message").unwrap_or_default()),
        "session.info" => speaker.notice("info", text(data, "/message")),
        "session.warning" => speaker.notice("warning", text(data, "/message")),
        "session.shutdown" => speaker.ended(text(data, "/shutdownType")),
        kind if BOOKKEEPING.split(' ').any(|it| it == kind) => {}
        kind => speaker.unknown(kind),
    }
}

/// Records that say nothing a person would read, or repeat what others say.
const BOOKKEEPING: &str = "assistant.intent assistant.turn_end assistant.turn_start assistant.usage \
    session.binary_asset session.compaction_start session.handoff session.idle session.mode_changed session.plan_changed session.task_complete session.truncation \
    session.usage_checkpoint session.usage_info session.workspace_file_changed skill.invoked \
    subagent.completed subagent.failed subagent.selected subagent.started system.message \
    system.notification tool.execution_partial_result tool.execution_progress \
    tool.user_requested";

fn start(data: &Value, speaker: &mut Speaker<'_, '_>) {
    speaker.cwd(text(data, "/context/cwd"));
    if let Some(branch) = text(data, "/context/branch") {
        speaker.facts().git_branch = Some(branch.to_owned());
    }
    speaker.model(text(data, "/selectedModel"));
    speaker.started(text(data, "/copilotVersion"), None);
    let workspace = speaker.beside("workspace.yaml").unwrap_or_default();
    let named = setting(workspace, "user_named") == Some("true");
    let rank = if named { TitleRank::Given } else { TitleRank::Generated };
    speaker.title(rank, setting(workspace, "name"));
}

fn prompt(event: &Value, data: &Value, speaker: &mut Speaker<'_, '_>) {
    let said = text(data, "/content").unwrap_or_default();
    // A message with another source is the agent's own: a skill, or a sub-agent's task.
    match text(data, "/source").is_none_or(|it| it == "user") && event.get("agentId").is_none() {
        true => speaker.prompt(said),
        false => speaker.notice("message", Some(said)),
    }
}

fn answer(event: &Value, data: &Value, speaker: &mut Speaker<'_, '_>) {
    speaker.model(text(data, "/model"));
    if let Some(thought) = text(data, "/reasoningText") {
        speaker.thought(thought);
    }
    let calls = data.pointer("/toolRequests/0").is_some();
    let ends = !calls && event.get("agentId").is_none();
    match text(data, "/content") {
        Some(said) if ends => speaker.last_answer(said),
        Some(said) => speaker.answer(said),
        None if ends => speaker.turn_over(None),
        None => {}
    }
}

fn usage(id: Option<&str>, data: &Value, speaker: &mut Speaker<'_, '_>) {
    let count = |name: &str| count(data, &format!("/usage/{name}"));
    let (read, write) = (count("cacheReadTokens"), count("cacheWriteTokens"));
    let tokens = inclusive(count("inputTokens"), count("outputTokens"), read, write);
    let tokens = Tokens { reasoning: count("reasoningTokens"), ..tokens };
    speaker.model(text(data, "/usage/model"));
    speaker.spent(id.unwrap_or_default(), tokens, None);
}

fn call(data: &Value, speaker: &mut Speaker<'_, '_>) {
    let id = text(data, "/toolCallId").unwrap_or_default();
    speaker.call(id, text(data, "/toolName").unwrap_or_default(), data.get("arguments"));
}

fn result(data: &Value, speaker: &mut Speaker<'_, '_>) {
    let said = text(data, "/result/content").or(text(data, "/error/message"));
    let outcome = Outcome {
        failed: data.get("success").and_then(Value::as_bool).map(|it| !it),
        exit_code: data.pointer("/shellExecution/exitCode").and_then(Value::as_i64),
        ..Outcome::default()
    };
    speaker.result(text(data, "/toolCallId").unwrap_or_default(), said, outcome);
}
