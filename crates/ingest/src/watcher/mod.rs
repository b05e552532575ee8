//! One watcher for each place with sources: it receives change notifications, scans, and hands over
//! what it reads.
//!
//! Each watcher has its own thread, so that a dead mount or a huge line stops nothing else. A
//! watcher reads the index for the known sources and never writes to it.

mod command;
mod databases;
mod file_stat;
mod message;
mod own_folders;
mod pace;
mod poll;
mod read_plan;
mod registry;
mod tickets;
mod walk;
mod watch;

pub use command::WatcherCommand;
pub use message::{SourceMoves, ToLoop, WatcherMessage};
pub use pace::pause;
pub use tickets::{Load, Tickets};
pub use watch::WATCHES;

use crate::copier::CapturePolicy;
use crate::planned::known_of;
use databases::Databases;
use file_stat::FileStat;
use own_folders::OwnFolders;
use pace::{POLL, until_whole};
use registry::Registries;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, Instant};
use taffrail_capture::{
    Confined, Discovery, Home, KnownSource, LeftOut, Named, confine, discover, discover_at,
    gather_journal, keep_journal, plan,
};
use taffrail_context::{Error, Settings};
use taffrail_context::{ScanReport, WatcherCounters, WatcherHealth, WatcherNumber};
use taffrail_model::RuntimeIdentity;
use taffrail_store::IndexReader;
use taffrail_store::archive::Packer;
use walk::{Walked, folders_of, known_in, registry_of, walk};
use watch::{Touches, Watch};

/// The longest wait for a walk over everything.
const WALK: Duration = Duration::from_secs(60);

/// The most problems of a watcher that are logged.
const LOGGED: usize = 100;

/// The configuration of a watcher.
#[derive(Clone)]
pub struct WatcherConfig {
    pub settings: Arc<Settings>,
    pub rules: Arc<RwLock<Arc<CapturePolicy>>>,
    pub device: String,
    /// Sends a message to the loop; a loop that ended accepts none.
    pub send: ToLoop,
    /// Our own state folder.
    pub state: Option<PathBuf>,
    /// The number of folders it may watch.
    pub budget: usize,
}

/// A watcher as the loop sees it.
pub struct SourceWatcher {
    pub root: PathBuf,
    pub commands: Sender<WatcherCommand>,
    pub tickets: Arc<Tickets>,
    pub agents: Vec<String>,
    pub counts: Arc<WatcherCounters>,
}

impl SourceWatcher {
    /// The health of the watcher before its first scan.
    #[must_use]
    pub fn health(&self) -> WatcherHealth {
        let (root, agents) = (self.root.clone(), self.agents.clone());
        WatcherHealth { root, agents, counters: self.counts.clone(), ..WatcherHealth::default() }
    }
}

/// Starts a watcher of homes that share a root.
pub fn open(
    number: WatcherNumber,
    homes: Vec<Home>,
    given: WatcherConfig,
) -> Result<SourceWatcher, Error> {
    let (commands, to_do) = channel();
    let (touches, tickets) = (Arc::new(Touches::default()), Arc::new(Tickets::default()));
    let counts = Arc::new(WatcherCounters::default());
    let own = OwnFolders::new(&given.settings, given.state.as_deref(), &homes);
    let heard = (touches.clone(), counts.clone());
    let watch = Watch::new(commands.clone(), heard, (own, given.budget));
    let root = homes.first().map(|home| home.root.clone()).unwrap_or_default();
    let owners = homes.iter().filter(|it| !it.adapter.is_remote());
    let agents = owners.map(|it| it.adapter.descriptor().id.to_owned()).collect();
    let looker = Scanner {
        number,
        homes,
        given,
        touches,
        tickets: tickets.clone(),
        watch,
        registries: Registries::default(),
        index: None,
        packer: Packer::new()?,
        recent: HashMap::new(),
        databases: Databases::default(),
        pause: Duration::ZERO,
        next_whole: Instant::now(),
        counts: counts.clone(),
        changed: None,
        commands: commands.clone(),
        is_walking: false,
        logged: HashSet::new(),
    };
    std::thread::Builder::new()
        .name(format!("watcher {number}"))
        .spawn(move || looker.run(&to_do))
        .map_err(|error| Error::Store(error.into()))?;
    Ok(SourceWatcher { root, commands, tickets, agents, counts })
}

struct Scanner {
    number: WatcherNumber,
    homes: Vec<Home>,
    given: WatcherConfig,
    touches: Arc<Touches>,
    tickets: Arc<Tickets>,
    watch: Watch,
    registries: Registries,
    /// The index with the inode of its file: a new file is opened again.
    index: Option<(u64, IndexReader)>,
    packer: Packer,
    /// Recently changed sources: when they changed, and their stat.
    recent: HashMap<PathBuf, (Instant, Option<FileStat>)>,
    /// Databases that were read a moment ago.
    databases: Databases,
    pause: Duration,
    next_whole: Instant,
    counts: Arc<WatcherCounters>,
    /// The latest modification time among the sources just read, in nanoseconds since 1970.
    changed: Option<i64>,
    commands: Sender<WatcherCommand>,
    /// A walk over everything is running.
    is_walking: bool,
    /// Problems that are in the log.
    logged: HashSet<String>,
}

