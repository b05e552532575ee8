//! What a run of the index reads, how long it may take, and who follows it.

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
    /// Until this is set: somebody wants the process to end.
    Unless(&'a AtomicBool),
}

impl Budget<'_> {
    /// Nothing more is to be begun.
    #[must_use]
    pub fn is_over(self) -> bool {
        match self {
            Self::Whole => false,
            Self::Until(end) => Instant::now() >= end,
            Self::Unless(set) => set.load(Ordering::Relaxed),
        }
    }
}

/// What to bring up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Scope {
    /// Everything.
    All,
    /// These sources only, by home and path.
    Sources(HashSet<(String, String)>),
}

/// How far a run is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// Bytes read.
    pub bytes: u64,
    /// Bytes to read, as far as a stat tells.
    pub of_bytes: u64,
}

/// Who is told how a run goes.
pub struct Listener<'a> {
    /// How far it is, after each batch.
    pub progress: &'a mut dyn FnMut(Progress),
    /// Which sessions a batch changed.
    pub written: &'a mut dyn FnMut(&[Touched]) -> Result<(), Error>,
}

/// What a run came to.
#[derive(Debug)]
pub struct Indexed {
    /// The counts.
    pub report: IndexReport,
    /// Sources that could not be read, and why.
    pub problems: Vec<String>,
    /// Everything there is was read.
    pub complete: bool,
}

impl Indexed {
    /// Logs the counts under this message, and what could not be read.
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

/// Whether to do something, or only to say what it would do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Only say what would be done.
    Report,
    /// Do it.
    Do,
}
