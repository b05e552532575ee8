//! Limits of accounts.

use crate::schema;
use serde::{Deserialize, Serialize};
use taffrail_model::{SessionId, Timestamp};
use utoipa::ToSchema;

/// What is known of the limits of agents' accounts, from what agents write on this machine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct QuotaList {
    /// Of this document.
    pub schema_version: u32,
    /// The limits, by agent and length of their window.
    pub quotas: Vec<Quota>,
}

/// A limit, as it was last seen.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Quota {
    /// The agent.
    pub agent: String,
    /// The agent's name for the limit.
    pub limit: String,
    /// The length of the window.
    pub window_minutes: u32,
    /// How much of it is used, such as 64.0; it may exceed 100.
    pub used_percent: f64,
    /// When the window ends.
    #[schema(value_type = schema::Instant)]
    pub resets_at: Timestamp,
    /// Where it was seen.
    pub source: String,
    /// How long ago it was seen.
    pub age_seconds: u64,
    /// The window ended since, or a fifth of it passed: the figure may be wrong.
    pub stale: bool,
    /// When it is full at the latest pace; `null` if it resets first, or if nothing moves.
    #[schema(value_type = Option<schema::Instant>)]
    pub full_at: Option<Timestamp>,
    /// What sessions used of it, the most first; the rest is not known to be of any.
    pub sessions: Vec<QuotaShare>,
}

/// What a session used of a limit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct QuotaShare {
    /// The session.
    #[schema(value_type = String)]
    pub session_id: SessionId,
    /// Points of percent.
    pub percent: f64,
}
