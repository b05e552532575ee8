//! What a run of the index reads, how long it may take, and who observes it.

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;
use taffrail_api::IndexReport;
use taffrail_context::Error;
use taffrail_store::Touched;

/// The most problems of a run that are logged.
const LOGGED: usize = 100;

/// How long a run may take.
#[derive(Debug, Clone, Copy)]
pub enum Budget<'a> {
    /// Until everything is read.
    Whole,
    /// Until this instant.
    Until(Instant),
    /// Until this is set: the process has to end.
    Unless(&'a AtomicBool),
}

impl Budget<'_> {
    /// Whether no more work may begin.
    #[must_use]
    pub fn is_over(self) -> bool {
        match self {
            Self::Whole => false,
            Self::Until(end) => Instant::now() >= end,
            Self::Unless(set) => set.load(Ordering::Relaxed),
        }
    }
}

/// What to bring up to date.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Scope {
    /// Everything.
    All,
    /// These sources only, by home and path.
    Sources(HashSet<(String, String)>),
}

/// The progress of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// Bytes read.
    pub bytes: u64,
    /// Bytes to read, estimated by stat.
    pub of_bytes: u64,
}

/// Observes a run.
pub struct Listener<'a> {
    /// Called with the progress after each batch.
    pub progress: &'a mut dyn FnMut(Progress),
    /// Called with the sessions that a batch changed.
    pub written: &'a mut dyn FnMut(&[Touched]) -> Result<(), Error>,
    /// Called with `true` before entries of hooks leave the spool, and with `false` once they are in the index.
    pub moves_hooks: &'a mut dyn FnMut(bool),
}

/// The result of a run.
#[derive(Debug)]
pub struct Indexed {
    /// The counts.
    pub report: IndexReport,
    /// Sources that could not be read, and why.
    pub problems: Vec<String>,
    /// Every source was read.
    pub complete: bool,
}

/// The result of bringing the index up before an answer.
#[derive(Debug)]
pub struct BroughtUp {
    /// Sources that could not be read, and why.
    pub problems: Vec<String>,
    /// Every source was read.
    pub complete: bool,
}

impl Indexed {
    /// Logs the counts under this message, and the problems.
    pub fn log(&self, message: &str) {
        let IndexReport { sources, sessions, sub_agents, events, bytes_read, elapsed_ms, .. } =
            self.report;
        let problems = self.problems.len();
        tracing::info!(
            sources,
            sessions,
            sub_agents,
            events,
            bytes_read,
            problems,
            ms = elapsed_ms,
            "{message}"
        );
        for problem in self.problems.iter().take(LOGGED) {
            tracing::warn!(problem, "a source cannot be read");
        }
    }
}

/// Whether to act, or only to report what would be done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Only report.
    Report,
    /// Act.
    Do,
}
