//! Where the system has no handles of processes that we know of, a death stays unknown.

use std::io;
use taffrail_model::Process;

/// The most processes that are watched at once.
pub const WATCH_LIMIT: usize = 1024;

/// Why a process is not watched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Unwatched {
    /// So many are watched already.
    #[error("{WATCH_LIMIT} processes are watched already")]
    Full,
    /// This system does not tell.
    #[error("this system does not tell when a process ends")]
    Unsupported,
}

/// Tells when processes end.
#[derive(Debug)]
pub struct Deaths;

impl Deaths {
    /// Never calls.
    ///
    /// # Errors
    /// Never; elsewhere the system may refuse a thread.
    pub fn new(_gone: impl Fn(u32) + Send + 'static) -> io::Result<Self> {
        Ok(Self)
    }

    /// Says that it cannot.
    ///
    /// # Errors
    /// Always.
    pub fn watch(&self, _process: Process) -> Result<(), Unwatched> {
        Err(Unwatched::Unsupported)
    }
}
