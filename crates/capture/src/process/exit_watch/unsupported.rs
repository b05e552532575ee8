//! The exit watch of systems that do not report exits to us: no process can be watched.

use std::io;
use std::time::Duration;

/// Whether this system reports exits.
pub(super) const CAN_WATCH: bool = false;

/// Sleeps until it is woken.
#[derive(Debug)]
pub(super) struct Sleeper;

/// There is none.
pub(super) enum Handle {}

impl Handle {
    pub(super) fn lives(&self) -> bool {
        match *self {}
    }
}

/// How long the thread waits before it checks whether it shall end.
const PAUSE: Duration = Duration::from_secs(2);

impl Sleeper {
    pub(super) fn new() -> io::Result<Self> {
        Ok(Self)
    }

    pub(super) fn open(&self, _pid: u32) -> Option<Handle> {
        None
    }

    pub(super) fn wake(&self) {}

    pub(super) fn sleep(&self, _handles: &mut [&mut Handle], limit: Option<Duration>) {
        std::thread::park_timeout(limit.unwrap_or(PAUSE));
    }
}
