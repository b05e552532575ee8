//! The metadata of a bundle: small documents beside the bytes, each with a version. Another device
//! wrote them, so they are untrusted input.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use taffrail_model::approval::Approval;
use taffrail_model::{EventId, Lineage, SessionId, Timestamp};

/// The version of all metadata documents.
pub(super) const VERSION: u32 = 1;

/// Maps entries to files.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Places {
    pub(super) version: u32,
    /// The project folder on the device that packed the session.
    pub(super) project: Option<String>,
    pub(super) files: Vec<File>,
    pub(super) plan: Vec<PlanFile>,
}

/// A file of the agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct File {
    pub(super) entry: String,
    /// Its path below the agent's home.
    pub(super) path: String,
    /// The session it belongs to.
    pub(super) session: SessionId,
}

/// A file of the plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct PlanFile {
    pub(super) entry: String,
    /// Its path below the plan's folder.
    pub(super) path: String,
}

/// The ids of the events of each session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Events {
    pub(super) version: u32,
    pub(super) sessions: Vec<SessionEvents>,
}

/// The events of one session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct SessionEvents {
    pub(super) session: SessionId,
    pub(super) ids: Vec<EventId>,
}

/// The session's lineage, and the devices it was on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Descent {
    pub(super) version: u32,
    pub(super) lineage: Option<Lineage>,
    /// The devices it was on, the packing device last.
    pub(super) devices: Vec<String>,
}

/// The ledger's remarks on a session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Remarks {
    pub(super) version: u32,
    pub(super) tags: Vec<String>,
    pub(super) notes: Vec<Noted>,
    pub(super) snapshots: Vec<Snapshot>,
    /// Requests with their decisions, for history only.
    pub(super) approvals: Vec<Approval>,
}

/// A note.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Noted {
    pub(super) at: Timestamp,
    pub(super) text: String,
}

/// A snapshot that was taken.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Snapshot {
    pub(super) adapter: String,
    pub(super) mark: String,
    pub(super) body: String,
    pub(super) at: Timestamp,
}

/// Serializes a document.
pub(super) fn written(paper: &impl Serialize) -> Vec<u8> {
    // These are plain structures of strings and numbers, which always serialize.
    serde_json::to_vec(paper).unwrap_or_default()
}

/// Parses a document; `None` if it is not one of this version.
pub(super) fn read<T: DeserializeOwned>(bytes: &[u8]) -> Option<T> {
    #[derive(Deserialize)]
    struct Versioned {
        version: u32,
    }
    let versioned: Versioned = serde_json::from_slice(bytes).ok()?;
    serde_json::from_slice(bytes).ok().filter(|_| versioned.version == VERSION)
}
