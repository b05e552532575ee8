//! A part of a session's transcript, small enough for a page, and what is found in a session.

use crate::schema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use taffrail_model::{EventId, Kind, Timestamp};
use utoipa::{IntoParams, ToSchema};

/// Around which place of a session the events are. Without any of them, they are the last ones.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(default, deny_unknown_fields)]
pub struct WindowQuery {
    /// Around the prompt of this turn, from 1.
    pub turn: Option<u32>,
    /// Around this event.
    pub event: Option<String>,
    /// Around the first event at or after this time.
    pub time: Option<String>,
    /// The events right before this place.
    pub before: Option<u64>,
    /// The events right after this place.
    pub after: Option<u64>,
    /// At most so many events; 200 by default, at most 500.
    pub limit: Option<usize>,
}

/// A part of a session's transcript.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Window {
    /// Of this document.
    pub schema_version: u32,
    /// The session.
    #[schema(value_type = schema::SessionId)]
    pub session_id: taffrail_model::SessionId,
    /// The number of events of the whole session.
    pub total: u64,
    /// The number of its turns.
    pub turns: u32,
    /// The event that was asked for; `null` for places and for the end.
    #[schema(value_type = Option<String>)]
    pub anchor: Option<EventId>,
    /// The events, without gaps.
    pub events: Vec<WindowEvent>,
}

/// An event of a transcript, as far as a page draws it. `/api/sessions/{id}/events/{event}` has all of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct WindowEvent {
    /// Its id.
    #[schema(value_type = String)]
    pub id: EventId,
    /// Its place among the events of the session, from 1, without gaps.
    pub sequence: u64,
    /// The number of its turn, from 1; `null` before the first prompt.
    pub turn: Option<u32>,
    /// What it says.
    #[schema(value_type = schema::Kind)]
    pub kind: Kind,
    /// Its text; for a call the command or the path. Long texts are cut.
    pub text: String,
    /// When.
    #[schema(value_type = schema::Instant)]
    pub created_at: Timestamp,
    /// The text or the input is cut.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cut: bool,
    /// The length of the whole text in bytes, for results and where it is cut.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub length: Option<u64>,
    /// The lines of the whole text, for results.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lines: Option<u64>,
    /// The tool of a call or of a request for approval.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// The input of a call, as the agent wrote it; long strings in it are cut.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub input: Option<Value>,
    /// What joins a call with its result: the agent's own id of the call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub call_id: Option<String>,
    /// The event that this one answers: the call of a result.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    pub parent_id: Option<EventId>,
    /// Whether the call failed, for results.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failed: Option<bool>,
    /// The exit code of a command.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i64>,
    /// The line of a failed call's output that says why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
    /// What was decided about a request for approval.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decision: Option<String>,
    /// Who prompted, if it was no person.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub asked_by: Option<String>,
    /// The model that wrote it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Somebody refused the call, which did not run, for results.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub denied: bool,
    /// The types of its images, as its record claims them; `/api/sessions/{id}/events/{event}/images/{number}` has
    /// each of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub images: Vec<String>,
    /// Its source no longer holds it; the text is the excerpt.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stale: bool,
}

/// How much of an event is wanted.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(default, deny_unknown_fields)]
pub struct EventQuery {
    /// The whole output of a tool, up to 8 MiB; else its first 16 KiB.
    pub full: bool,
}

/// What to find in a session.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(default, deny_unknown_fields)]
pub struct FindQuery {
    /// Words, all of which an event must have, `"phrases"` and `prefix*`.
    pub q: String,
    /// At most so many matches; 200 by default, at most 10,000.
    pub limit: Option<usize>,
}

/// Where words are in a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Matches {
    /// Of this document.
    pub schema_version: u32,
    /// How many events match, exactly.
    pub total: u64,
    /// The first of them, in the order of the session.
    pub matches: Vec<MatchRow>,
}

/// An event that matches.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct MatchRow {
    /// The event.
    #[schema(value_type = String)]
    pub event_id: EventId,
    /// The number of its turn; `null` before the first prompt.
    pub turn: Option<u32>,
    /// Its place among the events of the session, from 1.
    pub sequence: u64,
}
