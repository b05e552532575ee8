//! What agents wanted to do and somebody refused.

use crate::schema;
use serde::{Deserialize, Serialize};
use taffrail_model::approval::ApprovalId;
use taffrail_model::{EventId, SessionId, Timestamp};
use utoipa::{IntoParams, ToSchema};

/// Which refusals are wanted.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(default, deny_unknown_fields)]
pub struct DenialsQuery {
    /// Since then: `7d`, `12h`, `30m`, a date or a time; the last seven days unless it is given.
    pub since: Option<String>,
}

/// What agents wanted to do and somebody refused: here, or in the agent's own dialog.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Denials {
    /// Of this document.
    pub schema_version: u32,
    /// Since when.
    #[schema(value_type = schema::Instant)]
    pub since: Timestamp,
    /// The latest first.
    pub denials: Vec<DenialRow>,
    /// There are more than these.
    pub more: bool,
}

/// Something that an agent wanted to do and somebody refused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DenialRow {
    /// When it was refused.
    #[schema(value_type = schema::Instant)]
    pub at: Timestamp,
    /// The session.
    #[schema(value_type = schema::SessionId)]
    pub session_id: SessionId,
    /// Its title.
    pub title: Option<String>,
    /// Its agent.
    pub agent: Option<String>,
    /// The folder it works in.
    pub project_path: Option<String>,
    /// The tool.
    pub tool: Option<String>,
    /// The command, or what else was asked for in a line; its beginning if it is long.
    pub command: String,
    /// Where: `dialog` for the agent's own, else as in the log of decisions.
    pub by: String,
    /// Why, if anybody said.
    pub why: Option<String>,
    /// The rule, if it was one.
    pub rule: Option<String>,
    /// The call in the session's transcript, where it is known.
    #[schema(value_type = Option<String>)]
    pub event_id: Option<EventId>,
    /// The request, if Taffrail knew of it.
    #[schema(value_type = Option<String>)]
    pub approval_id: Option<ApprovalId>,
}
