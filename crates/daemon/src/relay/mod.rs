//! Sessions of other devices: what they are told of ours, and what they told of theirs.
//!
//! What is told are lines, one thing each; what is heard are the same lines, kept in files of ours that
//! an adapter reads like any other source. How they get from one device to another is not known here.

mod choice;
mod devices;
mod dropping;
mod files;
mod hearing;
mod joining;
mod lines;
mod narrating;
mod sharing;
mod statuses;
mod telling;

pub use choice::SyncSettings;
pub use devices::Devices;
pub(crate) use hearing::Ears;
pub use hearing::{Heard, hear, hear_share};
pub use joining::{hear_in, stands};
pub(crate) use joining::{hear_now, hear_share_now};
pub use sharing::{ToldShare, tell_share};
pub(crate) use sharing::{is_behind, share_stands};
pub use telling::{Told, Work, note_told, tell};

pub(crate) use devices::{Device, keep_names, kept_names, kept_text};
pub(crate) use dropping::{drop_gone, remove_told};
pub(crate) use files::{folder as folder_of, replace};
pub(crate) use statuses::{card_of, heard_at};
pub(crate) use telling::{is_chosen, is_ours};
