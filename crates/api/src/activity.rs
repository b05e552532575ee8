//! How sessions spent their time, for pages that draw it.

use crate::{Session, schema};
use serde::{Deserialize, Serialize};
use taffrail_model::Timestamp;
use utoipa::{IntoParams, ToSchema};

/// Which time is asked about.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(default, deny_unknown_fields)]
pub struct ActivityQuery {
    /// Of this session only.
    pub id: Option<String>,
    /// From then on: `7d`, `12h`, `30m`, a date or a time. A session's whole life, or a day.
    pub since: Option<String>,
    /// Until then; now, unless it is said.
    pub until: Option<String>,
    /// How many minutes the reader's clock is ahead of UTC.
    pub ahead: i64,
    /// Sub-agents, too.
    pub all: bool,
}

/// What the time of sessions went to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Activity {
    /// Of this document.
    pub schema_version: u32,
    /// From when.
    #[schema(value_type = schema::Instant)]
    pub since: Timestamp,
    /// Until when.
    #[schema(value_type = schema::Instant)]
    pub until: Timestamp,
    /// One for each session, the latest first.
    pub lanes: Vec<Lane>,
    /// There are more sessions than lanes.
    pub more: bool,
    /// Tokens spent in each hour of the week since then, from Sunday midnight.
    pub hours: Vec<u64>,
}

/// What the time of one session went to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Lane {
    /// The session.
    pub session: Session,
    /// The stretches, the earliest first.
    pub spans: Vec<SpanRow>,
}

/// A stretch of time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SpanRow {
    /// When it began, in milliseconds since 1970.
    pub from: i64,
    /// When it ended.
    pub to: i64,
    /// `model`, `tool` or `human`.
    pub doing: String,
}
