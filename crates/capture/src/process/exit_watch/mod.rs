//! Reports when processes exit, with one thread that sleeps until one does.

#[cfg(target_os = "linux")]
#[path = "linux.rs"]
mod system;
#[cfg(target_os = "macos")]
#[path = "macos.rs"]
mod system;
#[cfg(not(any(target_os = "linux", target_os = "macos")))]
#[path = "unsupported.rs"]
mod system;

use super::lives;
use std::collections::HashSet;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use system::{Handle, Sleeper};
use taffrail_model::Process;

/// The most processes that are watched at once.
pub const WATCH_LIMIT: usize = 1024;
/// How often a process without a handle is checked.
const LOOK_EVERY: Duration = Duration::from_secs(2);

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

/// Reports when processes exit. Dropping it ends its thread.
#[derive(Debug)]
pub struct Deaths {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    sleeper: Sleeper,
    list: Mutex<WatchList>,
}

#[derive(Debug, Default)]
struct WatchList {
    /// Every process that is watched or will be.
    all: HashSet<Process>,
    /// Processes that the thread has not picked up yet.
    new: Vec<Process>,
    over: bool,
}

/// A process and the system's handle on it. Without a handle (an old kernel, no free descriptor) the
/// process table is polled.
struct Watched {
    process: Process,
    handle: Option<Handle>,
}

impl Deaths {
    /// Starts the thread. It calls `gone` once with the pid of every watched process that exits.
    ///
    /// # Errors
    /// The system refused a thread or a descriptor.
    pub fn new(gone: impl Fn(u32) + Send + 'static) -> io::Result<Self> {
        let shared = Arc::new(Shared { sleeper: Sleeper::new()?, list: Mutex::default() });
        let theirs = Arc::clone(&shared);
        std::thread::Builder::new().name("deaths".into()).spawn(move || run(&theirs, &gone))?;
        Ok(Self { shared })
    }

    /// Watches a process. A process that is already gone, or whose pid was reused, is reported as one that
    /// exits. Watching a process twice has no further effect.
    ///
    /// # Errors
    /// The limit is reached, or this system cannot watch processes.
    pub fn watch(&self, process: Process) -> Result<(), Unwatched> {
        if !system::CAN_WATCH {
            return Err(Unwatched::Unsupported);
        }
        {
            let mut list = self.shared.watch_list();
            if list.all.len() >= WATCH_LIMIT && !list.all.contains(&process) {
                return Err(Unwatched::Full);
            }
            if !list.all.insert(process) {
                return Ok(());
            }
            list.new.push(process);
        }
        self.shared.sleeper.wake();
        Ok(())
    }
}

impl Drop for Deaths {
    fn drop(&mut self) {
        self.shared.watch_list().over = true;
        self.shared.sleeper.wake();
    }
}

impl Shared {
    fn watch_list(&self) -> MutexGuard<'_, WatchList> {
        // Every change under this lock is complete, so a panic elsewhere leaves the list consistent.
        self.list.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn run(shared: &Shared, gone: &impl Fn(u32)) {
    let mut watched: Vec<Watched> = Vec::new();
    loop {
        let (new, over) = {
            let mut list = shared.watch_list();
            (std::mem::take(&mut list.new), list.over)
        };
        if over {
            return;
        }
        watched.extend(new.into_iter().map(|it| open(&shared.sleeper, it)));
        let ended = sift(&mut watched);
        for process in &ended {
            shared.watch_list().all.remove(process);
            gone(process.pid);
        }
        if ended.is_empty() {
            sleep(&shared.sleeper, &mut watched);
        }
    }
}

fn open(sleeper: &Sleeper, process: Process) -> Watched {
    let handle = sleeper.open(process.pid);
    // The handle may belong to a process that reused the pid, so the check comes after opening it.
    Watched { process, handle: handle.filter(|_| lives(process)) }
}

/// Removes and returns the processes that exited.
fn sift(watched: &mut Vec<Watched>) -> Vec<Process> {
    let mut ended = Vec::new();
    watched.retain(|it| {
        let lives = it.handle.as_ref().map_or_else(|| lives(it.process), Handle::lives);
        if !lives {
            ended.push(it.process);
        }
        lives
    });
    ended
}

/// Sleeps until a process exits, one is added, or the next check is due.
fn sleep(sleeper: &Sleeper, watched: &mut [Watched]) {
    let is_blind = watched.iter().any(|it| it.handle.is_none());
    let mut handles: Vec<_> = watched.iter_mut().filter_map(|it| it.handle.as_mut()).collect();
    sleeper.sleep(&mut handles, is_blind.then_some(LOOK_EVERY));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::start_of;
    use std::process::{Child, Command, Stdio};
    use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};

    const DEADLINE: Duration = Duration::from_secs(20);

    fn deaths() -> (Deaths, Receiver<u32>) {
        let (tell, told) = channel();
        (Deaths::new(move |pid| tell.send(pid).unwrap_or(())).unwrap(), told)
    }

    /// A child that runs until its input ends.
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
        // The exit is reported before the child is reaped.
        assert_eq!(told.recv_timeout(DEADLINE), Ok(first.pid));
        one.wait().unwrap();
        drop(two.stdin.take());
        assert_eq!(told.recv_timeout(DEADLINE), Ok(second.pid));
        two.wait().unwrap();
        drop(deaths);
        // The thread has ended and dropped the sender, so no more reports can arrive.
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
        deaths.shared.watch_list().all = fill;
        assert_eq!(deaths.watch(process), Ok(()));
        assert_eq!(deaths.watch(Process { pid: 1, start: 0 }), Err(Unwatched::Full));
        one.kill().unwrap();
        one.wait().unwrap();
    }
}
