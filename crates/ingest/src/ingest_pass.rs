//! One round of a run: readers produce pieces, and the writer stores them.

use crate::copier::{CapturePolicy, follow};
use crate::pool::{Message, Pool};
use crate::retention::index_begins;
use crate::scope::{Budget, Listener, Progress};
use crate::search_sync::SearchSync;
use crate::source_reader::SourceReader;
use std::collections::HashSet;
use std::sync::mpsc::{Receiver, sync_channel};
use std::time::{Duration, Instant};
use taffrail_capture::{Job, Plan, Texts, confine};
use taffrail_context::{Error, Settings};
use taffrail_model::observed::{Held, Observed, Outcome, Pass};
use taffrail_model::{SessionId, journal, prompt_history};
use taffrail_store::Writer;

/// Pieces waiting for the writer.
const QUEUE: usize = 4;
/// A batch is closed after this many changes or this long.
const BATCH_CHANGES: u64 = 16_384;
const BATCH_TIME: Duration = Duration::from_millis(250);
/// The first batch is closed sooner: the user may be waiting for the latest sessions.
const FIRST_BATCH_TIME: Duration = Duration::from_millis(50);
/// The number of reading threads; the writer is another.
const READERS: usize = 2;

/// The totals of a run so far.
#[derive(Debug, Default)]
pub struct Totals {
    pub(crate) sources: u64,
    pub(crate) outcome: Outcome,
    pub(crate) changes: u64,
    pub(crate) problems: Vec<String>,
    pub(crate) complete: bool,
}

/// How a round ended.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Round {
    /// Nothing is left.
    Done,
    /// A source must be read again because another one lost events.
    Again,
}

/// The writer's side of a run.
pub struct Run<'a> {
    pub settings: &'a Settings,
    pub writer: &'a mut Writer,
    pub search: &'a SearchSync,
    pub rules: &'a CapturePolicy,
    pub total: &'a mut Totals,
}

