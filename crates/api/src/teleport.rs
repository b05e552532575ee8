//! Sessions that move between devices.

use serde::{Deserialize, Serialize};
use taffrail_model::Timestamp;

/// The result of packing a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PackReport {
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
    /// It holds only the conversation, with known kinds of secrets removed.
    pub redacted: bool,
    /// Files of the agent's in it.
    pub files: usize,
    /// Sub-agents in it.
    pub workers: usize,
    /// Files of the plan in it.
    pub plan_files: usize,
    /// The uncommitted changes, if they are in it.
    pub patch: Option<PatchReport>,
    /// Where its agent runs, if it does: later output is not in the bundle.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub running: Option<String>,
}

/// A bundle on the hub.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HubBundle {
    /// The session.
    pub session_id: String,
    /// The device that uploaded it.
    pub device: String,
    /// When.
    pub at: Timestamp,
    /// Its name there.
    pub name: String,
    /// The session's title, if it is known here.
    pub title: Option<String>,
    /// The session's folder, if it is known here.
    pub project: Option<String>,
    /// How long it is; only of the newest of a session.
    pub bytes: Option<u64>,
}

/// Uncommitted changes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PatchReport {
    /// How long the patch is.
    pub bytes: u64,
    /// Files that are not tracked and were left behind: not text, or too large.
    pub left_behind: Vec<String>,
}

/// The result of importing a bundle.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImportReport {
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
    /// The folder it continues in.
    pub project: String,
    /// When the bundle was made.
    pub made_at: String,
    /// Who made it.
    pub from: BundleOrigin,
    /// The action for each file, done or planned.
    pub files: Vec<ImportedFile>,
    /// How long the patch in it is; `null` where there is none.
    pub patch_bytes: Option<u64>,
    /// The patch was applied.
    pub patch_applied: bool,
    /// The branch it is on; `null` where it was applied to the folder, or not at all.
    #[serde(default)]
    pub patch_branch: Option<String>,
    /// Every path of the patch.
    #[serde(default)]
    pub patch_files: Vec<PatchFile>,
    /// Files of a plan in it.
    pub plan_files: usize,
    /// The plan was placed there.
    pub plan_put: bool,
    /// The repository on the other device and here.
    pub git: Option<GitComparison>,
    /// The session it was forked from, if it was imported as a new one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forked_from: Option<String>,
    /// The expected number of events; `null` if nothing was written.
    pub events: Option<usize>,
    /// The events among them that are missing.
    pub events_missing: Option<usize>,
}

/// A path of a patch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PatchFile {
    /// Below the root of the repository.
    pub path: String,
    /// `new`, `changed` or `deleted`.
    pub change: String,
    /// It is, or would be, applied.
    pub taken: bool,
    /// Why it is skipped unless it is named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub because: Option<String>,
}

/// Who made a bundle.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BundleOrigin {
    /// The device.
    pub id: String,
    /// Its display name.
    pub name: String,
    /// Whose it is.
    pub user: String,
}

/// A file of a bundle.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImportedFile {
    /// Where it goes.
    pub path: String,
    /// `write`, `extend`, `same`, `ahead`, or `rejoin`: only bookkeeping of the agent was at its end here.
    pub action: String,
    /// How long it is.
    pub bytes: u64,
    /// Where that bookkeeping was moved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub set_aside: Option<String>,
}

/// A repository there and here.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GitComparison {
    /// Where it comes from.
    pub remote: Option<String>,
    /// The branch there.
    pub branch: Option<String>,
    /// The commit there.
    pub commit: Option<String>,
    /// The commit here.
    pub commit_here: Option<String>,
}
