//! The turns of a session, and the histories that they are from.

use crate::reply::Session;
use crate::schema;
use serde::Serialize;
use taffrail_model::turn::Turn;
use taffrail_model::{RuntimeSessionId, SessionId, TurnId};
use utoipa::ToSchema;

/// The turns of a session.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct Timeline {
    /// Of this document.
    pub schema_version: u32,
    /// The session.
    pub session: Session,
    /// The tie it is found by.
    #[schema(value_type = Option<schema::Binding>)]
    pub binding: Option<serde_json::Value>,
    /// The turns, the earliest first.
    #[schema(value_type = Vec<schema::Turn>)]
    pub turns: Vec<Turn>,
    /// The histories that the turns are from: of the session, and of those that were joined to it.
    #[serde(default)]
    pub histories: Vec<TimelineHistory>,
}

/// One history of a timeline.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct TimelineHistory {
    /// The session, by the binding contract's name for it.
    #[schema(value_type = schema::SessionId)]
    pub repowire_session_id: SessionId,
    /// Its agent's id for it.
    #[schema(value_type = String)]
    pub runtime_session_id: RuntimeSessionId,
    /// Where its history is.
    pub runtime_source_uri: String,
    /// Its turns, the earliest first.
    #[schema(value_type = Vec<String>)]
    pub turn_ids: Vec<TurnId>,
}
