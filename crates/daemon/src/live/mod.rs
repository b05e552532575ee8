//! The daemon: one loop that wakes, reads what is new, writes it and tells who listens.
//!
//! Everything that can happen is a `Wake`. The loop is the only one that writes; servers answer
//! from read-only views and from what the loop shares through its [`Handle`].

mod at_desk;
mod at_queue;
mod board;
mod counts;
mod eye;
mod feed;
mod finishing;
mod glancing;
mod handle;
mod looks;
mod looping;
mod opening;
mod pace;
mod probe;
mod registry;
mod remarking;
mod searchable;
mod telling;
mod tickets;
mod wake;
mod walk;
mod watch;

pub use counts::Counted;
pub use feed::{Told, What};
pub use handle::{Card, Handle, Look};

#[cfg(test)]
pub(crate) use wake::Wake;

pub(crate) use board::glance;
pub(crate) use registry::{write_entry, write_gone};
pub(crate) use wake::Looked;

use crate::{DaemonError, Settings};
use looping::Loop;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::mpsc::channel;
use taffrail_capture::Home;

/// Runs the loop in this thread until it is told to stop. `begin` is given a way to it first.
///
/// # Errors
/// When our own files fail.
pub fn live(
    settings: &Settings,
    state: Option<&Path>,
    begin: impl FnOnce(&Handle) -> Result<(), DaemonError>,
) -> Result<(), DaemonError> {
    let (to_loop, wakes) = channel();
    let kept_up = Settings { kept_up: true, ..settings.clone() };
    let handle = Handle::new(kept_up, to_loop.clone());
    // Whoever asks is told how requests stand for us, not how they stood for who was here before.
    handle.desk().take_up(settings)?;
    handle.sending().begin(&handle)?;
    begin(&handle)?;
    let state = state.map(Path::to_owned);
    let (retelling, notices) = (handle.retelling().clone(), handle.notices().clone());
    notices.open(&handle, state.clone());
    let ending = handle.clone();
    let opened = Loop::open(settings.clone(), (handle, state), (to_loop, wakes));
    let ended = opened.and_then(Loop::work);
    retelling.stop();
    notices.stop();
    ending.sending().stop();
    ended
}

/// Homes that are one place are looked at by one eye.
fn by_root(homes: Vec<Home>) -> BTreeMap<PathBuf, Vec<Home>> {
    let mut out: BTreeMap<PathBuf, Vec<Home>> = BTreeMap::new();
    for home in homes {
        out.entry(home.root.clone()).or_default().push(home);
    }
    out
}
