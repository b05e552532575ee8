//! The events of one message, without links to other messages.

use super::block::{Answer, ApprovalRequest, Block, Request};
use super::row::{MessageRow, Metadata, UsageCounts};
use crate::gist;
use std::borrow::Cow;
use taffrail_model::{Detail, Draft, Kind, RecordKey, Signal, Timestamp, Tokens};

/// The prefix of a text that Goose puts before every turn.
const CONTEXT_TAG: &str = "<turn-context>";
/// The end of the error of a call that a person cancelled, which ends the turn.
const CANCELLED: &str = "Tool call cancelled by user";

/// A parsed message row. The part of an event is the number of its block.
pub(super) struct Message<'a> {
    /// The row's number.
    pub(super) id: u64,
    pub(super) row: &'a MessageRow<'a>,
    pub(super) metadata: &'a Metadata<'a>,
    pub(super) blocks: &'a [Block<'a>],
}

/// The events of a message.
#[derive(Default)]
pub(super) struct MessageEvents<'a> {
    pub(super) drafts: Vec<Draft<'a>>,
    /// Unknown types.
    pub(super) unknown: Vec<String>,
}

impl<'a> Message<'a> {
    /// Reads the whole message.
    pub(super) fn read(&self) -> MessageEvents<'a> {
        let mut events = MessageEvents::default();
        match self.row.role.as_deref() {
            Some("user") => events.drafts.extend(self.prompt()),
            Some("assistant") => {}
            role => events.unknown.push(named("role", role)),
        }
        for (part, block) in (0..).zip(self.blocks) {
            match self.read_block(part, block) {
                Ok(draft) => events.drafts.extend(draft),
                Err(unknown) => events.unknown.push(unknown),
            }
        }
        self.mark_end(&mut events.drafts);
        events
    }

    /// The key of the row; several rows may share the message's own id.
    pub(super) fn key(&self) -> RecordKey<'static> {
        RecordKey::Ordinal(self.id)
    }

    /// When it was written.
    pub(super) fn at(&self) -> Option<Timestamp> {
        self.row.at()
    }

    /// The usage of the answer, if the row has it.
    pub(super) fn cost(&self) -> Option<Tokens> {
        let tokens = self.metadata.usage.as_ref().map(UsageCounts::tokens)?;
        (!tokens.is_zero()).then_some(tokens)
    }

    fn draft(&self, part: u32, kind: Kind) -> Draft<'a> {
        let mut draft = Draft::new(self.key(), part, kind);
        draft.at = self.at();
        draft
    }

    /// Everything a person wrote in one message, text or images.
    fn prompt(&self) -> Option<Draft<'a>> {
        let mut own = (0..).zip(self.blocks).filter(|(_, it)| it.is_written());
        let (part, _) = own.next()?;
        let texts: Vec<_> = self.blocks.iter().filter_map(Block::said).collect();
        let text = texts.join("\n");
        if self.metadata.is_hidden() || text.starts_with(CONTEXT_TAG) {
            return None;
        }
        let mut draft = self.draft(part, Kind::UserPrompt);
        draft.opens_turn = true;
        draft.text = (!text.is_empty()).then_some(text.into());
        draft.detail = Detail::Prompt { asked_by: None };
        Some(draft)
    }

    /// The event of one block, if any; the error is the name of an unknown type.
    fn read_block(&self, part: u32, block: &'a Block<'a>) -> Result<Option<Draft<'a>>, String> {
        let draft = match block.r#type.as_deref() {
            Some("text") => self.answer(part, block),
            Some("image" | "redactedThinking") => None,
            Some("thinking") => self.thinking(part, block.thinking.as_deref()),
            Some("reasoning") => self.thinking(part, block.text.as_deref()),
            Some("toolRequest" | "frontendToolRequest") => self.call(part, block),
            Some("toolResponse") => self.result(part, block),
            Some("toolConfirmationRequest") => Some(self.request(part, &block.as_request())),
            Some("actionRequired") => return self.action(part, block),
            Some("systemNotification") => Some(self.notice(part, block)),
            Some("conversationCompacted") => Some(self.compacted(part, block)),
            other => return Err(named("content", other)),
        };
        Ok(draft)
    }

    fn answer(&self, part: u32, block: &'a Block<'a>) -> Option<Draft<'a>> {
        if self.row.role.as_deref() != Some("assistant") || self.metadata.is_hidden() {
            return None;
        }
        let mut draft = self.draft(part, Kind::AssistantMessage);
        draft.text = Some(block.text.as_deref()?.into());
        draft.detail = self.authorship();
        Some(draft)
    }

    fn thinking(&self, part: u32, text: Option<&'a str>) -> Option<Draft<'a>> {
        let mut draft = self.draft(part, Kind::AssistantThinking);
        draft.text = Some(text?.into());
        draft.detail = self.authorship();
        Some(draft)
    }

    fn authorship(&self) -> Detail<'a> {
        Detail::Message {
            model: self.metadata.model().map(Cow::Borrowed),
            stop_reason: None,
            answer: None,
        }
    }

    /// A call, or an error if the model's call could not be read.
    fn call(&self, part: u32, block: &'a Block<'a>) -> Option<Draft<'a>> {
        let outcome = block.tool_call.as_ref()?;
        let Some(call) = &outcome.value else {
            return Some(self.failure(part, outcome.error.as_deref()));
        };
        let mut draft = self.draft(part, Kind::ToolCall);
        draft.detail = Detail::ToolCall {
            call_id: Cow::Borrowed(block.id.as_deref().unwrap_or_default()),
            tool: Cow::Borrowed(call.name.as_deref().unwrap_or_default()),
            input: call.arguments,
            input_text: None,
        };
        draft.text = call.arguments.map(gist::of);
        Some(draft)
    }

    fn failure(&self, part: u32, text: Option<&'a str>) -> Draft<'a> {
        let mut draft = self.draft(part, Kind::Error);
        draft.text = text.map(Cow::Borrowed);
        draft.detail = Detail::Failure { code: None, retrying: None };
        draft
    }

    fn result(&self, part: u32, block: &'a Block<'a>) -> Option<Draft<'a>> {
        let outcome = block.tool_result.as_ref()?;
        let answer = outcome.value.as_ref();
        let error = || outcome.error.as_deref().map(Cow::Borrowed);
        let said = answer.and_then(|answer| answer.is_error);
        let mut draft = self.draft(part, Kind::ToolResult);
        draft.text = answer.and_then(Answer::text).or_else(error);
        let is_cancelled = outcome.error.as_deref().is_some_and(|it| it.ends_with(CANCELLED));
        draft.signal = is_cancelled.then_some(Signal::Interrupted);
        draft.detail = Detail::ToolResult {
            call_id: Cow::Borrowed(block.id.as_deref().unwrap_or_default()),
            failed: outcome.failed(said),
            exit_code: answer.and_then(Answer::exit_code),
            duration_ms: None,
        };
        Some(draft)
    }

    fn request(&self, part: u32, request: &ApprovalRequest<'a>) -> Draft<'a> {
        let mut draft = self.draft(part, Kind::ApprovalRequested);
        draft.text = request.prompt.map(Cow::Borrowed);
        draft.detail = Detail::ToolCall {
            call_id: Cow::Borrowed(request.id),
            tool: Cow::Borrowed(request.tool),
            input: request.input,
            input_text: None,
        };
        draft
    }

    fn action(&self, part: u32, block: &'a Block<'a>) -> Result<Option<Draft<'a>>, String> {
        let data = block.data.as_ref();
        match data.and_then(|data| data.action_type.as_deref()) {
            Some("toolConfirmation") => Ok(data.map(|it| self.request(part, &it.as_request()))),
            Some("elicitation") => Ok(data.map(|it| self.question(part, it))),
            // The answer goes to the tool, whose result has the outcome.
            Some("elicitationResponse") => Ok(None),
            other => Err(named("content/actionRequired", other)),
        }
    }

    fn question(&self, part: u32, request: &'a Request<'a>) -> Draft<'a> {
        let mut draft = self.draft(part, Kind::Notice);
        draft.text = request.message.as_deref().map(Cow::Borrowed);
        let label = "elicitation".into();
        draft.detail = Detail::Remark { label };
        draft
    }

    fn notice(&self, part: u32, block: &'a Block<'a>) -> Draft<'a> {
        let mut draft = self.draft(part, Kind::Notice);
        draft.text = block.msg.as_deref().map(Cow::Borrowed);
        let label = block.notification_type.as_deref().unwrap_or_default().into();
        draft.detail = Detail::Remark { label };
        draft
    }

    fn compacted(&self, part: u32, block: &'a Block<'a>) -> Draft<'a> {
        let mut draft = self.draft(part, Kind::ContextCompacted);
        draft.text = block.msg.as_deref().map(Cow::Borrowed);
        draft.detail = Detail::Compacted { trigger: None, tokens_before: None };
        draft
    }

    /// Marks the end of the turn: an answer without a further request.
    fn mark_end(&self, drafts: &mut [Draft<'_>]) {
        if self.blocks.iter().any(Block::goes_on) {
            return;
        }
        let mut answers = drafts.iter_mut().rev();
        if let Some(last) = answers.find(|it| it.kind == Kind::AssistantMessage) {
            last.ends_turn = true;
        }
    }
}

fn named(what: &str, name: Option<&str>) -> String {
    name.map_or_else(|| what.to_owned(), |name| format!("{what}/{name}"))
}
