//! Bringing the index up to what is on disk.

use crate::{DaemonError, Settings};
use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::{Duration, Instant};
use taffrail_api::{IndexReport, SCHEMA_VERSION};
use taffrail_capture::{Discovery, Flow, Job, Known, Plan, discover, plan, read};
use taffrail_model::observed::{Observed, Outcome};
use taffrail_store::{Applied, IndexReader, SourceRow, Writer};

/// Pieces waiting for the writer.
const QUEUE: usize = 4;
/// A batch is closed after so many changes or so long.
const BATCH_CHANGES: u64 = 16_384;
const BATCH_TIME: Duration = Duration::from_millis(250);
/// Threads that read; the writer is another.
const READERS: usize = 2;
/// A source that holds what another lost is read again at once, so often.
const ROUNDS: usize = 3;

/// How long a run may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Budget {
    /// Until everything is read.
    Whole,
    /// Until this instant.
    Until(Instant),
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

/// Brings the index up to what is on disk.
///
/// # Errors
/// When another program writes, or our own files fail. A source that fails stops nothing else.
pub fn index(
    settings: &Settings,
    scope: &Scope,
    budget: Budget,
    progress: &mut dyn FnMut(Progress),
) -> Result<Indexed, DaemonError> {
    let mut writer = Writer::open(&settings.data, settings.boot())?;
    run(settings, &mut writer, (scope, budget), progress)
}

/// Throws the index away and makes it anew from the sources.
///
/// # Errors
/// As `index`.
pub fn rebuild(
    settings: &Settings,
    progress: &mut dyn FnMut(Progress),
) -> Result<Indexed, DaemonError> {
    let mut writer = Writer::open(&settings.data, settings.boot())?;
    writer.reset()?;
    run(settings, &mut writer, (&Scope::All, Budget::Whole), progress)
}

fn run(
    settings: &Settings,
    writer: &mut Writer,
    what: (&Scope, Budget),
    progress: &mut dyn FnMut(Progress),
) -> Result<Indexed, DaemonError> {
    let began = Instant::now();
    writer.leave_out(settings.left_out());
    let mut total = Totals::default();
    for _ in 0..ROUNDS {
        let round = one_round(settings, writer, what, &mut total, progress)?;
        if round == Round::Done {
            break;
        }
    }
    writer.finish((settings.now)())?;
    let sessions = match IndexReader::open(&settings.data)? {
        Some(reader) => reader.count_sessions()?.0,
        None => 0,
    };
    let report = IndexReport {
        schema_version: SCHEMA_VERSION,
        sources: total.sources,
        bytes_read: total.outcome.bytes_read,
        records: total.outcome.records,
        unknown_records: total.outcome.unknown_records,
        events: total.changes,
        sessions,
        elapsed_ms: u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX),
    };
    Ok(Indexed { report, problems: total.problems, complete: total.complete })
}

#[derive(Debug, Default)]
struct Totals {
    sources: u64,
    outcome: Outcome,
    changes: u64,
    problems: Vec<String>,
    complete: bool,
}

#[derive(Debug, PartialEq, Eq)]
enum Round {
    Done,
    /// A source must be read again because another lost something.
    Again,
}

fn one_round(
    settings: &Settings,
    writer: &mut Writer,
    (scope, budget): (&Scope, Budget),
    total: &mut Totals,
    progress: &mut dyn FnMut(Progress),
) -> Result<Round, DaemonError> {
    let mut plan = planned(discover(&settings.homes()), writer.sources()?, scope);
    total.sources = plan.sources as u64;
    if plan.jobs.is_empty() && plan.vanished.is_empty() && plan.returned.is_empty() {
        total.complete = true;
        return Ok(Round::Done);
    }
    writer.begin_round();
    settle_places(settings, writer, &plan)?;
    remember(writer, &mut plan)?;
    let device = writer.device()?;
    let scope_of = |job: &Job| scope_text(device.as_str(), job);
    let pool = Pool::new(&plan.jobs, budget);
    let mut writing = Writing { settings, writer, pool: &pool, total, of_bytes: plan.bytes() };
    std::thread::scope(|threads| {
        let (send, pieces) = sync_channel(QUEUE);
        for _ in 0..READERS {
            let send = send.clone();
            let pool = &pool;
            threads.spawn(move || pool.read_all(&scope_of, &send));
        }
        drop(send);
        writing.take_all(&pieces, progress)
    })?;
    total.complete = !pool.stopped.load(Ordering::Relaxed);
    Ok(if total.complete && writer.wants_another_round()? { Round::Again } else { Round::Done })
}

/// The plan of what is on disk against what is known, within a scope.
pub(crate) fn planned(discovery: Discovery, known: Vec<SourceRow>, scope: &Scope) -> Plan {
    let known: Vec<Known> = known.into_iter().map(known_of).collect();
    let mut plan = plan(discovery, &known);
    if let Scope::Sources(wanted) = scope {
        plan.jobs.retain(|job| wanted.contains(&(job.found.home.clone(), job.found.path.clone())));
    }
    plan
}

