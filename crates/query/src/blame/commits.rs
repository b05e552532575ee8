//! The commits of a repository with the sessions whose lines they hold.

use super::git::git;
use super::history::History;
use super::porcelain::{FORMAT, Patch, PatchedFile, patch};
use super::{caught_up, roots};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use taffrail_api::{CommitList, CommitRow, CommitShare, CommitsQuery, SCHEMA_VERSION};
use taffrail_blame::{Added, attribute};
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
    let mut commits = Vec::new();
    for hash in hashes(settings, &root, query)? {
        let words = ["show", FORMAT, "--no-ext-diff", "--no-textconv", "--no-color"];
        let words = [&words[..], &["-M", "-U1000000", "--src-prefix=a/", "--dst-prefix=b/", &hash]];
        // A commit whose patch is too long has lines that nothing is known of.
        let Ok(text) = git(&root, &words.concat()) else { continue };
        commits.push(row(&mut history, &patch(&text))?);
    }
    Ok(CommitList { schema_version: SCHEMA_VERSION, commits })
}

fn hashes(settings: &Settings, root: &Path, query: &CommitsQuery) -> Result<Vec<String>, Error> {
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

fn row(history: &mut History<'_>, patch: &Patch) -> Result<CommitRow, Error> {
    let mut sessions: BTreeMap<SessionId, CommitShare> = BTreeMap::new();
    let is_added =
        |it: &PatchedFile| it.lines.iter().filter(|it| it.added != Added::Context).count();
    let lines: usize = patch.files.iter().map(is_added).sum();
    let is_small = |it: &&PatchedFile| it.lines.len() <= MOST_LINES && is_added(it) > 0;
    if patch.files.len() <= MOST_FILES {
        for file in patch.files.iter().filter(is_small) {
            add(history, file, &mut sessions)?;
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
    })
}

/// A share of all lines, in hundredths.
fn rounded(part: usize, whole: usize) -> f64 {
    let hundredths = (part * 100 + whole / 2).checked_div(whole).unwrap_or_default();
    f64::from(u32::try_from(hundredths).unwrap_or_default()) / 100.0
}

fn add(
    history: &mut History<'_>,
    file: &PatchedFile,
    sessions: &mut BTreeMap<SessionId, CommitShare>,
) -> Result<(), Error> {
    let names: BTreeSet<String> = file.before.iter().chain([&file.path]).cloned().collect();
    let (edits, names) = history.edits(&names, &names)?;
    for author in attribute(&file.lines, &names, &edits).into_iter().flatten() {
        let Some(session) = history.session(author) else { continue };
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
    Ok(())
}
