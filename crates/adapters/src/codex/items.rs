//! Records of type `event_msg/item_completed`: the messages and tools of paginated files.

use super::events::Answer;
use super::record::{Item, Payload, parse};
use super::rollout::Reading;
use super::summary::{self, Words};
use super::tools::{Call, CallKeys, Outcome};
use serde::Deserialize;
use std::borrow::Cow;
use taffrail_kit::lenient::{Prose, Raw, Text, lenient, prose, value_in};
use taffrail_model::Kind;

#[derive(Default, Deserialize)]
#[serde(default)]
struct McpResult<'a> {
    #[serde(borrow, deserialize_with = "prose")]
    content: Text<'a>,
    #[serde(rename = "isError", deserialize_with = "lenient")]
    is_error: Option<bool>,
}

#[derive(Deserialize)]
struct ItemError<'a> {
    #[serde(borrow)]
    message: Cow<'a, str>,
}

impl Reading<'_, '_, '_> {
    /// Reads a completed item.
    pub(super) fn item_completed(&mut self, event: Payload<'_>) {
        let span = span(event.started_at_ms, event.completed_at_ms);
        let Some(mut item) = event.item.map(|item| *item) else {
            return self.unknown("item/", "");
        };
        let kind = item.kind.take().unwrap_or_default();
        match kind.as_ref() {
            "UserMessage" => {
                self.enter(event.turn_id.as_deref());
                self.identify(&kind, item.id.as_deref());
                self.prompt(item.content);
            }
            "AgentMessage" | "Reasoning" => self.item_answer(&kind, item),
            "CommandExecution"
            | "FileChange"
            | "McpToolCall"
            | "DynamicToolCall"
            | "CollabAgentToolCall"
            | "WebSearch" => self.item_tool(&kind, item, span),
            "ContextCompaction" | "Sleep" => {}
            other => match label(other) {
                Some(label) => self.item_remark(label, &kind, item),
                None => self.unknown("item/", other),
            },
        }
    }

    fn item_answer(&mut self, kind: &str, item: Item<'_>) {
        self.identify(kind, item.id.as_deref());
        let (kind, text) = match kind {
            "Reasoning" => (Kind::AssistantThinking, item.summary_text.or(item.raw_content)),
            _ => (Kind::AssistantMessage, item.content),
        };
        self.answer(Answer { kind, text, phase: item.phase, id: item.id });
    }

    fn item_remark(&mut self, label: &str, kind: &str, item: Item<'_>) {
        self.identify(kind, item.id.as_deref());
        let review = item.review.or(item.user_facing_hint);
        let picture = item.path.or(item.revised_prompt);
        let text = item.text.or(item.fragments).or(review);
        self.remark(label, text.or(picture).or(item.agent_path));
    }

    /// Emits a tool's result, and its call if no record of the call did.
    fn item_tool(&mut self, kind: &str, item: Item<'_>, span: Option<u64>) {
        let keys = CallKeys::new(item.id.clone(), self.speaker);
        if self.own.calls.complete(keys.id()) {
            self.say_call(&keys, call_of(kind, &item));
        }
        self.say_result(&keys, outcome_of(item, span));
    }
}

/// Returns the label of an item that is a notice.
fn label(kind: &str) -> Option<&'static str> {
    Some(match kind {
        "HookPrompt" => "hook_prompt",
        "Plan" => "plan",
        "EnteredReviewMode" => "entered_review_mode",
        "ExitedReviewMode" => "exited_review_mode",
        "SubAgentActivity" => "sub_agent_activity",
        "ImageView" => "image_view",
        "ImageGeneration" => "image_generation",
        "Extension" => "extension",
        _ => return None,
    })
}

fn span(start: Option<u64>, end: Option<u64>) -> Option<u64> {
    end?.checked_sub(start?)
}

/// Builds a call from its item, for calls without a record of their own: those of a script.
fn call_of<'a>(kind: &str, item: &'a Item<'_>) -> Call<'a> {
    let command = item.command.as_ref();
    match kind {
        "CommandExecution" => Call::told("exec_command", command.map(Words::line)),
        "FileChange" => Call {
            input: item.changes,
            ..Call::told("apply_patch", summary::changed_files(item.changes))
        },
        "WebSearch" => Call {
            input: item.action,
            ..Call::told("web_search", item.query.as_deref().map(summary::one_line))
        },
        _ => Call {
            tool: tool_name(item),
            input: item.arguments,
            input_text: None,
            summary: item
                .prompt
                .as_deref()
                .map(summary::one_line)
                .or_else(|| summary::arguments(item.arguments?.get())),
        },
    }
}

fn tool_name<'a>(item: &'a Item<'_>) -> Cow<'a, str> {
    let tool = item.tool.as_deref().unwrap_or("tool");
    match item.server.as_deref() {
        Some(server) => format!("mcp__{server}__{tool}").into(),
        None => tool.into(),
    }
}

fn outcome_of(item: Item<'_>, span: Option<u64>) -> Outcome<'_> {
    let result = parse::<McpResult<'_>>(item.result).unwrap_or_default();
    let by_status = match item.status.as_deref() {
        Some("failed" | "declined") => Some(true),
        Some("completed") => Some(false),
        _ => None,
    };
    let by_success = item.success.map(|success| !success);
    let text = [
        item.aggregated_output,
        item.stdout,
        item.stderr,
        result.content,
        item.content_items,
        error_text(item.error),
        item.receiver_thread_ids,
    ];
    let denied = item.status.as_deref() == Some("declined");
    Outcome {
        denied,
        text: text.into_iter().flatten().find(|text| !text.is_empty()),
        failed: by_status.or(result.is_error).or(by_success),
        exit_code: item.exit_code,
        duration_ms: item.duration.map(|it| it.milliseconds()).or(span),
    }
}

/// Returns the text of an error, which is a string or an object with a message.
fn error_text(error: Raw<'_>) -> Text<'_> {
    let message = parse(error).map(|error: ItemError<'_>| error.message);
    message.or_else(|| value_in(error?.get()).map(|Prose(text)| text))
}
