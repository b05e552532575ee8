//! The kept output of terminals under `taffrail run`.

use serde::{Deserialize, Serialize};
use taffrail_model::{SessionId, Timestamp};

/// The kept terminals of a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TerminalReply {
    /// The version of this document.
    pub schema_version: u32,
    /// The session.
    pub session_id: SessionId,
    /// Its runs, the latest first.
    pub runs: Vec<TerminalRun>,
}

/// A run of an agent on a terminal of ours.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TerminalRun {
    /// The name of the run.
    pub run: String,
    /// Whether it is running.
    pub is_running: bool,
    /// When it was started.
    pub started_at: Timestamp,
    /// The command line; absent if it is not text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<Vec<String>>,
    /// The folder it was started in.
    pub folder: String,
    /// The last output, to the second; absent if none is kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_output_at: Option<Timestamp>,
    /// The width of the terminal; absent if no output is kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub columns: Option<u16>,
    /// Its height.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rows: Option<u16>,
    /// The size of the kept output on disk.
    pub bytes: u64,
    /// Older output was dropped, because of the limit.
    pub is_cut: bool,
    /// When output was left out, because a hidden line was typed.
    pub hidden_at: Vec<Timestamp>,
    /// The lines that left the screen, then the screen.
    pub lines: Vec<String>,
}

/// Lines that were found in the kept output of terminals.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TerminalSearch {
    /// The version of this document.
    pub schema_version: u32,
    /// How many lines have all the words.
    pub total: u64,
    /// The first of them, of the latest run first.
    pub hits: Vec<TerminalHit>,
}

/// A line that was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TerminalHit {
    /// The session that ran there.
    pub session_id: SessionId,
    /// The agent.
    pub agent: String,
    /// The name of the run.
    pub run: String,
    /// The number of the line, from 1.
    pub line: u64,
    /// The line.
    pub text: String,
}
