//! The events of one message, without its links to others.

use super::parts::Part;
use super::record::{Message, Thought, TokenCounts, ToolCall};
use crate::{gist, records};
use std::borrow::Cow;
use taffrail_model::{Detail, Draft, Kind, RecordKey, Signal, Timestamp, Tokens};

/// The message itself.
pub(super) const BODY: u32 = 0;
/// The thoughts that led to it.
const THOUGHTS: u32 = 1;
/// The first tool call; its result comes next, then the second call.
const FIRST_CALL: u32 = 100;

/// The prefix of the summary that replaces compacted messages.
const SUMMARY_TAG: &str = "<state_snapshot>";
/// The remark after a person broke off a turn.
const CANCELLED: &str = "Request cancelled.";

impl<'a> Message<'a> {
    /// All events of the message, or `None` if its type is unknown.
    pub(super) fn drafts(&self) -> Option<Vec<Draft<'_>>> {
        let drafts = match self.r#type.as_deref()? {
            "user" => self.said_by_user().into_iter().collect(),
            "gemini" => self.said_by_model(),
            "info" if self.content.text().as_deref() == Some(CANCELLED) => vec![self.stopped()],
            label @ ("info" | "warning") => {
                let label = label.into();
                vec![self.remark(Kind::Notice, Detail::Remark { label })]
            }
            "error" => vec![self.remark(Kind::Error, failure())],
            _ => return None,
        };
        Some(drafts)
    }

    /// The usage of the answer, if recorded.
    pub(super) fn cost(&self) -> Option<Tokens> {
        let tokens = self.tokens.as_ref().map(TokenCounts::tokens)?;
        (!tokens.is_zero()).then_some(tokens)
    }

    /// The time of the message.
    pub(super) fn at(&self) -> Option<Timestamp> {
        time(self.timestamp.as_deref())
    }

    /// Identifies the message in its chat.
    pub(super) fn key(&self) -> RecordKey<'_> {
        RecordKey::Provider(Cow::Borrowed(&self.id))
    }

    /// The message's type, for the list of unknown records.
    pub(super) fn raw_type(&self) -> String {
        match self.r#type.as_deref() {
            Some(name) => format!("message/{name}"),
            None => "message".to_owned(),
        }
    }

    fn draft(&self, part: u32, kind: Kind) -> Draft<'_> {
        let mut draft = Draft::new(self.key(), part, kind);
        draft.at = self.at();
        draft
    }

    fn remark<'b>(&'b self, kind: Kind, detail: Detail<'b>) -> Draft<'b> {
        let mut draft = self.draft(BODY, kind);
        draft.text = self.content.text();
        draft.detail = detail;
        draft
    }

    /// A person broke off the turn.
    fn stopped(&self) -> Draft<'_> {
        let reason = Some(Cow::Borrowed("interrupted"));
        let detail = Detail::Stopped { reason, duration_ms: None };
        Draft { ends_turn: true, ..self.remark(Kind::AgentStopped, detail) }
    }

    /// A prompt, unless the program wrote the message itself: tool results belong to their calls,
    /// and injected context is not a prompt.
    fn said_by_user(&self) -> Option<Draft<'_>> {
        if self.content.has(Part::is_answer) || !self.content.has(Part::is_own) {
            return None;
        }
        let text = self.display_content.text().or_else(|| self.content.text());
        let folded = text.as_ref().is_some_and(|it| it.starts_with(SUMMARY_TAG));
        let (kind, detail) = if folded { compacted() } else { prompt() };
        let mut draft = self.draft(BODY, kind);
        draft.opens_turn = !folded;
        draft.text = text;
        draft.detail = detail;
        Some(draft)
    }

    fn said_by_model(&self) -> Vec<Draft<'_>> {
        let mut drafts: Vec<_> = self.thinking().into_iter().chain(self.answer()).collect();
        for (part, call) in (FIRST_CALL..).step_by(2).zip(&self.tool_calls) {
            let Some(call) = call else { continue };
            drafts.push(self.call(part, call));
            drafts.extend(self.result(part, call));
        }
        drafts
    }

    /// All thoughts joined, at the time of the first.
    fn thinking(&self) -> Option<Draft<'_>> {
        let thoughts = || self.thoughts.iter().flatten();
        let texts: Vec<_> = thoughts().flat_map(Thought::texts).collect();
        if texts.is_empty() {
            return None;
        }
        let mut draft = self.draft(THOUGHTS, Kind::AssistantThinking);
        draft.at = thoughts().find_map(|it| time(it.timestamp.as_deref())).or(draft.at);
        draft.text = Some(texts.join("\n").into());
        draft.detail = self.authorship();
        Some(draft)
    }

    fn answer(&self) -> Option<Draft<'_>> {
        let mut draft = self.draft(BODY, Kind::AssistantMessage);
        draft.text = Some(self.content.text()?);
        draft.detail = self.authorship();
        draft.ends_turn = !self.calls_tools();
        Some(draft)
    }

    /// Whether the message has an id, so that it can be remembered.
    pub(super) fn has_id(&self) -> bool {
        !self.id.is_empty() && self.id.len() <= records::LONGEST_ID
    }

    fn authorship(&self) -> Detail<'_> {
        Detail::Message {
            model: self.model.as_deref().map(Cow::Borrowed),
            stop_reason: None,
            answer: Some(Cow::Borrowed(&self.id)),
        }
    }

    fn calls_tools(&self) -> bool {
        !self.tool_calls.is_empty() || self.content.has(Part::is_call)
    }

    fn call<'b>(&'b self, part: u32, call: &'b ToolCall<'a>) -> Draft<'b> {
        // The agent records a call only after it ended, with the time of its end.
        let mut draft = self.draft(part, Kind::ToolCall);
        draft.detail = Detail::ToolCall {
            call_id: Cow::Borrowed(&call.id),
            tool: Cow::Borrowed(&call.name),
            input: call.args,
            input_text: None,
        };
        draft.text = call.args.map(gist::of);
        draft
    }

    /// The result of the call with this part, once it exists.
    fn result<'b>(&'b self, part: u32, call: &'b ToolCall<'a>) -> Option<Draft<'b>> {
        let failed = call.failed();
        if failed.is_none() && call.result.is_empty() {
            return None;
        }
        let mut draft = self.draft(result_of(part), Kind::ToolResult);
        // The agent may stamp a cancelled call before the message that holds it.
        draft.at = time(call.timestamp.as_deref()).max(draft.at);
        // The agent writes the cancelled call after its remark about it.
        draft.signal = call.is_cancelled().then_some(Signal::Interrupted);
        let shown = || call.result_display.as_deref().map(Cow::Borrowed);
        // The person saw the plain output; the model's copy is wrapped in warnings.
        draft.text = shown().or_else(|| call.result.answer());
        draft.detail = Detail::ToolResult {
            call_id: Cow::Borrowed(&call.id),
            failed,
            exit_code: call.result.answer().and_then(|text| exit_code_in(&text)),
            duration_ms: None,
        };
        Some(draft)
    }
}

/// The exit code of a command, which only the model's copy of the result names, and only if it is not
/// 0.
fn exit_code_in(answer: &str) -> Option<i64> {
    answer.lines().rev().find_map(|line| line.strip_prefix("Exit Code: ")?.trim().parse().ok())
}

/// The part of the call for a result's part.
pub(super) fn call_of(result: u32) -> u32 {
    result.saturating_sub(1)
}

fn result_of(call: u32) -> u32 {
    call.saturating_add(1)
}

fn time(text: Option<&str>) -> Option<Timestamp> {
    records::time(text?)
}

fn prompt() -> (Kind, Detail<'static>) {
    (Kind::UserPrompt, Detail::Prompt { asked_by: None })
}

fn compacted() -> (Kind, Detail<'static>) {
    let detail = Detail::Compacted { trigger: None, tokens_before: None };
    (Kind::ContextCompacted, detail)
}

fn failure() -> Detail<'static> {
    Detail::Failure { code: None, retrying: None }
}

impl Thought<'_> {
    fn texts(&self) -> impl Iterator<Item = &str> {
        [self.subject.as_deref(), self.description.as_deref()].into_iter().flatten()
    }
}
