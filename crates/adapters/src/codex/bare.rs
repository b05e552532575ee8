//! The files of 2025: a header and the model's items, without an envelope.
//!
//! No other record contains the messages here, so we read them from the items, without the text
//! that Codex itself added under the user's name.

use super::events::Answer;
use super::meta::learn_text;
use super::reader::{Here, RolloutReader, provider};
use super::record::{BareMessage, Meta, Payload};
use super::tools::{is_call, is_output, is_silent};
use taffrail_kit::lenient::record_in;
use taffrail_model::{Kind, RecordKey};

/// Prefixes of messages that Codex wrote in the user's name.
const INJECTED: [&str; 4] =
    ["<environment_context>", "<user_instructions>", "<permissions instructions>", "# AGENTS.md"];

impl RolloutReader {
    /// Reads a line without a payload.
    pub(super) fn bare(&mut self, here: &mut Here<'_>) {
        let Some(item) = record_in::<Payload<'_>>(here.bytes) else {
            return here.sink.unknown("unreadable", None);
        };
        here.turn = self.memory.turn.as_ref().map(|turn| turn.id);
        match item.kind.as_deref() {
            None => self.header(here),
            Some("message") => self.bare_message(here),
            Some("reasoning") => self.bare_reasoning(here),
            Some(kind) if is_call(kind) => self.call(here, item),
            Some(kind) if is_output(kind) => self.output(here, item),
            Some(kind) if is_silent(kind) => {}
            Some(other) => self.unknown(here, "", other),
        }
    }

    /// Reads a line without a type: the header of the file, or a state without events.
    fn header(&mut self, here: &mut Here<'_>) {
        let header = record_in::<Meta<'_>>(here.bytes).unwrap_or_default();
        here.turn = None;
        match header.record_type {
            Some(_) => {}
            None if header.id.is_some() => self.session_meta(here, &header),
            None => self.unknown(here, "", ""),
        }
    }

    fn bare_message(&mut self, here: &mut Here<'_>) {
        let item = record_in::<BareMessage<'_>>(here.bytes).unwrap_or_default();
        match item.role.as_deref() {
            Some("user") => self.bare_prompt(here, item),
            Some("assistant") => self.bare_answer(here, Kind::AssistantMessage, item),
            _ => {}
        }
    }

    fn bare_reasoning(&mut self, here: &mut Here<'_>) {
        let mut item = record_in::<BareMessage<'_>>(here.bytes).unwrap_or_default();
        item.content = item.summary.take();
        self.bare_answer(here, Kind::AssistantThinking, item);
    }

    fn bare_prompt(&mut self, here: &mut Here<'_>, item: BareMessage<'_>) {
        let words = item.content.as_deref().unwrap_or_default();
        if INJECTED.iter().any(|mark| words.starts_with(mark)) {
            return learn_text(&mut self.memory.facts.project_path, folder_in(words));
        }
        let key = self.bare_key(here, item.id.as_deref());
        self.prompt(here, key, item.content);
    }

    fn bare_answer(&mut self, here: &mut Here<'_>, kind: Kind, item: BareMessage<'_>) {
        let key = self.bare_key(here, item.id.as_deref());
        let answer = Answer { kind, text: item.content, phase: None, id: item.id };
        self.answer(here, key, answer);
    }

    fn bare_key(&mut self, here: &Here<'_>, id: Option<&str>) -> RecordKey<'static> {
        match id {
            Some(id) => provider(format!("item:bare:{id}")),
            None => self.key(here),
        }
    }
}

/// Finds the working directory in the context that Codex gave the model.
fn folder_in(context: &str) -> Option<&str> {
    let old = || context.split_once("Current working directory: ")?.1.lines().next();
    let new = || context.split_once("<cwd>")?.1.split("</cwd>").next();
    new().or_else(old).map(str::trim)
}
