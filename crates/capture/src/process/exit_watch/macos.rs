//! The exit watch of macOS: one kqueue reports exits, and an event of our own wakes the thread.

use nix::libc::timespec;
use nix::sys::event::{EvFlags, EventFilter, FilterFlag, KEvent, Kqueue};
use std::io;
use std::time::Duration;

/// Whether this system reports exits.
pub(super) const CAN_WATCH: bool = true;
/// The event that wakes the thread.
const WAKE: usize = 0;
/// The most events that are taken from the queue at once.
const EVENTS: usize = 32;

/// Sleeps until something happens.
#[derive(Debug)]
pub(super) struct Sleeper {
    queue: Kqueue,
}

/// A process whose exit the queue reports.
pub(super) struct Handle {
    pid: usize,
    has_exited: bool,
}

impl Handle {
    pub(super) fn lives(&self) -> bool {
        !self.has_exited
    }
}

impl Sleeper {
    pub(super) fn new() -> io::Result<Self> {
        let it = Self { queue: Kqueue::new()? };
        it.change(WAKE, EventFilter::EVFILT_USER, EvFlags::EV_CLEAR, FilterFlag::empty())?;
        Ok(it)
    }

    /// Has the queue report the exit of the process that has this pid now.
    pub(super) fn open(&self, pid: u32) -> Option<Handle> {
        let pid = usize::try_from(pid).ok()?;
        let (flags, exit) = (EvFlags::EV_ONESHOT, FilterFlag::NOTE_EXIT);
        self.change(pid, EventFilter::EVFILT_PROC, flags, exit).ok()?;
        Some(Handle { pid, has_exited: false })
    }

    /// Ends the sleep.
    pub(super) fn wake(&self) {
        let (flags, trigger) = (EvFlags::EV_CLEAR, FilterFlag::NOTE_TRIGGER);
        // The event exists from the beginning, so only lack of memory fails; the next wake tries again.
        self.change(WAKE, EventFilter::EVFILT_USER, flags, trigger).ok();
    }

    /// Sleeps until a process exits, the sleeper is woken, or the time is up.
    pub(super) fn sleep(&self, handles: &mut [&mut Handle], limit: Option<Duration>) {
        let blank = event(WAKE, EventFilter::EVFILT_USER, EvFlags::empty(), FilterFlag::empty());
        let mut events = [blank; EVENTS];
        // A signal or lack of memory ends the sleep early, which costs one check.
        let count = self.queue.kevent(&[], &mut events, limit.map(timespec_of)).unwrap_or(0);
        for exit in events.iter().take(count).filter(|it| is_exit(it)) {
            let ended = handles.iter_mut().filter(|it| it.pid == exit.ident());
            ended.for_each(|it| it.has_exited = true);
        }
    }

    fn change(
        &self,
        ident: usize,
        filter: EventFilter,
        flags: EvFlags,
        what: FilterFlag,
    ) -> io::Result<()> {
        let change = event(ident, filter, flags | EvFlags::EV_ADD, what);
        self.queue.kevent(&[change], &mut [], Some(timespec_of(Duration::ZERO)))?;
        Ok(())
    }
}

fn event(ident: usize, filter: EventFilter, flags: EvFlags, what: FilterFlag) -> KEvent {
    KEvent::new(ident, filter, flags, what, 0, 0)
}

fn is_exit(event: &KEvent) -> bool {
    matches!(event.filter(), Ok(EventFilter::EVFILT_PROC))
        && event.fflags().contains(FilterFlag::NOTE_EXIT)
}

fn timespec_of(time: Duration) -> timespec {
    let seconds = i64::try_from(time.as_secs()).unwrap_or(i64::MAX);
    timespec { tv_sec: seconds, tv_nsec: i64::from(time.subsec_nanos()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wake_before_the_sleep_ends_it() {
        let sleeper = Sleeper::new().unwrap();
        sleeper.wake();
        sleeper.sleep(&mut [], None);
    }

    #[test]
    fn no_process_is_opened_under_a_pid_that_nobody_has() {
        assert!(Sleeper::new().unwrap().open(u32::MAX >> 1).is_none());
    }
}
