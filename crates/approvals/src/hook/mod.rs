//! What a hook does: it writes one entry into the spool and exits.
//!
//! The agent waits for the hook, so nothing here opens a database or reads the configuration. Only
//! a request for approval goes further: to the broker of a running daemon.

mod ask;
mod deny;
mod payload;
mod recall;
mod status_line;

pub use ask::{Question, ask_desk};
pub use deny::deny_call;
pub use recall::recall_moment;
pub use status_line::take_down_line;

use std::io;
use std::path::Path;
use taffrail_adapters::{Adapter, by_id};
use taffrail_model::journal::{Entry, Store};
use taffrail_model::{AgentId, Origin, Timestamp};

/// How many ancestors are searched. An agent is rarely more than a shell or two above its hook.
const ANCESTORS: usize = 8;

/// What an agent passed to its hook, and what makes this call unique.
#[derive(Debug)]
pub struct Said<'a> {
    /// The agent's id, as the hook was given it.
    pub agent: &'a str,
    /// The bytes of stdin.
    pub payload: &'a [u8],
    /// The time now.
    pub at: Timestamp,
    /// Random, so that two calls never look the same.
    pub nonce: String,
    /// Our own process id.
    pub pid: u32,
    /// The user's home.
    pub user_home: Option<&'a Path>,
    /// The environment, by name.
    pub variable: fn(&str) -> Option<String>,
}

/// True if another agent sent this: it ran our hook because it reads this agent's settings. The
/// hook ignores the payload and does not answer.
#[must_use]
pub fn is_anothers(agent: &str, payload: &[u8]) -> bool {
    let text = std::str::from_utf8(payload).unwrap_or_default();
    by_id(agent).is_some_and(|it| !it.is_own_payload(text))
}

/// Writes an agent's payload to the spool. An empty payload and an unknown agent leave nothing.
///
/// # Errors
/// When the spool cannot be written.
pub fn take_down(data: &Path, said: Said<'_>) -> io::Result<()> {
    let Some(adapter) = by_id(said.agent) else { return Ok(()) };
    let Some(kept) = payload::kept(said.payload) else { return Ok(()) };
    let store = said.store(adapter);
    let entry = Entry {
        at: said.at,
        nonce: said.nonce,
        agent: AgentId::new(adapter.descriptor().id),
        via: Origin::Hook,
        ancestors: taffrail_capture::ancestors(said.pid, ANCESTORS),
        store,
        shortened: kept.shortened,
        payload: &kept.json,
    };
    taffrail_capture::spool(data, &entry)
}

impl Said<'_> {
    /// Where the agent keeps its sessions, by its own environment.
    fn store(&self, adapter: &'static dyn Adapter) -> Option<Store> {
        let path = taffrail_capture::store_of(adapter, self.user_home?, self.variable)?;
        Some(Store { path, device: None })
    }
}
