//! The types that all parts of Taffrail share: settings as plain data, the live status of sessions,
//! errors, and helpers to write our own files. It depends on none of the parts.

mod agents;
mod atomic_write;
mod away;
mod devices;
mod error;
mod journal_entry;
mod live;
mod live_status;
mod loop_request;
mod new_file;
mod own_agents;
mod problems;
pub mod remote_status;
mod settings;
mod target;
mod update;
pub mod user_program;
mod watcher;
mod watcher_counts;

pub use agents::agent_id;
pub use atomic_write::{atomic_write, remove_file};
pub use away::{is_away, set_away};
pub use devices::{Device, Devices, Names, keep_names, kept_names, kept_text};
pub use error::Error;
pub use journal_entry::{write_concluded, write_entry, write_gone};
pub use live::{FindingsBySession, Live};
pub use live_status::{LiveStatus, LiveStatuses};
pub use loop_request::{Exclusive, LoopRequest};
pub use new_file::{Existing, NewFile, NewFileError};
pub use own_agents::{add_own_agents, own_agents};
pub use problems::Part;
pub use settings::{
    ArchiveSettings, Followed, HubSettings, NoticeSettings, NtfyTopic, Osc, PublicUrl,
    RetentionSettings, RunSettings, Settings, StatusSettings, SummarySettings, SyncSettings,
    TelegramApi, TelegramChat, TelegramSettings, WebhookFormat, WebhookUrl, secure_url,
};
pub use taffrail_store::search::Meaning;
pub use target::{Target, TargetError};
pub use update::{Update, UpdateKind};
pub use watcher::{ScanReport, WatcherHealth, WatcherNumber};
pub use watcher_counts::{WatcherCounters, WatcherCounts};
