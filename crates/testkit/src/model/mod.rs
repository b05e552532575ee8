//! A model that says what a test wrote down: one server on loopback for the wires agents speak.
//!
//! It keeps no state about conversations. A prompt carries `[[scenario:NAME]]`; the last marker in
//! a request wins, and the answer is the one after as many results of tools as came since. So
//! resuming, forking and workers (a marker in the worker's prompt) need nothing more. An answer
//! may be held at a gate until the test lets it go on.

mod http;
mod messages;
mod pick;
mod responses;
mod say;
mod server;
mod stream;

pub use pick::{Picked, Purpose};
pub use say::{Answer, Say, text};
pub use server::{Model, ModelRequest};

/// The way an agent speaks to its model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wire {
    /// Anthropic's messages.
    Messages,
    /// OpenAI's responses.
    Responses,
}

/// What every answer says it read and wrote, in tokens.
pub const TOKENS: (u64, u64) = (1000, 25);
