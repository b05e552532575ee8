//! The exit watch of Linux: a pidfd for each process, and an eventfd that wakes the thread.

use rustix::event::{EventfdFlags, PollFd, PollFlags, Timespec, eventfd, poll};
use rustix::process::{Pid, PidfdFlags, pidfd_open};
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::time::Duration;

/// Whether this system reports exits.
pub(super) const CAN_WATCH: bool = true;

/// Sleeps until something happens.
#[derive(Debug)]
pub(super) struct Sleeper {
    wake: OwnedFd,
}

/// A pidfd.
pub(super) struct Handle(OwnedFd);

impl Handle {
    /// A pidfd is readable once all threads of its process have exited.
    pub(super) fn lives(&self) -> bool {
        let mut on = [PollFd::new(&self.0, PollFlags::IN)];
        !poll(&mut on, Some(&Timespec::default())).is_ok_and(|ready| ready > 0)
    }
}

impl Sleeper {
    pub(super) fn new() -> io::Result<Self> {
        let wake = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?;
        Ok(Self { wake })
    }

    /// A handle on the process that has this pid now.
    #[expect(clippy::unused_self, reason = "on other systems the sleeper holds the handles")]
    pub(super) fn open(&self, pid: u32) -> Option<Handle> {
        let pid = i32::try_from(pid).ok().and_then(Pid::from_raw)?;
        pidfd_open(pid, PidfdFlags::empty()).ok().map(Handle)
    }

    /// Ends the sleep.
    pub(super) fn wake(&self) {
        // The write fails only if the counter is full, and then the thread is awake already.
        rustix::io::write(&self.wake, &1u64.to_ne_bytes()).ok();
    }

    /// Sleeps until a process exits, the sleeper is woken, or the time is up.
    pub(super) fn sleep(&self, handles: &mut [&mut Handle], limit: Option<Duration>) {
        let mut on = vec![PollFd::new(&self.wake, PollFlags::IN)];
        on.extend(handles.iter().map(|it| PollFd::from_borrowed_fd(it.0.as_fd(), PollFlags::IN)));
        let limit = limit.and_then(|it| Timespec::try_from(it).ok());
        // A signal or lack of memory ends the sleep early, which costs one check.
        poll(&mut on, limit.as_ref()).ok();
        rustix::io::read(&self.wake, &mut [0u8; 8]).ok();
    }
}
