//! What is known of every file while a session's changes are followed, and what they add up to.

use super::files::FileFact;
use super::lines::compared;
use super::patch::Hunk;
use super::reversal::{counted, reversed};
use super::shell_files::Effect;
use crate::captured::Disk;
use crate::digest::sha256;
use crate::vocabulary::FileAction;
use std::collections::{BTreeMap, BTreeSet};
use taffrail_model::Timestamp;

/// What is known of a file at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum State {
    /// Nothing.
    Unknown,
    /// It is there, with unknown content.
    There,
    /// It is not there.
    Absent,
    /// It is there, with this content.
    Text(String),
}

/// Who changed something, and when.
#[derive(Debug, Clone, Copy)]
pub(super) struct Origin {
    pub(super) agent: usize,
    /// The call began.
    pub(super) since: Timestamp,
    /// The call returned.
    pub(super) at: Timestamp,
}

/// The changes of one agent to one file.
struct Track {
    path: String,
    origin: Origin,
    before: State,
    after: State,
    /// The hunks of all changes; `None` if one of them was not a hunk.
    hunks: Option<Vec<Hunk>>,
    /// The content before the first change, by the hunks and what they led to.
    unpatched: Option<String>,
    is_restored: bool,
    merged: Merged,
}

/// Whether a command such as `git rebase` brought changes of others into a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Merged {
    Never,
    /// After the last change, so that the file has more than the session's changes now.
    After,
    /// Between two changes.
    Between,
}

impl Track {
    fn add(&mut self, origin: Origin, after: State, hunks: Option<Vec<Hunk>>) {
        let all = self.hunks.take().zip(hunks);
        self.hunks = all.map(|(known, more)| [known, more].concat());
        (self.origin, self.after, self.is_restored) = (origin, after, false);
        if self.merged == Merged::After {
            self.merged = Merged::Between;
        }
    }
}

/// The files of a session.
pub(super) struct FileStates<'d> {
    disk: &'d Disk,
    now: BTreeMap<String, State>,
    folders: BTreeSet<String>,
    tracks: Vec<Track>,
    places: BTreeMap<(String, usize), usize>,
    /// The files that were absent by the time of their birth alone, and their state without it.
    by_birth: BTreeMap<String, State>,
}

impl<'d> FileStates<'d> {
    pub(super) fn new(disk: &'d Disk) -> Self {
        let (now, folders) = (BTreeMap::new(), BTreeSet::new());
        let (places, by_birth) = (BTreeMap::new(), BTreeMap::new());
        Self { disk, now, folders, tracks: Vec::new(), places, by_birth }
    }

    /// The state of a file, if anything is known of it.
    pub(super) fn known(&self, path: &str) -> Option<State> {
        self.now.get(path).filter(|it| **it != State::Unknown).cloned()
    }

    /// A tool read the file, so it is there.
    pub(super) fn seen(&mut self, path: String) {
        self.now.entry(path).or_insert(State::There);
    }

    /// Notes that another file may take this one's place, as editors and `sed -i` do: then the time
    /// of birth is that of the other.
    pub(super) fn replaced(&mut self, path: &str, since: Timestamp) {
        let is_new = self.disk.may_be_made_since(path, since);
        let Some(before) = Some(path).filter(|_| is_new).and_then(|it| self.by_birth.remove(it))
        else {
            return;
        };
        for track in self.tracks.iter_mut().filter(|it| it.path == path) {
            (track.before, track.after) = (before.clone(), State::There);
        }
        self.now.insert(path.to_owned(), State::There);
    }

    /// Notes a change: what the file was and what it is.
    pub(super) fn set(
        &mut self,
        origin: Origin,
        (path, before, after): (String, State, State),
        hunks: Option<&[Hunk]>,
    ) {
        self.now.insert(path.clone(), after.clone());
        let next = self.tracks.len();
        let place = *self.places.entry((path.clone(), origin.agent)).or_insert(next);
        let hunks = hunks.map(<[Hunk]>::to_vec);
        match self.tracks.get_mut(place) {
            Some(track) => track.add(origin, after, hunks),
            None => {
                let (unpatched, is_restored, merged) = (None, false, Merged::Never);
                let states =
                    Track { path, origin, before, after, hunks, unpatched, is_restored, merged };
                self.tracks.push(states);
            }
        }
    }

