//! Sessions that are carried between devices.

use serde::{Deserialize, Serialize};
use taffrail_model::Timestamp;

/// A session that was packed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Packed {
    /// The version of this document.
    pub schema_version: u32,
    /// The session.
    pub session_id: String,
    /// The bundle.
    pub file: String,
    /// How long it is.
    pub bytes: u64,
    /// The devices that open it, by name.
    pub to: Vec<String>,
    /// Only what was said is in it, with known kinds of secrets taken out.
    pub redacted: bool,
    /// Files of the agent's in it.
    pub files: usize,
    /// Workers in it.
    pub workers: usize,
    /// Files of the plan in it.
    pub plan_files: usize,
    /// What was not committed, if that is in it.
    pub patch: Option<PackedPatch>,
}

/// A bundle on the hub.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Parcel {
    /// The session.
    pub session_id: String,
    /// The device that left it there.
    pub device: String,
    /// When.
    pub at: Timestamp,
    /// Its name there.
    pub name: String,
}

/// What was not committed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PackedPatch {
    /// How long the patch is.
    pub bytes: u64,
    /// Files that are not tracked and were left behind: not text, or too large.
    pub left_behind: Vec<String>,
}

/// What came of a bundle.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Arrival {
    /// The version of this document.
    pub schema_version: u32,
    /// `unpacked`, `planned` (nothing was written), `ahead` (what is here is newer, and nothing was
    /// written), or `shared` (to be read only).
    pub state: String,
    /// The session.
    pub session_id: String,
    /// Its agent's id for it.
    pub runtime_session_id: String,
    /// Its agent.
    pub agent: String,
    /// The folder it goes on in.
    pub project: String,
    /// When the bundle was made.
    pub made_at: String,
    /// Who made it.
    pub from: ArrivedFrom,
    /// What is, or would be, done with each file.
    pub files: Vec<ArrivedFile>,
    /// How long the patch in it is; `null` where there is none.
    pub patch_bytes: Option<u64>,
    /// The patch was applied.
    pub patch_applied: bool,
    /// Files of a plan in it.
    pub plan_files: usize,
    /// The plan was put there.
    pub plan_put: bool,
    /// How the repository stood there, and stands here.
    pub git: Option<ArrivedGit>,
    /// The session it was forked from, where it was taken as one of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forked_from: Option<String>,
    /// Events that were to come; `null` where nothing was written.
    pub events: Option<usize>,
    /// Those of them that are not here.
    pub events_missing: Option<usize>,
}

/// Who made a bundle.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArrivedFrom {
    /// The device.
    pub id: String,
    /// What people call it.
    pub name: String,
    /// Whose it is.
    pub user: String,
}

/// A file of a bundle.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArrivedFile {
    /// Where it goes.
    pub path: String,
    /// `write`, `extend`, `same` or `ahead`.
    pub action: String,
    /// How long it is.
    pub bytes: u64,
}

/// A repository there and here.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArrivedGit {
    /// Where it comes from.
    pub remote: Option<String>,
    /// The branch there.
    pub branch: Option<String>,
    /// The commit there.
    pub commit: Option<String>,
    /// The commit here.
    pub commit_here: Option<String>,
}
