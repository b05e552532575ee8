//! Opens our end of a pseudo-terminal on systems that cannot open it close-on-exec, such as macOS.

use rustix::io::{FdFlags, fcntl_setfd};
use rustix::pty::{OpenptFlags, openpt};
use std::io;
use std::os::fd::OwnedFd;

/// Our end, closed in every program that we start. A program that another thread starts between the two calls
/// inherits it; the process that runs an agent starts no other program at that moment.
pub(super) fn open_master() -> io::Result<OwnedFd> {
    let line = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY)?;
    fcntl_setfd(&line, FdFlags::CLOEXEC)?;
    Ok(line)
}
