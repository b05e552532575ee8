//! Notifications without being asked: on the desktop, in terminals, to a webhook, to a command.
//!
//! The loop only notes which sessions changed. A thread of its own works out what there is to notify
//! about, and each channel has a thread and a short queue, so that none holds up anything else.

mod channels;
mod counts;
mod focus;
mod inbox;
mod publisher;
mod routes;
mod sender;
mod sent_file;
mod trial;

pub use channels::Channel;
pub use counts::ChannelCounts;
pub use inbox::Notices;
pub use publisher::{OpenRequests, open};
pub use trial::{Tried, try_channels};