fn known_of(row: SourceRow) -> Known {
    Known { id: row.id, state: row.state, present: row.present, half_read: row.half_read }
}

fn settle_places(settings: &Settings, writer: &mut Writer, plan: &Plan) -> Result<(), DaemonError> {
    writer.begin()?;
    writer.vanish(&plan.vanished)?;
    writer.restore(&plan.returned)?;
    for job in &plan.jobs {
        if let Some(id) = job.moved {
            let found = &job.found;
            writer.relocate(id, (&found.home, &found.path, &found.place.locator))?;
        }
    }
    writer.commit((settings.now)())?;
    Ok(())
}

/// Gives each reader that goes on what it remembered.
fn remember(writer: &Writer, plan: &mut Plan) -> Result<(), DaemonError> {
    for job in &mut plan.jobs {
        if let (Some(known), Some(id)) = (&mut job.known, job.known_id) {
            known.reader = writer.memory(id)?;
        }
    }
    Ok(())
}

fn scope_text(device: &str, job: &Job) -> String {
    if job.found.adapter.descriptor().scoped_ids {
        format!("{device}:{}/{}", job.found.home, job.found.path)
    } else {
        String::new()
    }
}

/// What the reading threads and the writer share.
struct Pool<'a> {
    jobs: &'a [Job],
    next: AtomicUsize,
    budget: Budget,
    stopped: AtomicBool,
}

enum Message {
    Piece(Box<Observed>),
    Problem(String),
}

impl<'a> Pool<'a> {
    fn new(jobs: &'a [Job], budget: Budget) -> Self {
        Self { jobs, next: AtomicUsize::new(0), budget, stopped: AtomicBool::new(false) }
    }

    fn read_all(&self, scope_of: &(dyn Fn(&Job) -> String + Sync), send: &SyncSender<Message>) {
        while !self.is_over() {
            let Some(job) = self.jobs.get(self.next.fetch_add(1, Ordering::Relaxed)) else {
                return;
            };
            let mut give = |piece: Observed| self.give(send, Message::Piece(Box::new(piece)));
            if let Err(error) = read(job, &scope_of(job), &mut give) {
                self.give(send, Message::Problem(error.to_string()));
            }
        }
    }

    fn give(&self, send: &SyncSender<Message>, message: Message) -> Flow {
        // The writer hangs up when it fails; there is no one to tell.
        if send.send(message).is_err() || self.is_over() { Flow::Stop } else { Flow::Continue }
    }

    fn is_over(&self) -> bool {
        let late = match self.budget {
            Budget::Whole => false,
            Budget::Until(end) => Instant::now() >= end,
        };
        if late {
            self.stopped.store(true, Ordering::Relaxed);
        }
        self.stopped.load(Ordering::Relaxed)
    }
}

/// The writer's side of a run.
struct Writing<'a> {
    settings: &'a Settings,
    writer: &'a mut Writer,
    pool: &'a Pool<'a>,
    total: &'a mut Totals,
    of_bytes: u64,
}

impl Writing<'_> {
    fn take_all(
        &mut self,
        pieces: &Receiver<Message>,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<(), DaemonError> {
        let mut batch = 0;
        let mut began = Instant::now();
        self.writer.begin()?;
        for message in pieces {
            batch += self.take(message)?;
            if batch >= BATCH_CHANGES || began.elapsed() >= BATCH_TIME {
                self.writer.commit((self.settings.now)())?;
                progress(Progress {
                    bytes: self.total.outcome.bytes_read,
                    of_bytes: self.of_bytes,
                });
                if self.writer.is_wanted() {
                    self.pool.stopped.store(true, Ordering::Relaxed);
                }
                self.writer.begin()?;
                (batch, began) = (0, Instant::now());
            }
        }
        self.writer.commit((self.settings.now)())?;
        progress(Progress { bytes: self.total.outcome.bytes_read, of_bytes: self.of_bytes });
        Ok(())
    }

    fn take(&mut self, message: Message) -> Result<u64, DaemonError> {
        let mut piece = match message {
            Message::Piece(piece) => piece,
            Message::Problem(problem) => {
                self.total.problems.push(problem);
                return Ok(0);
            }
        };
        if self.is_excluded(&piece) {
            forget(&mut piece);
        }
        let Applied { changes, outcome } = self.writer.append(&piece, (self.settings.now)())?;
        self.total.changes += changes;
        self.total.outcome = self.total.outcome.plus(outcome);
        Ok(changes + 1)
    }

    fn is_excluded(&self, piece: &Observed) -> bool {
        let projects = piece.sessions.iter().filter_map(|(_, facts)| facts.project_path.as_deref());
        let left_out = self.settings.left_out();
        projects.into_iter().any(|project| left_out.holds(project))
    }
}

/// Keeps the cursor and nothing of what was said.
fn forget(piece: &mut Observed) {
    piece.sessions.clear();
    piece.events.clear();
    piece.removed.clear();
    piece.removed_turns.clear();
    piece.usage.clear();
}
