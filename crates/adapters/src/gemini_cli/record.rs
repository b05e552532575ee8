//! The records of a chat as Gemini CLI writes them.

use super::parts::Parts;
use serde::Deserialize;
use std::borrow::Cow;
use taffrail_kit::lenient::{Raw, Text, filled, lenient, made_of_objects, or_default, record_in};
use taffrail_model::Tokens;

/// One record, by its effect on the chat.
pub(super) enum Record<'a> {
    /// Removes this message and all after it.
    Rewind(Cow<'a, str>),
    /// Adds a message, or replaces the one with the same id.
    Message(Box<Message<'a>>),
    /// Updates facts of the chat.
    Set(Chat<'a>),
    /// The head of the chat, or the whole chat in files of earlier versions.
    Head(Chat<'a>),
    /// An object of unknown form.
    Unknown,
}

/// The fields that distinguish records.
#[derive(Deserialize, Default)]
#[serde(default)]
struct Form<'a> {
    #[serde(borrow, rename = "$rewindTo", deserialize_with = "lenient")]
    rewind_to: Text<'a>,
    #[serde(borrow, rename = "$set", deserialize_with = "lenient")]
    set: Option<Chat<'a>>,
    #[serde(borrow, deserialize_with = "filled")]
    id: Text<'a>,
    #[serde(borrow, rename = "sessionId", deserialize_with = "lenient")]
    session_id: Text<'a>,
}

impl<'a> Record<'a> {
    /// Reads a record; `None` if it is not a JSON object.
    pub(super) fn parse(bytes: &'a [u8]) -> Option<Self> {
        let form: Form<'_> = record_in(bytes)?;
        if let Some(id) = form.rewind_to {
            return Some(Self::Rewind(id));
        }
        if form.id.is_some() {
            return record_in(bytes).map(Self::Message);
        }
        if let Some(set) = form.set {
            return Some(Self::Set(set));
        }
        if form.session_id.is_some() {
            return record_in(bytes).map(Self::Head);
        }
        Some(Self::Unknown)
    }
}

/// The facts of a chat.
#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Chat<'a> {
    #[serde(borrow, deserialize_with = "filled")]
    pub(super) session_id: Text<'a>,
    #[serde(borrow, deserialize_with = "filled")]
    pub(super) start_time: Text<'a>,
    #[serde(borrow, deserialize_with = "filled")]
    pub(super) summary: Text<'a>,
    #[serde(borrow, deserialize_with = "lenient")]
    pub(super) messages: Option<Vec<Option<Message<'a>>>>,
}

/// A message with everything in it.
#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Message<'a> {
    /// Empty if absent.
    #[serde(borrow, deserialize_with = "or_default")]
    pub(super) id: Cow<'a, str>,
    #[serde(borrow, deserialize_with = "filled")]
    pub(super) timestamp: Text<'a>,
    #[serde(borrow, deserialize_with = "filled")]
    pub(super) r#type: Text<'a>,
    #[serde(borrow, deserialize_with = "or_default")]
    pub(super) content: Parts<'a>,
    /// The content shown to the person, if it differs.
    #[serde(borrow, deserialize_with = "or_default")]
    pub(super) display_content: Parts<'a>,
    #[serde(borrow, deserialize_with = "filled")]
    pub(super) model: Text<'a>,
    #[serde(borrow, deserialize_with = "or_default")]
    pub(super) thoughts: Vec<Option<Thought<'a>>>,
    #[serde(deserialize_with = "lenient")]
    pub(super) tokens: Option<TokenCounts>,
    #[serde(borrow, deserialize_with = "or_default")]
    pub(super) tool_calls: Vec<Option<ToolCall<'a>>>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct Thought<'a> {
    #[serde(borrow, deserialize_with = "filled")]
    pub(super) subject: Text<'a>,
    #[serde(borrow, deserialize_with = "filled")]
    pub(super) description: Text<'a>,
    #[serde(borrow, deserialize_with = "filled")]
    pub(super) timestamp: Text<'a>,
}

/// The tokens of one answer; `input` includes cached tokens.
#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct TokenCounts {
    #[serde(deserialize_with = "or_default")]
    input: u64,
    #[serde(deserialize_with = "or_default")]
    output: u64,
    #[serde(deserialize_with = "or_default")]
    cached: u64,
    #[serde(deserialize_with = "or_default")]
    thoughts: u64,
    #[serde(deserialize_with = "or_default")]
    tool: u64,
}

impl TokenCounts {
    /// The same in our own counts.
    pub(super) fn tokens(&self) -> Tokens {
        Tokens {
            output: self.output.saturating_add(self.thoughts),
            input: self.input.saturating_sub(self.cached).saturating_add(self.tool),
            cache_read: self.cached,
            cache_write: 0,
            reasoning: self.thoughts,
        }
    }
}

/// A call with its result, which is added later.
#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct ToolCall<'a> {
    #[serde(borrow, deserialize_with = "or_default")]
    pub(super) id: Cow<'a, str>,
    #[serde(borrow, deserialize_with = "or_default")]
    pub(super) name: Cow<'a, str>,
    #[serde(borrow)]
    pub(super) args: Raw<'a>,
    #[serde(borrow, deserialize_with = "or_default")]
    pub(super) result: Parts<'a>,
    #[serde(borrow, deserialize_with = "filled")]
    status: Text<'a>,
    #[serde(borrow, deserialize_with = "filled")]
    pub(super) timestamp: Text<'a>,
    #[serde(borrow, deserialize_with = "filled")]
    pub(super) result_display: Text<'a>,
}

impl ToolCall<'_> {
    /// Whether it failed, or `None` while it is running.
    pub(super) fn failed(&self) -> Option<bool> {
        match self.status.as_deref()? {
            "success" => Some(false),
            "error" | "cancelled" => Some(true),
            _ => None,
        }
    }

    /// Whether a person refused the call or broke off the turn.
    pub(super) fn is_cancelled(&self) -> bool {
        self.status.as_deref() == Some("cancelled")
    }
}

made_of_objects! {
    Form<'de>, Chat<'de>, Message<'de>, Thought<'de>, TokenCounts, ToolCall<'de>,
}
