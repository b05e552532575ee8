//! The daemon's log: one line for each record, in one file of bounded size that only its owner can read.
//!
//! The log holds lines of Taffrail's own crates and no others: what a library logs may quote addresses and headers.
//! No line quotes a transcript, a prompt, a command of an agent or a secret. Every value is redacted as well, for
//! errors that quote a part of a file.

mod file;
mod filter;
mod record;
mod subscriber;
mod tail;

pub use filter::{DEFAULT_LEVEL, LogFilter};
pub use record::parse;
pub use tail::{Follower, old_lines};

use std::path::{Path, PathBuf};
use subscriber::Log;
use taffrail_model::Timestamp;

/// The name of the log in the folder of state.
pub const LOG_FILE: &str = "daemon.log";

/// Where the log is.
#[must_use]
pub fn log_path(state: &Path) -> PathBuf {
    state.join(LOG_FILE)
}

/// The one older log that is kept.
fn old_path(log: &Path) -> PathBuf {
    log.with_extension("log.1")
}

/// Sends every record that the filter lets pass to the log in this folder, until the process ends.
pub(crate) fn begin(state: &Path, filter: LogFilter, now: fn() -> Timestamp) {
    let log = Log::new(file::LogFile::new(log_path(state)), filter, now);
    // A process that has a log already, as a test may, keeps the one it has.
    tracing::subscriber::set_global_default(log).ok();
}
