//! The papers of a bundle: small documents beside the bytes, each with a version. What they say is
//! read with care, for another device wrote them.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use taffrail_model::approval::Approval;
use taffrail_model::{EventId, Lineage, SessionId, Timestamp};

/// The version of all papers.
pub(super) const VERSION: u32 = 1;

/// Which entry is which file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Places {
    pub(super) version: u32,
    /// The folder it worked in, on the device it was packed on.
    pub(super) project: Option<String>,
    pub(super) files: Vec<File>,
    pub(super) plan: Vec<PlanFile>,
}

/// A file of the agent's.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct File {
    pub(super) entry: String,
    /// Its path below the agent's home.
    pub(super) path: String,
    /// The session it is of.
    pub(super) session: SessionId,
}

/// A file of the plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct PlanFile {
    pub(super) entry: String,
    /// Its path below the plan's folder.
    pub(super) path: String,
}

/// The events each session had, by their ids.
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

/// How a session descends, and which devices it was on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Descent {
    pub(super) version: u32,
    pub(super) lineage: Option<Lineage>,
    /// The devices it was on, the one that packed it last.
    pub(super) devices: Vec<String>,
}

/// What the ledger said of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Remarks {
    pub(super) version: u32,
    pub(super) tags: Vec<String>,
    pub(super) notes: Vec<Noted>,
    pub(super) snapshots: Vec<Snapshot>,
    /// Requests with their decisions, for history alone.
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

/// A paper as it is written.
pub(super) fn written(paper: &impl Serialize) -> Vec<u8> {
    // These are plain structures of texts and numbers, which always can be written.
    serde_json::to_vec(paper).unwrap_or_default()
}

/// A paper as it came; `None` if it is none of this version.
pub(super) fn read<T: DeserializeOwned>(bytes: &[u8]) -> Option<T> {
    #[derive(Deserialize)]
    struct Versioned {
        version: u32,
    }
    let versioned: Versioned = serde_json::from_slice(bytes).ok()?;
    serde_json::from_slice(bytes).ok().filter(|_| versioned.version == VERSION)
}
