//! Sends notifications: to the desktop, terminals, a webhook, a command, and phones.
//!
//! The loop only queues which sessions changed. A separate thread decides what to notify about, and
//! each channel has a thread and a short queue, so that none blocks anything else.

mod channel;
mod channels;
mod counts;
mod focus;
mod inbox;
mod links;
mod phone;
mod presses;
mod publisher;
pub mod push;
mod routes;
mod secret_file;
mod sender;
mod sent_file;
mod trial;

pub use channel::Channel;
pub use counts::ChannelCounts;
pub use inbox::Notices;
pub use links::{LINK_LIFE, Link, LinkAction, LinkError, Links};
pub use phone::{AnswerOf, Phone, PhoneRequest, RequestOf};
pub use publisher::{OpenRequests, open};
pub use trial::{Tried, try_channels};
