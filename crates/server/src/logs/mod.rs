//! The daemon's log: one line per record, in one file of limited size that only its owner can read.
//!
//! The log contains only lines of Taffrail's own crates: a library's messages may quote addresses
//! and headers. No line quotes a transcript, a prompt, a command of an agent or a secret. Every
//! value is redacted as well, because an error may quote a part of a file.

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

/// The name of the log in the state folder.
pub const LOG_FILE: &str = "daemon.log";

/// The path of the log.
#[must_use]
pub fn log_path(state: &Path) -> PathBuf {
    state.join(LOG_FILE)
}

/// The one older log that is kept.
fn old_path(log: &Path) -> PathBuf {
    log.with_extension("log.1")
}

/// Sends every record that passes the filter to the log in this folder, until the process ends.
pub(crate) fn begin(state: &Path, filter: LogFilter, now: fn() -> Timestamp) {
    let log = Log::new(file::LogFile::new(log_path(state)), filter, now);
    // A process that already has a log, such as a test, keeps it.
    tracing::subscriber::set_global_default(log).ok();
}
