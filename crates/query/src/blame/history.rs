//! The edits of sessions that named a file: search finds the sessions, their sources have the text.

use crate::events::{device_of, each_line};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};
use taffrail_api::EventLine;
use taffrail_blame::{Author, Change, Edit, Place, Root};
use taffrail_context::{Error, Settings};
use taffrail_contracts::derived::{Written, written};
use taffrail_ingest::{reference, sources};
use taffrail_model::turn::{TurnInput, turns};
use taffrail_model::{Event, EventId, Kind, TurnId};
use taffrail_store::search::{Query, SearchReader, Want};
use taffrail_store::{EventRow, Filter, IndexReader, SessionRow};

/// The most events that name a file.
const HITS: usize = 10_000;
/// How often a file's earlier names are looked up.
const RENAMES: usize = 3;
/// The longest prompt that is given as a reason.
const REASON: usize = 2_000;

/// What sessions did to the files of one repository.
pub(super) struct History<'s> {
    settings: &'s Settings,
    index: Option<(IndexReader, SearchReader)>,
    roots: Vec<PathBuf>,
    nested: BTreeMap<String, usize>,
    sessions: HashMap<i64, Option<Worked>>,
    authors: Vec<(i64, Option<TurnId>)>,
}

/// A session and what it wrote.
struct Worked {
    session: SessionRow,
    written: Vec<Written>,
    /// The turns with their prompts.
    turns: Vec<(TurnId, Option<EventRow>)>,
}

/// Who wrote a line.
#[derive(Debug, Clone)]
pub(super) struct Writer {
    pub(super) session: SessionRow,
    /// The number of the turn, from 1.
    pub(super) turn: Option<usize>,
    /// The event of the turn's prompt.
    pub(super) prompt: Option<EventId>,
    /// The prompt of the turn.
    pub(super) reason: Option<String>,
}

impl<'s> History<'s> {
    pub(super) fn new(settings: &'s Settings, roots: Vec<PathBuf>) -> Result<Self, Error> {
        let index = IndexReader::open(&settings.data)?.zip(SearchReader::open(&settings.data));
        let (nested, sessions) = (BTreeMap::new(), HashMap::new());
        Ok(Self { settings, index, roots, nested, sessions, authors: Vec::new() })
    }

    /// The edits of a file that has or had these names, and of others that lines came from; and all
    /// names of the file.
    pub(super) fn edits(
        &mut self,
        names: &BTreeSet<String>,
        others: &BTreeSet<String>,
    ) -> Result<(Vec<Edit>, BTreeSet<String>), Error> {
        let mut names = names.clone();
        for _ in 0..RENAMES {
            let wanted: BTreeSet<String> = names.union(others).cloned().collect();
            let rows = self.candidates(&wanted)?;
            let edits = self.edits_of(&rows)?;
            let moved = edits
                .iter()
                .filter(|it| matches!(&it.change, Change::Move(to) if names.contains(to)));
            let before: BTreeSet<String> = moved.map(|it| it.place.path.clone()).collect();
            if before.is_subset(&names) {
                let is_meant = |it: &Edit| wanted.contains(&it.place.path);
                return Ok((edits.into_iter().filter(is_meant).collect(), names));
            }
            names.extend(before);
        }
        Ok((Vec::new(), names))
    }

    /// The sessions with a call that names one of these files.
    fn candidates(&self, names: &BTreeSet<String>) -> Result<BTreeSet<i64>, Error> {
        let Some((index, search)) = &self.index else { return Ok(BTreeSet::new()) };
        let mut out = BTreeSet::new();
        for name in names {
            // Whoever works in a folder of the repository names the file from there.
            let last = name.rsplit('/').next().unwrap_or(name);
            let here = Some(self.rows_here(index)?);
            for (words, sessions) in [(name.as_str(), None), (last, here)] {
                let query = Query::parse(&format!("file:\"{words}\""));
                let want = Want { query: &query, sessions, since: None };
                let found = search.find(&want, HITS, (self.settings.now)())?;
                out.extend(found.hits.iter().map(|it| it.session));
            }
        }
        Ok(out)
    }

    /// The sessions whose project is in the repository.
    fn rows_here(&self, index: &IndexReader) -> Result<HashSet<i64>, Error> {
        let mut here = HashSet::new();
        for root in &self.roots {
            let project = Some(root.to_string_lossy().into_owned());
            here.extend(index.rows_of(&Filter { workers: true, project, ..Filter::default() })?);
        }
        Ok(here)
    }

    /// Whether any session worked in the repository.
    pub(super) fn has_sessions(&self) -> Result<bool, Error> {
        let Some((index, _)) = &self.index else { return Ok(false) };
        Ok(!self.rows_here(index)?.is_empty())
    }

    fn edits_of(&mut self, rows: &BTreeSet<i64>) -> Result<Vec<Edit>, Error> {
        let mut out = Vec::new();
        for row in rows {
            self.load(*row)?;
            let Some(Some(worked)) = self.sessions.get(row) else { continue };
            for written in worked.written.clone() {
                out.extend(self.edit(*row, written));
            }
        }
        Ok(out)
    }

