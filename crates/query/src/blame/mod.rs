//! Who wrote a line: git names the commit that added it, and the sessions' edits show whether one of
//! them wrote it. The pure part is the crate `taffrail-blame`.

mod commits;
mod git;
mod history;
mod joins;
mod notes;
mod porcelain;
mod write;

use git::{git, working_trees};
use history::{History, Writer};
use joins::Joins;
use notes::Notes;
use porcelain::{Blamed, blamed};
use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use taffrail_api::{BlameQuery, BlameReply, BlamedLine, LineAuthor, NotedLine, SCHEMA_VERSION};
use taffrail_blame::{Added, Author, Line, attribute};
use taffrail_capture::checkout;
use taffrail_context::{Error, Settings};
use taffrail_ingest::{Bring, Budget, Scope, bring_up};
use taffrail_model::SessionId;

pub use commits::commits;
pub use write::{NoteWish, Writing, write_notes};

/// The longest file.
const LONGEST: u64 = 8 * 1024 * 1024;

/// The lines of a file with their commits and sessions.
///
/// # Errors
/// When the file or the line does not exist, or git or our own files cannot be read.
pub fn blame(settings: &Settings, query: &BlameQuery) -> Result<BlameReply, Error> {
    caught_up(settings)?;
    let typed = Path::new(&query.here).join(&query.path);
    let missing = || Error::NoFile(query.path.clone());
    let file = typed.canonicalize().ok().filter(|it| it.is_file()).ok_or_else(missing)?;
    let repository = Repository::of(&file, &typed);
    let (lines, is_tracked) = repository.lines(&file)?;
    if query.line.is_some_and(|it| it == 0 || it > lines.len()) {
        return Err(Error::NoLine(query.path.clone(), lines.len()));
    }
    let mut history = History::new(settings, repository.roots())?;
    let names = repository.names(&lines);
    let others = lines.iter().map(|it| it.line.path.clone()).collect();
    let (edits, names) = history.edits(&names, &others)?;
    let plain: Vec<Line> = lines.iter().map(|it| it.line.clone()).collect();
    let authors = attribute(&plain, &names, &edits);
    let commits = lines.iter().filter_map(|it| it.commit.as_deref()).collect();
    let notes = Notes::of(&repository.root, &commits);
    let joins = if notes.is_empty() { Joins::default() } else { Joins::new(&history)? };
    let shown = match query.text {
        Some(true) if is_tracked && history.has_sessions()? => Shown::All,
        Some(true) => Shown::OfSessions,
        Some(false) | None => Shown::Nothing,
    };
    let (history, known) = (&history, HashMap::new());
    let mut writers = Writers { history, known, notes, joins, shown };
    let all = lines.into_iter().zip(authors).enumerate();
    let asked = all.filter(|(at, _)| query.line.is_none_or(|it| it == at + 1));
    let lines = asked.map(|(at, (line, author))| writers.line(at + 1, line, author)).collect();
    Ok(BlameReply { schema_version: SCHEMA_VERSION, path: repository.path, lines })
}

/// Brings the index and search up to date if no daemon does.
///
/// # Errors
/// When our own files cannot be read or written.
pub fn caught_up(settings: &Settings) -> Result<(), Error> {
    match bring_up(settings, (&Scope::All, Budget::Whole), Bring::Now, &mut |_| {}) {
        // While another program writes, the current index must do.
        Err(error) if !error.is_busy() => Err(error),
        _ => Ok(()),
    }
}

/// A file in its repository, or in its folder if it is in none.
struct Repository {
    root: PathBuf,
    /// The root as the user typed it, through links.
    typed: Option<PathBuf>,
    is_git: bool,
    /// The path below the root.
    path: String,
}

impl Repository {
    fn of(file: &Path, typed: &Path) -> Self {
        let folder = file.parent().unwrap_or(file);
        let found = checkout(folder).map(|it| it.root);
        let is_git = found.is_some();
        let root = found.unwrap_or_else(|| folder.to_owned());
        let path = file.strip_prefix(&root).unwrap_or(file).to_string_lossy().into_owned();
        let depth = Path::new(&path).components().count();
        let typed = typed.ancestors().nth(depth).map(Path::to_owned);
        Self { root, typed, is_git, path }
    }

