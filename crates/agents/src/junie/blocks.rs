//! The blocks that Junie shows: answers, tools and results. A block is written again as it grows.

use serde_json::Value;
use taffrail_kit::json::{count, exclusive, list, microdollars, text};
use taffrail_kit::{Outcome, Speaker, ToolUse};

/// Reads a block, or what is noted between blocks.
pub(super) fn read(event: &Value, line: &Value, speaker: &mut Speaker<'_, '_>) {
    let kind = text(event, "/kind").unwrap_or_default().rsplit('.').next().unwrap_or_default();
    let step = text(event, "/stepId").unwrap_or_default();
    speaker.id(step);
    match kind {
        "MarkdownBlockUpdatedEvent" => speaker.answer(text(event, "/text").unwrap_or_default()),
        "AgentThoughtBlockUpdatedEvent" => {
            speaker.thought(text(event, "/text").unwrap_or_default());
        }
        "ResultBlockUpdatedEvent" => result(event, speaker),
        "TerminalBlockUpdatedEvent" => tool("terminal", (event, line), speaker),
        "ViewFilesBlockUpdatedEvent" => tool("view_files", (event, line), speaker),
        "FileChangesBlockUpdatedEvent" => tool("file_changes", (event, line), speaker),
        "ToolBlockUpdatedEvent" => tool("tool", (event, line), speaker),
        "McpBlockUpdatedEvent" => tool("mcp", (event, line), speaker),
        "CustomAgentBlockUpdatedEvent" => tool("agent", (event, line), speaker),
        "LlmResponseMetadataEvent" => spent(event, line, speaker),
        "AgentFailureEvent" => {
            speaker.failed(text(event, "/message").unwrap_or("The agent failed."));
        }
        "AgentPlanUpdatedEvent"
        | "AgentStateUpdatedEvent"
        | "AgentCurrentStatusUpdatedEvent"
        | "AgentTaskNameUpdatedEvent"
        | "AgentPatchCreatedEvent"
        | "AvailablePullRequestsEvent"
        | "CurrentDirectoryUpdatedEvent"
        | "EnvironmentVariablesUpdatedEvent"
        | "TipSuggestionCreatedEvent"
        | "ContextWindowReportEvent"
        | "NextPromptSuggestionEvent" => {}
        other => speaker.unknown(&format!("agent/{other}")),
    }
}

fn result(event: &Value, speaker: &mut Speaker<'_, '_>) {
    let said = text(event, "/result").unwrap_or_default();
    speaker.last_answer(said.trim_start_matches("<!-- ANSWER -->").trim());
    if event.get("cancelled") == Some(&Value::Bool(true)) {
        speaker.interrupted();
    }
}

/// A block of a tool. A line that only tells the end does not repeat the input.
fn tool(name: &str, (event, line): (&Value, &Value), speaker: &mut Speaker<'_, '_>) {
    let step = text(event, "/stepId").unwrap_or_default();
    let status = text(event, "/status");
    let is_over = matches!(status, Some("COMPLETED" | "FAILED"));
    let fields = ["command", "files", "changes", "name", "text"];
    let given = fields.into_iter().filter_map(|it| Some((it.to_owned(), event.get(it)?.clone())));
    let input = Value::Object(given.collect());
    if !is_over || input.as_object().is_some_and(|it| !it.is_empty()) {
        speaker.call(step, name, Some(&input));
    }
    if is_over {
        speaker.id(&format!("{step}/result"));
        let said = text(event, "/output").or(text(event, "/details"));
        speaker.result(step, said, Outcome::failed(status == Some("FAILED")));
    } else if text(line, "/event/state") == Some("INPUT_REQUIRED") {
        speaker.id(&format!("{step}/request"));
        speaker.asked(&ToolUse { call: step, tool: name, input: Some(&input), text: None });
    }
}

fn spent(event: &Value, line: &Value, speaker: &mut Speaker<'_, '_>) {
    let at = count(line, "/timestampMs");
    for (index, usage) in list(event, "/modelUsage").iter().enumerate() {
        let model = text(usage, "/model").map(str::to_owned);
        // Blocks do not repeat the model, so it is a fact about the session only.
        speaker.facts().model.clone_from(&model);
        let tokens = exclusive(
            count(usage, "/inputTokens"),
            count(usage, "/outputTokens"),
            count(usage, "/cacheInputTokens"),
            count(usage, "/cacheCreateTokens"),
        );
        let id = format!("{at}/{index}/{usage}");
        speaker.spent_by(model, &id, tokens, microdollars(usage, "/cost"));
    }
}
