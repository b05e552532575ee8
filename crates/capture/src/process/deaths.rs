//! Tells when processes end, with one thread that sleeps until one does.

use super::stat;
use rustix::event::{EventfdFlags, PollFd, PollFlags, Timespec, eventfd, poll};
use rustix::process::{Pid, PidfdFlags, pidfd_open};
use std::collections::HashSet;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use taffrail_model::Process;

/// The most processes that are watched at once.
pub const WATCH_LIMIT: usize = 1024;
/// How often a process is looked at of which the system gives no handle.
const LOOK_EVERY: Timespec = Timespec { tv_sec: 2, tv_nsec: 0 };

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

/// Tells when processes end. Dropping it ends its thread.
#[derive(Debug)]
pub struct Deaths {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    wake: OwnedFd,
    asked: Mutex<Asked>,
}

#[derive(Debug, Default)]
struct Asked {
    /// Everything that is watched or about to be.
    all: HashSet<Process>,
    /// What the thread has not seen yet.
    new: Vec<Process>,
    over: bool,
}

/// A process and its handle, if the system gave one.
struct Watched {
    process: Process,
    handle: Option<OwnedFd>,
}

impl Deaths {
    /// Starts the thread; it calls `gone` once with the number of every watched process that ends.
    ///
    /// # Errors
    /// The system refused a thread or what wakes it.
    pub fn new(gone: impl Fn(u32) + Send + 'static) -> io::Result<Self> {
        let wake = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?;
        let shared = Arc::new(Shared { wake, asked: Mutex::default() });
        let theirs = Arc::clone(&shared);
        std::thread::Builder::new().name("deaths".into()).spawn(move || run(&theirs, &gone))?;
        Ok(Self { shared })
    }

    /// Watches a process. One that is gone already, or whose number belongs to another by now, is
    /// reported as one that ends. Asking twice while it is watched is asking once.
    ///
    /// # Errors
    /// The limit is reached.
    pub fn watch(&self, process: Process) -> Result<(), Unwatched> {
        {
            let mut asked = self.shared.asked();
            if asked.all.len() >= WATCH_LIMIT && !asked.all.contains(&process) {
                return Err(Unwatched::Full);
            }
            if !asked.all.insert(process) {
                return Ok(());
            }
            asked.new.push(process);
        }
        self.shared.wake();
        Ok(())
    }
}

impl Drop for Deaths {
    fn drop(&mut self) {
        self.shared.asked().over = true;
        self.shared.wake();
    }
}

impl Shared {
    fn asked(&self) -> MutexGuard<'_, Asked> {
        // Every change under this lock is whole, so a panic elsewhere leaves nothing half done.
        self.asked.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wake(&self) {
        // It fails only if it was woken without end before, and then it is awake.
        rustix::io::write(&self.wake, &1u64.to_ne_bytes()).ok();
    }
}

fn run(shared: &Shared, gone: &impl Fn(u32)) {
    let mut watched: Vec<Watched> = Vec::new();
    loop {
        let (new, over) = {
            let mut asked = shared.asked();
            (std::mem::take(&mut asked.new), asked.over)
        };
        if over {
            return;
        }
        watched.extend(new.into_iter().map(open));
        let ended = sift(&mut watched);
        for process in &ended {
            shared.asked().all.remove(process);
            gone(process.pid);
        }
        if ended.is_empty() {
            sleep(shared, &watched);
        }
    }
}

fn open(process: Process) -> Watched {
    let pid = i32::try_from(process.pid).ok().and_then(Pid::from_raw);
    // Without a handle (a kernel without them, no descriptor left) the table is asked in turn.
    let handle = pid.and_then(|pid| pidfd_open(pid, PidfdFlags::empty()).ok());
    // A handle of another process with this number is not kept. Looking after opening leaves no gap.
    Watched { process, handle: handle.filter(|_| is_there(process)) }
}

/// Takes out what has ended.
fn sift(watched: &mut Vec<Watched>) -> Vec<Process> {
    let mut ended = Vec::new();
    watched.retain(|it| {
        let lives = lives(it);
        if !lives {
            ended.push(it.process);
        }
        lives
    });
    ended
}

