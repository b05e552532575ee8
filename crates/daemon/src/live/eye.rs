//! One eye for each place where sources are: it is told of changes, looks, and hands over what it
//! read.
//!
//! Each eye has a thread of its own, so that a dead mount or a huge line stops nothing else. It
//! reads the index for what is known and never writes to it.

use super::counts::Counts;
use super::looks::Looks;
use super::pace::{OF_LATE, POLL, until_whole};
use super::registry::Registries;
use super::tickets::{Load, Tickets};
use super::wake::{Errand, EyeNumber, Looked, Places, Wake};
use super::walk::{Walked, folders_of, known_in, registry_of, walk};
use super::watch::{Touches, Watch};
use crate::capturing::leave_out_uncaptured;
use crate::hands::Hands;
use crate::indexing::known_of;
use crate::keeping::{Keeping, Rules, follow};
use crate::pool::scope_of;
use crate::retention::leave_out_old;
use crate::{DaemonError, Settings};
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, Instant};
use taffrail_capture::{
    Discovery, Flow, Home, Job, Known, LeftOut, Named, Plan, Reading, Texts, discover, discover_at,
    gather_journal, keep_journal, plan, read,
};
use taffrail_model::RuntimeIdentity;
use taffrail_model::observed::Observed;
use taffrail_store::IndexReader;
use taffrail_store::archive::Packer;

/// A look at everything that takes longer than this is not waited for.
const WALK: Duration = Duration::from_secs(60);

/// What every eye is given.
#[derive(Clone)]
pub(crate) struct Given {
    pub(crate) settings: Arc<Settings>,
    pub(crate) rules: Arc<RwLock<Arc<Rules>>>,
    pub(crate) device: String,
    pub(crate) wakes: Sender<Wake>,
    /// Folders it may watch.
    pub(crate) budget: usize,
}

/// An eye as the loop sees it.
pub(crate) struct Eye {
    pub(crate) root: PathBuf,
    pub(crate) errands: Sender<Errand>,
    pub(crate) tickets: Arc<Tickets>,
    pub(crate) agents: Vec<String>,
    pub(crate) counts: Arc<Counts>,
}

/// Opens an eye on homes that share a root.
pub(crate) fn open(number: EyeNumber, homes: Vec<Home>, given: Given) -> Result<Eye, DaemonError> {
    let (errands, to_do) = channel();
    let (touches, tickets) = (Arc::new(Touches::default()), Arc::new(Tickets::default()));
    let counts = Arc::new(Counts::default());
    let watch = Watch::new(errands.clone(), (touches.clone(), counts.clone()), given.budget);
    let root = homes.first().map(|home| home.root.clone()).unwrap_or_default();
    let owners = homes.iter().filter(|it| !it.adapter.speaks_for_others());
    let agents = owners.map(|it| it.adapter.descriptor().id.to_owned()).collect();
    let looker = Looker {
        number,
        homes,
        given,
        touches,
        tickets: tickets.clone(),
        watch,
        registries: Registries::default(),
        index: None,
        packer: Packer::new()?,
        of_late: HashMap::new(),
        pause: Duration::ZERO,
        next_whole: Instant::now(),
        counts: counts.clone(),
        changed: None,
        errands: errands.clone(),
        is_walking: false,
    };
    std::thread::Builder::new()
        .name(format!("eye {number}"))
        .spawn(move || looker.run(&to_do))
        .map_err(|error| DaemonError::Store(error.into()))?;
    Ok(Eye { root, errands, tickets, agents, counts })
}

struct Looker {
    number: EyeNumber,
    homes: Vec<Home>,
    given: Given,
    touches: Arc<Touches>,
    tickets: Arc<Tickets>,
    watch: Watch,
    registries: Registries,
    /// The index with the number of its file: one made anew is opened anew.
    index: Option<(u64, IndexReader)>,
    packer: Packer,
    /// Sources that changed of late, when, and how they looked.
    of_late: HashMap<PathBuf, (Instant, Option<Looks>)>,
    pause: Duration,
    next_whole: Instant,
    counts: Arc<Counts>,
    /// When the latest of what was just read had changed, in nanoseconds since 1970.
    changed: Option<i64>,
    errands: Sender<Errand>,
    /// Somebody looks at everything.
    is_walking: bool,
}

