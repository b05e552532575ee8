//! A line of a transcript as the agent wrote it: borrowed, and only what is used.

use super::loose::{Hope, Loose, loose};
use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{MapAccess, SeqAccess};
use serde_json::value::RawValue;
use std::borrow::Cow;

type Text<'a> = Option<Cow<'a, str>>;

/// One line. Every field may be missing or of a surprising type.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Line<'a> {
    // What every record of a conversation has.
    #[serde(borrow, rename = "type", deserialize_with = "loose")]
    pub(super) kind: Text<'a>,
    #[serde(borrow, deserialize_with = "loose")]
    pub(super) uuid: Text<'a>,
    #[serde(borrow, deserialize_with = "loose")]
    pub(super) parent_uuid: Text<'a>,
    #[serde(borrow, deserialize_with = "loose")]
    pub(super) session_id: Text<'a>,
    #[serde(borrow, deserialize_with = "loose")]
    pub(super) agent_id: Text<'a>,
    #[serde(deserialize_with = "loose")]
    pub(super) is_sidechain: Option<bool>,
    #[serde(borrow, deserialize_with = "loose")]
    pub(super) timestamp: Text<'a>,
    #[serde(borrow, deserialize_with = "loose")]
    pub(super) cwd: Text<'a>,
    #[serde(borrow, deserialize_with = "loose")]
    pub(super) git_branch: Text<'a>,
    #[serde(borrow, deserialize_with = "loose")]
    pub(super) version: Text<'a>,
    #[serde(borrow, deserialize_with = "loose")]
    pub(super) entrypoint: Text<'a>,
    #[serde(borrow, deserialize_with = "loose")]
    pub(super) forked_from: Option<ForkedFrom<'a>>,

    // What was said.
    #[serde(borrow, deserialize_with = "loose")]
    pub(super) message: Option<Message<'a>>,
    #[serde(borrow, deserialize_with = "loose")]
    pub(super) request_id: Text<'a>,
    #[serde(deserialize_with = "loose")]
    pub(super) is_meta: Option<bool>,
    #[serde(deserialize_with = "loose")]
    pub(super) is_compact_summary: Option<bool>,
    #[serde(deserialize_with = "loose")]
    pub(super) is_visible_in_transcript_only: Option<bool>,
    #[serde(borrow, deserialize_with = "loose")]
    pub(super) prompt_source: Text<'a>,
    #[serde(borrow, deserialize_with = "loose")]
    pub(super) origin: Option<Origin<'a>>,
    #[serde(borrow, deserialize_with = "loose")]
    pub(super) attachment: Option<Attachment<'a>>,

    // What became of a tool call.
    #[serde(deserialize_with = "loose")]
    pub(super) tool_use_result: Option<ToolUseResult>,
    #[serde(borrow, deserialize_with = "loose")]
    pub(super) permission_decision: Option<PermissionDecision<'a>>,
    #[serde(borrow, deserialize_with = "loose")]
    pub(super) tool_denial_kind: Text<'a>,

    // What the program itself remarked.
    #[serde(borrow, deserialize_with = "loose")]
    pub(super) subtype: Text<'a>,
    #[serde(borrow, deserialize_with = "loose")]
    pub(super) content: Text<'a>,
    #[serde(borrow, deserialize_with = "loose")]
    pub(super) compact_metadata: Option<CompactMetadata<'a>>,
    #[serde(deserialize_with = "loose")]
    pub(super) duration_ms: Option<u64>,
    #[serde(borrow, deserialize_with = "loose")]
    pub(super) error: Option<Fault<'a>>,
    #[serde(borrow, deserialize_with = "loose")]
    pub(super) api_error_type: Text<'a>,
    #[serde(deserialize_with = "loose")]
    pub(super) is_api_error_message: Option<bool>,
    #[serde(deserialize_with = "loose")]
    pub(super) retry_attempt: Option<u64>,

    // What is said of the session as a whole.
    #[serde(borrow, deserialize_with = "loose")]
    pub(super) summary: Text<'a>,
    #[serde(borrow, deserialize_with = "loose")]
    pub(super) leaf_uuid: Text<'a>,
    #[serde(borrow, deserialize_with = "loose")]
    pub(super) custom_title: Text<'a>,
    #[serde(borrow, deserialize_with = "loose")]
    pub(super) ai_title: Text<'a>,
    #[serde(rename = "totalCostUSD", deserialize_with = "loose")]
    pub(super) total_cost_usd: Option<f64>,
    #[serde(deserialize_with = "loose")]
    pub(super) has_unknown_model_cost: Option<bool>,
}

