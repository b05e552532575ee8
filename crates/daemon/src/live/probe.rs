//! Processes: whether they live, and where commands for them could go.

use super::wake::Wake;
use crate::running::executor_of;
use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::sync::mpsc::{Sender, channel};
use taffrail_capture::{Deaths, panes, tmux_sockets};
use taffrail_model::Process;

/// Watches the processes that run sessions.
pub(crate) struct Probe {
    /// `None` where the system cannot tell of deaths: they are then noticed when something else is.
    deaths: Option<Deaths>,
    watched: HashSet<Process>,
    /// Those that ended: they are not looked at again.
    ended: HashSet<Process>,
    executors: HashMap<u32, String>,
    /// Where somebody looks for the terminals of processes.
    asked: Sender<u32>,
}

impl Probe {
    /// Tells the loop of deaths and of where processes run.
    pub(crate) fn new(wakes: &Sender<Wake>, runtime: PathBuf) -> Self {
        let told = wakes.clone();
        let deaths = Deaths::new(move |pid| {
            // The loop ends before we do.
            told.send(Wake::Died(pid)).ok();
        });
        let (asked, questions) = channel::<u32>();
        let told = wakes.clone();
        // Asking a terminal multiplexer may take a while, so it is done apart.
        let thread = std::thread::Builder::new().name("executors".to_owned());
        thread
            .spawn(move || {
                for pid in &questions {
                    let pids: HashSet<u32> =
                        [pid].into_iter().chain(questions.try_iter()).collect();
                    let panes = panes(&tmux_sockets());
                    for pid in pids {
                        let executor = executor_of(&runtime, pid, &panes);
                        told.send(Wake::Executor(pid, executor)).ok();
                    }
                }
            })
            // Without the thread no executor is known, and nothing else is lost.
            .ok();
        let (watched, ended) = (HashSet::new(), HashSet::new());
        Self { deaths: deaths.ok(), watched, ended, executors: HashMap::new(), asked }
    }

    /// Looks after these processes from now on.
    pub(crate) fn watch(&mut self, processes: impl Iterator<Item = Process>) {
        for process in processes {
            if self.ended.contains(&process) || !self.watched.insert(process) {
                continue;
            }
            if let Some(deaths) = &self.deaths {
                // One that cannot be watched is looked at when its session moves.
                deaths.watch(process).ok();
            }
            self.asked.send(process.pid).ok();
        }
    }

    /// A process ended; those that did not end before are given.
    pub(crate) fn died(&mut self, pid: u32) -> Vec<Process> {
        let ended: Vec<_> = self.watched.extract_if(|it| it.pid == pid).collect();
        self.ended.extend(&ended);
        self.executors.remove(&pid);
        ended
    }

    /// Where processes run, as far as that was found out.
    pub(crate) fn executors(&self) -> Vec<(u32, String)> {
        self.executors.iter().map(|(pid, it)| (*pid, it.clone())).collect()
    }

    /// Where a process runs, if that was found out.
    pub(crate) fn executor(&self, pid: u32) -> Option<String> {
        self.executors.get(&pid).cloned()
    }

    /// Where a process runs was found out; `true` when that is new.
    pub(crate) fn found(&mut self, pid: u32, executor: Option<String>) -> bool {
        match executor {
            Some(it) => self.executors.insert(pid, it.clone()) != Some(it),
            None => self.executors.remove(&pid).is_some(),
        }
    }
}
