//! Where the engines meet.
//!
//! Capture hands pieces to the one writer; what faces ask is answered from the index, with whole
//! texts read back from their sources. For now everything runs inside the command that asks.

mod agents;
mod archive;
mod away;
mod backup;
mod between;
mod bindings;
mod bodies;
mod capturing;
mod choosing;
mod contracts;
mod desk;
pub mod devices;
mod doctor;
mod events;
mod export;
mod feed;
mod findings;
mod forget;
mod handoff;
mod hands;
mod hook;
mod hooks;
pub mod hubs;
mod indexing;
mod keeping;
mod listing;
pub mod live;
mod mending;
mod notice;
mod notices;
mod otel;
mod pool;
mod recent;
pub mod relay;
mod resuming;
mod retention;
mod reviving;
mod rounds;
pub mod rules;
pub mod running;
mod search;
mod searching;
mod sending;
pub mod server;
mod servers;
pub mod serving;
mod settings;
mod sharing;
mod standing;
mod stats;
mod summary;
mod target;
pub mod teleport;

pub use agents::{agent_names, agents};
pub use archive::{Prune, archive, archived_bytes, prune_archive, verify_archive};
pub use away::{is_away, set_away};
pub use backup::{backup, restore};
pub use between::{Regained, fetch, hold, keep_change, parcels, push, recover, under_lease};
pub use bindings::{
    FeatureLink, Followed, Repair, Tied, binding, feature_of, followed, repair,
    sessions_of_feature, tied,
};
pub use capturing::{Held, capture_off, capture_on, not_captured};
pub use contracts::{
    Imported, Remarked, SnapshotAdapter, SnapshotTarget, clear_notes, export_state, import_state,
    imported_session, note, remarks, snapshot, snapshot_history, tag,
};
pub use desk::{approvals, decisions};
pub use doctor::doctor;
pub use events::{events, session_of, turns};
pub use export::{Piece, export_many, export_one};
pub use feed::feed;
pub use findings::{Whose, findings};
pub use forget::{Mode, Which, forget};
pub use handoff::{handoff, start_with};
pub use hook::{Question, Said, ask_desk, take_down, take_down_line};
pub use hooks::{
    HookChange, HookSettings, HookWish, HooksError, carry_out, hook_report, hook_status,
    plan_hooks, unified, write_plugin,
};
pub use hubs::HubSettings;
pub use indexing::{Budget, Indexed, Progress, Scope, index, rebuild};
pub use listing::{Listing, Waiting, list};
pub use notice::must_tell_of_archive;
pub use notices::{Channel, NoticeSettings, Osc, Tried, WebhookUrl, try_channels};
pub use otel::{OtelSettings, otel_settings};
pub use recent::recent;
pub use resuming::{begin_resume, end_resume, lost_sessions, resume_in_tmux, resume_plan};
pub use retention::RetentionSettings;
pub use search::search;
pub use sending::{queue, receipt, take_back};
pub use settings::{ArchiveSettings, Settings};
pub use sharing::{ShareError, revoke, share, shares};
pub use standing::explain;
pub use stats::{Counted, stats};
pub use summary::{SummarySettings, summary};
pub use taffrail_capture::JournalLimits;
pub use taffrail_store::{Note, Taken};
pub use target::{Target, TargetError, places_of, resolve};

/// Why a question could not be answered.
#[derive(Debug, thiserror::Error)]
pub enum DaemonError {
    /// Memory failed.
    #[error(transparent)]
    Store(#[from] taffrail_store::StoreError),
    /// The archive failed.
    #[error(transparent)]
    Archive(#[from] taffrail_store::archive::ArchiveError),
    /// What was asked for is not there, or not one.
    #[error(transparent)]
    Target(#[from] TargetError),
    /// Hooks could not be changed.
    #[error(transparent)]
    Hooks(#[from] HooksError),
    /// No adapter has this name.
    #[error("no agent is called `{0}`")]
    UnknownAgent(String),
    /// The agent cannot be started on a brief.
    #[error("it is not known how to start `{0}` on a brief")]
    CannotStart(String),
    /// The agent sends no telemetry, or none we read.
    #[error("no telemetry of `{0}` is read")]
    NoTelemetry(String),
    /// A file that would be overwritten.
    #[error("{0} is already there")]
    Exists(String),
    /// No event is of this kind.
    #[error("no event is of the kind `{0}`")]
    UnknownKind(String),
    /// No device is called so.
    #[error("no device is called `{0}`")]
    UnknownDevice(String),
    /// No session is put into this category.
    #[error("no category is called `{0}`")]
    UnknownCategory(String),
    /// Another daemon has the lock.
    #[error("a daemon is running already")]
    Running,
    /// The daemon is ending.
    #[error("the daemon is ending")]
    Ending,
    /// A time nobody can read.
    #[error("`{0}` is no time")]
    NoTime(String),
    /// A document we made breaks its contract.
    #[error("this document of ours does not conform: {0}")]
    Bug(String),
    /// A document we were given breaks its contract.
    #[error("it does not conform: {0}")]
    NotConforming(String),
    /// What was forgotten stays forgotten.
    #[error("session {0} was forgotten, and stays so")]
    Forgotten(String),
    /// A file with a plan that is none.
    #[error("{0}")]
    NoPlan(String),
    /// A file of somebody's that cannot be read.
    #[error("{0}")]
    File(String),
    /// A tag that is none.
    #[error("`{0}` is no tag")]
    NoTag(String),
    /// A repair that would leave bindings unsound.
    #[error("{0}")]
    Repair(String),
    /// A note that is none.
    #[error("a note has 1 to 10,000 characters")]
    NoNote,
    /// Rules could not be changed.
    #[error(transparent)]
    Rules(#[from] rules::RulesError),
    /// A session that is not resumed, and why.
    #[error("{0}")]
    Unresumed(String),
    /// A request that is not to be decided any more, or cannot be from here.
    #[error("{0}")]
    Undecided(String),
    /// No request is called so.
    #[error("no request for approval is called `{0}`")]
    NoApproval(String),
    /// A message that is not sent, and why.
    #[error("{0}")]
    Unsent(String),
    /// A message that is none.
    #[error("a message has 1 byte to 64 KiB")]
    NoMessage,
    /// No message is called so.
    #[error("no message is called `{0}`")]
    NoReceipt(String),
    /// There is no hub, or it does not do what is asked.
    #[error(transparent)]
    Hub(#[from] hubs::HubFault),
    /// Something with this device, or with its team, is not done.
    #[error(transparent)]
    Device(#[from] devices::DeviceError),
    /// A session is not carried, and why.
    #[error(transparent)]
    Teleport(#[from] teleport::TeleportError),
    /// A session is not shared, and why.
    #[error(transparent)]
    Share(#[from] ShareError),
    /// Nobody can be answered.
    #[error(transparent)]
    Serve(#[from] server::ServeError),
}

impl DaemonError {
    /// Another program is writing.
    #[must_use]
    pub fn is_busy(&self) -> bool {
        use taffrail_store::{LockError, StoreError};
        matches!(self, Self::Store(StoreError::Lock(LockError::Taken)))
    }
}