impl<'a> Line<'a> {
    /// Takes a line apart; `None` if it is not one whole JSON object.
    pub(super) fn parse(bytes: &'a [u8]) -> Option<Self> {
        // An array would do for serde where an object is meant.
        let is_object = bytes.trim_ascii_start().first() == Some(&b'{');
        is_object.then(|| serde_json::from_slice(bytes).ok())?
    }
}

/// What a model or a person said.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Message<'a> {
    #[serde(borrow, deserialize_with = "loose")]
    pub(super) id: Text<'a>,
    #[serde(borrow, deserialize_with = "loose")]
    pub(super) model: Text<'a>,
    #[serde(borrow, deserialize_with = "loose")]
    pub(super) content: Option<Content<'a>>,
    #[serde(borrow, deserialize_with = "loose")]
    pub(super) stop_reason: Text<'a>,
    #[serde(deserialize_with = "loose")]
    pub(super) usage: Option<Usage>,
}

/// A text, or blocks of several kinds.
#[derive(Debug)]
pub(super) enum Content<'a> {
    /// The text itself.
    Text(Cow<'a, str>),
    /// The blocks in their order.
    Blocks(Vec<Block<'a>>),
}

impl<'de> Loose<'de> for Content<'de> {
    fn of_text(text: Cow<'de, str>) -> Option<Self> {
        Some(Self::Text(text))
    }

    fn of_list<A: SeqAccess<'de>>(mut list: A) -> Result<Option<Self>, A::Error> {
        // Nearly every record holds exactly one.
        let mut blocks = Vec::with_capacity(1);
        while let Some(block) = list.next_element_seed(Hope::new())? {
            blocks.push(block.unwrap_or_default());
        }
        Ok(Some(Self::Blocks(blocks)))
    }
}

/// One block of a message. The bytes of images are never looked at.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Block<'a> {
    #[serde(borrow, rename = "type", deserialize_with = "loose")]
    pub(super) kind: Text<'a>,
    #[serde(borrow, deserialize_with = "loose")]
    pub(super) text: Text<'a>,
    #[serde(borrow, deserialize_with = "loose")]
    pub(super) thinking: Text<'a>,
    #[serde(borrow, deserialize_with = "loose")]
    pub(super) id: Text<'a>,
    #[serde(borrow, deserialize_with = "loose")]
    pub(super) name: Text<'a>,
    #[serde(borrow)]
    pub(super) input: Option<&'a RawValue>,
    #[serde(borrow, deserialize_with = "loose")]
    pub(super) tool_use_id: Text<'a>,
    #[serde(borrow, deserialize_with = "loose")]
    pub(super) content: Option<Content<'a>>,
    #[serde(deserialize_with = "loose")]
    pub(super) is_error: Option<bool>,
}

/// What a model answer cost.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Usage {
    #[serde(deserialize_with = "loose")]
    pub(super) input_tokens: Option<u64>,
    #[serde(deserialize_with = "loose")]
    pub(super) output_tokens: Option<u64>,
    #[serde(deserialize_with = "loose")]
    pub(super) cache_read_input_tokens: Option<u64>,
    #[serde(deserialize_with = "loose")]
    pub(super) cache_creation_input_tokens: Option<u64>,
    #[serde(deserialize_with = "loose")]
    pub(super) output_tokens_details: Option<OutputDetails>,
}

/// What the output was made of.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct OutputDetails {
    #[serde(deserialize_with = "loose")]
    pub(super) thinking_tokens: Option<u64>,
}

/// Who caused a message to be sent.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Origin<'a> {
    #[serde(borrow, deserialize_with = "loose")]
    pub(super) kind: Text<'a>,
}

