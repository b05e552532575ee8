//! Events and usage, as one device publishes them to others.

use crate::hash::{self, Digest16};
use crate::observed::NewUsage;
use crate::{Confidence, EventId, Kind, Origin, Timestamp, Tokens, TurnId};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// An event as one device publishes it to others.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[expect(clippy::struct_excessive_bools, reason = "each is a mark of its own in the line")]
pub struct RelayedEvent {
    /// The id, as the publishing device computed it.
    pub id: EventId,
    /// The kind.
    pub kind: Kind,
    /// The event's index in its record.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub part: u32,
    /// The time the agent recorded.
    pub at: Timestamp,
    /// The turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<TurnId>,
    /// This is the prompt that opens the turn.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub opens: bool,
    /// This event ends the turn.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub ends: bool,
    /// A tool that failed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub failed: bool,
    /// The event this one answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<EventId>,
    /// The tool, the model, ...
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// The effect on the status, in its stored form.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signal: Option<String>,
    /// The confidence.
    #[serde(default = "high", skip_serializing_if = "is_high")]
    pub confidence: Confidence,
    /// The source of the event.
    #[serde(default = "transcript", skip_serializing_if = "is_transcript")]
    pub origin: Origin,
    /// The agent's own id of the record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source_event_id: Option<String>,
    /// Further details.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub detail: Map<String, Value>,
    /// The text, if texts may leave their device.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The event has a text, which stays on its device.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub kept: bool,
}

/// The usage of a model answer, as one device publishes it to others.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RelayedUsage {
    /// Identifies the answer in every session that repeats it, as hex.
    key: String,
    /// When it was written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    at: Option<Timestamp>,
    /// The model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    model: Option<String>,
    /// The token counts.
    tokens: Tokens,
    /// The part of the cache writes that is kept for an hour.
    #[serde(default, skip_serializing_if = "is_nothing")]
    cache_write_1h_tokens: u64,
    /// The cost the agent reports, in millionths of a dollar.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    cost_microdollars: Option<i64>,
}

impl RelayedUsage {
    /// The published form of a usage.
    #[must_use]
    pub fn of(usage: &NewUsage) -> Self {
        Self {
            key: hash::to_hex(&usage.key),
            at: usage.at,
            model: usage.model.clone(),
            tokens: usage.tokens,
            cache_write_1h_tokens: usage.cache_write_1h,
            cost_microdollars: usage.cost_microdollars,
        }
    }

    /// The usage; `None` if the key is malformed.
    #[must_use]
    pub fn meant(&self) -> Option<NewUsage> {
        let key: Digest16 = hash::from_hex(&self.key)?;
        let (at, model) = (self.at, self.model.clone());
        let (tokens, cost_microdollars) = (self.tokens, self.cost_microdollars);
        let cache_write_1h = self.cache_write_1h_tokens;
        Some(NewUsage { key, at, model, tokens, cache_write_1h, cost_microdollars })
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_nothing(number: &u64) -> bool {
    *number == 0
}

fn high() -> Confidence {
    Confidence::High
}

fn transcript() -> Origin {
    Origin::Transcript
}

// Serde passes references.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
fn is_zero(part: &u32) -> bool {
    *part == 0
}

fn is_high(confidence: &Confidence) -> bool {
    *confidence == Confidence::High
}

fn is_transcript(origin: &Origin) -> bool {
    *origin == Origin::Transcript
}
