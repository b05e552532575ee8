//! The simple half of the formats as data: JSON pointers, and the names of kinds.

use super::json;
use super::speaker::{Outcome, Speaker};
use serde_json::Value;
use std::borrow::Cow;
use taffrail_model::{TitleRank, Tokens};

/// A JSON pointer; empty if the agent does not write it.
type Pointer = Cow<'static, str>;

/// Where a record has what.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fields {
    /// The session's own id.
    pub session: Pointer,
    /// The record's own id.
    pub id: Pointer,
    /// When it was written: a text, or a number of seconds or milliseconds.
    pub time: Pointer,
    /// The project's folder.
    pub cwd: Pointer,
    /// The model.
    pub model: Pointer,
    /// A title.
    pub title: Pointer,
    /// The agent's version.
    pub version: Pointer,
    /// The kind of record, in the agent's words.
    pub kind: Pointer,
    /// What was said: a text, or a list of texts.
    pub text: Pointer,
    /// Joins a call and its result.
    pub call_id: Pointer,
    /// The tool.
    pub call_name: Pointer,
    /// The tool's input.
    pub call_input: Pointer,
    /// Whether a result is a failure.
    pub failed: Pointer,
    /// Tokens that were read, without those from the cache.
    pub input_tokens: Pointer,
    /// Tokens that were written, with those of reasoning.
    pub output_tokens: Pointer,
    /// Tokens that came from the cache.
    pub cache_read_tokens: Pointer,
    /// Tokens that went into the cache.
    pub cache_write_tokens: Pointer,
    /// What the kinds of records are.
    pub kinds: Kinds,
}

/// The agent's words for each kind of record.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Kinds {
    /// A person asked.
    pub prompt: Cow<'static, [Cow<'static, str>]>,
    /// The model answered.
    pub answer: Cow<'static, [Cow<'static, str>]>,
    /// The model thought.
    pub thought: Cow<'static, [Cow<'static, str>]>,
    /// A tool was called.
    pub call: Cow<'static, [Cow<'static, str>]>,
    /// A tool returned.
    pub result: Cow<'static, [Cow<'static, str>]>,
    /// The agent noted something.
    pub notice: Cow<'static, [Cow<'static, str>]>,
    /// Something failed.
    pub failed: Cow<'static, [Cow<'static, str>]>,
    /// The turn is over.
    pub end: Cow<'static, [Cow<'static, str>]>,
    /// Nothing that is shown.
    pub ignore: Cow<'static, [Cow<'static, str>]>,
}

impl Fields {
    /// No field at all, to start from.
    pub const NONE: Self = Self {
        session: Cow::Borrowed(""),
        id: Cow::Borrowed(""),
        time: Cow::Borrowed(""),
        cwd: Cow::Borrowed(""),
        model: Cow::Borrowed(""),
        title: Cow::Borrowed(""),
        version: Cow::Borrowed(""),
        kind: Cow::Borrowed(""),
        text: Cow::Borrowed(""),
        call_id: Cow::Borrowed(""),
        call_name: Cow::Borrowed(""),
        call_input: Cow::Borrowed(""),
        failed: Cow::Borrowed(""),
        input_tokens: Cow::Borrowed(""),
        output_tokens: Cow::Borrowed(""),
        cache_read_tokens: Cow::Borrowed(""),
        cache_write_tokens: Cow::Borrowed(""),
        kinds: Kinds::NONE,
    };

    /// Reads one record.
    pub(super) fn read(&self, value: &Value, speaker: &mut Speaker<'_, '_>) {
        let text = |pointer: &str| filled(pointer).and_then(|it| json::text(value, it));
        if let Some(session) = text(&self.session) {
            speaker.session(session);
        }
        if let Some(id) = text(&self.id) {
            speaker.id(id);
        }
        speaker.at(filled(&self.time).and_then(|it| json::time(value, it)));
        speaker.cwd(text(&self.cwd));
        speaker.model(text(&self.model));
        speaker.title(TitleRank::Generated, text(&self.title));
        if let Some(version) = text(&self.version) {
            speaker.facts().agent_version = Some(version.to_owned());
        }
        match text(&self.kind) {
            Some(kind) => self.say(kind, value, speaker),
            None => speaker.unknown("no kind"),
        }
        speaker.spent(&self.spent_by(value), self.tokens(value), None);
    }

    fn say(&self, kind: &str, value: &Value, speaker: &mut Speaker<'_, '_>) {
        let is = |words: &[Cow<'static, str>]| words.iter().any(|it| it == kind);
        let text = filled(&self.text).and_then(|it| value.pointer(it)).and_then(json::words);
        let text = text.as_deref().unwrap_or_default();
        let field = |pointer: &str| filled(pointer).and_then(|it| json::text(value, it));
        let call = field(&self.call_id).unwrap_or_default();
        let kinds = &self.kinds;
        if is(&kinds.prompt) {
            speaker.prompt(text);
        } else if is(&kinds.answer) {
            speaker.answer(text);
        } else if is(&kinds.thought) {
            speaker.thought(text);
        } else if is(&kinds.call) {
            let input = filled(&self.call_input).and_then(|it| value.pointer(it));
            speaker.call(call, field(&self.call_name).unwrap_or_default(), input);
        } else if is(&kinds.result) {
            let failed = filled(&self.failed).and_then(|it| value.pointer(it)?.as_bool());
            speaker.result(call, Some(text), Outcome { failed, ..Outcome::default() });
        } else if is(&kinds.notice) {
            speaker.notice(kind, Some(text));
        } else if is(&kinds.failed) {
            speaker.failed(text);
        } else if is(&kinds.end) {
            speaker.turn_over(Some(kind));
        } else if !is(&kinds.ignore) {
            speaker.unknown(kind);
        }
    }

    fn tokens(&self, value: &Value) -> Tokens {
        let count = |pointer: &str| filled(pointer).map_or(0, |it| json::count(value, it));
        json::exclusive(
            count(&self.input_tokens),
            count(&self.output_tokens),
            count(&self.cache_read_tokens),
            count(&self.cache_write_tokens),
        )
    }

    /// The identity of an answer: the record's own id, or else its whole text.
    fn spent_by(&self, value: &Value) -> String {
        let id = filled(&self.id).and_then(|it| json::text(value, it));
        id.map_or_else(|| value.to_string(), str::to_owned)
    }
}

impl Kinds {
    /// No kind at all, to start from.
    pub const NONE: Self = Self {
        prompt: Cow::Borrowed(&[]),
        answer: Cow::Borrowed(&[]),
        thought: Cow::Borrowed(&[]),
        call: Cow::Borrowed(&[]),
        result: Cow::Borrowed(&[]),
        notice: Cow::Borrowed(&[]),
        failed: Cow::Borrowed(&[]),
        end: Cow::Borrowed(&[]),
        ignore: Cow::Borrowed(&[]),
    };
}

fn filled(pointer: &str) -> Option<&str> {
    (!pointer.is_empty()).then_some(pointer)
}
