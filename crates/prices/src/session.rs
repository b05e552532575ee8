//! Where the tokens and the money of a session went: what filled its context, what was not cached,
//! what was tried again.

pub mod cache;
pub mod fill;
pub mod report;
mod retry;
