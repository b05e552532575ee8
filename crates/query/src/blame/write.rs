//! Writes notes about commits in the form of git-ai: only into `refs/notes/ai`, and never over a note that is there.

use super::commits::{authors, hashes, patch_of, small_files};
use super::git::{git, git_with};
use super::history::History;
use super::joins::note_tool;
use super::notes::Notes;
use super::porcelain::{Patch, PatchedFile};
use super::{caught_up, roots};
use std::path::Path;
use taffrail_api::{CommitsQuery, GitNoteRow, NoteList, SCHEMA_VERSION};
use taffrail_blame::Author;
use taffrail_blame::notes::{NoteDraft, NotedLine, REF};
use taffrail_capture::checkout;
use taffrail_context::{Error, Settings};

/// What to do about notes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Writing {
    /// Only show them.
    Show,
    /// Write them.
    Do,
}

/// Which commits get notes.
#[derive(Debug, Clone)]
pub struct NoteWish {
    /// A folder of the repository.
    pub here: String,
    /// These commits; empty for the latest.
    pub commits: Vec<String>,
    /// Since then, if no commits are named.
    pub since: Option<String>,
    /// What to do.
    pub writing: Writing,
}

/// The notes of commits with lines of sessions; a commit that has a note keeps it.
///
/// # Errors
/// When the folder is not in a repository, a commit does not exist, or git cannot write.
pub fn write_notes(settings: &Settings, wish: &NoteWish) -> Result<NoteList, Error> {
    caught_up(settings)?;
    let folder = Path::new(&wish.here);
    let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    let missing = || Error::NoRepository(wish.here.clone());
    let root = checkout(&folder).ok_or_else(missing)?.root;
    if wish.writing == Writing::Do {
        check_identity(&root)?;
    }
    let mut history = History::new(settings, roots(&root, None, true))?;
    let commits = wished(settings, &root, wish)?;
    let noted = Notes::of(&root, &commits.iter().map(String::as_str).collect());
    let mut notes = Vec::new();
    for commit in commits {
        let Some(patch) = patch_of(&root, &commit) else { continue };
        let Some(text) = draft(&mut history, &patch)?.text() else { continue };
        let note = Some(text).filter(|_| !noted.has_note(&commit));
        if let (Writing::Do, Some(text)) = (wish.writing, &note) {
            add(&root, &commit, text)?;
        }
        notes.push(GitNoteRow { commit, subject: patch.subject, note });
    }
    let written = wish.writing == Writing::Do;
    Ok(NoteList { schema_version: SCHEMA_VERSION, written, notes })
}

fn wished(settings: &Settings, root: &Path, wish: &NoteWish) -> Result<Vec<String>, Error> {
    if wish.commits.is_empty() {
        let (here, since) = (wish.here.clone(), wish.since.clone());
        return hashes(settings, root, &CommitsQuery { since, here, limit: None });
    }
    let hash = |name: &String| {
        let words = ["rev-parse", "--verify", "--quiet", "--end-of-options"];
        let name = format!("{name}^{{commit}}");
        Ok(git(root, &[&words[..], &[&name]].concat())?.trim().to_owned())
    };
    wish.commits.iter().map(hash).collect()
}

/// The lines of a commit that sessions wrote.
fn draft(history: &mut History<'_>, patch: &Patch) -> Result<NoteDraft, Error> {
    let mut out = NoteDraft { commit: patch.commit.clone(), lines: Vec::new() };
    for file in small_files(patch) {
        for (at, author) in authors(history, file)?.into_iter().enumerate() {
            out.lines.extend(author.and_then(|it| line(history, (file, at + 1), it)));
        }
    }
    Ok(out)
}

fn line(
    history: &History<'_>,
    (file, line): (&PatchedFile, usize),
    author: Author,
) -> Option<NotedLine> {
    let session = history.session(author)?;
    Some(NotedLine {
        path: file.path.clone(),
        line,
        tool: note_tool(&session.agent).unwrap_or(&session.agent).to_owned(),
        conversation: session.runtime_id.as_str().to_owned(),
        model: session.model.clone(),
        turn: history.turn(author),
    })
}

/// Git signs the list of notes with the user's name.
fn check_identity(root: &Path) -> Result<(), Error> {
    let unnamed = |_| {
        let why = "git does not know your name: set user.name and user.email with git config";
        Error::Git(why.to_owned())
    };
    git(root, &["var", "GIT_COMMITTER_IDENT"]).map(drop).map_err(unnamed)
}

/// Adds a note. Without `-f`, git refuses if somebody wrote one meanwhile.
fn add(root: &Path, commit: &str, text: &str) -> Result<(), Error> {
    let reference = format!("--ref={REF}");
    git_with(root, &["notes", &reference, "add", "-F", "-", commit], Some(text)).map(|_| ())
}
