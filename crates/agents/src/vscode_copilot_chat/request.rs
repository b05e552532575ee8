//! One request of a chat: the prompt, what the model answered, and how it ended.

use serde_json::Value;
use taffrail_kit::json::{count, inclusive, list, text, time, words};
use taffrail_kit::{Outcome, Speaker, ToolUse};

/// How a request ended, in the editor's numbers.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    Open,
    Complete,
    Cancelled,
    Failed,
    /// It waits for the person.
    NeedsInput,
}

/// Reads one request.
pub(super) fn read(request: &Value, speaker: &mut Speaker<'_, '_>) {
    let id = text(request, "/requestId").unwrap_or_default();
    speaker.id(id);
    speaker.at(time(request, "/timestamp"));
    let model = text(request, "/result/metadata/resolvedModel").or(text(request, "/modelId"));
    speaker.model(model);
    let asked = request.pointer("/message").and_then(words);
    speaker.prompt(asked.as_deref().unwrap_or_default());
    let end = end_of(request);
    speaker.at(time(request, "/modelState/completedAt"));
    answer(request, end, speaker);
    finish(request, end, speaker);
    let tokens = inclusive(
        count(request, "/result/metadata/promptTokens"),
        count(request, "/result/metadata/outputTokens"),
        0,
        0,
    );
    speaker.spent(id, tokens, None);
}

fn end_of(request: &Value) -> End {
    match request.pointer("/modelState/value").and_then(Value::as_u64) {
        Some(1) => End::Complete,
        Some(2) => End::Cancelled,
        Some(3) => End::Failed,
        Some(4) => End::NeedsInput,
        Some(_) => End::Open,
        // Before 1.109 a request has no state of its own.
        None if request.get("isCanceled") == Some(&Value::Bool(true)) => End::Cancelled,
        None if request.pointer("/result/errorDetails").is_some_and(|it| !it.is_null()) => {
            End::Failed
        }
        None if request.get("result").is_some_and(|it| !it.is_null()) => End::Complete,
        None => End::Open,
    }
}

/// The parts of the answer. Neighbouring pieces of Markdown are one message.
fn answer(request: &Value, end: End, speaker: &mut Speaker<'_, '_>) {
    let id = text(request, "/requestId").unwrap_or_default();
    let mut said = String::new();
    let mut messages = 0;
    for part in list(request, "/response") {
        if let Some(piece) = markdown(part) {
            said.push_str(piece);
            continue;
        }
        if !said.trim().is_empty() && is_break(part) {
            speaker.id(&format!("{id}/{messages}"));
            speaker.answer(&std::mem::take(&mut said));
            messages += 1;
        }
        if text(part, "/kind") == Some("thinking") {
            speaker.id(&format!("{id}/{messages}"));
            messages += 1;
        }
        other(part, end, speaker);
    }
    speaker.id(&format!("{id}/{messages}"));
    match (said.trim().is_empty(), end) {
        (true, _) => {}
        (false, End::Complete) => speaker.last_answer(&said),
        (false, _) => speaker.answer(&said),
    }
    if said.trim().is_empty() && end == End::Complete {
        speaker.turn_over(None);
    }
}

/// A piece of Markdown has no kind; a reference within it shows its name.
fn markdown(part: &Value) -> Option<&str> {
    match part.get("kind").and_then(Value::as_str) {
        None => text(part, "/value").or_else(|| text(part, "/value/value")),
        Some("markdownContent" | "markdownVuln") => text(part, "/content/value"),
        Some("inlineReference") => text(part, "/name").or(Some("")),
        Some(_) => None,
    }
}

/// Whether a part comes between two messages.
fn is_break(part: &Value) -> bool {
    matches!(text(part, "/kind"), Some("toolInvocationSerialized" | "thinking"))
}

fn other(part: &Value, end: End, speaker: &mut Speaker<'_, '_>) {
    match text(part, "/kind") {
        Some("toolInvocationSerialized") => tool(part, end, speaker),
        Some("thinking") => {
            let thought = part.get("value").and_then(words);
            if let Some(thought) = thought.filter(|it| !it.is_empty()) {
                speaker.thought(&thought);
            }
        }
        // What the editor shows around the answer, and edits that a tool call already covers.
        Some(
            "textEditGroup"
            | "notebookEditGroup"
            | "codeblockUri"
            | "codeCitation"
            | "confirmation"
            | "undoStop"
            | "elicitationSerialized"
            | "elicitation2"
            | "questionCarousel"
            | "planReview"
            | "hook"
            | "command"
            | "progressTaskSerialized"
            | "progressMessage"
            | "mcpServersStarting"
            | "mcpAuthenticationRequired"
            | "info"
            | "warning"
            | "prepareToolInvocation"
            | "treeData"
            | "multiDiffData"
            | "pullRequest"
            | "move"
            | "extensions"
            | "workspaceEdit"
            | "externalEdits"
            | "reference"
            | "contentReference"
            | "usedContext"
            | "disabledClaudeHooks"
            | "markdownContent"
            | "markdownVuln",
        ) => {}
        other => speaker.unknown(&format!("response/{}", other.unwrap_or("no kind"))),
    }
}

/// A call, the request for permission while it waits, and its result.
fn tool(part: &Value, end: End, speaker: &mut Speaker<'_, '_>) {
    let call = text(part, "/toolCallId").unwrap_or_default();
    let name = text(part, "/toolId").unwrap_or_default();
    let input = part.get("toolSpecificData").filter(|it| it.is_object());
    speaker.id(call);
    let command = text(part, "/toolSpecificData/commandLine/original");
    let said = command.or_else(|| part.get("invocationMessage").and_then(message));
    speaker.called(&ToolUse { call, tool: name, input, text: said });
    let is_complete = part.get("isComplete") == Some(&Value::Bool(true));
    if is_complete {
        speaker.id(&format!("{call}/result"));
        let said = part.get("pastTenseMessage").and_then(message);
        let exit_code =
            part.pointer("/toolSpecificData/terminalCommandState/exitCode").and_then(Value::as_i64);
        let denied = is_refused(part);
        let failed = Some(denied || exit_code.is_some_and(|it| it != 0));
        let outcome = Outcome { failed, denied, exit_code, duration_ms: None };
        speaker.result(call, said, outcome);
    } else if end == End::NeedsInput {
        speaker.id(&format!("{call}/request"));
        speaker.asked(&ToolUse { call, tool: name, input, text: said });
    }
}

/// Whether the person refused a call: `false`, or since 1.103 the reason with the number 0.
fn is_refused(part: &Value) -> bool {
    let reason = part.pointer("/isConfirmed/type").and_then(Value::as_u64);
    part.get("isConfirmed") == Some(&Value::Bool(false)) || reason == Some(0)
}

/// A message is a text, or Markdown.
fn message(value: &Value) -> Option<&str> {
    value.as_str().or_else(|| text(value, "/value"))
}

fn finish(request: &Value, end: End, speaker: &mut Speaker<'_, '_>) {
    let id = text(request, "/requestId").unwrap_or_default();
    speaker.id(&format!("{id}/end"));
    match end {
        End::Open | End::Complete | End::NeedsInput => {}
        End::Cancelled => speaker.interrupted(),
        End::Failed => {
            let said = text(request, "/result/errorDetails/message");
            speaker.failed_turn(said.unwrap_or("The request failed."));
        }
    }
}
