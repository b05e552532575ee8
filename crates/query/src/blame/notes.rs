//! What other tools recorded about commits: git-ai's notes, Agent Trace's records and Entire's checkpoints. All of it is
//! best effort: a record that git cannot give is not there.

use super::git::{git, objects};
use std::collections::{BTreeSet, HashMap};
use std::io::Read;
use std::path::Path;
use taffrail_api::NoteSource;
use taffrail_blame::NotedAuthor;
use taffrail_blame::checkpoints::{TRAILER, checkpoint_ids, checkpoint_places, checkpoint_session};
use taffrail_blame::notes::{Note, REF};
use taffrail_blame::traces::{FILE, Trace, traces};

/// The most commits of one question to git.
const COMMITS: usize = 500;
/// The most checkpoints that are looked up.
const CHECKPOINTS: usize = 200;
/// The most bytes of a file of traces.
const TRACES: u64 = 8 * 1024 * 1024;
/// Between and after the fields of a commit.
const SPLIT: char = '\u{1}';
const END: char = '\u{2}';

/// What is recorded about the commits of a repository.
#[derive(Debug, Default)]
pub(super) struct Notes {
    commits: HashMap<String, Record>,
    traces: Vec<Trace>,
    checkpoints: HashMap<String, Vec<NotedAuthor>>,
}

/// What is recorded about one commit.
#[derive(Debug, Default)]
struct Record {
    parent: String,
    checkpoints: Vec<String>,
    note: Option<Note>,
    has_note: bool,
}

impl Notes {
    /// The records about some commits.
    pub(super) fn of(root: &Path, commits: &BTreeSet<&str>) -> Self {
        let all: Vec<&str> = commits.iter().copied().collect();
        let mut out = Self { traces: traces_of(root), ..Self::default() };
        for part in all.chunks(COMMITS) {
            let text = log(root, part).unwrap_or_default();
            out.commits.extend(text.split(END).filter_map(record));
        }
        let ids = out.commits.values().flat_map(|it| it.checkpoints.iter().cloned());
        let ids: BTreeSet<String> = ids.take(CHECKPOINTS).collect();
        out.checkpoints = checkpoints(root, &ids);
        out
    }

    /// Whether a commit has a note, in whatever form.
    pub(super) fn has_note(&self, commit: &str) -> bool {
        self.commits.get(commit).is_some_and(|it| it.has_note)
    }

    /// Who wrote a line of a commit, in the words of each record about it.
    pub(super) fn line(
        &self,
        commit: &str,
        (path, line): (&str, usize),
    ) -> Vec<(NoteSource, NotedAuthor)> {
        let Some(record) = self.commits.get(commit) else { return Vec::new() };
        let note = record.note.as_ref().and_then(|it| it.author(path, line));
        let is_meant = |it: &&Trace| {
            let revision = it.revision.as_deref();
            // The reference implementation records an edit with the commit before it.
            let is_commit = revision == Some(commit) || revision == Some(record.parent.as_str());
            is_commit && it.path == path && (it.lines.0..=it.lines.1).contains(&line)
        };
        let trace = self.traces.iter().rfind(is_meant).map(|it| it.author.clone());
        let note = note.map(|it| (NoteSource::GitAi, it));
        let trace = trace.map(|it| (NoteSource::AgentTrace, it));
        note.into_iter().chain(trace).chain(self.sessions(record)).collect()
    }

    /// The sessions of a commit's checkpoints.
    fn sessions(&self, record: &Record) -> Vec<(NoteSource, NotedAuthor)> {
        let known = record.checkpoints.iter().filter_map(|it| self.checkpoints.get(it));
        known.flatten().map(|it| (NoteSource::Entire, it.clone())).collect()
    }

    pub(super) fn is_empty(&self) -> bool {
        let has_none = |it: &Record| it.note.is_none() && it.checkpoints.is_empty();
        self.traces.is_empty() && self.commits.values().all(has_none)
    }
}

/// The notes, the trailers and the first parents of commits.
fn log(root: &Path, commits: &[&str]) -> Option<String> {
    // Without the ref, git warns and goes on.
    let notes = format!("--notes={REF}");
    let trailers = format!("%(trailers:key={TRAILER},valueonly,separator=%x20)");
    let format = format!("--format=%H%x01%P%x01{trailers}%x01%N%x02");
    let words = ["log", "--no-walk=unsorted", notes.as_str(), format.as_str()];
    git(root, &[&words, commits, &["--"]].concat()).ok()
}

fn record(text: &str) -> Option<(String, Record)> {
    let mut fields = text.trim_start().splitn(4, SPLIT);
    let (commit, parents, trailers, note) =
        (fields.next()?, fields.next()?, fields.next()?, fields.next()?);
    let parent = parents.split(' ').next().unwrap_or_default().to_owned();
    let checkpoints = checkpoint_ids(trailers);
    let has_note = !note.trim().is_empty();
    let record = Record { parent, checkpoints, note: Note::parse(note), has_note };
    Some((commit.to_owned(), record))
}

/// The records of Agent Trace in a working tree. A link is not followed.
fn traces_of(root: &Path) -> Vec<Trace> {
    let path = root.join(FILE);
    if !path.symlink_metadata().is_ok_and(|it| it.is_file()) {
        return Vec::new();
    }
    let mut text = Vec::new();
    let read = std::fs::File::open(path).and_then(|it| it.take(TRACES).read_to_end(&mut text));
    read.map(|_| traces(&String::from_utf8_lossy(&text))).unwrap_or_default()
}

/// The sessions of checkpoints.
fn checkpoints(root: &Path, ids: &BTreeSet<String>) -> HashMap<String, Vec<NotedAuthor>> {
    let places: Vec<(&String, Vec<Vec<String>>)> =
        ids.iter().map(|it| (it, checkpoint_places(it))).collect();
    let names: Vec<String> = places.iter().flat_map(|it| it.1.concat()).collect();
    if names.is_empty() {
        return HashMap::new();
    }
    let texts = objects(root, &names).unwrap_or_default();
    let session = |names: &Vec<String>| {
        let text = names.iter().find_map(|it| texts.get(it))?;
        checkpoint_session(text)
    };
    let of = |(id, places): (&String, Vec<Vec<String>>)| {
        let mut all: Vec<NotedAuthor> = Vec::new();
        for it in places.iter().filter_map(session) {
            if all.iter().all(|had| had.conversation != it.conversation) {
                all.push(it);
            }
        }
        (id.clone(), all)
    };
    places.into_iter().map(of).collect()
}