    /// Notes that a command brought changes of others into any file.
    fn merge(&mut self) {
        for track in self.tracks.iter_mut().filter(|it| it.merged == Merged::Never) {
            track.merged = Merged::After;
        }
        let there = self.now.values_mut().filter(|it| matches!(it, State::Text(_)));
        there.for_each(|it| *it = State::There);
    }

    /// Notes a change with a new path.
    pub(super) fn moved(
        &mut self,
        origin: Origin,
        (path, before, after): (String, State, Option<State>),
        to: String,
    ) {
        let after = after.unwrap_or(State::There);
        let target = self.known(&to).unwrap_or(State::Absent);
        self.set(origin, (path, before, State::Absent), None);
        self.set(origin, (to, target, after), None);
    }

    /// Notes what a shell command did.
    pub(super) fn shell(&mut self, origin: Origin, effect: Effect) {
        match effect {
            Effect::Folder(path) => {
                self.folders.insert(path);
            }
            Effect::Read(path) => self.seen(path),
            Effect::Touch(path) => self.touched(origin, path),
            Effect::Write { path, content } => {
                let before = self.state(&path, origin, State::Unknown);
                let after = content.map_or(State::There, State::Text);
                self.set(origin, (path, before, after), None);
            }
            Effect::Append { path, content } => self.appended(origin, path, content),
            Effect::Change(path) => {
                self.replaced(&path, origin.since);
                let before = self.known(&path).unwrap_or(State::There);
                if before != State::Absent {
                    self.set(origin, (path, before, State::There), None);
                }
            }
            Effect::Delete { path, is_forced } => self.deleted(origin, path, is_forced),
            Effect::DeleteAll(path) => self.deleted_all(origin, &path),
            Effect::Move { from, to } => self.carried(origin, (from, to), true),
            Effect::Copy { from, to } => self.carried(origin, (from, to), false),
            Effect::Restore(path) => self.restored(&path),
            Effect::Merge => self.merge(),
        }
    }

    /// What a file was before a command wrote it: known from the session, or by the time of its
    /// birth on disk, else the usual state.
    pub(super) fn state(&mut self, path: &str, origin: Origin, usual: State) -> State {
        if let Some(known) = self.known(path) {
            return known;
        }
        match self.disk.was_there(path, (origin.since, origin.at)) {
            Some(true) => State::There,
            Some(false) => {
                self.by_birth.insert(path.to_owned(), usual);
                State::Absent
            }
            None => usual,
        }
    }

    fn touched(&mut self, origin: Origin, path: String) {
        let before = self.state(&path, origin, State::Unknown);
        if matches!(before, State::Unknown | State::Absent) {
            self.set(origin, (path, before, State::Text(String::new())), None);
        }
    }

    fn appended(&mut self, origin: Origin, path: String, content: Option<String>) {
        let before = self.state(&path, origin, State::There);
        let after = match (&before, content) {
            (State::Text(old), Some(new)) => State::Text(format!("{old}{new}")),
            (State::Absent, Some(new)) => State::Text(new),
            _ => State::There,
        };
        self.set(origin, (path, before, after), None);
    }

    fn deleted(&mut self, origin: Origin, path: String, is_forced: bool) {
        match (self.known(&path), is_forced) {
            // Nothing shows that the file was there.
            (None, true) | (Some(State::Absent), _) => {}
            (known, _) => {
                let before = known.unwrap_or(State::There);
                self.set(origin, (path, before, State::Absent), None);
            }
        }
    }

    fn deleted_all(&mut self, origin: Origin, path: &str) {
        for path in self.below(path) {
            self.deleted(origin, path, true);
        }
    }

    /// The known files at or below a path.
    fn below(&self, path: &str) -> Vec<String> {
        let folder = format!("{path}/");
        let is_below = |it: &&String| *it == path || it.starts_with(&folder);
        self.now.keys().filter(is_below).cloned().collect()
    }

    /// A file, or a folder with the files known below it, was moved or copied.
    fn carried(&mut self, origin: Origin, (from, to): (String, String), is_move: bool) {
        let name = from.rsplit('/').next().unwrap_or_default();
        let is_file = looks_like_file(name);
        let is_folder = self.folders.contains(&to) || (is_file && self.disk.is_folder(&to));
        let to = if is_folder { format!("{to}/{name}") } else { to };
        let mut files = self.below(&from);
        if files.is_empty() && is_file {
            files.push(from.clone());
        }
        for path in files {
            let target = format!("{to}{}", path.strip_prefix(&from).unwrap_or_default());
            let before = self.known(&path).unwrap_or(State::There);
            if before == State::Absent {
                continue;
            }
            self.replaced(&target, origin.since);
            let replaced = self.known(&target).unwrap_or(State::Unknown);
            self.set(origin, (target, replaced, before.clone()), None);
            if is_move {
                self.set(origin, (path, before, State::Absent), None);
            }
        }
    }

