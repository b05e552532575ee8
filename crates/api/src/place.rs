//! The address and the status of the daemon, for its clients.

use crate::live::HistoryProgress;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// The file in our state folder that names the daemon's addresses.
pub const DAEMON_FILE: &str = "daemon.json";

/// The addresses of a daemon, as it writes them for clients.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DaemonPlace {
    /// Its process.
    pub pid: u32,
    /// Its version.
    pub version: String,
    /// Its socket.
    pub socket: PathBuf,
    /// Its HTTP address, as `http://127.0.0.1:4417`, if it has one.
    pub http: Option<String>,
    /// Its telemetry endpoint, as `http://127.0.0.1:4318`, if it has one.
    #[serde(default)]
    pub otel: Option<String>,
}

/// The output of `daemon status --json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DaemonStatus {
    /// Of this document.
    pub schema_version: u32,
    /// It answers.
    pub running: bool,
    /// Its process.
    pub pid: Option<u32>,
    /// Its version.
    pub version: Option<String>,
    /// Its socket.
    pub socket: Option<PathBuf>,
    /// Its HTTP address, as `http://127.0.0.1:4417`, if it has one.
    pub http: Option<String>,
    /// Where it receives telemetry, as `http://127.0.0.1:4318`, if anywhere.
    pub otel: Option<String>,
    /// Known sources.
    pub sources: u64,
    /// Recent sessions.
    pub live_sessions: u64,
    /// How far it is in reading history; nothing once all of it is read.
    #[serde(default)]
    pub reading: Option<HistoryProgress>,
}
