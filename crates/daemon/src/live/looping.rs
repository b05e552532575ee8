//! The loop: wakes, writes, tells.

use super::board::Board;
use super::eye::Eye;
use super::finishing::{self, Ask};
use super::handle::Handle;
use super::pace::pause;
use super::probe::Probe;
use super::searchable::Searchable;
use super::tickets::Load;
use super::wake::{Alone, Errand, EyeNumber, Looked, Places, Settling, Wake};
use crate::findings::Monitor;
use crate::indexing::{Budget, Scope, run};
use crate::keeping::Rules;
use crate::rounds::{Run, Totals};
use crate::searching::{Bring, Searching};
use crate::{DaemonError, Settings};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, Instant};
use taffrail_api::Glance;
use taffrail_capture::{lives, make_spool};
use taffrail_model::DeviceId;
use taffrail_model::journal::Loss;
use taffrail_store::{IndexReader, StoreError, Writer};
use tokio::sync::oneshot;

/// A batch takes no more after so many changes, or so long.
const BATCH_CHANGES: u64 = 4096;
const BATCH_TIME: Duration = Duration::from_millis(100);
/// New homes are looked for so often.
pub(super) const HOMES_TIME: Duration = Duration::from_secs(2);

/// Whether the loop goes on.
#[derive(Debug, PartialEq, Eq)]
enum Go {
    On,
    Away,
}

/// What was written and is not committed.
#[derive(Default)]
struct Batch {
    is_open: bool,
    changes: u64,
    /// What was taken from each eye.
    taken: BTreeMap<EyeNumber, Load>,
    /// Asked for meanwhile; done when the batch is closed.
    later: Vec<Wake>,
}

/// The one writer and all it needs.
pub(crate) struct Loop {
    pub(super) settings: Arc<Settings>,
    pub(super) handle: Handle,
    wakes: Receiver<Wake>,
    pub(super) to_self: Sender<Wake>,
    writer: Option<Writer>,
    pub(super) device: DeviceId,
    pub(super) index: Option<IndexReader>,
    pub(super) rules: Arc<RwLock<Arc<Rules>>>,
    pub(super) eyes: Vec<Eye>,
    pub(super) board: Board,
    pub(super) monitor: Monitor,
    pub(super) probe: Probe,
    search: Searching,
    pub(super) searchable: Searchable,
    settling: Vec<Settling>,
    settlings: u64,
    pub(super) next_homes: Instant,
    /// Where the file for status bars is kept, and what it says.
    pub(super) state: Option<PathBuf>,
    pub(super) glanced: Option<Glance>,
    /// Something stands differently since that was written.
    pub(super) stands_new: bool,
    /// Who makes final summaries.
    pub(super) finals: Sender<Ask>,
}

impl Loop {
    /// Takes the writer's lock, brings the index up, and opens the eyes.
    pub(crate) fn open(
        settings: Settings,
        (handle, state): (Handle, Option<PathBuf>),
        (to_self, wakes): (Sender<Wake>, Receiver<Wake>),
    ) -> Result<Self, DaemonError> {
        let settings = Arc::new(settings);
        let mut writer = Writer::wait(&settings.data, settings.boot())?;
        make_spool(&settings.data).map_err(StoreError::from)?;
        writer.detach_all()?;
        let whole = (&Scope::All, Budget::Whole, Bring::WhenDue);
        run(&settings, &mut writer, whole, &mut |_| {})?;
        writer.fold_beside()?;
        let rules = Arc::new(Rules::of(&settings, &writer)?);
        let search = Searching::begin(&settings, &writer, Bring::Never, 0)?;
        let probe = Probe::new(&to_self, settings.runtime.clone());
        let finals = finishing::open(handle.clone(), to_self.clone());
        let mut it = Self {
            settings,
            handle,
            wakes,
            to_self,
            device: writer.device()?,
            writer: Some(writer),
            index: None,
            rules: Arc::new(RwLock::new(rules)),
            eyes: Vec::new(),
            board: Board::default(),
            monitor: Monitor::default(),
            probe,
            search,
            searchable: Searchable::default(),
            settling: Vec::new(),
            settlings: 0,
            next_homes: Instant::now(),
            state,
            glanced: None,
            stands_new: true,
            finals,
        };
        it.look_up()?;
        it.open_eyes()?;
        Ok(it)
    }

