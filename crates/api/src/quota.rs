//! Limits of accounts.

use crate::schema;
use serde::{Deserialize, Serialize};
use taffrail_model::quota::is_stale;
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
    /// When it is full at the latest pace and with the usual pauses; `null` if it resets first, if
    /// nothing moves, or if too little was seen for one instant.
    #[schema(value_type = Option<schema::Instant>)]
    pub full_at: Option<Timestamp>,
    /// The earliest instant at which it is full; `null` if it resets first, or if nothing moves.
    #[schema(value_type = Option<schema::Instant>)]
    pub full_from: Option<Timestamp>,
    /// The latest instant at which it is full; `null` if it may reset first.
    #[schema(value_type = Option<schema::Instant>)]
    pub full_until: Option<Timestamp>,
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

/// How full a limit is, for headers and bars. It names instants instead of ages, so that a reader
/// computes at any time whether the figure is stale. Instants that move with every report are cut to
/// the minute, so that a file of gauges is not written again for each.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gauge {
    /// The agent.
    pub agent: String,
    /// The length of the window.
    pub window_minutes: u32,
    /// How much of it is used in whole percent, rounded down.
    pub used_percent: u32,
    /// When the window ends.
    pub resets_at: Timestamp,
    /// When an agent reported the figure.
    pub seen_at: Timestamp,
    /// When it is full at the latest pace; `null` if it resets first, or if nothing moves.
    pub full_at: Option<Timestamp>,
}

impl Gauge {
    /// The gauge of a limit that was listed now.
    #[must_use]
    pub fn of(quota: &Quota, now: Timestamp) -> Self {
        let age = i64::try_from(quota.age_seconds).unwrap_or(i64::MAX);
        let minute = |second: i64| Timestamp::from_second(second.div_euclid(60) * 60).ok();
        Self {
            agent: quota.agent.clone(),
            window_minutes: quota.window_minutes,
            // The cast saturates, and the share is never negative.
            used_percent: quota.used_percent as u32,
            resets_at: quota.resets_at,
            seen_at: minute(now.as_second().saturating_sub(age)).unwrap_or(Timestamp::MIN),
            full_at: quota.full_at.and_then(|it| minute(it.as_second())),
        }
    }

    /// Whether the figure may be wrong by now.
    #[must_use]
    pub fn is_stale(&self, now: Timestamp) -> bool {
        is_stale(self.window_minutes, (self.seen_at, self.resets_at), now)
    }
}
