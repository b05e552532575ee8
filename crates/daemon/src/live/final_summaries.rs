//! Makes final summaries as sessions end, and slowly for those that lack one.
//!
//! A thread of its own reads; the loop writes the results. The thread is at most one step ahead,
//! and rests after each step.

use super::event_loop::Loop;
use super::handle::Handle;
use super::loop_message::LoopMessage;
use crate::DaemonError;
use std::collections::BTreeSet;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};
use taffrail_model::SessionId;
use taffrail_model::status::Status;
use taffrail_query::summary::{Made, Walk, Wish, make};
use taffrail_store::{FinalRow, IndexReader};

/// The shortest rest after a step.
const REST: Duration = Duration::from_millis(50);
/// The rest is this many times the duration of the step, so the thread uses at most a twentieth of
/// a core.
const SHARE: u32 = 19;
/// The most waiting sessions; when more end at once, all sessions are scanned instead.
const WAITING: usize = 1_000;

/// A request to the thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ask {
    /// Scan all sessions.
    All,
    /// The session in this row may be over.
    Over(i64),
    /// The last result is written.
    Written,
}

/// Starts the thread; it ends when all senders are gone.
pub(super) fn open(handle: Handle, wakes: Sender<LoopMessage>) -> Sender<Ask> {
    let (ask, asked) = channel();
    let thread = std::thread::Builder::new().name("finals".to_owned());
    // Without the thread, final summaries are made on request.
    if let Err(error) = thread.spawn(move || Finisher::new(handle, wakes).work(&asked)) {
        tracing::warn!(%error, "cannot start the thread of final summaries");
    }
    ask
}

struct Finisher {
    handle: Handle,
    wakes: Sender<LoopMessage>,
    over: BTreeSet<i64>,
    walk: Walk,
    /// The last result is not written yet.
    unwritten: bool,
    next: Instant,
}

impl Finisher {
    fn new(handle: Handle, wakes: Sender<LoopMessage>) -> Self {
        let (over, walk, next) = (BTreeSet::new(), Walk::default(), Instant::now());
        Self { handle, wakes, over, walk, unwritten: false, next }
    }

    fn work(mut self, asked: &Receiver<Ask>) {
        while let Some(ask) = self.next(asked) {
            match ask {
                Some(ask) => self.take(ask),
                None => {
                    let began = Instant::now();
                    // A session that cannot be read now is tried after the next start.
                    let made = self.step().unwrap_or_else(|error| {
                        tracing::warn!(%error, "cannot make a final summary");
                        Made::default()
                    });
                    if !made.finals.is_empty() {
                        // A loop that ended writes nothing.
                        self.unwritten = self.wakes.send(LoopMessage::Finals(made.finals)).is_ok();
                    }
                    self.next = Instant::now() + rest(began.elapsed());
                }
            }
        }
    }

    /// The next request, or `Some(None)` when a step is due; `None` at the end.
    #[expect(clippy::option_option, reason = "the end is not the same as nothing asked")]
    fn next(&self, asked: &Receiver<Ask>) -> Option<Option<Ask>> {
        let idle = self.unwritten || (self.over.is_empty() && self.walk.is_done());
        if idle {
            return asked.recv().ok().map(Some);
        }
        match asked.recv_timeout(self.next.saturating_duration_since(Instant::now())) {
            Ok(ask) => Some(Some(ask)),
            Err(RecvTimeoutError::Timeout) => Some(None),
            Err(RecvTimeoutError::Disconnected) => None,
        }
    }

    fn take(&mut self, ask: Ask) {
        match ask {
            Ask::All => self.walk = Walk::new(),
            Ask::Written => self.unwritten = false,
            Ask::Over(row) if self.over.len() < WAITING => drop(self.over.insert(row)),
            Ask::Over(_) => self.walk = Walk::new(),
        }
    }

    fn step(&mut self) -> Result<Made, DaemonError> {
        let settings = self.handle.settings();
        // The index may have been rebuilt since the last step.
        let Some(reader) = IndexReader::open(&settings.data)? else {
            self.over.clear();
            self.walk = Walk::default();
            return Ok(Made::default());
        };
        let handle = &self.handle;
        let Some(row) = self.over.pop_last() else {
            return Ok(self.walk.step(&reader, &|id| handle.live().status(id), settings)?);
        };
        let mut made = Made::default();
        if let Some(row) = reader.session(row)? {
            made.rows = row.sequence;
            made.finals.extend(make(&reader, row, &|id| handle.live().status(id), settings)?);
        }
        Ok(made)
    }
}

fn rest(took: Duration) -> Duration {
    took.saturating_mul(SHARE).max(REST)
}

impl Loop {
    /// Handles changed statuses: a turn or a session may have ended.
    pub(super) fn follow_up(&self, sessions: &[SessionId]) {
        for id in sessions {
            let Some(card) = self.handle.live().status(*id) else { continue };
            let rests = match card.reading.status {
                Status::Exited | Status::Waiting | Status::Idle => true,
                Status::Running | Status::WaitingApproval | Status::Unknown => false,
            };
            if rests && !self.board.is_worker(*id) {
                // Nothing here waits for the summary.
                drop(self.handle.summaries().wish(self.handle.live(), *id, Wish::TurnEnded));
            }
            self.finish(*id);
        }
    }

    /// Requests the final summary of a session that is over.
    pub(super) fn finish(&self, session: SessionId) {
        let card = self.handle.live().status(session);
        let over = card.is_some_and(|it| it.reading.status == Status::Exited);
        if let Some(row) = self.board.row(session).filter(|_| over) {
            // Without the thread, the summary is made on request.
            self.finals.send(Ask::Over(row)).ok();
        }
    }

    /// Saves the results, and permits the next step.
    pub(super) fn keep_finals(&mut self, finals: &[FinalRow]) -> Result<(), DaemonError> {
        self.writer()?.keep_finals(finals)?;
        // As above.
        self.finals.send(Ask::Written).ok();
        Ok(())
    }
}
