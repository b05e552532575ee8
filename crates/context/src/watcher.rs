//! The health of the watchers of agents' folders.

use crate::watcher_counts::{WatcherCounters, WatcherCounts};
use std::path::PathBuf;
use std::sync::Arc;

/// The number of problems remembered for each watcher.
const PROBLEMS: usize = 100;

/// A watcher, by its index.
pub type WatcherNumber = usize;

/// The health of one watcher.
#[derive(Debug, Clone, Default)]
pub struct WatcherHealth {
    /// The folder it watches.
    pub root: PathBuf,
    /// The agents whose files are there.
    pub agents: Vec<String>,
    /// Its counters.
    pub counters: Arc<WatcherCounters>,
    /// The number of sources at its last full scan.
    pub sources: usize,
    /// Sources that could not be read, and why.
    pub problems: Vec<String>,
}

impl WatcherHealth {
    /// Its counts since the daemon was started.
    #[must_use]
    pub fn counts(&self) -> WatcherCounts {
        self.counters.read()
    }

    pub(crate) fn note(&mut self, report: &ScanReport) {
        if report.whole {
            self.sources = report.sources;
            self.problems.clear();
        }
        self.problems.extend(report.problems.iter().cloned());
        self.problems.truncate(PROBLEMS);
    }
}

/// The result of a scan.
#[derive(Debug, Default)]
pub struct ScanReport {
    /// The scan covered every source.
    pub whole: bool,
    /// The number of the request that it answers.
    pub settled: Option<u64>,
    /// The sources it read.
    pub read: usize,
    /// The number of sources, after a full scan.
    pub sources: usize,
    /// Sources that could not be read, and why.
    pub problems: Vec<String>,
}

impl ScanReport {
    /// The report of a failed scan.
    #[must_use]
    pub fn failed(error: &impl std::error::Error) -> Self {
        Self { problems: vec![error.to_string()], ..Self::default() }
    }

    /// Whether there is nothing to report.
    #[must_use]
    pub fn is_nothing(&self) -> bool {
        !self.whole && self.read == 0 && self.problems.is_empty()
    }
}
