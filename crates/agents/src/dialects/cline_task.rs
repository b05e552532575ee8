//! Tasks as the Cline extension and its forks write them: a folder a task, with the list of what the
//! person saw. The list of messages to the model beside it repeats that with the tools' texts.

use serde_json::Value;
use taffrail_kit::json::{self, exclusive, inclusive, text, time};
use taffrail_kit::{Outcome, Reads, Shape, Speaker, Store, ToolUse};
use taffrail_model::Tokens;

/// The tasks of Cline, whose counts of input exclude the cache.
pub(crate) const CLINE: &[Store] = &[store(|item, speaker| read(item, exclusive, speaker))];
/// The tasks of Roo Code and its forks, whose counts of input include the cache.
pub(crate) const ROO: &[Store] = &[store(|item, speaker| read(item, inclusive, speaker))];

/// How tokens are counted: input, output, and what was read from and written to the cache.
type Counts = fn(u64, u64, u64, u64) -> Tokens;

const fn store(dialect: fn(&Value, &mut Speaker<'_, '_>)) -> Store {
    Store {
        beside: &[
            "tasks/{session}/history_item.json",
            "tasks/{session}/task_metadata.json",
            "state/taskHistory.json",
        ],
        ..Store::of("tasks/{session}/ui_messages.json", Shape::Document, Reads::Items(dialect))
    }
}

fn read(item: &Value, counts: Counts, speaker: &mut Speaker<'_, '_>) {
    let is_first = speaker.pointer() == "/0";
    if is_first {
        facts(speaker);
    }
    speaker.at(time(item, "/ts"));
    speaker.model(text(item, "/modelInfo/modelId"));
    let said = text(item, "/text").unwrap_or_default();
    match (text(item, "/type"), text(item, "/say"), text(item, "/ask")) {
        (Some("say"), Some("task" | "text"), _) if is_first => speaker.prompt(said),
        (Some("say"), Some(kind), _) => say(kind, said, counts, speaker),
        // An answer that is still being written is not a question.
        (Some("ask"), _, Some(kind)) if item.get("partial") != Some(&Value::Bool(true)) => {
            let is_answered = item.get("isAnswered") == Some(&Value::Bool(true));
            ask(kind, said, is_answered, speaker);
        }
        (Some("ask"), _, Some(_)) => {}
        (kind, _, _) => speaker.unknown(kind.unwrap_or("no type")),
    }
}

fn say(kind: &str, said: &str, counts: Counts, speaker: &mut Speaker<'_, '_>) {
    match kind {
        "user_feedback" => speaker.prompt(said),
        "text" => speaker.answer(said),
        "reasoning" => speaker.thought(said),
        "completion_result" => speaker.last_answer(said),
        "api_req_started" => request(said, counts, speaker),
        "tool" | "command" | "use_mcp_server" | "browser_action_launch" | "browser_action" => {
            called(kind, said, speaker);
        }
        "command_output" | "mcp_server_response" | "browser_action_result" => {
            returned(Some(said), speaker);
        }
        "error"
        | "diff_error"
        | "clineignore_error"
        | "rooignore_error"
        | "command_permission_denied"
        | "condense_context_error" => speaker.failed(said),
        "condense_context" | "sliding_window_truncation" => speaker.compacted(None),
        "subtask_result" | "info" => speaker.notice(kind, Some(said)),
        known if IGNORED.contains(&known) => {}
        other => speaker.unknown(&format!("say/{other}")),
    }
}

/// What a person sees and no event covers.
const IGNORED: &[&str] = &[
    "task",
    "api_req_finished",
    "api_req_retried",
    "api_req_retry_delayed",
    "api_req_deleted",
    "api_req_rate_limit_wait",
    "api_req_rate_limited",
    "deleted_api_reqs",
    "user_feedback_diff",
    "image",
    "error_retry",
    "shell_integration_warning",
    "shell_integration_warning_with_suggestion",
    "mcp_server_request_started",
    "mcp_notification",
    "browser_session_status",
    "checkpoint_created",
    "checkpoint_saved",
    "load_mcp_documentation",
    "task_progress",
    "hook_status",
    "hook_output_stream",
    "conditional_rules_applied",
    "codebase_search_result",
    "user_edit_todos",
    "too_many_tools_warning",
    "generate_explanation",
    "subagent",
    "use_subagents",
    "subagent_usage",
];