    /// Files are as in the last commit, so what the session did to those that were there is gone.
    fn restored(&mut self, path: &str) {
        for path in self.below(path) {
            for track in self.tracks.iter_mut().filter(|it| it.path == path) {
                track.is_restored = !matches!(track.before, State::Absent | State::Unknown);
                if track.is_restored {
                    self.now.insert(path.clone(), State::There);
                }
            }
        }
    }

    /// What the changes add up to, in the order of their first one.
    pub(super) fn facts(self) -> Vec<FileFact> {
        let came_and_went = self.came_and_went();
        let kept = self.tracks.into_iter().filter(|it| !came_and_went.contains(&it.path));
        kept.map(|track| settled(track, self.disk)).filter_map(fact).collect()
    }

    /// The files that the session made and removed again.
    fn came_and_went(&self) -> BTreeSet<String> {
        let mut first: BTreeMap<&str, &State> = BTreeMap::new();
        for track in &self.tracks {
            first.entry(&track.path).or_insert(&track.before);
        }
        let gone = |path: &str| self.now.get(path) == Some(&State::Absent);
        let made = first
            .into_iter()
            .filter(|(_, before)| matches!(before, State::Absent | State::Unknown));
        made.map(|(path, _)| path).filter(|path| gone(path)).map(str::to_owned).collect()
    }
}

/// A file that nobody changed after the session has the content that is on disk, whatever else the
/// session ran.
fn settled(mut track: Track, disk: &Disk) -> Track {
    let is_there = matches!(track.after, State::There | State::Text(_));
    if !is_there || track.merged == Merged::After {
        return track;
    }
    track.unpatched = before_hunks(&track, disk);
    if let Some(content) = disk.content(&track.path)
        && track.after != State::Text(content.to_owned())
    {
        (track.after, track.hunks) = (State::Text(content.to_owned()), None);
    }
    track
}

/// The content before the first change, if hunks led from it to what is on disk.
fn before_hunks(track: &Track, disk: &Disk) -> Option<String> {
    let hunks = track.hunks.as_ref().filter(|_| track.before == State::There)?;
    let content = disk.content_after(&track.path, track.origin.at)?;
    reversed(content, hunks).filter(|_| track.merged == Merged::Never)
}

/// Whether a name is that of a file and not of a folder: it has an ending, or is one of the names
/// that people capitalize.
fn looks_like_file(name: &str) -> bool {
    name.trim_start_matches('.').contains('.') || name.starts_with(char::is_uppercase)
}

fn fact(track: Track) -> Option<FileFact> {
    let action = action(&track)?;
    let text = |state: &State| match state {
        State::Text(text) => Some(text.clone()),
        State::Absent | State::Unknown | State::There => None,
    };
    let is_assumed = track.before == State::Unknown;
    let is_new = action == FileAction::Created;
    let (old, new) = (text(&track.before), text(&track.after));
    let counts = match (&old, &new) {
        (Some(old), Some(new)) => compared(old, new),
        (Some(old), None) if track.after == State::Absent => compared(old, ""),
        (None, Some(new)) if is_new && !is_assumed => compared("", new),
        (None, Some(new)) if track.unpatched.is_some() => {
            track.unpatched.as_deref().and_then(|old| compared(old, new))
        }
        (_, _) => track.hunks.as_deref().filter(|_| track.before == State::There).and_then(counted),
    };
    let counts = counts.filter(|_| track.merged != Merged::Between);
    Some(FileFact {
        path: track.path,
        action,
        is_assumed,
        agent: track.origin.agent,
        at: track.origin.at,
        added: counts.map(|it| it.0),
        removed: counts.map(|it| it.1),
        before: old.as_deref().map(sha256),
        after: new.as_deref().map(sha256),
    })
}

fn action(track: &Track) -> Option<FileAction> {
    match (&track.before, &track.after) {
        _ if track.is_restored => None,
        (State::Absent, State::Absent) => None,
        (State::Text(old), State::Text(new)) if old == new => None,
        (_, State::Absent) => Some(FileAction::Deleted),
        (State::Absent | State::Unknown, _) => Some(FileAction::Created),
        (_, _) => Some(FileAction::Modified),
    }
}
