//! The commits of a repository with the sessions whose lines they hold.

use super::git::git;
use super::history::History;
use super::joins::Joins;
use super::notes::Notes;
use super::porcelain::{FORMAT, Patch, PatchedFile, patch};
use super::{caught_up, roots};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use taffrail_api::{
    CommitList, CommitNote, CommitRow, CommitShare, CommitsQuery, NotedLine, SCHEMA_VERSION,
};
use taffrail_blame::{Added, Author, attribute};
use taffrail_capture::checkout;
use taffrail_context::{Error, Settings};
use taffrail_model::{SessionId, Timestamp, when};

/// The default number of commits.
const COMMITS: usize = 20;
/// The most commits.
const MOST: usize = 1_000;
/// A commit with more files is not compared.
const MOST_FILES: usize = 500;
/// A file with more lines is not compared.
const MOST_LINES: usize = 20_000;

/// The latest commits, the latest first. Merges add no lines of their own.
///
/// # Errors
/// When the folder is not in a repository, or git or our own files cannot be read.
pub fn commits(settings: &Settings, query: &CommitsQuery) -> Result<CommitList, Error> {
    caught_up(settings)?;
    let here = Path::new(&query.here);
    let folder = here.canonicalize().unwrap_or_else(|_| here.to_owned());
    let missing = || Error::NoRepository(query.here.clone());
    let root = checkout(&folder).ok_or_else(missing)?.root;
    let mut history = History::new(settings, roots(&root, None, true))?;
    let hashes = hashes(settings, &root, query)?;
    let notes = Notes::of(&root, &hashes.iter().map(String::as_str).collect());
    let joins = if notes.is_empty() { Joins::default() } else { Joins::new(&history)? };
    let mut commits = Vec::new();
    for hash in hashes {
        // A commit whose patch is too long has lines that nothing is known of.
        let Some(patch) = patch_of(&root, &hash) else { continue };
        let claims = noted(&notes, &joins, &patch);
        commits.push(row(&mut history, &patch, claims)?);
    }
    Ok(CommitList { schema_version: SCHEMA_VERSION, commits })
}

/// What a commit changed, with whole files around.
pub(super) fn patch_of(root: &Path, hash: &str) -> Option<Patch> {
    let words = ["show", FORMAT, "--no-ext-diff", "--no-textconv", "--no-color", "--no-notes"];
    let words = [&words[..], &["-M", "-U1000000", "--src-prefix=a/", "--dst-prefix=b/", hash]];
    Some(patch(&git(root, &words.concat()).ok()?))
}

/// Whom records of other tools name for the lines of a commit, the one with the most lines first.
fn noted(notes: &Notes, joins: &Joins, patch: &Patch) -> Vec<CommitNote> {
    let mut out: Vec<CommitNote> = Vec::new();
    for (file, line) in patch.files.iter().flat_map(added_lines) {
        for it in notes.line(&patch.commit, (&file.path, line)) {
            let it = joins.line(it, None);
            let is_same = |had: &&mut CommitNote| {
                (had.source, &had.tool, &had.conversation, &had.name, had.session_id)
                    == (it.source, &it.tool, &it.conversation, &it.name, it.session_id)
            };
            match out.iter_mut().find(is_same) {
                Some(had) => had.lines += 1,
                None => out.push(commit_note(it)),
            }
        }
    }
    out.sort_by_key(|it| std::cmp::Reverse(it.lines));
    out
}

fn commit_note(it: NotedLine) -> CommitNote {
    CommitNote {
        source: it.source,
        by: it.by,
        name: it.name,
        tool: it.tool,
        model: it.model,
        conversation: it.conversation,
        session_id: it.session_id,
        lines: 1,
    }
}

/// The lines that a commit added to a file, with their numbers in the file.
fn added_lines(file: &PatchedFile) -> impl Iterator<Item = (&PatchedFile, usize)> {
    let lines = file.lines.iter().enumerate();
    lines.filter(|(_, it)| it.added != Added::Context).map(move |(at, _)| (file, at + 1))
}

pub(super) fn hashes(
    settings: &Settings,
    root: &Path,
    query: &CommitsQuery,
) -> Result<Vec<String>, Error> {
    let since = match query.since.as_deref() {
        None => None,
        Some(typed) => {
            let at = when::since(typed, (settings.now)());
            Some(at.ok_or_else(|| Error::NoTime(typed.to_owned()))?)
        }
    };
    let limit = query.limit.or(since.map(|_| MOST)).unwrap_or(COMMITS).min(MOST);
    let limit = format!("--max-count={limit}");
    let since = since.map(|it| format!("--since={}", it.as_second()));
    let mut words = vec!["log", "--format=%H", "--no-merges", limit.as_str()];
    words.extend(since.as_deref());
    Ok(git(root, &words)?.lines().map(str::to_owned).collect())
}

fn row(
    history: &mut History<'_>,
    patch: &Patch,
    notes: Vec<CommitNote>,
) -> Result<CommitRow, Error> {
    let mut sessions: BTreeMap<SessionId, CommitShare> = BTreeMap::new();
    let lines: usize = patch.files.iter().map(|it| added_lines(it).count()).sum();
    for file in small_files(patch) {
        for author in authors(history, file)?.into_iter().flatten() {
            add(history, author, &mut sessions);
        }
    }
    let known: usize = sessions.values().map(|it| it.lines).sum();
    let share = |it: CommitShare| CommitShare { share: rounded(it.lines, lines), ..it };
    let mut sessions: Vec<CommitShare> = sessions.into_values().map(share).collect();
    sessions.sort_by_key(|it| std::cmp::Reverse(it.lines));
    Ok(CommitRow {
        commit: patch.commit.clone(),
        committed_at: Timestamp::from_second(patch.second).unwrap_or_default(),
        author: patch.author.clone(),
        subject: patch.subject.clone(),
        lines,
        unknown_lines: lines.saturating_sub(known),
        sessions,
        notes,
    })
}

/// A share of all lines, in hundredths.
fn rounded(part: usize, whole: usize) -> f64 {
    let hundredths = (part * 100 + whole / 2).checked_div(whole).unwrap_or_default();
    f64::from(u32::try_from(hundredths).unwrap_or_default()) / 100.0
}

/// The files that are compared.
pub(super) fn small_files(patch: &Patch) -> impl Iterator<Item = &PatchedFile> {
    let is_small =
        |it: &&PatchedFile| it.lines.len() <= MOST_LINES && added_lines(it).next().is_some();
    let is_few = patch.files.len() <= MOST_FILES;
    patch.files.iter().filter(move |it| is_few && is_small(it))
}

/// The author of each line of a commit's file; `None` where none is known.
pub(super) fn authors(
    history: &mut History<'_>,
    file: &PatchedFile,
) -> Result<Vec<Option<Author>>, Error> {
    let names: BTreeSet<String> = file.before.iter().chain([&file.path]).cloned().collect();
    let (edits, names) = history.edits(&names, &names)?;
    Ok(attribute(&file.lines, &names, &edits))
}

fn add(history: &History<'_>, author: Author, sessions: &mut BTreeMap<SessionId, CommitShare>) {
    let Some(session) = history.session(author) else { return };
    let share = sessions.entry(session.id).or_insert_with(|| CommitShare {
        session_id: session.id,
        runtime_session_id: session.runtime_id.as_str().to_owned(),
        agent: session.agent.clone(),
        title: session.title.clone(),
        lines: 0,
        share: 0.0,
    });
    share.lines += 1;
}
