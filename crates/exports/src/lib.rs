//! Recorded sessions as documents of other tools: ATIF trajectories and OpenTelemetry spans; and the
//! trace of a turn.
//!
//! All are pure translations of one [`Recorded`] session: a document holds what the agent recorded
//! and nothing else. This crate reads no file, no clock and no environment, and sends nothing.

pub mod atif;
mod conversation;
pub mod otlp;
mod recorded;
pub mod trace;

pub use recorded::{Amount, ModelAnswer, Recorded};
