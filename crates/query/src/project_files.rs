//! The files that sessions edited, of a project or of all: how often, by which sessions, and after which prompts.

use crate::edited_path::{EDITING, path_in};
use crate::file_costs::{SessionEdits, file_costs};
use crate::filter::filter;
use std::cmp::Reverse;
use std::collections::HashMap;
use taffrail_api::{FileChange, ListRequest, ProjectFile, ProjectFiles, SCHEMA_VERSION};
use taffrail_context::{Error, Settings};
use taffrail_model::{EventId, Kind, Timestamp};
use taffrail_store::{EditRow, Filter, IndexReader};

/// The most sessions that a file names.
const CHANGES: usize = 3;

/// Which files come first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileOrder {
    /// Those edited most often.
    Edits,
    /// Those edited last.
    Last,
    /// Those that cost most: the cost of each turn is divided between its edits.
    Cost,
}

impl FileOrder {
    /// Reads the word.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        match word {
            "edits" => Some(Self::Edits),
            "last" => Some(Self::Last),
            "cost" => Some(Self::Cost),
            _ => None,
        }
    }
}

/// Edits of one file by one session.
struct Edits {
    edits: u64,
    /// The latest of them: when, and the call.
    last: (Timestamp, EventId),
}

/// Edits of one file, by the row of the session.
type File = HashMap<i64, Edits>;

/// Edits of a project.
#[derive(Default)]
struct All {
    files: HashMap<String, File>,
    /// The same by session, if costs are wanted.
    by_session: Option<HashMap<i64, SessionEdits>>,
}

/// The files that sessions of a project, or of all, edited. An edit counts if its call succeeded and the name of
/// the file is in the beginning of the call's input, which the index holds.
///
/// # Errors
/// When a filter is not valid or our own files cannot be read.
pub fn project_files(
    settings: &Settings,
    (project, since): (Option<&str>, Option<Timestamp>),
    (order, most): (FileOrder, usize),
) -> Result<ProjectFiles, Error> {
    let request =
        ListRequest { project: project.map(str::to_owned), since, ..ListRequest::default() };
    let filter = Filter { workers: true, ..filter(settings, &request)? };
    let by_session = (order == FileOrder::Cost).then(HashMap::new);
    let (mut all, mut files) = (All { by_session, ..All::default() }, Vec::new());
    let reader = IndexReader::open(&settings.data)?;
    if let Some(reader) = &reader {
        reader.each_edit(&filter, &EDITING, &mut |edit| all.add(edit, project))?;
    }
    let total = all.files.len() as u64;
    let costs = match (&reader, &all.by_session) {
        (Some(reader), Some(edits)) => file_costs(reader, edits)?,
        _ => HashMap::new(),
    };
    for (path, edits) in sorted(all.files, &costs, order).into_iter().take(most) {
        let Some(reader) = &reader else { continue };
        let cost = costs.get(&path).copied();
        files.extend(file(reader, (path, cost), &edits)?);
    }
    let project = project.map(str::to_owned);
    Ok(ProjectFiles { schema_version: SCHEMA_VERSION, project, total, files })
}

impl All {
    fn add(&mut self, edit: &EditRow<'_>, project: Option<&str>) {
        let Some(path) = path_in(edit.excerpt) else { return };
        let below = project.and_then(|it| path.strip_prefix(it.trim_end_matches('/')));
        let path = below.and_then(|it| it.strip_prefix('/')).unwrap_or(&path).to_owned();
        if let Some(sessions) = &mut self.by_session {
            sessions.entry(edit.session).or_default().push((edit.at, path.clone()));
        }
        let last = (edit.at, edit.id);
        let session = self.files.entry(path).or_default().entry(edit.session);
        let edits = session.or_insert(Edits { edits: 0, last });
        edits.edits += 1;
        edits.last = edits.last.max(last);
    }
}

fn sorted(
    all: HashMap<String, File>,
    costs: &HashMap<String, i64>,
    order: FileOrder,
) -> Vec<(String, File)> {
    let mut sorted: Vec<_> = all.into_iter().collect();
    sorted.sort_by_cached_key(|(path, file)| {
        // Of files edited last, the number of edits says nothing.
        let edits = if order == FileOrder::Last { 0 } else { count(file) };
        (Reverse(costs.get(path).copied()), Reverse(edits), Reverse(last(file)), path.clone())
    });
    sorted
}

fn count(file: &File) -> u64 {
    file.values().map(|it| it.edits).sum()
}

fn last(file: &File) -> Option<Timestamp> {
    file.values().map(|it| it.last.0).max()
}

fn file(
    reader: &IndexReader,
    (path, cost_microdollars): (String, Option<i64>),
    file: &File,
) -> Result<Option<ProjectFile>, Error> {
    let mut sessions: Vec<_> = file.iter().collect();
    sessions.sort_by_key(|(row, it)| (Reverse(it.last.0), **row));
    let mut changes = Vec::new();
    for (row, edits) in sessions {
        if changes.len() < CHANGES {
            changes.extend(change(reader, *row, edits)?);
        }
    }
    // A session may be forgotten between two reads.
    let Some(first) = changes.first() else { return Ok(None) };
    Ok(Some(ProjectFile {
        path,
        edits: count(file),
        sessions: file.len() as u64,
        cost_microdollars,
        last_edit_at: first.at,
        last_session_id: first.session_id,
        last_session_title: first.title.clone(),
        changes,
    }))
}

/// A session that edited a file, and the prompt before its latest edit.
fn change(reader: &IndexReader, row: i64, edits: &Edits) -> Result<Option<FileChange>, Error> {
    let Some(session) = reader.session_at(row)? else { return Ok(None) };
    let (at, event_id) = edits.last;
    let prompt = reader.last_of_kind(row, &Kind::UserPrompt, at)?;
    Ok(Some(FileChange {
        session_id: session.id,
        title: session.title,
        agent: session.agent,
        edits: edits.edits,
        at,
        event_id,
        prompt_event: prompt.as_ref().map(|it| it.id),
        prompt: prompt.map(|it| it.excerpt),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_come_by_edits_by_time_or_by_cost_and_those_of_unknown_cost_last() {
        let file = |edits, second| {
            let last = (Timestamp::from_second(second).unwrap(), EventId::from_bytes([0; 16]));
            HashMap::from([(1, Edits { edits, last })])
        };
        let costs = HashMap::from([("b".to_owned(), 5), ("c".to_owned(), 9)]);
        for (order, wanted) in [
            (FileOrder::Edits, ["a", "b", "c"]),
            (FileOrder::Last, ["c", "a", "b"]),
            (FileOrder::Cost, ["c", "b", "a"]),
        ] {
            let all = [("a", file(3, 20)), ("b", file(2, 10)), ("c", file(1, 30))];
            let all = all.into_iter().map(|(path, file)| (path.to_owned(), file)).collect();
            let known = if order == FileOrder::Cost { costs.clone() } else { HashMap::new() };
            let sorted = sorted(all, &known, order);
            let got: Vec<_> = sorted.iter().map(|(path, _)| path.as_str()).collect();
            assert_eq!(got, wanted, "{order:?}");
        }
    }
}
