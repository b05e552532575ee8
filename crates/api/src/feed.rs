//! Recent events across all sessions.

use crate::schema;
use serde::{Deserialize, Serialize};
use taffrail_model::Event;
use utoipa::{IntoParams, ToSchema};

/// How much of it is wanted.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(default, deny_unknown_fields)]
pub struct FeedQuery {
    /// At most so many.
    pub limit: Option<usize>,
}

/// Prompts, tool calls, approvals, ends and errors of all sessions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct FeedReply {
    /// Of this document.
    pub schema_version: u32,
    /// The events, the latest last.
    #[schema(value_type = Vec<schema::Event>)]
    pub events: Vec<Event>,
}
