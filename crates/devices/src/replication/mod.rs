//! Replicates sessions between devices: publishes ours and applies those of others.
//!
//! Both directions use the same lines, one fact each. Received lines are stored in our files, and
//! an adapter reads them like any other source. This module does not know the transport.

mod files;
mod inbound;
mod lines;
mod live;
mod outbound;
mod publisher;
mod share;

pub use inbound::{Applied, apply, apply_from, apply_share};
pub use inbound::{Inbound, Placed};
pub use live::statuses_of;
pub use live::{apply_beat, apply_checkpoint_now, apply_now, apply_share_now};
pub use live::{is_any_living, living};
pub use outbound::{Outgoing, Work, note_published, outgoing};
pub use share::{OutgoingShare, outgoing_share};
pub use share::{is_behind, share_status};

pub use taffrail_sync::exchange::Item;
