//! What is told of events and of what they cost.

use crate::hash::{self, Digest16};
use crate::observed::NewUsage;
use crate::{Confidence, EventId, Kind, Origin, Timestamp, Tokens, TurnId};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// An event as one device tells it to another.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[expect(clippy::struct_excessive_bools, reason = "each is a mark of its own in the line")]
pub struct RelayedEvent {
    /// As its own device computed it.
    pub id: EventId,
    /// What it says.
    pub kind: Kind,
    /// Which of its record's events.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub part: u32,
    /// The agent's time.
    pub at: Timestamp,
    /// The turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<TurnId>,
    /// It is the prompt that opens that turn.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub opens: bool,
    /// It says that the turn is over.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub ends: bool,
    /// A tool that failed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub failed: bool,
    /// The event it answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<EventId>,
    /// The tool, the model, ...
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// What follows for the status, as it is stored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signal: Option<String>,
    /// How far to trust it.
    #[serde(default = "high", skip_serializing_if = "is_high")]
    pub confidence: Confidence,
    /// Where it was seen.
    #[serde(default = "transcript", skip_serializing_if = "is_transcript")]
    pub origin: Origin,
    /// The agent's own id of the record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source_event_id: Option<String>,
    /// What else it says.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub detail: Map<String, Value>,
    /// Its text, where texts leave their device.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// It has a text, and that stays on its device.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub kept: bool,
}

/// What a model answer cost, as one device tells it to another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RelayedUsage {
    /// Tells the answer apart, in every session that repeats it: as hex.
    key: String,
    /// When it was written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    at: Option<Timestamp>,
    /// By which model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    model: Option<String>,
    /// What it cost.
    tokens: Tokens,
    /// What the agent says it cost, in millionths of a dollar.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    cost_microdollars: Option<i64>,
}

impl RelayedUsage {
    /// What is told of a cost.
    #[must_use]
    pub fn of(usage: &NewUsage) -> Self {
        Self {
            key: hash::to_hex(&usage.key),
            at: usage.at,
            model: usage.model.clone(),
            tokens: usage.tokens,
            cost_microdollars: usage.cost_microdollars,
        }
    }

    /// The cost that is meant; nothing where its answer is not named.
    #[must_use]
    pub fn meant(&self) -> Option<NewUsage> {
        let key: Digest16 = hash::from_hex(&self.key)?;
        let (at, model) = (self.at, self.model.clone());
        let (tokens, cost_microdollars) = (self.tokens, self.cost_microdollars);
        Some(NewUsage { key, at, model, tokens, cost_microdollars })
    }
}

fn high() -> Confidence {
    Confidence::High
}

fn transcript() -> Origin {
    Origin::Transcript
}

// Serde hands over references.
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