impl Scanner {
    fn run(mut self, commands: &Receiver<WatcherCommand>) {
        let own = [Some(self.given.settings.data.as_path()), self.given.state.as_deref()];
        let own: Vec<_> = own.into_iter().flatten().collect();
        // Without kernel support, a watcher runs unconfined.
        let confined = confine(&own);
        self.log_open(&confined);
        loop {
            let command = match commands.recv_timeout(self.rest()) {
                Ok(command) => Some(command),
                Err(RecvTimeoutError::Timeout) => None,
                Err(RecvTimeoutError::Disconnected) => return,
            };
            self.move_hooks(true);
            let settled = match command {
                Some(WatcherCommand::Settle(number)) => Some(number),
                _ => None,
            };
            let looked = match command {
                Some(WatcherCommand::Touched) => self.touched(self.touches.take()),
                Some(WatcherCommand::Whole | WatcherCommand::Settle(_)) => self.whole(),
                Some(WatcherCommand::Walked(walked)) => self.walked(*walked),
                None if Instant::now() >= self.next_whole => self.begin_walk(),
                None => self.poll(),
            };
            let looked = looked.unwrap_or_else(|error| ScanReport::failed(&error));
            self.log_problems(&looked.problems);
            self.counts.looked(looked.read, looked.whole);
            if settled.is_some() || !looked.is_nothing() {
                self.send(WatcherMessage::Report(self.number, ScanReport { settled, ..looked }));
            }
            // Everything read so far is written, so nothing is read twice.
            self.tickets.settle();
            self.move_hooks(false);
            self.count_lag();
        }
    }

    /// Records that this scan may take entries from the spool, if this watcher watches the journal.
    fn move_hooks(&self, moves: bool) {
        if self.homes.iter().any(|home| home.journal) {
            self.counts.move_hooks(moves);
        }
    }

    fn log_open(&self, confined: &Confined) {
        let (watcher, root) = (self.number, self.homes.first().map(|it| it.root.display()));
        let watches = self.watch.is_told();
        tracing::info!(watcher, root = root.map(tracing::field::display), watches, %confined, "a watcher was opened");
    }

    /// Logs read problems, each once.
    fn log_problems(&mut self, problems: &[String]) {
        for problem in problems {
            if self.logged.len() < LOGGED && self.logged.insert(problem.clone()) {
                tracing::warn!(watcher = self.number, problem, "a watcher cannot read everything");
            }
        }
    }

    fn count_lag(&mut self) {
        if let Some(changed) = self.changed.take() {
            let now = (self.given.settings.now)().as_millisecond();
            self.counts.wrote(changed / 1_000_000, now);
        }
    }

    fn rest(&self) -> Duration {
        let whole = self.next_whole.saturating_duration_since(Instant::now());
        let poll = if self.recent.is_empty() { whole } else { whole.min(POLL) };
        let due = self.databases.next().map(|it| it.saturating_duration_since(Instant::now()));
        due.map_or(poll, |due| poll.min(due))
    }

    fn send(&self, message: WatcherMessage) {
        (self.given.send)(message);
    }

    fn whole(&mut self) -> Result<ScanReport, Error> {
        self.tend()?;
        let discovery = discover(&self.homes);
        let folders = folders_of(&self.given.settings, &self.homes, &discovery);
        let added: Vec<_> = folders.into_iter().filter(|it| self.watch.add(it)).collect();
        let known = self.known_in_homes()?;
        let looked = self.act(plan(discovery, &known))?;
        // Changes between the scan and the watch were reported by neither.
        self.tickets.settle();
        let late = self.touched(added)?;
        let read = looked.read + late.read;
        self.pace(read > 0, Duration::ZERO);
        let problems = looked.problems.into_iter().chain(late.problems).collect();
        Ok(ScanReport { whole: true, read, problems, ..looked })
    }

    /// Starts a walk over everything on another thread, one at a time.
    fn begin_walk(&mut self) -> Result<ScanReport, Error> {
        self.next_whole = Instant::now() + WALK;
        if self.is_walking {
            return Ok(ScanReport::default());
        }
        let (settings, homes) = (self.given.settings.clone(), self.homes.clone());
        let commands = self.commands.clone();
        let thread = std::thread::Builder::new().name(format!("walk {}", self.number));
        let begun = thread.spawn(move || {
            // A watcher that ended needs no message.
            commands.send(WatcherCommand::Walked(Box::new(walk(&settings, &homes)))).ok();
        });
        self.is_walking = begun
            .inspect_err(|error| tracing::warn!(%error, "cannot start the thread of a walk"))
            .is_ok();
        if self.is_walking { Ok(ScanReport::default()) } else { self.whole() }
    }