    /// Works until it is told to stop; then everything written is settled.
    pub(crate) fn work(mut self) -> Result<(), DaemonError> {
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

    /// How long nothing is due.
    fn rest(&self) -> Duration {
        let now = Instant::now();
        let mut rest = self.next_homes.saturating_duration_since(now);
        if let Some(due) = self.searchable.due() {
            rest = rest.min(due.saturating_duration_since(now));
        }
        if let Some(at) = self.board.next().into_iter().chain(self.monitor.next()).min() {
            let left = at.as_millisecond() - (self.settings.now)().as_millisecond();
            rest = rest.min(Duration::from_millis(u64::try_from(left + 1).unwrap_or(0)));
        }
        rest
    }

    fn pass_time(&mut self) -> Result<(), DaemonError> {
        let now = (self.settings.now)();
        if self.board.next().is_some_and(|at| at <= now) {
            let changed = self.board.pass(&self.handle, now);
            self.tell_statuses(&changed)?;
        }
        self.pass_findings();
        self.bring_search_up()?;
        if Instant::now() >= self.next_homes {
            self.open_eyes()?;
        }
        Ok(())
    }

    /// Writes what came, and what else waits by then, in one batch.
    fn batch(&mut self, first: Wake) -> Result<Go, DaemonError> {
        let began = Instant::now();
        let mut batch = Batch::default();
        self.take(first, &mut batch)?;
        while batch.changes < BATCH_CHANGES && began.elapsed() < BATCH_TIME {
            let Ok(wake) = self.wakes.try_recv() else { break };
            self.take(wake, &mut batch)?;
        }
        let Batch { is_open, taken, later, .. } = batch;
        if is_open {
            self.commit()?;
            for (number, load) in taken {
                if let Some(eye) = self.eyes.get(number) {
                    eye.tickets.give(load);
                }
            }
        }
        for wake in later {
            if self.act(wake)? == Go::Away {
                return Ok(Go::Away);
            }
        }
        if is_open {
            // A flood is written in larger batches; what comes alone is written at once.
            std::thread::sleep(pause(began.elapsed()));
        }
        Ok(Go::On)
    }

    fn take(&mut self, wake: Wake, batch: &mut Batch) -> Result<(), DaemonError> {
        match wake {
            Wake::Piece(eye, mut piece) => {
                self.begin(batch, (eye, Load::one(piece.outcome.bytes_read)))?;
                batch.changes += self.run(|run| run.take_piece(&mut piece))?;
                self.searchable.lacks(piece.outcome.bytes_read);
            }
            Wake::Places(eye, places) => {
                self.begin(batch, (eye, Load::one(0)))?;
                self.settle_places(&places)?;
            }
            later => batch.later.push(later),
        }
        Ok(())
    }

    fn begin(
        &mut self,
        batch: &mut Batch,
        (eye, load): (EyeNumber, Load),
    ) -> Result<(), DaemonError> {
        let taken = batch.taken.entry(eye).or_default();
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
        let Some(writer) = &mut self.writer else { return Err(DaemonError::Ending) };
        what(&mut Run {
            settings: &self.settings,
            writer,
            search: &self.search,
            rules: &rules,
            total: &mut total,
        })
    }

    pub(super) fn writer(&mut self) -> Result<&mut Writer, DaemonError> {
        self.writer.as_mut().ok_or(DaemonError::Ending)
    }

    fn settle_places(&mut self, places: &Places) -> Result<(), DaemonError> {
        let writer = self.writer()?;
        writer.vanish(&places.vanished)?;
        writer.restore(&places.returned)?;
        for (id, home, path, locator) in &places.moved {
            writer.relocate(*id, (home, path, locator))?;
        }
        Ok(())
    }

    fn commit(&mut self) -> Result<(), DaemonError> {
        let now = (self.settings.now)();
        let writer = self.writer()?;
        let touched = writer.commit(now)?;
        writer.take_changed();
        if writer.wants_another_round()? {
            // An eye that is gone cannot look.
            self.eyes.iter().for_each(|eye| eye.errands.send(Errand::Whole).unwrap_or_default());
        }
        for touched in touched {
            self.publish(touched)?;
        }
        Ok(())
    }

    fn act(&mut self, wake: Wake) -> Result<Go, DaemonError> {
        match wake {
            Wake::Looked(eye, looked) => self.looked(eye, &looked),
            Wake::Died(pid) => {
                for process in self.probe.died(pid) {
                    self.note_loss(process, Loss::Died, None)?;
                }
                self.look_again_at(pid, None)?;
            }
            Wake::Executor(pid, executor) => {
                if self.probe.found(pid, executor.clone()) {
                    self.look_again_at(pid, executor.as_deref())?;
                }
            }
            Wake::Settle(done) => self.settle(done),
            Wake::Search(done) => self.ask_search(done)?,
            Wake::Searched(how) => self.searched(how)?,
            Wake::Alone(what) => self.alone(what)?,
            Wake::Heard(device, sessions) => self.heard(&device, &sessions)?,
            Wake::Finals(finals) => self.keep_finals(&finals)?,
            Wake::Stop => return Ok(Go::Away),
            // Taken before a batch is closed.
            Wake::Piece(..) | Wake::Places(..) => {}
        }
        Ok(Go::On)
    }

    fn looked(&mut self, eye: EyeNumber, looked: &Looked) {
        self.handle.note_look(eye, looked);
        let Some(number) = looked.settled else { return };
        for settling in self.settling.iter_mut().filter(|it| it.number <= number) {
            settling.eyes.retain(|it| *it != eye);
        }
        let done = |it: &mut Settling| it.eyes.is_empty();
        for settling in self.settling.extract_if(.., done) {
            settling.done.send(()).ok();
        }
    }

    fn settle(&mut self, done: oneshot::Sender<()>) {
        self.settlings += 1;
        let number = self.settlings;
        let eyes = self.eyes.iter().enumerate();
        let eyes = eyes.filter(|(_, eye)| eye.errands.send(Errand::Settle(number)).is_ok());
        let eyes = eyes.map(|(number, _)| number).collect();
        self.settling.push(Settling { number, eyes, done });
    }

    /// Gives the writer up while something else has it.
    fn alone(&mut self, what: Alone) -> Result<(), DaemonError> {
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
        let rules = Arc::new(Rules::of(&self.settings, &writer)?);
        *self.rules.write().unwrap_or_else(PoisonError::into_inner) = rules;
        self.device = writer.device()?;
        self.writer = Some(writer);
        self.look_up()
    }

    /// Reads from the index how everything stands.
    fn look_up(&mut self) -> Result<(), DaemonError> {
        self.index = IndexReader::open(&self.settings.data)?;
        if let Some(index) = &self.index {
            self.board = Board::load(&self.settings, index, &self.handle)?;
            self.handle.keep_only(|it| self.board.row(it).is_some());
            self.probe.watch(self.board.processes().filter(|it| lives(*it)));
            // Without the thread they are made when they are asked for.
            self.finals.send(Ask::All).ok();
        }
        self.executors_again()?;
        self.watch()?;
        self.handle.notices().looked_up();
        self.handle.between().looked_up();
        Ok(())
    }
}
