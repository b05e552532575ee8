//! How a device joins with a short code: the code, and the messages that the two devices leave each
//! other at the hub.
//!
//! The code holds a secret that is used once. Both devices derive from it the place where they meet
//! and the key that seals their messages. A hub sees a random place, lengths and times; it can keep
//! or lose a message, and cannot read, change or move one.

mod code;
mod message;

pub use code::{Code, CodeFault, PairingSecret};
pub use message::{Answer, Done, MessageFault, Offer, Outcome, Request, open, seal};

#[cfg(test)]
mod tests;
