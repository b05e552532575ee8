//! Decides from a stat alone which sources have to be read.

use crate::discovery::Discovery;
use crate::source::{SourceFile, place_of};
use crate::stat::refusal;
use std::cmp::Reverse;
use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::io::ErrorKind;
use std::path::Path;
use taffrail_adapters::Shape;
use taffrail_model::hash::Digest16;
use taffrail_model::observed::{Pass, SourceState};

/// A source that the store knows.
#[derive(Debug, Clone)]
pub struct KnownSource {
    /// The store's id of the source.
    pub id: i64,
    /// How far it was read.
    pub state: SourceState,
    /// It existed at the last scan.
    pub present: bool,
    /// A pass from the start began and did not end.
    pub half_read: bool,
}

/// A source to read.
#[derive(Debug, Clone)]
pub struct Job {
    /// The source.
    pub found: SourceFile,
    /// How far it was read, if it is known. The reader's state is not filled in.
    pub known: Option<SourceState>,
    /// The store's id of the known source.
    pub known_id: Option<i64>,
    /// The store's id of the known source that moved here.
    pub moved: Option<i64>,
    /// Whether to read from the cursor or from the start.
    pub pass: Pass,
    /// For databases: the version of each session that was read.
    pub versions: HashMap<String, Digest16>,
}

/// The result of comparing a scan with the known sources.
#[derive(Debug, Default)]
pub struct Plan {
    /// Sources to read, the most recently changed first; prompt histories come last.
    pub jobs: Vec<Job>,
    /// Known sources that are gone.
    pub vanished: Vec<i64>,
    /// Known sources that are back and unchanged.
    pub returned: Vec<i64>,
    /// The number of sources found.
    pub sources: usize,
    /// The number of known sources that were not found and are not gone either.
    pub unsettled: usize,
}

impl Plan {
    /// The bytes left to read, as far as a stat can tell.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        let left = |job: &Job| {
            let read = job.known.as_ref().map_or(0, |known| known.offset);
            let read = if job.pass == Pass::Append { read } else { 0 };
            job.found.fingerprint.size.saturating_sub(read)
        };
        self.jobs.iter().map(left).sum()
    }
}

type Place<'a> = (&'a str, &'a str);

/// Compares the sources found with the known ones. An unchanged source costs one look-up.
#[must_use]
pub fn plan(discovery: Discovery, known: &[KnownSource]) -> Plan {
    let (numbers, mut files) = by_place(known);
    let mut out = Plan { sources: discovery.found.len(), ..Plan::default() };
    let mut unknown = Vec::new();
    for found in discovery.found {
        let number = numbers.get(&(found.home.as_str(), found.path.as_str())).copied();
        match number.and_then(|number| files.get_mut(number)) {
            None => unknown.push(found),
            Some(sources) => {
                sources.is_there = true;
                out.known(found, sources);
            }
        }
    }
    let gone = files.iter().filter(|it| !it.is_there);
    let gone = gone.flat_map(|it| [it.first].into_iter().chain(it.others.iter().copied()));
    let (gone, unsettled): (Vec<_>, Vec<_>) =
        gone.filter(|it| it.present).partition(|it| is_gone(&it.state, &discovery.unseen));
    out.unsettled = unsettled.len();
    let by_inode: HashMap<(u64, u64), &KnownSource> =
        gone.iter().map(|it| (inode(&it.state), *it)).collect();
    let mut moved = HashSet::new();
    out.jobs.extend(unknown.into_iter().map(|it| unknown_job(it, &by_inode, &mut moved)));
    let gone = gone.iter().filter(|it| !moved.contains(&it.id));
    out.vanished = gone.map(|it| it.id).collect();
    // Prompt histories come last: they count only where no transcript was read.
    let order = |job: &Job| {
        let found = &job.found;
        (found.prompt_history().is_some(), Reverse(found.fingerprint.modified_ns))
    };
    out.jobs.sort_by_key(order);
    out
}

/// The files of the known sources, and an index into them by place.
fn by_place(known: &[KnownSource]) -> (HashMap<Place<'_>, usize>, Vec<Sources<'_>>) {
    let mut numbers = HashMap::with_capacity(known.len());
    let mut files: Vec<Sources<'_>> = Vec::with_capacity(known.len());
    for source in known {
        let place = (source.state.home.as_str(), source.state.path.as_str());
        match numbers.entry(place) {
            Entry::Vacant(free) => {
                free.insert(files.len());
                files.push(Sources { first: source, others: Vec::new(), is_there: false });
            }
            Entry::Occupied(number) => {
                if let Some(file) = files.get_mut(*number.get()) {
                    file.others.push(source);
                }
            }
        }
    }
    (numbers, files)
}

