//! What the row of a message says. The part of an event is the number of its block.

use super::block::{Answer, ApprovalRequest, Block, Request};
use super::row::{MessageRow, Metadata, UsageCounts};
use taffrail_kit::lenient::value_in;
use taffrail_kit::{Outcome, Speaker};
use taffrail_model::{Signal, hash};

/// The prefix of a text that Goose puts before every turn.
const CONTEXT_TAG: &str = "<turn-context>";
/// The end of the error of a call that a person cancelled, which ends the turn.
const CANCELLED: &str = "Tool call cancelled by user";
/// How the result of a call begins that a person refused.
const DECLINED: &str = "The user has declined to run this tool";

/// A parsed row.
struct Message<'a> {
    role: Option<&'a str>,
    metadata: &'a Metadata<'a>,
    blocks: &'a [Block<'a>],
}

/// Reads the row; `None` without its number, for several rows may share the message's own id.
pub(super) fn read(row: &MessageRow<'_>, speaker: &mut Speaker<'_, '_>) -> Option<()> {
    let number = row.id?;
    let content = row.content_json.as_deref().unwrap_or_default();
    let Some(blocks) = value_in::<Vec<Option<Block<'_>>>>(content) else {
        speaker.unknown("content_json");
        return Some(());
    };
    // A block that is not an object has no type and is counted as unknown.
    let blocks: Vec<_> = blocks.into_iter().map(Option::unwrap_or_default).collect();
    let metadata = row.metadata();
    speaker.number(number);
    speaker.at(row.at());
    speaker.model(metadata.model());
    say(&Message { role: row.role.as_deref(), metadata: &metadata, blocks: &blocks }, speaker);
    count(number, &metadata, speaker);
    Some(())
}

/// The usage of an answer, if the row has it.
fn count(number: u64, metadata: &Metadata<'_>, speaker: &mut Speaker<'_, '_>) {
    let Some(tokens) = metadata.usage.as_ref().map(UsageCounts::tokens) else { return };
    let who = speaker.who();
    let ids = [who.scope.as_bytes(), who.id.as_str().as_bytes(), &number.to_le_bytes()];
    speaker.spent_under(hash::digest("goose-usage", &ids), tokens);
}

fn say(message: &Message<'_>, speaker: &mut Speaker<'_, '_>) {
    match message.role {
        Some("user") => prompt(message, speaker),
        Some("assistant") => {}
        role => unknown("role", role, speaker),
    }
    let last = message.last_answer();
    for (part, block) in (0..).zip(message.blocks) {
        speaker.part(part);
        match block.said().filter(|_| message.is_answer()) {
            Some(text) if Some(part) == last => speaker.last_answer(text),
            Some(text) => speaker.answer(text),
            None => other(block, speaker),
        }
    }
}

/// Everything a person wrote in one message, text or images.
fn prompt(message: &Message<'_>, speaker: &mut Speaker<'_, '_>) {
    let mut own = (0..).zip(message.blocks).filter(|(_, it)| it.is_written());
    let Some((part, _)) = own.next() else { return };
    let texts: Vec<_> = message.blocks.iter().filter_map(Block::said).collect();
    let text = texts.join("\n");
    if !message.metadata.is_hidden() && !text.starts_with(CONTEXT_TAG) {
        speaker.part(part);
        speaker.prompt(&text);
    }
}

/// A block that is not an answer.
fn other(block: &Block<'_>, speaker: &mut Speaker<'_, '_>) {
    match block.r#type.as_deref() {
        Some("text" | "image" | "redactedThinking") => {}
        Some("thinking") => thought(block.thinking.as_deref(), speaker),
        Some("reasoning") => thought(block.text.as_deref(), speaker),
        Some("toolRequest" | "frontendToolRequest") => call(block, speaker),
        Some("toolResponse") => result(block, speaker),
        Some("toolConfirmationRequest") => request(&block.as_request(), speaker),
        Some("actionRequired") => action(block.data.as_ref(), speaker),
        Some("systemNotification") => {
            let label = block.notification_type.as_deref().unwrap_or_default();
            speaker.notice(label, block.msg.as_deref());
        }
        Some("conversationCompacted") => speaker.compacted(block.msg.as_deref()),
        other => unknown("content", other, speaker),
    }
}

fn thought(text: Option<&str>, speaker: &mut Speaker<'_, '_>) {
    if let Some(text) = text {
        speaker.thought(text);
    }
}

/// A call, or an error if the model's call could not be read.
fn call(block: &Block<'_>, speaker: &mut Speaker<'_, '_>) {
    let Some(outcome) = &block.tool_call else { return };
    match &outcome.value {
        Some(call) => {
            let tool = call.name.as_deref().unwrap_or_default();
            speaker.call_as_written(block.id(), tool, call.arguments);
        }
        None => speaker.failed(outcome.error.as_deref().unwrap_or_default()),
    }
}

fn result(block: &Block<'_>, speaker: &mut Speaker<'_, '_>) {
    let Some(outcome) = &block.tool_result else { return };
    let (answer, error) = (outcome.value.as_ref(), outcome.error.as_deref());
    let is_cancelled = error.is_some_and(|it| it.ends_with(CANCELLED));
    speaker.signal(is_cancelled.then_some(Signal::Interrupted));
    let text = answer.and_then(Answer::text);
    let failed = outcome.failed(answer.and_then(|it| it.is_error));
    let exit_code = answer.and_then(Answer::exit_code);
    let denied = text.as_deref().is_some_and(|it| it.starts_with(DECLINED));
    let outcome = Outcome { failed, denied, exit_code, duration_ms: None };
    speaker.result(block.id(), text.as_deref().or(error), outcome);
}

fn request(request: &ApprovalRequest<'_>, speaker: &mut Speaker<'_, '_>) {
    let ApprovalRequest { id, tool, input, prompt } = *request;
    speaker.asked_as_written((id, tool), input, prompt);
}

fn action(data: Option<&Request<'_>>, speaker: &mut Speaker<'_, '_>) {
    let kind = data.and_then(|it| it.action_type.as_deref());
    match (kind, data) {
        (Some("toolConfirmation"), Some(data)) => request(&data.as_request(), speaker),
        (Some("elicitation"), Some(data)) => speaker.notice("elicitation", data.message.as_deref()),
        // The answer goes to the tool, whose result has the outcome.
        (Some("elicitationResponse"), _) => {}
        (other, _) => unknown("content/actionRequired", other, speaker),
    }
}

impl Message<'_> {
    fn is_answer(&self) -> bool {
        self.role == Some("assistant") && !self.metadata.is_hidden()
    }

    /// The text that ends the turn: the last one, unless something must follow.
    fn last_answer(&self) -> Option<u32> {
        let texts = (0..).zip(self.blocks).filter(|(_, it)| it.said().is_some());
        texts.last().map(|(part, _)| part).filter(|_| !self.blocks.iter().any(Block::goes_on))
    }
}

fn unknown(what: &str, name: Option<&str>, speaker: &mut Speaker<'_, '_>) {
    match name {
        Some(name) => speaker.unknown(&format!("{what}/{name}")),
        None => speaker.unknown(what),
    }
}
