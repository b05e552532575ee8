//! A scripted model: one server on loopback for all APIs that agents use.
//!
//! It keeps no state about conversations. A prompt carries `[[scenario:NAME]]`; the last marker in
//! a request wins, and the number of tool results since then selects the answer. So resuming,
//! forking and sub-agents (a marker in the sub-agent's prompt) need nothing more. An answer may
//! wait at a gate until the test opens it.

mod chat;
mod gemini;
mod http;
mod messages;
mod pick;
mod responses;
mod say;
mod server;
mod stream;

pub use pick::{Picked, Purpose};
pub use say::{Answer, RECALLED, Say, text};
pub use server::{Model, ModelRequest};

/// The API between an agent and its model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wire {
    /// Anthropic's messages.
    Messages,
    /// OpenAI's responses.
    Responses,
    /// OpenAI's chat completions.
    Chat,
    /// Google's generative language API.
    Gemini,
}

/// The input and output tokens that an answer reports unless it says otherwise.
pub const TOKENS: (u64, u64) = (1000, 25);

/// The tokens that an answer reports. Only Anthropic's messages tell caches apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Spent {
    /// Input that no cache held.
    pub input: u64,
    /// Output.
    pub output: u64,
    /// Input that a cache held.
    pub cache_read: u64,
    /// Input that a cache keeps for five minutes.
    pub cache_write_5m: u64,
    /// Input that a cache keeps for an hour.
    pub cache_write_1h: u64,
}

impl Default for Spent {
    fn default() -> Self {
        let (input, output) = TOKENS;
        Self { input, output, cache_read: 0, cache_write_5m: 0, cache_write_1h: 0 }
    }
}