    fn walked(&mut self, walked: Walked) -> Result<ScanReport, Error> {
        self.is_walking = false;
        let mut paths = self.tend()?;
        paths.extend(walked.changed);
        paths.extend(walked.folders.into_iter().filter(|it| self.watch.add(it)));
        let looked = self.touched(paths)?;
        self.pace(looked.read > 0, walked.cost);
        let problems = looked.problems.into_iter().chain(walked.problem).collect();
        Ok(ScanReport { whole: true, sources: walked.sources, problems, ..looked })
    }

    /// The work that is due with every scan of everything; returns the journal segments to read.
    fn tend(&mut self) -> Result<Vec<PathBuf>, Error> {
        let gathered = self.gather()?;
        self.keep_journal()?;
        self.look_at_registries(None)?;
        Ok(gathered)
    }

    /// A scan that found something costs nothing here: the pause grows only with fruitless scans.
    fn pace(&mut self, found: bool, cost: Duration) {
        let cost = if found { Duration::ZERO } else { cost };
        self.pause = until_whole(self.pause, found, cost);
        self.next_whole = Instant::now() + self.pause;
    }

    fn touched(&mut self, mut paths: Vec<PathBuf>) -> Result<ScanReport, Error> {
        for path in &paths {
            if path.is_dir() {
                self.watch_below(path);
            } else if !path.exists() {
                self.watch.forget(path);
            }
        }
        self.look_at_registries(Some(&paths))?;
        paths.extend(self.gather()?);
        let (discovery, named) = discover_at(&self.homes, &paths);
        let known = self.known_at(&discovery, named)?;
        self.act(plan(discovery, &known))
    }

    /// Moves the spool into the journal, if this watcher watches the journal.
    fn gather(&self) -> Result<Vec<PathBuf>, Error> {
        if self.homes.iter().any(|home| home.journal) {
            let rules = self.rules();
            let is_left_out = |who: &RuntimeIdentity| rules.uncaptured().has(who);
            let all = rules.uncaptured().is_empty();
            let is_left_out: LeftOut<'_> = if all { None } else { Some(&is_left_out) };
            let gathered =
                gather_journal(&self.given.settings.data, &self.given.device, is_left_out);
            return gathered.map_err(|error| Error::Store(error.into()));
        }
        Ok(Vec::new())
    }

    fn rules(&self) -> Arc<CapturePolicy> {
        self.given.rules.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Compresses past days of the journal, if this watcher watches the journal.
    fn keep_journal(&self) -> Result<(), Error> {
        let settings = &self.given.settings;
        if !self.homes.iter().any(|home| home.journal) {
            return Ok(());
        }
        let kept = keep_journal(&settings.data, settings.retention.journal, (settings.now)());
        kept.map_err(|error| Error::Store(error.into()))
    }

    /// Writes new entries of the agents' registries to the journal, if one was touched.
    fn look_at_registries(&mut self, touched: Option<&[PathBuf]>) -> Result<(), Error> {
        for home in &self.homes {
            let Some(folder) = registry_of(home) else { continue };
            let is_touched = |paths: &[PathBuf]| paths.iter().any(|it| it.starts_with(&folder));
            if touched.is_none_or(is_touched) {
                let looked = self.registries.look(&self.given.settings, home);
                looked.map_err(|error| Error::Store(error.into()))?;
            }
        }
        Ok(())
    }

    fn watch_below(&mut self, folder: &Path) {
        if self.watch.is_own(folder) {
            return;
        }
        self.watch.add(folder);
        // A folder that is gone by now is empty.
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        for entry in entries.filter(|it| it.file_type().is_ok_and(|kind| kind.is_dir())) {
            self.watch_below(&entry.path());
        }
    }

    fn index(&mut self) -> Result<Option<&IndexReader>, Error> {
        let data = &self.given.settings.data;
        let Some(looks) = FileStat::of(&data.join("index.db")) else { return Ok(None) };
        if self.index.as_ref().is_none_or(|(inode, _)| *inode != looks.inode) {
            self.index = IndexReader::open(data)?.map(|reader| (looks.inode, reader));
        }
        Ok(self.index.as_ref().map(|(_, reader)| reader))
    }

    fn known_in_homes(&mut self) -> Result<Vec<KnownSource>, Error> {
        let homes = self.homes.clone();
        self.index()?.map_or(Ok(Vec::new()), |index| known_in(index, &homes))
    }

    fn known_at(
        &mut self,
        discovery: &Discovery,
        named: Vec<Named>,
    ) -> Result<Vec<KnownSource>, Error> {
        let found = discovery.found.iter().map(|it| (it.home.clone(), it.path.clone()));
        let places: HashSet<Named> = found.chain(named).collect();
        let Some(index) = self.index()? else { return Ok(Vec::new()) };
        let mut out = Vec::new();
        for (home, path) in places {
            out.extend(index.sources_at(&home, &path)?.into_iter().map(known_of));
        }
        Ok(out)
    }
}
