//! Sessions of other devices: what they are told of ours, and what they told of theirs.
//!
//! What is told are lines, one thing each; what is heard are the same lines, kept in files of ours that
//! an adapter reads like any other source. How they get from one device to another is not known here.

mod files;
mod inbound;
mod lines;
mod live;
mod outbound;
mod publisher;
mod share;

pub use inbound::{Applied, apply, apply_from, apply_share};
pub use inbound::{Inbound, Placed};
pub use live::{apply_beat, apply_now, apply_share_now, is_any_living, living};
pub use live::{apply_live, statuses_of};
pub use outbound::{Outgoing, Work, note_published, outgoing};
pub use share::{OutgoingShare, outgoing_share};
pub use share::{is_behind, share_status};

pub use files::folder as folder_of;
