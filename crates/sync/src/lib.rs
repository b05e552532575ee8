//! Between devices: what leaves this machine leaves through here, sealed.
//!
//! Everything is pure but the hubs: randomness and time come in as arguments.

pub mod audit;
pub mod bundle;
pub mod bytes;
pub mod envelope;
pub mod exchange;
mod header;
pub mod hub;
pub mod keys;
pub mod roster;
pub mod seal;
pub mod signing;
pub mod word;

pub use crate::bytes::{Digest, Signature, TeamId};
pub use roster::Roster;
