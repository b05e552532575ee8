//! Records what an agent sends to its status line, in the same form as a hook's payload. An agent
//! sends it several times a second, so only changes are recorded.

use super::{Said, take_down};
use std::fs::DirBuilder;
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use taffrail_adapters::by_id;
use taffrail_model::hash;

/// The folder, in our state, of the last payloads.
const FOLDER: &str = "status-line";
/// Sessions share this many files. A session that finds another's file records its payload once
/// more.
const SLOTS: u8 = 64;

/// Records a status line payload if it is new.
///
/// # Errors
/// When the spool cannot be written.
pub fn take_down_line(data: &Path, state: &Path, said: Said<'_>) -> io::Result<()> {
    let plan = by_id(said.agent).and_then(taffrail_adapters::Adapter::status_line);
    let text = std::str::from_utf8(said.payload).ok();
    let Some((session, mark)) = plan.zip(text).and_then(|(plan, text)| (plan.mark)(text)) else {
        return Ok(());
    };
    let told = format!("{session}\n{mark}\n");
    let slot = slot(state, &session);
    if std::fs::read(&slot).is_ok_and(|before| before == told.as_bytes()) {
        return Ok(());
    }
    take_down(data, said)?;
    // If the payload cannot be remembered, it is recorded again next time.
    if let Some(folder) = slot.parent() {
        DirBuilder::new().recursive(true).mode(0o700).create(folder).ok();
    }
    std::fs::write(&slot, told).ok();
    Ok(())
}

fn slot(state: &Path, session: &str) -> PathBuf {
    let [first, ..] = hash::checksum(session.as_bytes());
    state.join(FOLDER).join((first % SLOTS).to_string())
}