impl Run<'_> {
    /// Reads the planned sources.
    pub(crate) fn round(
        &mut self,
        mut plan: Plan,
        budget: Budget<'_>,
        listener: &mut Listener<'_>,
    ) -> Result<Round, Error> {
        self.total.sources = plan.sources as u64;
        if plan.jobs.is_empty() && plan.vanished.is_empty() && plan.returned.is_empty() {
            self.total.complete = true;
            return Ok(Round::Done);
        }
        self.writer.begin_round();
        self.settle_places(&plan)?;
        remember(self.writer, &mut plan)?;
        let device = self.writer.device()?;
        let texts = if self.search.wants_texts() { Texts::Searched } else { Texts::None };
        let reader = SourceReader { device: device.as_str(), texts, rules: self.rules };
        let pool = Pool::new(&plan.jobs, budget, reader);
        let of_bytes = plan.bytes();
        std::thread::scope(|threads| {
            let (send, pieces) = sync_channel(QUEUE);
            for _ in 0..READERS {
                let (send, pool) = (send.clone(), &pool);
                let own = self.settings.data.as_path();
                threads.spawn(move || {
                    // Without kernel support, readers run unconfined.
                    let confined = confine(&[own]);
                    tracing::debug!(%confined, "a reader begins");
                    pool.read_all(&send);
                });
            }
            drop(send);
            self.take_all(&pieces, &pool, (of_bytes, listener))
        })?;
        self.total.complete = !pool.is_stopped();
        let again = self.total.complete && self.writer.wants_another_round();
        Ok(if again { Round::Again } else { Round::Done })
    }

    fn settle_places(&mut self, plan: &Plan) -> Result<(), Error> {
        self.move_copies(plan)?;
        let writer = &mut *self.writer;
        writer.begin()?;
        writer.vanish(&plan.vanished)?;
        writer.restore(&plan.returned)?;
        for job in &plan.jobs {
            if let Some(id) = job.moved {
                let found = &job.found;
                writer.relocate(id, (&found.home, &found.path, &found.place.locator))?;
            }
        }
        writer.commit((self.settings.now)())?;
        Ok(())
    }

    /// Moves copies before the index: after a crash in between, the next run finds the same source
    /// moved.
    fn move_copies(&mut self, plan: &Plan) -> Result<(), Error> {
        if plan.jobs.iter().all(|job| job.moved.is_none()) {
            return Ok(());
        }
        let known = self.writer.sources()?;
        for job in &plan.jobs {
            let Some(from) = known.iter().find(|it| Some(it.id) == job.moved) else { continue };
            if let Err(error) = follow(&self.settings.data, &from.state, &job.found) {
                let path = &job.found.path;
                self.total.problems.push(format!("{path}: its copy did not follow: {error}"));
            }
        }
        Ok(())
    }

    fn take_all(
        &mut self,
        pieces: &Receiver<Message>,
        pool: &Pool<'_>,
        (of_bytes, listener): (u64, &mut Listener<'_>),
    ) -> Result<(), Error> {
        let mut batch = 0;
        let (mut began, mut time) = (Instant::now(), FIRST_BATCH_TIME);
        self.writer.begin()?;
        for message in pieces {
            batch += self.take(message)?;
            if batch >= BATCH_CHANGES || began.elapsed() >= time {
                self.commit(of_bytes, listener)?;
                if self.writer.is_wanted() {
                    pool.stop();
                }
                self.writer.begin()?;
                (batch, began, time) = (0, Instant::now(), BATCH_TIME);
            }
        }
        self.commit(of_bytes, listener)
    }

    fn commit(&mut self, of_bytes: u64, listener: &mut Listener<'_>) -> Result<(), Error> {
        let touched = self.writer.commit((self.settings.now)())?;
        (listener.written)(&touched)?;
        (listener.progress)(Progress { bytes: self.total.outcome.bytes_read, of_bytes });
        Ok(())
    }

    fn take(&mut self, message: Message) -> Result<u64, Error> {
        let mut piece = match message {
            Message::Piece(piece) => piece,
            Message::Problem(problem) => {
                self.total.problems.push(problem);
                return Ok(0);
            }
        };
        self.take_piece(&mut piece)
    }

    /// Writes a piece, without what must not be stored; returns the number of changes.
    pub fn take_piece(&mut self, piece: &mut Observed) -> Result<u64, Error> {
        let is_journal = journal::is_locator(&piece.source.locator);
        let is_history = prompt_history::is_locator(&piece.source.locator);
        // A copy holds only captured data.
        let is_new = !is_journal && !is_history && piece.held == Held::Source;
        if is_new && self.rules.is_uncaptured(piece) {
            if piece.pass == Pass::Again {
                // Existing events stay; this pass from the start would remove them.
                return Ok(0);
            }
            forget(piece);
        }
        if is_journal {
            // The journal covers many sessions; only those of left-out projects are dropped.
            let left_out = self.settings.left_out();
            piece.leave_out(|_, facts| {
                facts.project_path.as_deref().is_some_and(|it| left_out.holds(it))
            });
        } else if is_history {
            self.narrow_history(piece);
        } else if self.is_excluded(piece) {
            forget(piece);
        }
        piece.leave_out(|who, facts| self.rules.is_forgotten(who, facts));
        let applied = self.writer.append(piece, (self.settings.now)())?;
        self.search.take(piece, &applied.new)?;
        self.total.changes += applied.changes;
        self.total.outcome = self.total.outcome.plus(applied.outcome);
        Ok(applied.changes + 1)
    }

    /// Leaves out prompts of sessions that are not stored, and those before the index begins.
    fn narrow_history(&self, piece: &mut Observed) {
        let begins = index_begins(self.settings);
        piece.events.retain(|it| begins.is_none_or(|begins| it.at >= begins));
        let left_out = self.settings.left_out();
        let with_prompts: HashSet<usize> = piece.events.iter().map(|it| it.session).collect();
        let named = piece.sessions.iter().enumerate();
        let named = named.filter(|(at, _)| with_prompts.contains(at)).map(|(_, it)| it.0.session());
        let named: HashSet<SessionId> = named.collect();
        let is_new = piece.held == Held::Source;
        piece.leave_out(|who, facts| {
            !named.contains(&who.session())
                || (is_new && self.rules.uncaptured().holds(who, facts))
                || facts.project_path.as_deref().is_some_and(|it| left_out.holds(it))
        });
    }

    fn is_excluded(&self, piece: &Observed) -> bool {
        let projects = piece.sessions.iter().filter_map(|(_, facts)| facts.project_path.as_deref());
        let left_out = self.settings.left_out();
        projects.into_iter().any(|project| left_out.holds(project))
    }
}

/// Loads the saved state of each reader that continues.
fn remember(writer: &Writer, plan: &mut Plan) -> Result<(), Error> {
    for job in &mut plan.jobs {
        let Job { known, known_id, .. } = job;
        if let (Some(known), Some(id)) = (known, known_id) {
            known.reader = writer.memory(*id)?;
        }
    }
    Ok(())
}

/// Keeps only the cursor of a piece.
fn forget(piece: &mut Observed) {
    piece.sessions.clear();
    piece.events.clear();
    piece.removed.clear();
    piece.removed_turns.clear();
    piece.usage.clear();
}
