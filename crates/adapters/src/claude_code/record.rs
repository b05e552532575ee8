//! A line of a transcript as the agent wrote it: borrowed, and only the fields we use.

use super::limits::Refusal;
use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{MapAccess, SeqAccess};
use std::borrow::Cow;
use taffrail_kit::lenient::{Hope, Lenient, Raw, Text, lenient, made_of_objects, prose, whole};

/// One line. Every field may be missing or of an unexpected type.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Line<'a> {
    // The fields of every record of a conversation.
    #[serde(borrow, rename = "type", deserialize_with = "lenient")]
    pub(super) kind: Text<'a>,
    #[serde(borrow, deserialize_with = "lenient")]
    pub(super) uuid: Text<'a>,
    #[serde(borrow, deserialize_with = "lenient")]
    pub(super) parent_uuid: Text<'a>,
    #[serde(borrow, deserialize_with = "lenient")]
    pub(super) session_id: Text<'a>,
    #[serde(borrow, deserialize_with = "lenient")]
    pub(super) agent_id: Text<'a>,
    #[serde(deserialize_with = "lenient")]
    pub(super) is_sidechain: Option<bool>,
    #[serde(borrow, deserialize_with = "lenient")]
    pub(super) timestamp: Text<'a>,
    #[serde(borrow, deserialize_with = "lenient")]
    pub(super) cwd: Text<'a>,
    #[serde(borrow, deserialize_with = "lenient")]
    pub(super) git_branch: Text<'a>,
    #[serde(borrow, deserialize_with = "lenient")]
    pub(super) version: Text<'a>,
    #[serde(borrow, deserialize_with = "lenient")]
    pub(super) slug: Text<'a>,
    #[serde(borrow, deserialize_with = "lenient")]
    pub(super) entrypoint: Text<'a>,
    #[serde(borrow, deserialize_with = "lenient")]
    pub(super) forked_from: Option<ForkedFrom<'a>>,

    // The message.
    #[serde(borrow, deserialize_with = "lenient")]
    pub(super) message: Option<Message<'a>>,
    #[serde(borrow, deserialize_with = "lenient")]
    pub(super) request_id: Text<'a>,
    #[serde(deserialize_with = "lenient")]
    pub(super) is_meta: Option<bool>,
    #[serde(deserialize_with = "lenient")]
    pub(super) is_compact_summary: Option<bool>,
    #[serde(deserialize_with = "lenient")]
    pub(super) is_visible_in_transcript_only: Option<bool>,
    #[serde(borrow, deserialize_with = "lenient")]
    pub(super) prompt_source: Text<'a>,
    #[serde(borrow, deserialize_with = "lenient")]
    pub(super) origin: Option<Origin<'a>>,
    #[serde(borrow, deserialize_with = "lenient")]
    pub(super) attachment: Option<Attachment<'a>>,

    // The outcome of a tool call.
    #[serde(borrow, deserialize_with = "lenient")]
    pub(super) tool_use_result: Option<ToolUseResult<'a>>,
    #[serde(borrow, deserialize_with = "lenient")]
    pub(super) permission_decision: Option<PermissionDecision<'a>>,
    #[serde(borrow, deserialize_with = "lenient")]
    pub(super) tool_denial_kind: Text<'a>,

    // Notices of the program itself.
    #[serde(borrow, deserialize_with = "lenient")]
    pub(super) subtype: Text<'a>,
    #[serde(borrow, deserialize_with = "lenient")]
    pub(super) content: Text<'a>,
    #[serde(borrow, deserialize_with = "lenient")]
    pub(super) compact_metadata: Option<CompactMetadata<'a>>,
    #[serde(deserialize_with = "whole")]
    pub(super) duration_ms: Option<u64>,
    #[serde(borrow, deserialize_with = "lenient")]
    pub(super) error: Option<Fault<'a>>,
    #[serde(borrow, deserialize_with = "lenient")]
    pub(super) api_error_type: Text<'a>,
    #[serde(deserialize_with = "lenient")]
    pub(super) is_api_error_message: Option<bool>,
    #[serde(deserialize_with = "whole")]
    pub(super) retry_attempt: Option<u64>,
    #[serde(borrow, deserialize_with = "lenient")]
    pub(super) quota_limits: Option<Refusal<'a>>,

    // Facts about the session as a whole.
    #[serde(borrow, deserialize_with = "lenient")]
    pub(super) summary: Text<'a>,
    #[serde(borrow, deserialize_with = "lenient")]
    pub(super) leaf_uuid: Text<'a>,
    #[serde(borrow, deserialize_with = "lenient")]
    pub(super) custom_title: Text<'a>,
    #[serde(borrow, deserialize_with = "lenient")]
    pub(super) ai_title: Text<'a>,
    #[serde(rename = "totalCostUSD", deserialize_with = "lenient")]
    pub(super) total_cost_usd: Option<f64>,
    #[serde(deserialize_with = "lenient")]
    pub(super) has_unknown_model_cost: Option<bool>,
    #[serde(deserialize_with = "whole")]
    pub(super) start_time: Option<u64>,
}

