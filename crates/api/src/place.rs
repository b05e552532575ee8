//! Where the daemon is, and how it is: for those who want to speak with it.

use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// The name of the file in our state folder that says where the daemon listens.
pub const DAEMON_FILE: &str = "daemon.json";

/// Where a daemon listens, as it writes it down for others.
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
    /// Where it receives telemetry, as `http://127.0.0.1:4318`, if anywhere.
    #[serde(default)]
    pub otel: Option<String>,
}

/// What `daemon status --json` prints.
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
    /// Sources that are known.
    pub sources: u64,
    /// Sessions of late.
    pub live_sessions: u64,
}
