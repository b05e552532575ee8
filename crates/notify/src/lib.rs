//! Sends notifications: to the desktop, terminals, a webhook, a command.
//!
//! The loop only queues which sessions changed. A separate thread decides what to notify about, and
//! each channel has a thread and a short queue, so that none blocks anything else.

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