/// A message of a model or a person.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Message<'a> {
    #[serde(borrow, deserialize_with = "lenient")]
    pub(super) id: Text<'a>,
    #[serde(borrow, deserialize_with = "lenient")]
    pub(super) model: Text<'a>,
    #[serde(borrow, deserialize_with = "lenient")]
    pub(super) content: Option<Content<'a>>,
    #[serde(borrow, deserialize_with = "lenient")]
    pub(super) stop_reason: Text<'a>,
    #[serde(deserialize_with = "lenient")]
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

impl<'de> Lenient<'de> for Content<'de> {
    fn of_text(text: Cow<'de, str>) -> Option<Self> {
        Some(Self::Text(text))
    }

    fn of_list<A: SeqAccess<'de>>(mut list: A) -> Result<Option<Self>, A::Error> {
        // Nearly every record has exactly one.
        let mut blocks = Vec::with_capacity(1);
        while let Some(block) = list.next_element_seed(Hope::default())? {
            blocks.push(block.unwrap_or_default());
        }
        Ok(Some(Self::Blocks(blocks)))
    }
}

/// One block of a message. The bytes of images are never read.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Block<'a> {
    #[serde(borrow, rename = "type", deserialize_with = "lenient")]
    pub(super) kind: Text<'a>,
    #[serde(borrow, deserialize_with = "lenient")]
    pub(super) text: Text<'a>,
    #[serde(borrow, deserialize_with = "lenient")]
    pub(super) thinking: Text<'a>,
    #[serde(borrow, deserialize_with = "lenient")]
    pub(super) id: Text<'a>,
    #[serde(borrow, deserialize_with = "lenient")]
    pub(super) name: Text<'a>,
    #[serde(borrow)]
    pub(super) input: Raw<'a>,
    #[serde(borrow, deserialize_with = "lenient")]
    pub(super) tool_use_id: Text<'a>,
    #[serde(borrow, deserialize_with = "prose")]
    pub(super) content: Text<'a>,
    #[serde(deserialize_with = "lenient")]
    pub(super) is_error: Option<bool>,
}

/// The usage of a model answer.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Usage {
    #[serde(deserialize_with = "whole")]
    pub(super) input_tokens: Option<u64>,
    #[serde(deserialize_with = "whole")]
    pub(super) output_tokens: Option<u64>,
    #[serde(deserialize_with = "whole")]
    pub(super) cache_read_input_tokens: Option<u64>,
    #[serde(deserialize_with = "whole")]
    pub(super) cache_creation_input_tokens: Option<u64>,
    #[serde(deserialize_with = "lenient")]
    pub(super) cache_creation: Option<CacheCreation>,
    #[serde(deserialize_with = "lenient")]
    pub(super) output_tokens_details: Option<OutputDetails>,
}

/// The parts of the cache writes.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct CacheCreation {
    #[serde(deserialize_with = "whole")]
    pub(super) ephemeral_1h_input_tokens: Option<u64>,
}

