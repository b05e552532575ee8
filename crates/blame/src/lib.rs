//! Attributes the lines of a file to the edits that wrote them.
//!
//! Content decides, never time alone: the edits are replayed, and a line belongs to an edit only if
//! the replayed text has the line in the same neighbourhood. A line that two turns may have written
//! belongs to neither.

mod alignment;
mod carry;
pub mod checkpoints;
mod noted;
pub mod notes;
mod replay;
mod text;
pub mod traces;

use alignment::aligned;
use replay::Replay;
use std::collections::{BTreeMap, BTreeSet};

pub use noted::{NotedAuthor, NotedBy};

/// Commits have whole seconds, and the clocks of an agent and of git may differ a little.
const CLOCKS_DIFFER_MS: i64 = 2_000;

/// A turn of a session, by the caller's number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Author(pub usize);

/// A working tree of the repository, by the caller's number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Root(pub usize);

/// A file in a working tree.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// The working tree.
    pub root: Root,
    /// The path in it.
    pub path: String,
}

/// A change that a turn made to a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// The time, in milliseconds since 1970.
    pub at: i64,
    /// The turn.
    pub author: Author,
    /// The file.
    pub place: Place,
    /// What the file was before, as far as the agent recorded it.
    pub base: Base,
    /// What the turn did.
    pub change: Change,
}

/// What a file was before a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Base {
    /// The file was not there.
    New,
    /// The file had this text.
    Text(String),
    /// The file was there, and others may have changed it since the last known edit.
    There,
    /// Nothing is recorded.
    Unknown,
}

/// What a turn did to a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// It wrote the whole file.
    Write(String),
    /// It added text at the end.
    Append(String),
    /// It replaced parts.
    Replace(Vec<Hunk>, Reach),
    /// It moved the file to this path.
    Move(String),
    /// It deleted the file.
    Delete,
}

/// A part of a file before and after a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hunk {
    /// The text before.
    pub old: String,
    /// The text after.
    pub new: String,
}

/// How many places a replacement changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// The first place.
    Once,
    /// Every place.
    Everywhere,
}

/// A line of the file in question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// The text without its end of line.
    pub text: String,
    /// When the line came.
    pub added: Added,
    /// The path of the file when the line came.
    pub path: String,
}

/// When a line came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Added {
    /// By the commit of this time, in milliseconds since 1970.
    At(i64),
    /// After the last commit.
    Uncommitted,
    /// The line only shows the neighbourhood of others.
    Context,
}

impl Added {
    /// The latest time of an edit that may have written the line.
    fn limit(self) -> Option<i64> {
        match self {
            Self::At(at) => Some(at.saturating_add(CLOCKS_DIFFER_MS)),
            Self::Uncommitted => Some(i64::MAX),
            Self::Context => None,
        }
    }
}

/// The author of each line; `None` where the edits do not show one. `names` are the paths that the
/// whole file has or had.
#[must_use]
pub fn attribute(lines: &[Line], names: &BTreeSet<String>, edits: &[Edit]) -> Vec<Option<Author>> {
    let mut ordered: Vec<&Edit> = edits.iter().collect();
    ordered.sort_by_key(|it| it.at);
    let limits: BTreeSet<i64> = lines.iter().filter_map(|it| it.added.limit()).collect();
    let mut replay = Replay::default();
    let mut next = 0;
    let mut claims = vec![None; lines.len()];
    for limit in limits {
        while let Some(edit) = ordered.get(next).filter(|it| it.at <= limit) {
            replay.apply(next, edit);
            next += 1;
        }
        claim(&replay, (lines, names), limit, &mut claims);
    }
    drop_returned(lines, &mut claims);
    let author = |claim: Option<Claim>| ordered.get(claim?.edit).map(|it| it.author);
    claims.into_iter().map(author).collect()
}

/// What one line is claimed by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Claim {
    /// The number of the edit.
    edit: usize,
    author: Author,
}

/// Claims the lines that came at this limit, from the texts that were known by then.
fn claim(
    replay: &Replay,
    (lines, names): (&[Line], &BTreeSet<String>),
    limit: i64,
    claims: &mut [Option<Claim>],
) {
    let texts: Vec<&str> = lines.iter().map(|it| clean(&it.text)).collect();
    let mut found: BTreeMap<usize, Vec<Claim>> = BTreeMap::new();
    for (place, text) in replay.texts() {
        let is_name = |it: &Line| it.path == place.path || names.contains(&place.path);
        for (line, origin) in aligned(text, &texts) {
            let is_meant = |it: &&Line| it.added.limit() == Some(limit) && is_name(it);
            if lines.get(line).is_some_and(|it| is_meant(&it)) {
                found.entry(line).or_default().push(origin);
            }
        }
    }
    for (line, all) in found {
        if let Some(claim) = claims.get_mut(line) {
            *claim = agreed(&all);
        }
    }
}

/// The first of several claims of one author; `None` if authors differ.
fn agreed(all: &[Claim]) -> Option<Claim> {
    let first = all.iter().min_by_key(|it| it.edit)?;
    all.iter().all(|it| it.author == first.author).then_some(*first)
}

/// Drops the claims of lines that came later than other lines of their edit: somebody removed such
/// a line and brought it back.
fn drop_returned(lines: &[Line], claims: &mut [Option<Claim>]) {
    let mut first: BTreeMap<usize, i64> = BTreeMap::new();
    let limit = |line: &Line| line.added.limit().unwrap_or(i64::MAX);
    for (line, claim) in lines.iter().zip(claims.iter()) {
        if let Some(claim) = claim {
            let known = first.entry(claim.edit).or_insert(i64::MAX);
            *known = limit(line).min(*known);
        }
    }
    for (line, claim) in lines.iter().zip(claims.iter_mut()) {
        let is_first = |it: &Claim| first.get(&it.edit) == Some(&limit(line));
        *claim = claim.filter(is_first);
    }
}

/// A line without the white space at its end, which editors and git change.
fn clean(line: &str) -> &str {
    line.trim_end()
}

/// How much a line says: its letters and digits.
fn weight(line: &str) -> usize {
    line.chars().filter(|it| it.is_alphanumeric()).count()
}