    fn edit(&mut self, row: i64, written: Written) -> Option<Edit> {
        let place = self.place(&written.path)?;
        let change = match written.change {
            Change::Move(to) => {
                Change::Move(self.place(&to).filter(|it| it.root == place.root)?.path)
            }
            other => other,
        };
        let known = self.authors.iter().position(|it| *it == (row, written.turn));
        let author = known.unwrap_or_else(|| {
            self.authors.push((row, written.turn));
            self.authors.len() - 1
        });
        let at = written.at.as_millisecond();
        Some(Edit { at, author: Author(author), place, base: written.base, change })
    }

    /// Where a path is in the repository.
    fn place(&mut self, path: &str) -> Option<Place> {
        let below = |(number, root): (usize, &PathBuf)| {
            let rest = Path::new(path).strip_prefix(root).ok()?;
            Some((root.as_os_str().len(), number, rest.to_str()?.to_owned()))
        };
        let (_, root, path) = self.roots.iter().enumerate().filter_map(below).max()?;
        // A nested working tree that was removed is not listed any more.
        let Some((tree, rest)) = nested(&path) else {
            return Some(Place { root: Root(root), path });
        };
        let next = self.roots.len() + self.nested.len();
        let root = *self.nested.entry(tree.to_owned()).or_insert(next);
        Some(Place { root: Root(root), path: rest.to_owned() })
    }

    fn load(&mut self, row: i64) -> Result<(), Error> {
        if let (None, Some((index, _))) = (self.sessions.get(&row), &self.index) {
            let session = index.session(row)?;
            let worked = session.map(|it| worked(self.settings, index, it)).transpose()?;
            self.sessions.insert(row, worked);
        }
        Ok(())
    }

    /// All sessions, to find those that records of other tools name.
    pub(super) fn sessions(&self) -> Result<Vec<SessionRow>, Error> {
        let Some((index, _)) = &self.index else { return Ok(Vec::new()) };
        Ok(index.sessions(&Filter { workers: true, ..Filter::default() })?)
    }

    /// The number of the turn of an author, from 1.
    pub(super) fn turn(&self, author: Author) -> Option<usize> {
        let (row, turn) = self.authors.get(author.0)?;
        let worked = self.sessions.get(row)?.as_ref()?;
        worked.turns.iter().position(|(id, _)| Some(*id) == *turn).map(|it| it + 1)
    }

    /// The session of an author.
    pub(super) fn session(&self, author: Author) -> Option<&SessionRow> {
        let (row, _) = self.authors.get(author.0)?;
        self.sessions.get(row)?.as_ref().map(|it| &it.session)
    }

    /// Who an author is.
    pub(super) fn writer(&self, author: Author) -> Option<Writer> {
        let (row, turn) = self.authors.get(author.0)?;
        let worked = self.sessions.get(row)?.as_ref()?;
        let found = worked.turns.iter().position(|(id, _)| Some(*id) == *turn);
        let prompt = found.and_then(|it| worked.turns.get(it)?.1.as_ref());
        let reason = prompt.map(|it| self.text(&worked.session, it));
        let turn = found.map(|it| it + 1);
        let prompt = prompt.map(|it| it.id);
        Some(Writer { session: worked.session.clone(), turn, prompt, reason })
    }

    /// The text of a prompt, from its source or else its excerpt.
    fn text(&self, session: &SessionRow, row: &EventRow) -> String {
        let body = sources(self.settings).body(&reference(&session.agent, row));
        let text = body.ok().and_then(|it| it.text).unwrap_or_else(|| row.excerpt.clone());
        text.chars().take(REASON).collect()
    }
}

/// Reads the calls of a session back, with their results.
fn worked(settings: &Settings, index: &IndexReader, session: SessionRow) -> Result<Worked, Error> {
    let rows = index.events(session.row)?;
    let turns = turns_of(&rows);
    let is_call = |it: &EventRow| matches!(it.kind, Kind::ToolCall | Kind::ToolResult);
    let rows = rows.into_iter().filter(|it| is_call(it) && !it.removed).collect();
    let mut events: Vec<Event> = Vec::new();
    let device = device_of(settings)?;
    each_line((settings, index, &device), &session, rows, &mut |line| {
        if let EventLine::Event(event) = line {
            events.push(*event);
        }
        true
    });
    let written = written(&events, session.project_path.as_deref());
    Ok(Worked { session, written, turns })
}

/// The turns of a session, each with the event of its prompt.
fn turns_of(rows: &[EventRow]) -> Vec<(TurnId, Option<EventRow>)> {
    let live = rows.iter().filter(|it| !it.removed);
    let inputs = live.clone().map(|row| TurnInput {
        kind: &row.kind,
        at: row.at,
        turn: row.turn,
        marks: row.marks,
        text: "",
        label: row.label.as_deref(),
        signal: row.signal.as_ref(),
    });
    let prompt = |id: TurnId| {
        let is_prompt = |it: &&EventRow| it.kind == Kind::UserPrompt && it.turn == Some(id);
        live.clone().find(is_prompt).cloned()
    };
    turns(inputs, None).into_iter().map(|it| (it.id, prompt(it.id))).collect()
}

/// A working tree below a repository and the path in it: agents keep theirs in `.worktrees`, or in `worktrees` in a
/// hidden folder of their own.
fn nested(path: &str) -> Option<(&str, &str)> {
    let hidden = path.strip_prefix('.')?;
    let rest = match hidden.split_once('/')? {
        ("worktrees", rest) => rest,
        (_, rest) => rest.strip_prefix("worktrees/")?,
    };
    rest.split_once('/')
}
