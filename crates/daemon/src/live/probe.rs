//! Processes: whether they live, and where commands for them could go.

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

/// A process whose place stayed in doubt is asked about again when its session moves, this often at most.
const ASK_AGAIN: Duration = Duration::from_secs(10);

/// Watches the processes that run sessions.
pub(super) struct Probe {
    /// `None` where the system cannot tell of deaths: they are then noticed when something else is.
    deaths: Option<Deaths>,
    watched: HashSet<Process>,
    /// Those that ended: they are not looked at again.
    ended: HashSet<Process>,
    executors: HashMap<u32, String>,
    /// Processes that may be in a pane of a server that did not answer, and when they were asked about.
    doubtful: HashMap<u32, Instant>,
    /// Where somebody looks for the terminals of processes.
    asked: Sender<u32>,
}

impl Probe {
    /// Tells the loop of deaths and of where processes run.
    pub(super) fn new(wakes: &Sender<LoopMessage>, settings: Arc<Settings>) -> Self {
        let told = wakes.clone();
        let deaths = Deaths::new(move |pid| {
            // The loop ends before we do.
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

    /// Looks after these processes from now on.
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
                // One that cannot be watched is looked at when its session moves.
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

    /// A process ended; those that did not end before are given.
    pub(super) fn died(&mut self, pid: u32) -> Vec<Process> {
        let ended: Vec<_> = self.watched.extract_if(|it| it.pid == pid).collect();
        self.ended.extend(&ended);
        self.executors.remove(&pid);
        self.doubtful.remove(&pid);
        ended
    }

    /// Where processes run, as far as that was found out.
    pub(super) fn executors(&self) -> Vec<(u32, String)> {
        self.executors.iter().map(|(pid, it)| (*pid, it.clone())).collect()
    }

    /// Where a process runs, if that was found out.
    pub(super) fn executor(&self, pid: u32) -> Option<String> {
        self.executors.get(&pid).cloned()
    }

    /// Where a process runs was found out; `true` when that is new. A pane that was found is not lost to a
    /// later answer in doubt.
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
