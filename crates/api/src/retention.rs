//! Retention and forgetting.

use crate::schema;
use serde::{Deserialize, Serialize};
use taffrail_model::{SessionId, Timestamp};
use utoipa::ToSchema;

/// A session that is or would be forgotten.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ForgottenSession {
    /// The session.
    #[schema(value_type = schema::SessionId)]
    pub id: SessionId,
    /// Its agent.
    pub agent: String,
    /// Its title.
    pub title: Option<String>,
    /// Where it worked.
    pub project_path: Option<String>,
    /// Its latest event.
    #[schema(value_type = Option<schema::Instant>)]
    pub last_event_at: Option<Timestamp>,
    /// The session it worked for.
    #[schema(value_type = Option<schema::SessionId>)]
    pub parent_id: Option<SessionId>,
    /// Its events.
    pub events: u64,
    /// Bytes on disk of the copies of its sources.
    pub archived_bytes: u64,
    /// Sessions that hold copies of its records and stay.
    #[schema(value_type = Vec<schema::SessionId>)]
    pub also_in: Vec<SessionId>,
    /// The agent's own file, which is never touched.
    pub source_uri: String,
}

/// What `forget` did or would do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ForgetReport {
    /// Of this document.
    pub schema_version: u32,
    /// The change was made; otherwise it was only planned.
    pub done: bool,
    /// The sessions, workers included.
    pub sessions: Vec<ForgottenSession>,
}

/// A session whose capture was changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CapturedSession {
    /// The session.
    #[schema(value_type = schema::SessionId)]
    pub id: SessionId,
    /// Since when it was not captured.
    #[schema(value_type = schema::Instant)]
    pub since: Timestamp,
    /// What was held of it was forgotten then.
    pub forgotten: bool,
    /// Its agent, where it is known.
    pub agent: Option<String>,
    /// Its title.
    pub title: Option<String>,
    /// The session it works for.
    #[schema(value_type = Option<schema::SessionId>)]
    pub parent_id: Option<SessionId>,
}

/// What `capture` did, or which sessions are not captured.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CaptureReport {
    /// Of this document.
    pub schema_version: u32,
    /// They are captured now.
    pub captured: bool,
    /// The sessions, workers included.
    pub sessions: Vec<CapturedSession>,
}

/// A copy in the archive.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ArchiveEntry {
    /// Whose it is.
    pub agent: String,
    /// The source it is a copy of.
    pub source_uri: String,
    /// The file it is a copy of.
    pub path: String,
    /// Which edition; the highest is the newest.
    pub edition: u32,
    /// Bytes of the source.
    pub kept_bytes: u64,
    /// Bytes on disk.
    pub disk_bytes: u64,
    /// When it was last added to.
    #[schema(value_type = Option<schema::Instant>)]
    pub modified_at: Option<Timestamp>,
    /// The source is still there.
    pub source_exists: bool,
}

/// What the archive holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ArchiveReport {
    /// Of this document.
    pub schema_version: u32,
    /// Copies are kept.
    pub enabled: bool,
    /// Where they are.
    pub folder: String,
    /// Bytes of sources that are kept.
    pub kept_bytes: u64,
    /// Bytes on disk.
    pub disk_bytes: u64,
    /// The most bytes on disk there may be.
    pub cap_bytes: u64,
    /// Sources there are copies of.
    pub sources: u64,
    /// Of these, sources that are gone.
    pub gone: u64,
    /// Older editions of the same sources.
    pub older_editions: u64,
    /// Files that are not ours or cannot be read.
    pub skipped: u64,
    /// Each copy, where they were asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub entries: Vec<ArchiveEntry>,
}

/// What a look at every copy came to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ArchiveCheck {
    /// Of this document.
    pub schema_version: u32,
    /// Copies that were looked at.
    pub checked: u64,
    /// Copies that were damaged and cut where the damage begins.
    pub cut: u64,
}

/// What was or would be dropped from the archive.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PruneReport {
    /// Of this document.
    pub schema_version: u32,
    /// The change was made; otherwise it was only planned.
    pub done: bool,
    /// Copies.
    pub copies: u64,
    /// Of these, copies whose source is gone: nothing is left of them.
    pub gone: u64,
    /// Their bytes on disk.
    pub disk_bytes: u64,
}