fn ask(kind: &str, said: &str, is_answered: bool, speaker: &mut Speaker<'_, '_>) {
    match kind {
        "tool" | "command" | "use_mcp_server" | "browser_action_launch" | "use_subagents" => {
            let (id, tool, input) = called(kind, said, speaker);
            // Only the last item of the list can still wait for its answer.
            if speaker.is_last() && !is_answered {
                speaker.asked(&ToolUse { call: &id, tool: &tool, input: Some(&input), text: None });
            }
        }
        "followup"
        | "plan_mode_respond"
        | "mistake_limit_reached"
        | "auto_approval_max_req_reached"
        | "new_task"
        | "condense"
        | "report_bug" => {
            speaker.last_answer(&question(said));
        }
        // The agent goes on without an answer.
        "act_mode_respond" => speaker.answer(&question(said)),
        "api_req_failed" | "payment_required_prompt" | "invalid_model" => speaker.failed_turn(said),
        "command_output" => returned(Some(said), speaker),
        "completion_result" | "resume_task" | "resume_completed_task" | "summarize_task" => {}
        other => speaker.unknown(&format!("ask/{other}")),
    }
}

/// The words of a question, which some versions write as JSON.
fn question(said: &str) -> String {
    let value: Option<Value> = serde_json::from_str(said).ok();
    let pick = |name: &str| value.as_ref().and_then(|it| text(it, name)).map(str::to_owned);
    pick("/question").or_else(|| pick("/response")).unwrap_or_else(|| said.to_owned())
}

/// A call. Its place in the list is its id, its text is its input as JSON or a command.
fn called(kind: &str, said: &str, speaker: &mut Speaker<'_, '_>) -> (String, String, Value) {
    returned(None, speaker);
    let id = speaker.pointer().to_owned();
    let input = serde_json::from_str(said).ok().filter(Value::is_object);
    let input = input.unwrap_or_else(|| serde_json::json!({"command": said}));
    let tool = text(&input, "/tool").or_else(|| text(&input, "/toolName"));
    let tool = tool.unwrap_or(kind).to_owned();
    speaker.call(&id, &tool, Some(&input));
    (id, tool, input)
}

/// The open call returned. Only commands and servers say what.
fn returned(said: Option<&str>, speaker: &mut Speaker<'_, '_>) {
    if let Some(call) = speaker.oldest_call() {
        speaker.result(&call, said, Outcome::default());
    }
}

/// A request to the model: the calls before it have returned. Its text has the usage.
fn request(said: &str, counts: Counts, speaker: &mut Speaker<'_, '_>) {
    returned(None, speaker);
    let Ok(usage) = serde_json::from_str::<Value>(said) else { return };
    let count = |name: &str| json::count(&usage, &format!("/{name}"));
    let (read, write) = (count("cacheReads"), count("cacheWrites"));
    let input = count("tokensIn");
    // Some providers count the cache apart in every version.
    let counts = if input < read.saturating_add(write) { exclusive } else { counts };
    let tokens = counts(input, count("tokensOut"), read, write);
    let place = speaker.pointer().to_owned();
    speaker.spent(&place, tokens, json::microdollars(&usage, "/cost"));
}

fn facts(speaker: &mut Speaker<'_, '_>) {
    let id = speaker.session_id();
    let listed = speaker.beside_json("taskHistory.json").unwrap_or_default();
    let listed = listed.as_array().into_iter().flatten();
    let listed = listed.clone().find(|it| text(it, "/id") == Some(&id)).cloned();
    let item = speaker.beside_json("history_item.json").or(listed).unwrap_or_default();
    speaker.cwd(text(&item, "/workspace").or_else(|| text(&item, "/cwdOnTaskInitialization")));
    if let Some(parent) = text(&item, "/parentTaskId") {
        speaker.child_of(parent);
    }
    let metadata = speaker.beside_json("task_metadata.json").unwrap_or_default();
    let used = json::list(&metadata, "/model_usage").last();
    speaker.session_model(
        used.and_then(|it| text(it, "/model_id")).or_else(|| text(&item, "/modelId")),
    );
}
