//! What an agent tells its status line: written down as a hook's payload is, but only where it says
//! something new. An agent tells it several times a second.

use super::{Said, take_down};
use std::fs::DirBuilder;
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use taffrail_adapters::by_id;
use taffrail_model::hash;

/// The folder, in our state, of what was told last.
const FOLDER: &str = "status-line";
/// Sessions share so many files; who finds another's tells once more.
const SLOTS: u8 = 64;

/// Writes down what a status line was told, if it is new.
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
    // Where it cannot be remembered it is told again.
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
