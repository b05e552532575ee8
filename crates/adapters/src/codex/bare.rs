//! The files of 2025: a header and the model's items, without an envelope.
//!
//! No other record contains the messages here, so we read them from the items, without the text
//! that Codex itself added under the user's name.

use super::events::Answer;
use super::meta::learn_text;
use super::record::{BareMessage, Meta, Payload};
use super::rollout::Reading;
use super::tools::{is_call, is_output, is_silent};
use taffrail_kit::lenient::record_in;
use taffrail_model::Kind;

/// Prefixes of messages that Codex wrote in the user's name.
const INJECTED: [&str; 4] =
    ["<environment_context>", "<user_instructions>", "<permissions instructions>", "# AGENTS.md"];

impl Reading<'_, '_, '_> {
    /// Reads a line without a payload.
    pub(super) fn bare(&mut self) -> Option<()> {
        let bytes = self.bytes;
        let item = record_in::<Payload<'_>>(bytes)?;
        let Some(kind) = item.kind.as_deref() else {
            self.header(&record_in(bytes).unwrap_or_default());
            return Some(());
        };
        self.speaker.only_turn(self.own.turn.as_ref().map(|turn| turn.id));
        match kind {
            "message" => self.bare_message(record_in(bytes).unwrap_or_default()),
            "reasoning" => self.bare_reasoning(record_in(bytes).unwrap_or_default()),
            kind if is_call(kind) => self.call(item),
            kind if is_output(kind) => self.output(item),
            kind if is_silent(kind) => {}
            other => self.unknown("", other),
        }
        Some(())
    }

    /// Reads a line without a type: the header of the file, or a state without events.
    fn header(&mut self, header: &Meta<'_>) {
        match header.record_type {
            Some(_) => {}
            None if header.id.is_some() => self.session_meta(header),
            None => self.unknown("", ""),
        }
    }

    fn bare_message(&mut self, item: BareMessage<'_>) {
        match item.role.as_deref() {
            Some("user") => self.bare_prompt(item),
            Some("assistant") => self.bare_answer(Kind::AssistantMessage, item),
            _ => {}
        }
    }

    fn bare_reasoning(&mut self, mut item: BareMessage<'_>) {
        item.content = item.summary.take();
        self.bare_answer(Kind::AssistantThinking, item);
    }

    fn bare_prompt(&mut self, item: BareMessage<'_>) {
        let words = item.content.as_deref().unwrap_or_default();
        if INJECTED.iter().any(|mark| words.starts_with(mark)) {
            return learn_text(&mut self.speaker.facts().project_path, folder_in(words));
        }
        self.identify("bare", item.id.as_deref());
        self.prompt(item.content);
    }

    fn bare_answer(&mut self, kind: Kind, item: BareMessage<'_>) {
        self.identify("bare", item.id.as_deref());
        let answer = Answer { kind, text: item.content, phase: None, id: item.id };
        self.answer(answer);
    }
}

/// Finds the working directory in the context that Codex gave the model.
fn folder_in(context: &str) -> Option<&str> {
    let old = || context.split_once("Current working directory: ")?.1.lines().next();
    let new = || context.split_once("<cwd>")?.1.split("</cwd>").next();
    new().or_else(old).map(str::trim)
}
