//! Where the time of a turn went, and how long tools take.

use crate::{Usage, schema};
use serde::{Deserialize, Serialize};
use taffrail_model::{EventId, SessionId};
use utoipa::{IntoParams, ToSchema};

/// Which turn is traced.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(default, deny_unknown_fields)]
pub struct TraceQuery {
    /// Its number, from 1; the last one by default.
    pub turn: Option<u32>,
}

/// Where the time of a turn went.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Trace {
    /// Of this document.
    pub schema_version: u32,
    /// The session.
    #[schema(value_type = schema::SessionId)]
    pub session_id: SessionId,
    /// The number of the turn.
    pub turn: u32,
    /// When it began, in milliseconds since 1970.
    pub from: i64,
    /// When its last span ended.
    pub to: i64,
    /// The spans, the earliest first.
    pub spans: Vec<TraceSpan>,
    /// There are more spans than these.
    pub more: bool,
}

/// What a part of a turn did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TraceSpan {
    /// Its id in this trace.
    pub id: String,
    /// The span that it is part of; `null` for those of the turn itself.
    pub parent_id: Option<String>,
    /// `model`, `tool`, `agent` or `human`.
    pub kind: String,
    /// The model, the tool, the title of the sub-agent, or the tool that a person was asked about or
    /// with.
    pub name: String,
    /// When it began, in milliseconds since 1970.
    pub from: i64,
    /// When it ended.
    pub to: i64,
    /// Its tokens: of an answer, or of all answers of a sub-agent.
    pub usage: Option<Usage>,
    /// What they cost, in millionths of a US dollar; `null` if unknown.
    pub cost_microdollars: Option<i64>,
    /// The call failed.
    pub failed: bool,
    /// Somebody refused the call, which did not run.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub denied: bool,
    /// The event it begins with.
    #[schema(value_type = Option<String>)]
    pub event_id: Option<EventId>,
    /// The session of the sub-agent, for `agent`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<schema::SessionId>)]
    pub session_id: Option<SessionId>,
}

/// Which sessions' tools are counted.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(default, deny_unknown_fields)]
pub struct ToolsQuery {
    /// Of sessions in this folder or below it, or in a folder of this name.
    pub project: Option<String>,
}

/// The tools that sessions called.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Tools {
    /// Of this document.
    pub schema_version: u32,
    /// The most called first.
    pub tools: Vec<ToolStats>,
}

/// How often a tool was called, and how long it took.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ToolStats {
    /// The tool.
    pub tool: String,
    /// Its calls.
    pub calls: u64,
    /// Those that failed.
    pub failed: u64,
    /// Those that somebody refused: they did not run, and did not fail.
    #[serde(default)]
    pub denied: u64,
    /// Half of the calls returned within so many milliseconds, to two digits; `null` if none did.
    pub p50_ms: Option<u64>,
    /// 95 of 100 calls did.
    pub p95_ms: Option<u64>,
}