/// The sources in one file: almost always one.
struct Sources<'a> {
    first: &'a KnownSource,
    others: Vec<&'a KnownSource>,
    is_there: bool,
}

/// Whether a source that the scan did not find is gone. It is gone only if a second stat does not find it
/// either; a file in a folder that could not be read is not.
fn is_gone(source: &SourceState, unseen: &[String]) -> bool {
    let full = Path::new(&source.home).join(&source.path);
    !unseen.iter().any(|unseen| full.starts_with(unseen)) && is_missing(&full)
}

/// Whether a file does not exist or may not be read. A stat that fails for another reason proves nothing.
#[must_use]
pub fn is_missing(path: &Path) -> bool {
    match std::fs::symlink_metadata(path) {
        Ok(metadata) => refusal(&metadata).is_some(),
        Err(error) => matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory),
    }
}

fn inode(state: &SourceState) -> (u64, u64) {
    (state.fingerprint.device, state.fingerprint.inode)
}

fn unknown_job(
    found: SourceFile,
    by_inode: &HashMap<(u64, u64), &KnownSource>,
    moved: &mut HashSet<i64>,
) -> Job {
    let same = by_inode.get(&(found.fingerprint.device, found.fingerprint.inode));
    let same = same.filter(|it| {
        it.present
            && it.state.key.is_empty()
            && !it.half_read
            && it.state.agent.as_str() == found.adapter.descriptor().id
            && it.state.offset <= found.fingerprint.size
            && is_same_file(&it.state, &found)
            && moved.insert(it.id)
    });
    let known = same.map(|it| SourceState {
        home: found.home.clone(),
        path: found.path.clone(),
        locator: found.place.locator.clone(),
        ..it.state.clone()
    });
    let id = same.map(|it| it.id);
    let (pass, versions) = (Pass::Append, HashMap::new());
    Job { found, known, known_id: id, moved: id, pass, versions }
}

/// Inodes are reused, so a file counts as moved only if it kept its name or its session.
fn is_same_file(known: &SourceState, found: &SourceFile) -> bool {
    let name = |path: &str| path.rsplit('/').next().map(str::to_owned);
    let before = place_of(found.adapter, &known.path).and_then(|place| place.session);
    name(&known.path) == name(&found.path) || (before.is_some() && before == found.place.session)
}

impl Plan {
    fn known(&mut self, found: SourceFile, sources: &Sources<'_>) {
        match found.place.shape {
            Shape::Lines(_) | Shape::Document | Shape::Text | Shape::Folder(_) => {
                self.one(found, sources.first);
            }
            Shape::Sqlite(_) => {
                let all: Vec<_> =
                    [sources.first].into_iter().chain(sources.others.clone()).collect();
                self.database(found, &all);
            }
        }
    }

    fn one(&mut self, found: SourceFile, known: &KnownSource) {
        let (was, now) = (known.state.fingerprint, found.fingerprint);
        if was == now && !known.half_read {
            if !known.present {
                self.returned.push(known.id);
            }
            return;
        }
        let grown = now.size > was.size || (now.size >= known.state.offset && was.size == 0);
        let same_file = (was.device, was.inode, was.beside) == (now.device, now.inode, now.beside);
        let continues = grown && same_file && !known.half_read && !known.state.read_whole_next;
        let pass = if continues { Pass::Append } else { Pass::Again };
        let (known, known_id) = (Some(known.state.clone()), Some(known.id));
        let versions = HashMap::new();
        self.jobs.push(Job { found, known, known_id, moved: None, pass, versions });
    }

    fn database(&mut self, found: SourceFile, known: &[&KnownSource]) {
        let file = known.iter().find(|it| it.state.key.is_empty());
        let is_same = |it: &&KnownSource| it.state.fingerprint == found.fingerprint && it.present;
        let is_read = known.iter().all(|it| !(it.present && it.half_read));
        if is_read && file.is_some_and(is_same) {
            return;
        }
        let version = |it: &&&KnownSource| {
            let hash = it.state.last_line.filter(|_| it.present && !it.half_read)?.hash;
            Some((it.state.key.clone(), hash))
        };
        let versions = known.iter().filter_map(|it| version(&it)).collect();
        let (known, known_id) = (file.map(|it| it.state.clone()), file.map(|it| it.id));
        self.jobs.push(Job { found, known, known_id, moved: None, pass: Pass::Again, versions });
    }
}
