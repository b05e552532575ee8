//! Recorded sessions as documents of other tools: ATIF trajectories and OpenTelemetry spans.
//!
//! Both are pure translations of one [`Recorded`] session: a document holds what the agent recorded
//! and nothing else. This crate reads no file, no clock and no environment, and sends nothing.

pub mod atif;
mod conversation;
pub mod otlp;
mod recorded;

pub use recorded::{Amount, ModelAnswer, Recorded};
