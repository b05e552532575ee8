//! What one message says.

use super::parts::Part;
use super::record::{Message, Thought, TokenCounts, ToolCall};
use taffrail_kit::records;
use taffrail_kit::{Outcome, Speaker};
use taffrail_model::{Signal, Timestamp, hash};

/// The message itself.
const BODY: u32 = 0;
/// The thoughts that led to it.
const THOUGHTS: u32 = 1;
/// The first tool call; its result comes next, then the second call.
const FIRST_CALL: u32 = 100;

/// The prefix of the summary that replaces compacted messages.
const SUMMARY_TAG: &str = "<state_snapshot>";
/// The remark after a person broke off a turn.
const CANCELLED: &str = "Request cancelled.";
/// What the model reads of a call that a person refused.
const DENIALS: [&str; 2] = ["User denied execution", "User did not allow tool call"];

impl Message<'_> {
    /// Says everything in the message.
    pub(super) fn say(&self, speaker: &mut Speaker<'_, '_>) {
        speaker.at(self.at());
        speaker.model(self.model.as_deref());
        let text = self.content.text();
        let text = text.as_deref();
        match self.r#type.as_deref() {
            Some("user") => self.said_by_user(speaker),
            Some("gemini") => self.said_by_model(speaker),
            Some("info") if text == Some(CANCELLED) => speaker.stopped("interrupted", text),
            Some(label @ ("info" | "warning")) => speaker.notice(label, text),
            Some("error") => speaker.failed(text.unwrap_or_default()),
            Some(other) => speaker.unknown(&format!("message/{other}")),
            None => speaker.unknown("message"),
        }
        self.count(speaker);
    }

    /// Whether the message has an id, so that it can be remembered.
    pub(super) fn has_id(&self) -> bool {
        !self.id.is_empty() && self.id.len() <= records::LONGEST_ID
    }

    fn at(&self) -> Option<Timestamp> {
        time(self.timestamp.as_deref())
    }

    /// The usage of the answer, if recorded.
    fn count(&self, speaker: &mut Speaker<'_, '_>) {
        let Some(tokens) = self.tokens.as_ref().map(TokenCounts::tokens) else { return };
        speaker.only_at(self.at());
        let who = speaker.who();
        let ids = [who.id.as_str().as_bytes(), self.id.as_bytes()];
        speaker.spent_under(hash::digest("gemini-usage", &ids), tokens);
    }

    /// A prompt, unless the program wrote the message itself: tool results belong to their calls,
    /// and injected context is not a prompt.
    fn said_by_user(&self, speaker: &mut Speaker<'_, '_>) {
        if self.content.has(Part::is_answer) || !self.content.has(Part::is_own) {
            return;
        }
        let text = self.display_content.text().or_else(|| self.content.text());
        match text.as_deref() {
            Some(summary) if summary.starts_with(SUMMARY_TAG) => speaker.compacted(Some(summary)),
            text => speaker.prompt(text.unwrap_or_default()),
        }
    }

    fn said_by_model(&self, speaker: &mut Speaker<'_, '_>) {
        speaker.answer_id(&self.id);
        self.think(speaker);
        self.answer(speaker);
        for (part, call) in (FIRST_CALL..).step_by(2).zip(&self.tool_calls) {
            let Some(call) = call else { continue };
            self.call(part, call, speaker);
            self.result(part.saturating_add(1), call, speaker);
        }
    }

    /// All thoughts joined, at the time of the first.
    fn think(&self, speaker: &mut Speaker<'_, '_>) {
        let thoughts = || self.thoughts.iter().flatten();
        let texts: Vec<_> = thoughts().flat_map(Thought::texts).collect();
        if texts.is_empty() {
            return;
        }
        speaker.part(THOUGHTS);
        speaker.at(thoughts().find_map(|it| time(it.timestamp.as_deref())));
        speaker.thought(&texts.join("\n"));
    }

    fn answer(&self, speaker: &mut Speaker<'_, '_>) {
        let Some(text) = self.content.text() else { return };
        speaker.part(BODY);
        speaker.only_at(self.at());
        let calls_tools = !self.tool_calls.is_empty() || self.content.has(Part::is_call);
        match calls_tools {
            true => speaker.answer(&text),
            false => speaker.last_answer(&text),
        }
    }

    /// The agent records a call only after it ended, with the time of its end.
    fn call(&self, part: u32, call: &ToolCall<'_>, speaker: &mut Speaker<'_, '_>) {
        speaker.part(part);
        speaker.only_at(self.at());
        speaker.call_as_written(&call.id, &call.name, call.args);
    }

    /// The result of a call, once it exists.
    fn result(&self, part: u32, call: &ToolCall<'_>, speaker: &mut Speaker<'_, '_>) {
        let failed = call.failed();
        if failed.is_none() && call.result.is_empty() {
            return;
        }
        speaker.part(part);
        // The agent may stamp a cancelled call before the message that holds it.
        speaker.only_at(time(call.timestamp.as_deref()).max(self.at()));
        // The agent writes the cancelled call after its remark about it.
        speaker.signal(call.is_cancelled().then_some(Signal::Interrupted));
        let answer = call.result.answer();
        let exit_code = answer.as_deref().and_then(exit_code_in);
        // The person saw the plain output; the model's copy is wrapped in warnings.
        let text = call.result_display.as_deref().or(answer.as_deref());
        let denied = call.is_cancelled() && answer.as_deref().is_some_and(is_denial);
        let outcome = Outcome { failed, denied, exit_code, duration_ms: None };
        speaker.result(&call.id, text, outcome);
    }
}

/// Whether a call was cancelled in the dialog that asked for it, and not while it ran.
fn is_denial(answer: &str) -> bool {
    DENIALS.iter().any(|it| answer.contains(it))
}

/// The exit code of a command, which only the model's copy of the result names, and only if it is not
/// 0.
fn exit_code_in(answer: &str) -> Option<i64> {
    answer.lines().rev().find_map(|line| line.strip_prefix("Exit Code: ")?.trim().parse().ok())
}

fn time(text: Option<&str>) -> Option<Timestamp> {
    records::time(text?)
}

impl Thought<'_> {
    fn texts(&self) -> impl Iterator<Item = &str> {
        [self.subject.as_deref(), self.description.as_deref()].into_iter().flatten()
    }
}
