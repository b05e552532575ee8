//! Writes entries into our own journal.

use crate::settings::Settings;
use serde_json::value::RawValue;
use std::io;
use taffrail_capture::spool;
use taffrail_model::conclusion::Concluded;
use taffrail_model::hash::{self, Digest16};
use taffrail_model::journal::{Entry, Gone, Loss};
use taffrail_model::{AgentId, Origin, Process};

/// Records that a session lost its process.
///
/// # Errors
/// When the journal cannot be written.
pub fn write_gone(settings: &Settings, agent: &str, gone: &Gone) -> io::Result<()> {
    let Process { pid, start } = gone.process;
    let how: &[u8] = match gone.gone {
        Loss::Died => b"died",
        Loss::Left => b"left",
    };
    let session = gone.session.as_bytes();
    let mark = hash::digest("gone", &[how, session, &pid.to_le_bytes(), &start.to_le_bytes()]);
    write_entry(settings, (agent, Origin::Process), mark, &serde_json::to_string(gone)?)
}

/// Records what the daemon concluded about a session.
///
/// # Errors
/// When the journal cannot be written.
pub fn write_concluded(settings: &Settings, agent: &str, it: &Concluded) -> io::Result<()> {
    let payload = serde_json::to_string(it)?;
    let mark = hash::digest("concluded", &[agent.as_bytes(), payload.as_bytes()]);
    write_entry(settings, (agent, Origin::Derived), mark, &payload)
}

/// Appends an entry to the journal. Entries with the same mark are one entry.
///
/// # Errors
/// When the journal cannot be written.
pub fn write_entry(
    settings: &Settings,
    (agent, via): (&str, Origin),
    mark: Digest16,
    payload: &str,
) -> io::Result<()> {
    let payload = RawValue::from_string(payload.to_owned())?;
    let entry = Entry {
        at: (settings.now)(),
        nonce: hash::to_hex(&mark),
        agent: AgentId::new(agent.to_owned()),
        via,
        ancestors: Vec::new(),
        store: None,
        shortened: false,
        payload: &payload,
    };
    spool(&settings.data, &entry)
}