    /// The lines, and whether git tracks the file.
    fn lines(&self, file: &Path) -> Result<(Vec<Blamed>, bool), Error> {
        let words = ["blame", "--line-porcelain", "--no-textconv", "-M", "-C", "--", &self.path];
        if self.is_git
            && git(&self.root, &["ls-files", "--error-unmatch", "--", &self.path]).is_ok()
            && let Ok(text) = git(&self.root, &words)
        {
            return Ok((blamed(&text), true));
        }
        let size = file.metadata().map_err(|error| unread(file, &error))?.len();
        if size > LONGEST {
            return Err(Error::File(format!("{} has more than {LONGEST} bytes", file.display())));
        }
        let bytes = std::fs::read(file).map_err(|error| unread(file, &error))?;
        let text = String::from_utf8_lossy(&bytes);
        let line = |text: &str| Line {
            text: text.to_owned(),
            added: Added::Uncommitted,
            path: self.path.clone(),
        };
        let lines = text.lines().enumerate();
        let lines = lines.map(|(at, it)| Blamed { commit: None, original: at + 1, line: line(it) });
        Ok((lines.collect(), false))
    }

    fn roots(&self) -> Vec<PathBuf> {
        roots(&self.root, self.typed.as_deref(), self.is_git)
    }

    /// The paths of the file: an earlier one counts for all of its lines if it is gone, and else only
    /// for the lines that were copied from it.
    fn names(&self, lines: &[Blamed]) -> BTreeSet<String> {
        let earlier = lines.iter().map(|it| it.line.path.clone());
        let gone = earlier.filter(|it| !self.root.join(it).exists());
        gone.chain([self.path.clone()]).collect()
    }
}

/// The folders in which sessions may have changed a repository.
fn roots(root: &Path, typed: Option<&Path>, is_git: bool) -> Vec<PathBuf> {
    let trees = if is_git { working_trees(root) } else { Vec::new() };
    let mut out: Vec<PathBuf> = vec![root.to_owned()];
    for other in typed.map(Path::to_owned).into_iter().chain(trees) {
        if !out.contains(&other) {
            out.push(other);
        }
    }
    out
}

fn unread(file: &Path, error: &std::io::Error) -> Error {
    Error::File(format!("cannot read {}: {error}", file.display()))
}

/// The lines whose text the reply has. An untracked file, or one of a repository where no session
/// worked, may hold secrets that no session saw.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shown {
    Nothing,
    OfSessions,
    All,
}

/// The writers that were looked up, and what other tools recorded.
struct Writers<'h> {
    history: &'h History<'h>,
    known: HashMap<Author, Option<Writer>>,
    notes: Notes,
    joins: Joins,
    shown: Shown,
}

impl Writers<'_> {
    fn line(&mut self, line: usize, blamed: Blamed, author: Option<Author>) -> BlamedLine {
        let history = self.history;
        let writer = author.and_then(|author| {
            self.known.entry(author).or_insert_with(|| history.writer(author)).clone()
        });
        let by = if writer.is_some() { LineAuthor::Session } else { LineAuthor::Unknown };
        let session = writer.as_ref().map(|it| &it.session);
        let notes = self.notes_of(&blamed, session.map(|it| it.id));
        let is_shown = match self.shown {
            Shown::Nothing => false,
            Shown::OfSessions => session.is_some(),
            Shown::All => true,
        };
        BlamedLine {
            line,
            commit: blamed.commit,
            by,
            session_id: session.map(|it| it.id),
            runtime_session_id: session.map(|it| it.runtime_id.as_str().to_owned()),
            agent: session.map(|it| it.agent.clone()),
            turn: writer.as_ref().and_then(|it| it.turn),
            prompt_event: writer.as_ref().and_then(|it| it.prompt),
            reason: writer.and_then(|it| it.reason),
            notes,
            text: is_shown.then_some(blamed.line.text),
        }
    }

    fn notes_of(&self, blamed: &Blamed, session: Option<SessionId>) -> Vec<NotedLine> {
        let Some(commit) = &blamed.commit else { return Vec::new() };
        let all = self.notes.line(commit, (&blamed.line.path, blamed.original));
        all.into_iter().map(|it| self.joins.line(it, session)).collect()
    }
}