/// The session a copy was made of.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct ForkedFrom<'a> {
    #[serde(borrow, deserialize_with = "loose")]
    pub(super) session_id: Text<'a>,
}

/// Context the program put beside the conversation.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Attachment<'a> {
    #[serde(borrow, rename = "type", deserialize_with = "loose")]
    pub(super) kind: Text<'a>,
    #[serde(borrow, deserialize_with = "loose")]
    pub(super) prompt: Option<Content<'a>>,
    #[serde(borrow, deserialize_with = "loose")]
    pub(super) command_mode: Text<'a>,
    #[serde(deserialize_with = "loose")]
    pub(super) is_meta: Option<bool>,
    #[serde(borrow, deserialize_with = "loose")]
    pub(super) origin: Option<Origin<'a>>,
}

/// The program's own copy of a tool's result; only times are taken from it.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct ToolUseResult {
    #[serde(deserialize_with = "loose")]
    pub(super) duration_ms: Option<u64>,
    #[serde(deserialize_with = "loose")]
    pub(super) total_duration_ms: Option<u64>,
}

/// Who allowed or refused a tool call.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct PermissionDecision<'a> {
    #[serde(borrow, deserialize_with = "loose")]
    pub(super) decision: Text<'a>,
    #[serde(borrow, deserialize_with = "loose")]
    pub(super) source: Text<'a>,
}

/// How context was folded.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct CompactMetadata<'a> {
    #[serde(borrow, deserialize_with = "loose")]
    pub(super) trigger: Text<'a>,
    #[serde(deserialize_with = "loose")]
    pub(super) pre_tokens: Option<u64>,
}

/// Something that failed: a word on answers, an object on remarks.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Fault<'a> {
    #[serde(borrow, deserialize_with = "loose")]
    pub(super) message: Text<'a>,
    #[serde(borrow, deserialize_with = "loose")]
    pub(super) formatted: Text<'a>,
    #[serde(deserialize_with = "loose")]
    pub(super) status: Option<u64>,
    #[serde(borrow, deserialize_with = "loose")]
    pub(super) connection: Option<Connection<'a>>,
}

/// What went wrong with a connection.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Connection<'a> {
    #[serde(borrow, deserialize_with = "loose")]
    pub(super) code: Text<'a>,
}

impl<'de> Loose<'de> for Fault<'de> {
    fn of_text(text: Cow<'de, str>) -> Option<Self> {
        Some(Self { message: Some(text), ..Self::default() })
    }

    fn of_object<A: MapAccess<'de>>(object: A) -> Result<Option<Self>, A::Error> {
        Self::deserialize(MapAccessDeserializer::new(object)).map(Some)
    }
}

macro_rules! made_of_objects {
    ($($name:ty),+ $(,)?) => {
        $(impl<'de> Loose<'de> for $name {
            fn of_object<A: MapAccess<'de>>(object: A) -> Result<Option<Self>, A::Error> {
                Self::deserialize(MapAccessDeserializer::new(object)).map(Some)
            }
        })+
    };
}

made_of_objects! {
    Message<'de>, Block<'de>, Usage, OutputDetails, Origin<'de>, ForkedFrom<'de>, Attachment<'de>,
    ToolUseResult, PermissionDecision<'de>, CompactMetadata<'de>, Connection<'de>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_one_whole_object_is_a_line() {
        let check = |line: &[u8], expected: bool| {
            let shown = String::from_utf8_lossy(line);
            assert_eq!(Line::parse(line).is_some(), expected, "{shown}");
        };
        check(br#" {"type":"user"} "#, true);
        check(br#"{"uuid":7,"message":[],"cwd":{"a":null}}"#, true);
        check(b"{\"toolUseResult\":\"\xff\",\"other\":\"\xff\"}", false);
        check(b"{\"type\":\"mode\",\"other\":\"\xff\"}", true);
        check(br#"{"type":"user"}{"type":"user"}"#, false);
        check(br#"{"type":"user","type":"user"}"#, false);
        check(br#"["user","u1"]"#, false);
        check(br#""user""#, false);
        check(b"", false);
    }
}
