//! Exchange between devices: all data that leaves this machine passes through this crate, sealed.
//!
//! Everything except the hubs is pure: randomness and time are arguments.

pub mod audit;
pub mod bundle;
pub mod bytes;
mod compression;
pub mod envelope;
pub mod exchange;
mod header;
pub mod hub;
pub mod keys;
pub mod letters;
pub mod pairing;
pub mod roster;
pub mod seal;
pub mod signing;
pub mod word;

pub use crate::bytes::{Digest, Signature, TeamId};
pub use roster::Roster;
