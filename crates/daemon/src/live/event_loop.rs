//! The loop: wakes, writes, publishes.

use super::at_reset::Stops;
use super::conclusions::Conclusions;
use super::final_summaries::{self, Ask};
use super::first_pass::FirstPass;
use super::handle::Handle;
use super::loop_message::{LoopMessage, Settling};
use super::probe::Probe;
use super::search_upkeep::Searchable;
use super::watchers::make_folders;
use crate::DaemonError;
use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, Instant};
use taffrail_api::{Session, StatusFile};
use taffrail_capture::lives;
use taffrail_context::{Error, Exclusive, LoopRequest, ScanReport, Settings, WatcherNumber};
use taffrail_ingest::CapturePolicy;
use taffrail_ingest::watcher::{
    Load, SourceMoves, SourceWatcher, WatcherCommand, WatcherMessage, pause,
};
use taffrail_ingest::{Bring, SearchSync};
use taffrail_ingest::{Run, Totals};
use taffrail_model::journal::Loss;
use taffrail_model::{DeviceId, SessionId};
use taffrail_query::board::Board;
use taffrail_query::findings::Monitor;
use taffrail_store::{IndexReader, StoreError, Writer};
use tokio::sync::oneshot;

/// A batch is closed after this many changes, or this time.
const BATCH_CHANGES: u64 = 4096;
const BATCH_TIME: Duration = Duration::from_millis(100);
/// How often new homes are looked for.
pub(super) const HOMES_TIME: Duration = Duration::from_secs(2);

/// Whether the loop continues.
#[derive(Debug, PartialEq, Eq)]
enum Go {
    On,
    Away,
}

/// Changes that were written and not committed.
#[derive(Default)]
struct Batch {
    is_open: bool,
    changes: u64,
    /// The load taken from each watcher.
    taken: BTreeMap<WatcherNumber, Load>,
    /// Messages that arrived in the meantime; handled when the batch is closed.
    later: Vec<LoopMessage>,
}

/// The single writer and everything it needs.
pub(super) struct Loop {
    pub(super) settings: Arc<Settings>,
    pub(super) handle: Handle,
    wakes: Receiver<LoopMessage>,
    pub(super) to_self: Sender<LoopMessage>,
    writer: Option<Writer>,
    pub(super) device: DeviceId,
    pub(super) index: Option<IndexReader>,
    pub(super) rules: Arc<RwLock<Arc<CapturePolicy>>>,
    pub(super) watchers: Vec<SourceWatcher>,
    pub(super) board: Board,
    pub(super) monitor: Monitor,
    /// The stops at a limit that were answered.
    pub(super) stops: Stops,
    /// What was concluded so far; `None` until the first statuses are known.
    pub(super) conclusions: Option<Conclusions>,
    /// The row last published of each session.
    pub(super) published: HashMap<SessionId, Session>,
    pub(super) probe: Probe,
    search: SearchSync,
    pub(super) searchable: Searchable,
    settling: Vec<Settling>,
    settlings: u64,
    pub(super) next_homes: Instant,
    /// When projects were last looked into for agents' histories, and whether sessions changed since.
    pub(super) projects: (Option<Instant>, bool),
    /// The folder of the status-bar file, and its last content.
    pub(super) state: Option<PathBuf>,
    pub(super) glanced: Option<StatusFile>,
    /// A status changed since the file was written.
    pub(super) stands_new: bool,
    /// The channel to the thread that makes final summaries.
    pub(super) finals: Sender<Ask>,
}

impl Loop {
    /// Takes the writer's lock, updates the index, and starts the watchers.
    pub(super) fn open(
        settings: Settings,
        (handle, state): (Handle, Option<PathBuf>),
        (to_self, wakes): (Sender<LoopMessage>, Receiver<LoopMessage>),
    ) -> Result<Self, DaemonError> {
        let settings = Arc::new(settings);
        let mut writer = Writer::wait(&settings.data, settings.boot())?;
        make_folders(&settings.data).map_err(StoreError::from)?;
        writer.detach_all()?;
        FirstPass::new(&settings, &handle).run(&mut writer)?;
        writer.fold_beside()?;
        let rules = Arc::new(CapturePolicy::of(&settings, &writer)?);
        let search = SearchSync::begin(&settings, &writer, Bring::Never, 0)?;
        let probe = Probe::new(&to_self, settings.clone());
        let finals = final_summaries::open(handle.clone(), to_self.clone());
        let board = handle.board();
        let mut it = Self {
            settings,
            handle,
            wakes,
            to_self,
            device: writer.device()?,
            writer: Some(writer),
            index: None,
            rules: Arc::new(RwLock::new(rules)),
            watchers: Vec::new(),
            board,
            monitor: Monitor::default(),
            stops: Stops::default(),
            conclusions: None,
            published: HashMap::new(),
            probe,
            search,
            searchable: Searchable::default(),
            settling: Vec::new(),
            settlings: 0,
            next_homes: Instant::now(),
            projects: (None, false),
            state,
            glanced: None,
            stands_new: true,
            finals,
        };
        it.look_up()?;
        // Earlier subscribers may have received incomplete statuses.
        let all: Vec<_> = it.handle.live().statuses().into_keys().collect();
        it.tell_statuses(&all)?;
        it.start_watchers()?;
        it.keep_glance()?;
        it.handle.live().set_progress(None);
        it.conclusions = Some(Conclusions::default());
        Ok(it)
    }

