//! What sessions did in a span of time, for people and for a channel.

use serde::{Deserialize, Serialize};
use taffrail_model::{SessionId, Timestamp};

/// What sessions did in a span of time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Digest {
    /// Of this document.
    pub schema_version: u32,
    /// Its beginning.
    pub since: Timestamp,
    /// Its end.
    pub until: Timestamp,
    /// All sessions.
    pub totals: DigestSums,
    /// Successful commands that commit to Git.
    pub commits: u64,
    /// By project, the most sessions first.
    pub projects: Vec<DigestProject>,
    /// Sessions that wait for a person now, the longest first.
    pub waiting: Vec<DigestSession>,
    /// Sessions that broke down, the latest first.
    pub failed: Vec<DigestSession>,
    /// Sessions that are over, the latest first.
    pub finished: Vec<DigestSession>,
    /// How many more are over.
    pub more_finished: u64,
}

/// Counts of several sessions.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DigestSums {
    /// Sessions, sub-agents not counted.
    pub sessions: u64,
    /// Prompts.
    pub prompts: u64,
    /// Tokens read and written, without those from a cache; those of sub-agents count.
    pub tokens: u64,
    /// Their known cost, in millionths of a US dollar.
    pub cost_microdollars: Option<i64>,
    /// Errors, and calls that failed.
    pub failures: u64,
}

/// A project.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DigestProject {
    /// Its folder; `null` for sessions without one.
    pub path: Option<String>,
    /// Its counts.
    #[serde(flatten)]
    pub sums: DigestSums,
}

/// A session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DigestSession {
    /// The session.
    pub id: SessionId,
    /// Its agent.
    pub agent: String,
    /// Its title.
    pub title: Option<String>,
    /// Its project folder.
    pub project_path: Option<String>,
    /// Since when it waits, or its latest event.
    pub at: Option<Timestamp>,
    /// What it waits for, or what it did last.
    pub text: Option<String>,
}
