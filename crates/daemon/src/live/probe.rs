//! Processes: whether they are alive, and where commands for them could go.

use super::executor_watch;
use super::loop_message::LoopMessage;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::time::{Duration, Instant};
use taffrail_capture::Deaths;
use taffrail_context::Settings;
use taffrail_model::Process;
use taffrail_run::Located;

/// A process whose location stayed in doubt is looked up again when its session changes, but not
/// more often than this.
const ASK_AGAIN: Duration = Duration::from_secs(10);

/// Watches the processes that run sessions.
pub(super) struct Probe {
    /// `None` if the system cannot report exits: they are then noticed along with other changes.
    deaths: Option<Deaths>,
    watched: HashSet<Process>,
    /// Processes that ended: they are not watched again.
    ended: HashSet<Process>,
    executors: HashMap<u32, String>,
    /// Processes that may be in a pane of a server that did not answer, and when they were looked
    /// up.
    doubtful: HashMap<u32, Instant>,
    /// The channel to the thread that locates processes.
    asked: Sender<u32>,
}

impl Probe {
    /// Reports exits and locations of processes to the loop.
    pub(super) fn new(wakes: &Sender<LoopMessage>, settings: Arc<Settings>) -> Self {
        let told = wakes.clone();
        let deaths = Deaths::new(move |pid| {
            // The loop ends before this thread.
            told.send(LoopMessage::Died(pid)).ok();
        });
        let asked = executor_watch::begin(settings, wakes.clone());
        let (watched, ended) = (HashSet::new(), HashSet::new());
        Self {
            deaths: deaths
                .inspect_err(
                    |error| tracing::warn!(%error, "cannot watch for the end of processes"),
                )
                .ok(),
            watched,
            ended,
            executors: HashMap::new(),
            doubtful: HashMap::new(),
            asked,
        }
    }

    /// Watches these processes from now on.
    pub(super) fn watch(&mut self, processes: impl Iterator<Item = Process>) {
        for process in processes {
            if self.ended.contains(&process) {
                continue;
            }
            if !self.watched.insert(process) {
                self.ask_again(process.pid);
                continue;
            }
            if let Some(deaths) = &self.deaths {
                // A process that cannot be watched is checked when its session changes.
                if let Err(error) = deaths.watch(process) {
                    tracing::debug!(%error, pid = process.pid, "cannot watch a process");
                }
            }
            // Without the thread no executor is known.
            self.asked.send(process.pid).ok();
        }
    }

    fn ask_again(&mut self, pid: u32) {
        let Some(asked) = self.doubtful.get_mut(&pid) else { return };
        if asked.elapsed() >= ASK_AGAIN {
            *asked = Instant::now();
            // As above.
            self.asked.send(pid).ok();
        }
    }

    /// Notes that a process ended; returns those not known to have ended.
    pub(super) fn died(&mut self, pid: u32) -> Vec<Process> {
        let ended: Vec<_> = self.watched.extract_if(|it| it.pid == pid).collect();
        self.ended.extend(&ended);
        self.executors.remove(&pid);
        self.doubtful.remove(&pid);
        ended
    }

    /// The known locations of processes.
    pub(super) fn executors(&self) -> Vec<(u32, String)> {
        self.executors.iter().map(|(pid, it)| (*pid, it.clone())).collect()
    }

    /// The known location of a process.
    pub(super) fn executor(&self, pid: u32) -> Option<String> {
        self.executors.get(&pid).cloned()
    }

    /// Notes the location of a process; `true` if it is new. A later doubtful answer does not
    /// override a pane that was found.
    pub(super) fn found(&mut self, pid: u32, found: Located) -> bool {
        if found.is_doubtful {
            self.doubtful.insert(pid, Instant::now());
            if self.executors.contains_key(&pid) {
                return false;
            }
        } else {
            self.doubtful.remove(&pid);
        }
        match found.executor {
            Some(it) => self.executors.insert(pid, it.clone()) != Some(it),
            None => self.executors.remove(&pid).is_some(),
        }
    }
}