    /// Works until it is stopped; then commits everything written.
    pub(super) fn work(mut self) -> Result<(), DaemonError> {
        loop {
            let went = match self.wakes.recv_timeout(self.rest()) {
                Ok(wake) => self.batch(wake)?,
                Err(RecvTimeoutError::Timeout) => Go::On,
                Err(RecvTimeoutError::Disconnected) => Go::Away,
            };
            if went == Go::Away {
                break;
            }
            self.pass_time()?;
            self.keep_glance()?;
        }
        self.searchable.rest();
        let now = (self.settings.now)();
        match &mut self.writer {
            Some(writer) => Ok(writer.finish(now)?),
            None => Ok(()),
        }
    }

    fn pass_time(&mut self) -> Result<(), DaemonError> {
        let now = (self.settings.now)();
        if self.board.next().is_some_and(|at| at <= now) {
            let changed = self.board.pass(now);
            self.tell_statuses(&changed)?;
        }
        self.pass_findings();
        self.bring_search_up()?;
        if Instant::now() >= self.next_homes {
            self.start_watchers()?;
        }
        Ok(())
    }

    /// Writes a message, and everything else that waits by then, in one batch.
    fn batch(&mut self, first: LoopMessage) -> Result<Go, DaemonError> {
        let began = Instant::now();
        let mut batch = Batch::default();
        self.take(first, &mut batch)?;
        while batch.changes < BATCH_CHANGES && began.elapsed() < BATCH_TIME {
            let Ok(wake) = self.wakes.try_recv() else { break };
            self.take(wake, &mut batch)?;
        }
        let Batch { is_open, taken, later, changes } = batch;
        if is_open {
            let sessions = self.commit()?;
            let ms = began.elapsed().as_millis();
            tracing::debug!(sessions, changes, ms, "a batch was written");
            for (number, load) in taken {
                if let Some(watcher) = self.watchers.get(number) {
                    watcher.tickets.give(load);
                }
            }
        }
        for wake in later {
            if self.act(wake)? == Go::Away {
                return Ok(Go::Away);
            }
        }
        if is_open {
            // A flood is written in larger batches; a single change is written at once.
            std::thread::sleep(pause(began.elapsed()));
        }
        Ok(Go::On)
    }

    fn take(&mut self, wake: LoopMessage, batch: &mut Batch) -> Result<(), DaemonError> {
        match wake {
            LoopMessage::Watcher(WatcherMessage::Piece(watcher, mut piece)) => {
                self.begin(batch, (watcher, Load::one(piece.outcome.bytes_read)))?;
                batch.changes += self.run(|run| Ok(run.take_piece(&mut piece)?))?;
                self.searchable.lacks(piece.outcome.bytes_read);
            }
            LoopMessage::Watcher(WatcherMessage::Moves(watcher, places)) => {
                self.begin(batch, (watcher, Load::one(0)))?;
                self.settle_places(&places)?;
            }
            later => batch.later.push(later),
        }
        Ok(())
    }

    fn begin(
        &mut self,
        batch: &mut Batch,
        (watcher, load): (WatcherNumber, Load),
    ) -> Result<(), DaemonError> {
        let taken = batch.taken.entry(watcher).or_default();
        *taken = taken.plus(load);
        if !batch.is_open {
            self.writer()?.begin()?;
            batch.is_open = true;
        }
        Ok(())
    }

