//! The exit watch on systems without pidfds: it cannot watch any process.

use std::io;
use taffrail_model::Process;

/// The most processes that are watched at once.
pub const WATCH_LIMIT: usize = 1024;

/// Why a process is not watched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Unwatched {
    /// [`WATCH_LIMIT`] processes are watched already.
    #[error("{WATCH_LIMIT} processes are watched already")]
    Full,
    /// This system cannot watch processes.
    #[error("this system does not tell when a process ends")]
    Unsupported,
}

/// Reports when processes exit.
#[derive(Debug)]
pub struct Deaths;

impl Deaths {
    /// Never calls `gone`.
    ///
    /// # Errors
    /// Never; on Linux the system may refuse a thread.
    pub fn new(_gone: impl Fn(u32) + Send + 'static) -> io::Result<Self> {
        Ok(Self)
    }

    /// Always fails.
    ///
    /// # Errors
    /// Always.
    pub fn watch(&self, _process: Process) -> Result<(), Unwatched> {
        Err(Unwatched::Unsupported)
    }
}