impl Looker {
    fn run(mut self, errands: &Receiver<Errand>) {
        loop {
            let errand = match errands.recv_timeout(self.rest()) {
                Ok(errand) => Some(errand),
                Err(RecvTimeoutError::Timeout) => None,
                Err(RecvTimeoutError::Disconnected) => return,
            };
            let settled = match errand {
                Some(Errand::Settle(number)) => Some(number),
                _ => None,
            };
            let looked = match errand {
                Some(Errand::Touched) => self.touched(self.touches.take()),
                Some(Errand::Whole | Errand::Settle(_)) => self.whole(),
                Some(Errand::Walked(walked)) => self.walked(*walked),
                None if Instant::now() >= self.next_whole => self.begin_walk(),
                None => self.poll(),
            };
            let looked = looked.unwrap_or_else(|error| Looked::failed(&error));
            if settled.is_some() || !looked.is_nothing() {
                self.send(Wake::Looked(self.number, Looked { settled, ..looked }));
            }
            // What is known is what is written: nothing is read twice.
            self.tickets.settle();
            self.count_lag();
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
        if self.of_late.is_empty() { whole } else { whole.min(POLL) }
    }

    fn send(&self, wake: Wake) {
        // The loop ends before its eyes do.
        self.given.wakes.send(wake).ok();
    }

    fn whole(&mut self) -> Result<Looked, DaemonError> {
        self.tend()?;
        let discovery = discover(&self.homes);
        let folders = folders_of(&self.given.settings, &self.homes, &discovery);
        let anew: Vec<_> = folders.into_iter().filter(|it| self.watch.add(it)).collect();
        let known = self.known_in_homes()?;
        let looked = self.act(plan(discovery, &known))?;
        // What was written between the look and the watch was told by neither.
        self.tickets.settle();
        let late = self.touched(anew)?;
        let read = looked.read + late.read;
        self.pace(read > 0, Duration::ZERO);
        let problems = looked.problems.into_iter().chain(late.problems).collect();
        Ok(Looked { whole: true, read, problems, ..looked })
    }

    /// Looks at everything beside what it is told, once at a time.
    fn begin_walk(&mut self) -> Result<Looked, DaemonError> {
        self.next_whole = Instant::now() + WALK;
        if self.is_walking {
            return Ok(Looked::default());
        }
        let (settings, homes) = (self.given.settings.clone(), self.homes.clone());
        let errands = self.errands.clone();
        let thread = std::thread::Builder::new().name(format!("walk {}", self.number));
        let begun = thread.spawn(move || {
            // An eye that ended needs not be told.
            errands.send(Errand::Walked(Box::new(walk(&settings, &homes)))).ok();
        });
        self.is_walking = begun.is_ok();
        if self.is_walking { Ok(Looked::default()) } else { self.whole() }
    }

    fn walked(&mut self, walked: Walked) -> Result<Looked, DaemonError> {
        self.is_walking = false;
        self.tend()?;
        let mut paths = walked.changed;
        paths.extend(walked.folders.into_iter().filter(|it| self.watch.add(it)));
        let looked = self.touched(paths)?;
        self.pace(looked.read > 0, walked.cost);
        let problems = looked.problems.into_iter().chain(walked.problem).collect();
        Ok(Looked { whole: true, sources: walked.sources, problems, ..looked })
    }

    /// What is due with every look at everything.
    fn tend(&mut self) -> Result<(), DaemonError> {
        self.gather()?;
        self.keep_journal()?;
        self.look_at_registries(None)
    }

    /// What was read is paid for by what was found, not by the look.
    fn pace(&mut self, found: bool, cost: Duration) {
        let cost = if found { Duration::ZERO } else { cost };
        self.pause = until_whole(self.pause, found, cost);
        self.next_whole = Instant::now() + self.pause;
    }

    fn touched(&mut self, mut paths: Vec<PathBuf>) -> Result<Looked, DaemonError> {
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

    fn poll(&mut self) -> Result<Looked, DaemonError> {
        let now = Instant::now();
        self.of_late.retain(|_, (since, _)| now.duration_since(*since) < OF_LATE);
        let changed = self.of_late.iter().filter(|(path, (_, looks))| Looks::of(path) != *looks);
        let changed: Vec<_> = changed.map(|(path, _)| path.clone()).collect();
        if changed.is_empty() { Ok(Looked::default()) } else { self.touched(changed) }
    }

    /// Brings what waits in the spool into the journal, where this eye looks at the journal.
    fn gather(&self) -> Result<Vec<PathBuf>, DaemonError> {
        if self.homes.iter().any(|home| home.journal) {
            let rules = self.rules();
            let is_left_out = |who: &RuntimeIdentity| rules.uncaptured().has(who);
            let all = rules.uncaptured().is_empty();
            let is_left_out: LeftOut<'_> = if all { None } else { Some(&is_left_out) };
            let gathered = gather_journal(&self.given.settings.data, is_left_out);
            return gathered.map_err(|error| DaemonError::Store(error.into()));
        }
        Ok(Vec::new())
    }

    fn rules(&self) -> Arc<Rules> {
        self.given.rules.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Packs the days of the journal that are over, where this eye looks at the journal.
    fn keep_journal(&self) -> Result<(), DaemonError> {
        let settings = &self.given.settings;
        if !self.homes.iter().any(|home| home.journal) {
            return Ok(());
        }
        let kept = keep_journal(&settings.data, settings.retention.journal, (settings.now)());
        kept.map_err(|error| DaemonError::Store(error.into()))
    }

    /// Writes down what the agents' own lists of live sessions newly say, if one was touched.
    fn look_at_registries(&mut self, touched: Option<&[PathBuf]>) -> Result<(), DaemonError> {
        for home in &self.homes {
            let Some(folder) = registry_of(home) else { continue };
            let is_touched = |paths: &[PathBuf]| paths.iter().any(|it| it.starts_with(&folder));
            if touched.is_none_or(is_touched) {
                let looked = self.registries.look(&self.given.settings, home);
                looked.map_err(|error| DaemonError::Store(error.into()))?;
            }
        }
        Ok(())
    }

    fn watch_below(&mut self, folder: &Path) {
        self.watch.add(folder);
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        for entry in entries.filter(|it| it.file_type().is_ok_and(|kind| kind.is_dir())) {
            self.watch_below(&entry.path());
        }
    }

    fn index(&mut self) -> Result<Option<&IndexReader>, DaemonError> {
        let data = &self.given.settings.data;
        let Some(looks) = Looks::of(&data.join("index.db")) else { return Ok(None) };
        if self.index.as_ref().is_none_or(|(inode, _)| *inode != looks.inode) {
            self.index = IndexReader::open(data)?.map(|reader| (looks.inode, reader));
        }
        Ok(self.index.as_ref().map(|(_, reader)| reader))
    }

    fn known_in_homes(&mut self) -> Result<Vec<Known>, DaemonError> {
        let homes = self.homes.clone();
        self.index()?.map_or(Ok(Vec::new()), |index| known_in(index, &homes))
    }

    fn known_at(
        &mut self,
        discovery: &Discovery,
        named: Vec<Named>,
    ) -> Result<Vec<Known>, DaemonError> {
        let found = discovery.found.iter().map(|it| (it.home.clone(), it.path.clone()));
        let places: HashSet<Named> = found.chain(named).collect();
        let Some(index) = self.index()? else { return Ok(Vec::new()) };
        let mut out = Vec::new();
        for (home, path) in places {
            out.extend(index.sources_at(&home, &path)?.into_iter().map(known_of));
        }
        Ok(out)
    }

    fn act(&mut self, mut plan: Plan) -> Result<Looked, DaemonError> {
        leave_out_old(&self.given.settings, &mut plan);
        let mut problems = self.settle_places(&plan)?;
        let mut looked = Looked { sources: plan.sources, ..Looked::default() };
        let rules = self.rules();
        let index = self.index()?;
        leave_out_uncaptured(&mut plan, rules.uncaptured(), || match index {
            Some(index) => index.uncaptured_files(),
            None => Ok(HashSet::new()),
        })?;
        for mut job in plan.jobs {
            if let (Some(known), Some(id)) = (&mut job.known, job.known_id)
                && let Some(index) = self.index()?
            {
                known.reader = index.memory(id)?;
            }
            let path = Path::new(&job.found.home).join(&job.found.path);
            // As it is before it is read: what is written meanwhile makes it look otherwise.
            let looks = Looks::of(&path);
            problems.extend(self.read(&job, &rules));
            looked.read += 1;
            self.changed = self.changed.max(Some(job.found.fingerprint.modified_ns));
            self.of_late.insert(path, (Instant::now(), looks));
        }
        looked.problems = problems;
        Ok(looked)
    }

    fn settle_places(&mut self, plan: &Plan) -> Result<Vec<String>, DaemonError> {
        let mut places = Places {
            vanished: plan.vanished.clone(),
            returned: plan.returned.clone(),
            moved: Vec::new(),
        };
        let mut problems = Vec::new();
        let data = self.given.settings.data.clone();
        for job in &plan.jobs {
            let Some(id) = job.moved else { continue };
            let found = &job.found;
            let from = self.index()?.map(|index| index.source(id)).transpose()?.flatten();
            if let Some(Err(error)) = from.map(|from| follow(&data, &from.state, found)) {
                problems.push(format!("{}: its copy did not follow: {error}", found.path));
            }
            let (home, path) = (found.home.clone(), found.path.clone());
            places.moved.push((id, home, path, found.place.locator.clone()));
        }
        if !(places.vanished.is_empty() && places.returned.is_empty() && places.moved.is_empty()) {
            self.tickets.take(Load::one(0));
            self.send(Wake::Places(self.number, places));
        }
        Ok(problems)
    }

    fn read(&mut self, job: &Job, rules: &Rules) -> Vec<String> {
        let found = &job.found;
        let scope = scope_of(&self.given.device, found.adapter, (&found.home, &found.path));
        let how = Reading { scope: &scope, texts: Texts::None };
        let keeping = Keeping::new(rules, job, &mut self.packer);
        let (number, wakes, tickets) = (self.number, &self.given.wakes, &self.tickets);
        let give = |piece: Box<Observed>| {
            tickets.take(Load::one(piece.outcome.bytes_read));
            match wakes.send(Wake::Piece(number, piece)) {
                Ok(()) => Flow::Continue,
                Err(_) => Flow::Stop,
            }
        };
        let mut hands = Hands { keeping, give };
        let failed = read(job, how, &mut hands).err().map(|error| error.to_string());
        let kept = hands.keeping.problem();
        let packed = rules.repack(job, &mut self.packer).err().map(|it| it.to_string());
        failed.into_iter().chain(kept).chain(packed).collect()
    }
}