    fn run<T>(
        &mut self,
        what: impl FnOnce(&mut Run<'_>) -> Result<T, DaemonError>,
    ) -> Result<T, DaemonError> {
        let rules = self.rules.read().unwrap_or_else(PoisonError::into_inner).clone();
        let mut total = Totals::default();
        let Some(writer) = &mut self.writer else { return Err(Error::Ending.into()) };
        what(&mut Run {
            settings: &self.settings,
            writer,
            search: &self.search,
            rules: &rules,
            total: &mut total,
        })
    }

    pub(super) fn writer(&mut self) -> Result<&mut Writer, DaemonError> {
        self.writer.as_mut().ok_or_else(|| Error::Ending.into())
    }

    fn settle_places(&mut self, places: &SourceMoves) -> Result<(), DaemonError> {
        let writer = self.writer()?;
        writer.vanish(&places.vanished)?;
        writer.restore(&places.returned)?;
        for (id, home, path, locator) in &places.moved {
            writer.relocate(*id, (home, path, locator))?;
        }
        Ok(())
    }

    /// Commits the batch and publishes it; returns how many sessions it changed.
    fn commit(&mut self) -> Result<usize, DaemonError> {
        let now = (self.settings.now)();
        let writer = self.writer()?;
        let touched = writer.commit(now)?;
        writer.take_changed();
        if writer.wants_another_round() {
            // A watcher that ended cannot scan.
            self.watchers.iter().for_each(|watcher| {
                watcher.commands.send(WatcherCommand::Whole).unwrap_or_default();
            });
        }
        let sessions = touched.len();
        self.projects.1 |= sessions > 0;
        for touched in touched {
            self.publish(touched)?;
        }
        Ok(sessions)
    }

    fn act(&mut self, wake: LoopMessage) -> Result<Go, DaemonError> {
        match wake {
            LoopMessage::Watcher(WatcherMessage::Report(watcher, looked)) => {
                self.looked(watcher, &looked);
            }
            LoopMessage::Died(pid) => {
                for process in self.probe.died(pid) {
                    self.note_loss(process, Loss::Died, None)?;
                }
                self.look_again_at(pid, None)?;
            }
            LoopMessage::Executor(pid, found) => {
                let executor = found.executor.clone();
                if self.probe.found(pid, found) {
                    self.look_again_at(pid, executor.as_deref())?;
                }
            }
            LoopMessage::Request(request) => return self.answer(request),
            LoopMessage::Searched(how) => self.searched(how)?,
            LoopMessage::Finals(finals) => self.keep_finals(&finals)?,
            // Handled before a batch is closed.
            LoopMessage::Watcher(WatcherMessage::Piece(..) | WatcherMessage::Moves(..)) => {}
        }
        Ok(Go::On)
    }

    fn answer(&mut self, request: LoopRequest) -> Result<Go, DaemonError> {
        match request {
            LoopRequest::Settle(done) => self.settle(done),
            LoopRequest::Search(done) => self.ask_search(done)?,
            LoopRequest::RemoteStatus(device, sessions) => self.heard(&device, &sessions)?,
            LoopRequest::Exclusive(work) => self.alone(work)?,
            LoopRequest::Stop => return Ok(Go::Away),
        }
        Ok(Go::On)
    }

    fn looked(&mut self, watcher: WatcherNumber, looked: &ScanReport) {
        self.handle.live().note_scan(watcher, looked);
        let Some(number) = looked.settled else { return };
        for settling in self.settling.iter_mut().filter(|it| it.number <= number) {
            settling.watchers.retain(|it| *it != watcher);
        }
        let done = |it: &mut Settling| it.watchers.is_empty();
        for settling in self.settling.extract_if(.., done) {
            // The requester may have gone away.
            settling.done.send(()).ok();
        }
    }

    fn settle(&mut self, done: oneshot::Sender<()>) {
        self.settlings += 1;
        let number = self.settlings;
        let watchers = self.watchers.iter().enumerate();
        let watchers = watchers
            .filter(|(_, watcher)| watcher.commands.send(WatcherCommand::Settle(number)).is_ok());
        let watchers = watchers.map(|(number, _)| number).collect();
        self.settling.push(Settling { number, watchers, done });
    }

    /// Releases the writer while other work has exclusive access.
    fn alone(&mut self, what: Exclusive) -> Result<(), DaemonError> {
        let now = (self.settings.now)();
        self.searchable.rest();
        if let Some(mut writer) = self.writer.take() {
            writer.finish(now)?;
        }
        self.index = None;
        what(&self.settings);
        let mut writer = Writer::wait(&self.settings.data, self.settings.boot())?;
        writer.fold_beside()?;
        writer.bind_due(now)?;
        let rules = Arc::new(CapturePolicy::of(&self.settings, &writer)?);
        *self.rules.write().unwrap_or_else(PoisonError::into_inner) = rules;
        self.device = writer.device()?;
        self.writer = Some(writer);
        self.look_up()
    }

    /// Loads the status of everything from the index.
    fn look_up(&mut self) -> Result<(), DaemonError> {
        self.index = IndexReader::open(&self.settings.data)?;
        if let Some(index) = &self.index {
            self.board = Board::load(self.handle.live().clone(), self.handle.is_held(), index)?;
            self.handle.live().retain_statuses(|it| self.board.row(it).is_some());
            self.handle.live().set_complete(true);
            self.probe.watch(self.board.processes().filter(|it| lives(*it)));
            // Without the thread they are made on request.
            self.finals.send(Ask::All).ok();
        }
        self.executors_again()?;
        self.watch()?;
        self.handle.notices().looked_up();
        self.handle.exchange().state().looked_up();
        Ok(())
    }
}
