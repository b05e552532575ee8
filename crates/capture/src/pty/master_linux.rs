//! Opens our end of a pseudo-terminal on Linux.

use rustix::pty::{OpenptFlags, openpt};
use std::io;
use std::os::fd::OwnedFd;

/// Our end, closed in every program that we start.
pub(super) fn open_master() -> io::Result<OwnedFd> {
    Ok(openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC)?)
}