/// The parts of the output.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct OutputDetails {
    #[serde(deserialize_with = "whole")]
    pub(super) thinking_tokens: Option<u64>,
}

/// The cause of a message.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Origin<'a> {
    #[serde(borrow, deserialize_with = "lenient")]
    pub(super) kind: Text<'a>,
}

/// The session that a copy was made from.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct ForkedFrom<'a> {
    #[serde(borrow, deserialize_with = "lenient")]
    pub(super) session_id: Text<'a>,
}

/// Context the program put beside the conversation.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Attachment<'a> {
    #[serde(borrow, rename = "type", deserialize_with = "lenient")]
    pub(super) kind: Text<'a>,
    #[serde(borrow, deserialize_with = "lenient")]
    pub(super) prompt: Option<Content<'a>>,
    #[serde(borrow, deserialize_with = "lenient")]
    pub(super) command_mode: Text<'a>,
    #[serde(deserialize_with = "lenient")]
    pub(super) is_meta: Option<bool>,
    #[serde(borrow, deserialize_with = "lenient")]
    pub(super) origin: Option<Origin<'a>>,
}

/// The program's own copy of a tool's result: times, and what a file was before its change.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct ToolUseResult<'a> {
    #[serde(deserialize_with = "whole")]
    pub(super) duration_ms: Option<u64>,
    #[serde(deserialize_with = "whole")]
    pub(super) total_duration_ms: Option<u64>,
    /// The answers to a question.
    #[serde(deserialize_with = "lenient")]
    pub(super) answers: Option<Answers>,
    /// `create` for a new file.
    #[serde(borrow, rename = "type", deserialize_with = "lenient")]
    pub(super) kind: Text<'a>,
    /// The content before the change.
    #[serde(borrow)]
    pub(super) original_file: Raw<'a>,
    #[serde(borrow)]
    pub(super) original_file_contents: Raw<'a>,
    /// The user changed the proposal before it was written.
    #[serde(deserialize_with = "lenient")]
    pub(super) user_modified: Option<bool>,
}

/// The answers to a question: only their presence counts.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Answers {}

/// Who allowed or refused a tool call.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct PermissionDecision<'a> {
    #[serde(borrow, deserialize_with = "lenient")]
    pub(super) decision: Text<'a>,
    #[serde(borrow, deserialize_with = "lenient")]
    pub(super) source: Text<'a>,
}

/// Details of a compaction.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct CompactMetadata<'a> {
    #[serde(borrow, deserialize_with = "lenient")]
    pub(super) trigger: Text<'a>,
    #[serde(deserialize_with = "whole")]
    pub(super) pre_tokens: Option<u64>,
}

/// A failure: a word in answers, an object in notices.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Fault<'a> {
    #[serde(borrow, deserialize_with = "lenient")]
    pub(super) message: Text<'a>,
    #[serde(borrow, deserialize_with = "lenient")]
    pub(super) formatted: Text<'a>,
    #[serde(deserialize_with = "whole")]
    pub(super) status: Option<u64>,
    #[serde(borrow, deserialize_with = "lenient")]
    pub(super) connection: Option<Connection<'a>>,
}

/// Details of a connection failure.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Connection<'a> {
    #[serde(borrow, deserialize_with = "lenient")]
    pub(super) code: Text<'a>,
}

impl<'de> Lenient<'de> for Fault<'de> {
    fn of_text(text: Cow<'de, str>) -> Option<Self> {
        Some(Self { message: Some(text), ..Self::default() })
    }

    fn of_object<A: MapAccess<'de>>(object: A) -> Result<Option<Self>, A::Error> {
        Self::deserialize(MapAccessDeserializer::new(object)).map(Some)
    }
}

made_of_objects! {
    Line<'de>, Message<'de>, Block<'de>, Usage, CacheCreation, OutputDetails, Origin<'de>, ForkedFrom<'de>, Attachment<'de>,
    ToolUseResult<'de>, Answers, PermissionDecision<'de>, CompactMetadata<'de>, Connection<'de>,
}
