//! `taffrail acp`: a pipe between an editor and an agent that speaks the Agent Client Protocol.
//!
//! What passes is a pure function of the bytes so far (`relay`). Two threads copy, and never wait
//! for anything but their own two ends. What the messages say goes into a bounded queue.

mod copy;
mod fact;
mod line;
mod message;
mod pipe;
mod relay;
mod report;
mod updates;

pub use fact::{Fact, Permission, SettledBy};
pub use pipe::{Answers, Piped, pass_signal, start};
pub use report::{Reports, mark_of};
