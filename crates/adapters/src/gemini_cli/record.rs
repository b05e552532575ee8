//! The records of a chat as Gemini CLI writes them.
//!
//! Every optional field is read leniently: a field of another type than expected is as good as
//! absent, so that one odd field never loses a message.

use super::parts::Parts;
use crate::records;
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use taffrail_model::{Timestamp, Tokens};

/// One record, by what it does to the chat.
pub(super) enum Record<'a> {
    /// This message and all after it are taken back.
    Rewind(String),
    /// A message is added, or replaced if its id is known.
    Message(Box<Message<'a>>),
    /// Some facts of the chat are set anew.
    Set(Conversation<'a>),
    /// The head of the chat, or the whole of it in files of old.
    Head(Conversation<'a>),
    /// An object of no known form.
    Unknown,
}

/// The fields that tell records apart.
#[derive(Deserialize, Default)]
#[serde(default)]
struct Form<'a> {
    #[serde(rename = "$rewindTo")]
    rewind_to: Lenient<String>,
    #[serde(rename = "$set", borrow)]
    set: Lenient<Conversation<'a>>,
    id: Lenient<String>,
    #[serde(rename = "sessionId")]
    session_id: Lenient<String>,
}

impl<'a> Record<'a> {
    /// Reads a record; `None` if it is not a JSON object.
    pub(super) fn parse(bytes: &'a [u8]) -> Option<Self> {
        // A struct would also be read from a list.
        bytes.trim_ascii_start().strip_prefix(b"{")?;
        let form: Form<'_> = serde_json::from_slice(bytes).ok()?;
        if let Some(id) = form.rewind_to.0 {
            return Some(Self::Rewind(id));
        }
        if form.id.0.is_some() {
            return serde_json::from_slice(bytes).ok().map(Self::Message);
        }
        if let Some(set) = form.set.0 {
            return Some(Self::Set(set));
        }
        if form.session_id.0.is_some() {
            return serde_json::from_slice(bytes).ok().map(Self::Head);
        }
        Some(Self::Unknown)
    }
}

/// What is said of a chat as a whole.
#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Conversation<'a> {
    pub(super) session_id: Lenient<String>,
    pub(super) start_time: Lenient<String>,
    pub(super) summary: Lenient<String>,
    #[serde(borrow)]
    pub(super) messages: Lenient<Vec<&'a RawValue>>,
}

/// A message with all that belongs to it.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Message<'a> {
    pub(super) id: String,
    #[serde(default)]
    pub(super) timestamp: Lenient<String>,
    #[serde(default)]
    pub(super) r#type: Lenient<String>,
    #[serde(default)]
    pub(super) content: Parts,
    /// What the person saw of it, where that differs.
    #[serde(default)]
    pub(super) display_content: Parts,
    #[serde(default)]
    pub(super) model: Lenient<String>,
    #[serde(default)]
    pub(super) thoughts: Lenient<Vec<Lenient<Thought>>>,
    #[serde(default)]
    pub(super) tokens: Lenient<TokenCounts>,
    #[serde(default, borrow)]
    pub(super) tool_calls: Lenient<Vec<Lenient<ToolCall<'a>>>>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct Thought {
    pub(super) subject: Lenient<String>,
    pub(super) description: Lenient<String>,
    pub(super) timestamp: Lenient<String>,
}

/// The tokens of one answer; `input` includes what was cached.
#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct TokenCounts {
    input: Lenient<u64>,
    output: Lenient<u64>,
    cached: Lenient<u64>,
    thoughts: Lenient<u64>,
    tool: Lenient<u64>,
}

impl TokenCounts {
    /// The same as the product counts them.
    pub(super) fn tokens(&self) -> Tokens {
        let [input, output, cached, thoughts, tool] =
            [&self.input, &self.output, &self.cached, &self.thoughts, &self.tool]
                .map(|count| count.0.unwrap_or(0));
        Tokens {
            output: output.saturating_add(thoughts),
            input: input.saturating_sub(cached).saturating_add(tool),
            cache_read: cached,
            cache_write: 0,
            reasoning: thoughts,
        }
    }
}

/// A call with its result, which is added when it is there.
#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct ToolCall<'a> {
    pub(super) id: Lenient<String>,
    pub(super) name: Lenient<String>,
    #[serde(borrow)]
    pub(super) args: Option<&'a RawValue>,
    pub(super) result: Parts,
    status: Lenient<String>,
    pub(super) timestamp: Lenient<String>,
    pub(super) result_display: Lenient<String>,
}

impl ToolCall<'_> {
    /// Whether it failed, or `None` while it has not ended.
    pub(super) fn failed(&self) -> Option<bool> {
        match self.status.text()? {
            "success" => Some(false),
            "error" | "cancelled" => Some(true),
            _ => None,
        }
    }
}

/// A value, or nothing where another type stands in its place.
pub(super) struct Lenient<T>(pub(super) Option<T>);

impl<T> Default for Lenient<T> {
    fn default() -> Self {
        Self(None)
    }
}

impl Lenient<String> {
    /// The text, unless it is missing or empty.
    pub(super) fn text(&self) -> Option<&str> {
        self.0.as_deref().filter(|text| !text.is_empty())
    }

    /// The text as a time.
    pub(super) fn time(&self) -> Option<Timestamp> {
        records::time(self.text()?)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Lenient<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let json = <&RawValue>::deserialize(deserializer)?;
        Ok(Self(serde_json::from_str(json.get()).ok()))
    }
}
