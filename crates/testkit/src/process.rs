//! Watches and ends the processes that a test started.

use std::process::{Child, ExitStatus};
use std::time::{Duration, Instant};

/// How long a test waits for something that should happen at once.
const PATIENCE: Duration = Duration::from_secs(150);
/// The polling interval.
const PAUSE: Duration = Duration::from_micros(500);

/// Polls until there is a result; fails the test after a timeout.
pub fn until<T>(what: &str, look: impl FnMut() -> Option<T>) -> T {
    until_every(PAUSE, what, look)
}

/// The same with a longer interval, for expensive checks.
pub fn until_every<T>(pause: Duration, what: &str, look: impl FnMut() -> Option<T>) -> T {
    patiently(pause, look).unwrap_or_else(|| panic!("waited {PATIENCE:?} in vain for {what}"))
}

/// Polls until there is a result, or the timeout is over.
pub fn patiently<T>(pause: Duration, mut look: impl FnMut() -> Option<T>) -> Option<T> {
    let end = Instant::now() + PATIENCE;
    loop {
        if let Some(found) = look() {
            return Some(found);
        }
        if Instant::now() >= end {
            return None;
        }
        std::thread::park_timeout(pause);
    }
}

/// The private memory of a process in KiB; `None` once it has ended.
#[must_use]
pub fn private_kib(pid: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find(|line| line.starts_with("RssAnon:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

/// A running program of ours; it never outlives the test.
#[derive(Debug)]
pub struct Run {
    child: Child,
}

/// The fate of a process that was to be killed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// It was killed while running.
    Killed,
    /// It had ended before.
    Ended,
}

impl Run {
    pub(crate) fn new(child: Child) -> Self {
        Self { child }
    }

    /// Its pid.
    #[must_use]
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Its exit status, if it has ended.
    pub fn ended(&mut self) -> Option<ExitStatus> {
        self.child.try_wait().expect("the process is ours")
    }

    /// Waits for its end.
    pub fn wait(&mut self) -> ExitStatus {
        until("a process to end", || self.ended())
    }

    /// Kills it with `SIGKILL` now.
    pub fn kill(&mut self) {
        self.child.kill().expect("the process is ours");
        self.child.wait().expect("the process is ours");
    }

    /// Kills it with `SIGKILL` after a delay, unless it has ended by itself.
    pub fn kill_after(self, delay: Duration) -> Fate {
        let end = Instant::now() + delay;
        self.kill_when(|| Instant::now() >= end)
    }

    /// Kills it with `SIGKILL` as soon as a condition holds, unless it has ended by itself.
    pub fn kill_when(mut self, mut is_so: impl FnMut() -> bool) -> Fate {
        let ended = until("the moment of the kill", || {
            is_so().then_some(false).or_else(|| self.ended().map(|_| true))
        });
        if ended {
            return Fate::Ended;
        }
        self.child.kill().expect("the process is ours");
        let status = self.child.wait().expect("the process is ours");
        if status.code().is_some() { Fate::Ended } else { Fate::Killed }
    }

    /// Waits for its end and returns its peak private memory, in KiB.
    pub fn peak_kib(&mut self) -> (ExitStatus, u64) {
        let (id, mut peak) = (self.id(), 0);
        let status = until("a process to end", || {
            peak = peak.max(private_kib(id).unwrap_or(0));
            self.ended()
        });
        (status, peak)
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        // The process may have ended already.
        self.child.kill().ok();
        self.child.wait().ok();
    }
}
