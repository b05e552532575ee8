//! The daemon: one loop that wakes, reads new data, writes it and publishes the changes.
//!
//! Everything that can happen is a [`LoopMessage`]. Only the loop writes. Servers answer from
//! read-only views and from the state that the loop shares through its [`Handle`].

mod approval_watch;
mod at_reset;
mod conclusions;
mod delivery_watch;
mod event_loop;
mod executor_watch;
mod final_summaries;
mod findings_watch;
mod first_pass;
mod handle;
mod live_fields;
mod loop_message;
mod probe;
mod publish;
mod search_upkeep;
mod status_file;
mod watchers;

pub use handle::Handle;
pub use live_fields::add_live_fields;

pub use loop_message::LoopMessage;

use crate::DaemonError;
use event_loop::Loop;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::mpsc::channel;
use taffrail_api::HistoryProgress;
use taffrail_capture::Home;
use taffrail_context::Error;
use taffrail_context::Settings;

/// Runs the loop in this thread until it is stopped. Calls `begin` with a handle first.
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
    let handle = Handle::new(kept_up, &to_loop);
    handle.live().set_complete(false);
    handle.live().set_reads_hooks();
    // Clients must see requests as they are for this daemon, not as the last daemon left them.
    handle.broker().take_up()?;
    handle.delivery().begin()?;
    handle.live().set_progress(Some(HistoryProgress::default()));
    if let Some(state) = state {
        status_file::say_reading(state)?;
    }
    begin(&handle)?;
    let state = state.map(Path::to_owned);
    let (summaries, notices) = (handle.summaries().clone(), handle.notices().clone());
    handle.open_notices(state.clone());
    let ending = handle.clone();
    let ended = match Loop::open(settings.clone(), (handle, state), (to_loop, wakes)) {
        // The history read so far is written; the next daemon continues from there.
        Err(DaemonError::Question(Error::Ending)) => Ok(()),
        opened => opened.and_then(Loop::work),
    };
    summaries.stop();
    notices.stop();
    ending.delivery().stop();
    ended
}

/// Groups homes with the same root, so that one watcher covers them.
fn by_root(homes: Vec<Home>) -> BTreeMap<PathBuf, Vec<Home>> {
    let mut out: BTreeMap<PathBuf, Vec<Home>> = BTreeMap::new();
    for home in homes {
        out.entry(home.root.clone()).or_default().push(home);
    }
    out
}
