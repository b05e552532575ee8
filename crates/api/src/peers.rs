//! Executors of sessions, and repairs made by hand.

use crate::schema;
use serde::{Deserialize, Serialize};
use taffrail_model::SessionId;
use utoipa::ToSchema;

/// Who runs sessions now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PeerList {
    /// Of this document.
    pub schema_version: u32,
    /// The peers, by their names.
    pub peers: Vec<Peer>,
}

/// An executor.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Peer {
    /// Its name, as `tmux:%3` or `process:417`.
    pub peer_id: String,
    /// How it is.
    pub status: PeerStatus,
    /// The agent.
    pub backend: String,
    /// Where it works.
    pub project_path: Option<String>,
    /// Whether text can be typed into it from here.
    #[serde(default)]
    pub can_receive: bool,
    /// What it runs; nearly always one.
    #[schema(value_type = Vec<schema::SessionId>)]
    pub sessions: Vec<SessionId>,
}

/// How an executor is, in the words of the binding contract.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum PeerStatus {
    /// It is there.
    Online,
    /// It is at work, or waits to be allowed something.
    Busy,
}

/// What repairing a binding came to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct RepairReply {
    /// Of this document.
    pub schema_version: u32,
    /// The sessions that changed; none where nothing had to change.
    #[schema(value_type = Vec<schema::SessionId>)]
    pub changed: Vec<SessionId>,
    /// The binding of the session that was named.
    #[schema(value_type = schema::Binding)]
    pub binding: serde_json::Value,
}
