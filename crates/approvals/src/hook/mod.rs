//! What a hook does: it writes one entry into the spool and is done.
//!
//! The agent waits for it, so nothing here opens a database or reads the configuration. Only a
//! request for approval is taken further: to the desk of a daemon that runs.

mod ask;
mod deny;
mod payload;
mod status_line;

pub use ask::{Question, ask_desk};
pub use deny::deny_call;
pub use status_line::take_down_line;

use std::io;
use std::path::Path;
use taffrail_adapters::by_id;
use taffrail_model::journal::Entry;
use taffrail_model::{AgentId, Origin, Timestamp};

/// How far up is looked; an agent is rarely more than a shell or two above its hook.
const ANCESTORS: usize = 8;

/// What an agent said to its hook, and what tells it from all else that is said.
#[derive(Debug)]
pub struct Said<'a> {
    /// The agent's id, as the hook was given it.
    pub agent: &'a str,
    /// The bytes of stdin.
    pub payload: &'a [u8],
    /// The time now.
    pub at: Timestamp,
    /// Chance.
    pub nonce: String,
    /// The number of our own process.
    pub pid: u32,
}

/// Another agent said this, and ran our hook because it reads this one's settings: nothing of it is
/// believed, and nothing is answered.
#[must_use]
pub fn is_anothers(agent: &str, payload: &[u8]) -> bool {
    let text = std::str::from_utf8(payload).unwrap_or_default();
    by_id(agent).is_some_and(|it| !it.is_own_payload(text))
}

/// Writes down what an agent said. Silence, and what no known agent said, leave nothing.
///
/// # Errors
/// When the spool cannot be written.
pub fn take_down(data: &Path, said: Said<'_>) -> io::Result<()> {
    let Some(adapter) = by_id(said.agent) else { return Ok(()) };
    let Some(kept) = payload::kept(said.payload) else { return Ok(()) };
    let entry = Entry {
        at: said.at,
        nonce: said.nonce,
        agent: AgentId::new(adapter.descriptor().id),
        via: Origin::Hook,
        ancestors: taffrail_capture::ancestors(said.pid, ANCESTORS),
        shortened: kept.shortened,
        payload: &kept.json,
    };
    taffrail_capture::spool(data, &entry)
}
