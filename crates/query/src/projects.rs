//! Projects: the sums of their sessions, and the files that sessions edited most.

use crate::filter::filter;
use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use taffrail_api::{
    ListRequest, ProjectFile, ProjectFiles, ProjectList, ProjectRow, SCHEMA_VERSION,
};
use taffrail_context::{Error, Settings};
use taffrail_model::Timestamp;
use taffrail_store::{CallRow, Filter, IndexReader, ProjectSums};

/// Parts of the names of tools that edit files.
const EDITING: [&str; 6] = ["edit", "write", "patch", "replace", "create", "notebook"];
/// The fields of an input that name the file.
const PATHS: [&str; 5] = ["file_path", "path", "absolute_path", "notebook_path", "filename"];
/// The lines of a patch that name the file.
const PATCHED: [&str; 3] = ["*** Update File: ", "*** Add File: ", "*** Delete File: "];

/// The projects that sessions worked in, the latest first.
///
/// # Errors
/// When a filter is not valid or our own files cannot be read.
pub fn projects(settings: &Settings, request: &ListRequest) -> Result<ProjectList, Error> {
    let filter = Filter { workers: true, limit: None, ..filter(settings, request)? };
    let reader = IndexReader::open(&settings.data)?;
    let sums = reader.map(|it| it.projects(&filter)).transpose()?.unwrap_or_default();
    let most = request.limit.unwrap_or(usize::MAX);
    let projects = sums.into_iter().filter_map(row).take(most).collect();
    Ok(ProjectList { schema_version: SCHEMA_VERSION, projects })
}

fn row(sums: ProjectSums) -> Option<ProjectRow> {
    Some(ProjectRow {
        path: sums.path?,
        sessions: sums.sessions,
        sub_agents: sums.workers,
        last_event_at: sums.last_event_at,
        prompts: sums.prompts,
        failures: sums.failures,
        tokens: sums.tokens,
        cost_microdollars: sums.cost_microdollars,
    })
}

/// Edits of one file.
#[derive(Default)]
struct Edits {
    edits: u64,
    sessions: HashSet<i64>,
    last: Option<(Timestamp, i64)>,
}

/// The files that sessions of a project edited, the most often edited first. A file counts if its
/// name is in the beginning of the call's input, which the index holds.
///
/// # Errors
/// When a filter is not valid or our own files cannot be read.
pub fn project_files(
    settings: &Settings,
    (project, since): (&str, Option<Timestamp>),
    most: usize,
) -> Result<ProjectFiles, Error> {
    let request =
        ListRequest { project: Some(project.to_owned()), since, ..ListRequest::default() };
    let filter = Filter { workers: true, ..filter(settings, &request)? };
    let (mut all, mut files) = (HashMap::<String, Edits>::new(), Vec::new());
    if let Some(reader) = IndexReader::open(&settings.data)? {
        reader.each_call(&filter, &EDITING, &mut |call| add(&mut all, call, project))?;
        let total = all.len();
        let mut sorted: Vec<_> = all.into_iter().collect();
        sorted.sort_by(|(one, a), (other, b)| {
            (Reverse(a.edits), Reverse(a.last), one).cmp(&(
                Reverse(b.edits),
                Reverse(b.last),
                other,
            ))
        });
        for (path, edits) in sorted.into_iter().take(most) {
            files.extend(file(&reader, path, &edits)?);
        }
        return Ok(reply(project, total, files));
    }
    Ok(reply(project, 0, files))
}

fn reply(project: &str, total: usize, files: Vec<ProjectFile>) -> ProjectFiles {
    let (project, total) = (project.to_owned(), total as u64);
    ProjectFiles { schema_version: SCHEMA_VERSION, project, total, files }
}

fn add(all: &mut HashMap<String, Edits>, call: &CallRow<'_>, project: &str) {
    let Some(path) = path_in(call.excerpt) else { return };
    let below = path.strip_prefix(project.trim_end_matches('/'));
    let path = below.and_then(|it| it.strip_prefix('/')).unwrap_or(&path).to_owned();
    let file = all.entry(path).or_default();
    file.edits += 1;
    file.sessions.insert(call.session);
    file.last = file.last.max(Some((call.at, call.session)));
}

fn file(reader: &IndexReader, path: String, edits: &Edits) -> Result<Option<ProjectFile>, Error> {
    let Some((last_edit_at, row)) = edits.last else { return Ok(None) };
    // A session may be forgotten between two reads.
    let Some(session) = reader.session_at(row)? else { return Ok(None) };
    Ok(Some(ProjectFile {
        path,
        edits: edits.edits,
        sessions: edits.sessions.len() as u64,
        last_edit_at,
        last_session_id: session.id,
        last_session_title: session.title,
    }))
}

/// The file that the beginning of an input names; `None` if its name is cut off.
fn path_in(input: &str) -> Option<String> {
    let named = PATHS.iter().find_map(|field| field_in(input, field));
    named.or_else(|| patched_in(input)).or_else(|| alone_in(input))
}

/// An input of which the index keeps the path alone. A relative one has no spaces, unlike a text.
fn alone_in(input: &str) -> Option<String> {
    let is_cut = input.ends_with('…');
    let is_path = input.starts_with('/')
        || (input.contains(['/', '.']) && !input.contains(char::is_whitespace));
    let is_other = input.contains(['{', '"', '\n']) || input.contains("***");
    (is_path && !is_cut && !is_other).then(|| input.to_owned())
}

fn field_in(input: &str, field: &str) -> Option<String> {
    let (_, rest) = input.split_once(&format!("\"{field}\""))?;
    let rest = rest.trim_start().strip_prefix(':')?.trim_start();
    let mut texts = serde_json::Deserializer::from_str(rest).into_iter::<String>();
    texts.next()?.ok().filter(|it| !it.is_empty())
}

fn patched_in(input: &str) -> Option<String> {
    let rest = PATCHED.iter().find_map(|line| Some(input.split_once(line)?.1))?;
    // The excerpt is on one line: a name ends at a space, an escaped line break, or a marker.
    let end = rest.find(['\\', ' ', '"'])?;
    rest.get(..end).filter(|it| !it.is_empty()).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_of_an_edit_is_read_from_the_beginning_of_its_input() {
        let check = |input: &str, expected: Option<&str>| {
            assert_eq!(path_in(input).as_deref(), expected, "{input}");
        };
        check(r#"{"file_path":"/w/a b.rs","old_string":"x"#, Some("/w/a b.rs"));
        check(r#"{ "replace_all": false, "path" : "src/\u00e4.rs", "#, Some("src/ä.rs"));
        check(r#"{"file_path":"/w/cut of"#, None);
        check(r#"{"file_path":7,"path":"b"}"#, Some("b"));
        check(r"*** Begin Patch *** Update File: src/a.rs @@ -x", Some("src/a.rs"));
        check(r#"{"input":"*** Begin Patch\n*** Add File: b.rs\n+x"#, Some("b.rs"));
        check(r"*** Begin Patch *** Update File: src/a", None);
        check(r#"{"command":"ls"}"#, None);
        check("/w/a b.rs", Some("/w/a b.rs"));
        check("src/a.rs", Some("src/a.rs"));
        check("/w/long na…", None);
        check("Fix the parser.", None);
        check("", None);
    }
}