/// A handle that can be read is that of a process that has ended, all threads of it.
fn lives(it: &Watched) -> bool {
    let Some(handle) = &it.handle else { return is_there(it.process) };
    let mut on = [PollFd::new(handle, PollFlags::IN)];
    !poll(&mut on, Some(&Timespec::default())).is_ok_and(|ready| ready > 0)
}

fn is_there(process: Process) -> bool {
    stat(process.pid).is_some_and(|now| now.start == process.start && !now.is_over())
}

/// Sleeps until a process ends, one is added, or it is time to look.
fn sleep(shared: &Shared, watched: &[Watched]) {
    let mut on = vec![PollFd::new(&shared.wake, PollFlags::IN)];
    let handles = watched.iter().filter_map(|it| it.handle.as_ref());
    on.extend(handles.map(|it| PollFd::from_borrowed_fd(it.as_fd(), PollFlags::IN)));
    let blind = on.len() <= watched.len();
    // A signal or want of memory ends the sleep early, which costs one look.
    poll(&mut on, blind.then_some(&LOOK_EVERY)).ok();
    rustix::io::read(&shared.wake, &mut [0u8; 8]).ok();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::start_of;
    use std::process::{Child, Command, Stdio};
    use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
    use std::time::Duration;

    const DEADLINE: Duration = Duration::from_secs(20);

    fn deaths() -> (Deaths, Receiver<u32>) {
        let (tell, told) = channel();
        (Deaths::new(move |pid| tell.send(pid).unwrap_or(())).unwrap(), told)
    }

    /// A child that lives until its input ends.
    fn child() -> (Child, Process) {
        let child =
            Command::new("cat").stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
        let pid = child.id();
        (child, Process { pid, start: start_of(pid).unwrap() })
    }

    #[test]
    fn a_death_is_told_once() {
        let (deaths, told) = deaths();
        let (mut one, first) = child();
        let (mut two, second) = child();
        for process in [first, second, first] {
            deaths.watch(process).unwrap();
        }
        one.kill().unwrap();
        // It is told before anybody asks how it ended.
        assert_eq!(told.recv_timeout(DEADLINE), Ok(first.pid));
        one.wait().unwrap();
        drop(two.stdin.take());
        assert_eq!(told.recv_timeout(DEADLINE), Ok(second.pid));
        two.wait().unwrap();
        drop(deaths);
        // The thread has gone and let go of the sender, so nothing more can come.
        assert_eq!(told.recv_timeout(DEADLINE), Err(RecvTimeoutError::Disconnected));
    }

    #[test]
    fn one_that_is_gone_is_told_at_once() {
        let (deaths, told) = deaths();
        let (mut one, gone) = child();
        one.kill().unwrap();
        one.wait().unwrap();
        deaths.watch(gone).unwrap();
        assert_eq!(told.recv_timeout(DEADLINE), Ok(gone.pid));
        let (mut two, other) = child();
        deaths.watch(Process { start: other.start - 1, ..other }).unwrap();
        assert_eq!(told.recv_timeout(DEADLINE), Ok(other.pid));
        two.kill().unwrap();
        two.wait().unwrap();
    }

    #[test]
    fn one_without_a_handle_is_looked_at() {
        let (mut one, process) = child();
        let mut watched = vec![Watched { process, handle: None }];
        assert_eq!(sift(&mut watched), []);
        one.kill().unwrap();
        one.wait().unwrap();
        assert_eq!(sift(&mut watched), [process]);
        assert!(watched.is_empty());
    }

    #[test]
    fn there_is_a_limit() {
        let (deaths, _told) = deaths();
        let (mut one, process) = child();
        let mut fill: HashSet<_> =
            (1..WATCH_LIMIT as u64).map(|start| Process { pid: 0, start }).collect();
        fill.insert(process);
        deaths.shared.asked().all = fill;
        assert_eq!(deaths.watch(process), Ok(()));
        assert_eq!(deaths.watch(Process { pid: 1, start: 0 }), Err(Unwatched::Full));
        one.kill().unwrap();
        one.wait().unwrap();
    }
}
