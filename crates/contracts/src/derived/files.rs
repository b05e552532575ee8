//! Changes to files, from edit and write tools and patches that succeeded. Content is tracked from the
//! first time a tool wrote a whole file, so line counts and hashes are either exact or
//! absent.

use super::calls::{Call, calls};
use super::patch::{self, Hunk, Section};
use super::paths;
use crate::captured::Captured;
use crate::digest::sha256;
use crate::vocabulary::FileAction;
use serde_json::Value;
use similar::{ChangeTag, TextDiff};
use std::collections::BTreeMap;
use taffrail_model::Timestamp;

/// Parts of the names of tools that change files.
const CHANGING: [&str; 6] = ["edit", "write", "patch", "replace", "create", "notebook"];
/// Input fields that name the file.
const PATH: [&str; 5] = ["file_path", "path", "absolute_path", "notebook_path", "filename"];
const CONTENT: [&str; 3] = ["content", "file_text", "contents"];
const OLD: [&str; 2] = ["old_string", "old_str"];
const NEW: [&str; 2] = ["new_string", "new_str"];
/// Larger texts are not compared line by line, since that can take quadratic time.
const LARGEST_COMPARED: usize = 200_000;

/// The changes of one agent to one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileFact {
    /// The path, relative to the project.
    pub path: String,
    /// The kind of change.
    pub action: FileAction,
    /// The index of the agent.
    pub agent: usize,
    /// The time of the last change.
    pub at: Timestamp,
    /// Lines added.
    pub added: Option<u64>,
    /// Lines removed.
    pub removed: Option<u64>,
    /// SHA-256 before the first change.
    pub before: Option<String>,
    /// SHA-256 after the last change.
    pub after: Option<String>,
}

/// All changes to files.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Changes {
    /// The files, in the order of their first change.
    pub files: Vec<FileFact>,
    /// The number of changed files outside the project.
    pub outside: usize,
}

enum Edit {
    Write {
        path: String,
        content: String,
    },
    Replace {
        path: String,
        to: Option<String>,
        hunks: Vec<Hunk>,
        everywhere: bool,
    },
    Add {
        path: String,
        content: String,
    },
    Delete {
        path: String,
    },
    /// A change whose content is unknown.
    Touch {
        path: String,
    },
}

/// The changes to files of a session and its sub-agents.
#[must_use]
pub fn changes(captured: &Captured) -> Changes {
    let all = captured.all();
    let mut done: Vec<(usize, Option<&str>, Call<'_>)> = Vec::new();
    for (agent, session) in all.iter().enumerate() {
        let own = calls(session).into_iter().filter(|call| call.is_done() && !call.is_copy);
        done.extend(own.map(|call| (agent, session.project_path.as_deref(), call)));
    }
    done.sort_by_key(|(agent, _, call)| (call.answered_at(), *agent));
    let mut following = Following::default();
    for (agent, folder, call) in &done {
        let folder = call.field(&["workdir", "cwd"]).or(*folder);
        for edit in edits(call) {
            following.apply(*agent, folder, call, edit);
        }
    }
    following.finish(captured.main.project_path.as_deref().unwrap_or("/"))
}

fn edits(call: &Call<'_>) -> Vec<Edit> {
    if let Some(text) = patch_in(&call.input) {
        return patch::sections(text).into_iter().map(from_section).collect();
    }
    let tool = call.tool.to_ascii_lowercase();
    if !CHANGING.iter().any(|part| tool.contains(part)) {
        return Vec::new();
    }
    let listed = by_file(&call.input);
    if !listed.is_empty() {
        return listed;
    }
    let Some(path) = call.field(&PATH).map(str::to_owned) else { return Vec::new() };
    if call.field(&["command"]) == Some("view") {
        return Vec::new();
    }
    vec![edit_of(call, path)]
}

fn edit_of(call: &Call<'_>, path: String) -> Edit {
    let mut hunks = Vec::new();
    let mut everywhere = is_everywhere(&call.input);
    for pair in call.input.get("edits").and_then(Value::as_array).into_iter().flatten() {
        hunks.extend(hunk_of(pair));
        everywhere |= is_everywhere(pair);
    }
    hunks.extend(hunk_of(&call.input));
    match (hunks.is_empty(), call.field(&CONTENT)) {
        (false, _) => Edit::Replace { path, to: None, hunks, everywhere },
        (true, Some(content)) => Edit::Write { path, content: content.to_owned() },
        (true, None) => Edit::Touch { path },
    }
}

fn is_everywhere(input: &Value) -> bool {
    input.get("replace_all").and_then(Value::as_bool) == Some(true)
}

fn hunk_of(pair: &Value) -> Option<Hunk> {
    let field = |names: [&str; 2]| names.iter().find_map(|name| pair.get(*name)?.as_str());
    let (old, new) = (field(OLD)?, field(NEW)?);
    let (added, removed) = compared(old, new).unwrap_or_default();
    Some(Hunk { old: old.to_owned(), new: new.to_owned(), added, removed })
}

/// The text of a patch, wherever it is in the input.
fn patch_in(input: &Value) -> Option<&str> {
    match input {
        Value::String(text) => Some(text.as_str()).filter(|text| text.contains(patch::BEGIN)),
        Value::Array(all) => all.iter().find_map(patch_in),
        Value::Object(all) => {
            let fields = ["input", "patch", "command", "cmd"];
            fields.iter().find_map(|name| patch_in(all.get(*name)?))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => None,
    }
}

fn from_section(section: Section) -> Edit {
    match section {
        Section::Add { path, content } => Edit::Add { path, content },
        Section::Delete { path } => Edit::Delete { path },
        Section::Update { path, to, hunks } => Edit::Replace { path, to, hunks, everywhere: false },
    }
}

/// A patch as an object: the change to each file, by path.
fn by_file(input: &Value) -> Vec<Edit> {
    let Some(files) = input.as_object() else { return Vec::new() };
    let edit = |(path, change): (&String, &Value)| {
        let path = path.clone();
        let text = |name: &str| change.get(name).and_then(Value::as_str).map(str::to_owned);
        match change.get("type").and_then(Value::as_str)? {
            "add" => Some(Edit::Add { path, content: text("content")? }),
            "delete" => Some(Edit::Delete { path }),
            "update" => {
                let hunks = text("unified_diff").map(|it| patch::hunks(&it)).unwrap_or_default();
                let to = text("move_path");
                Some(Edit::Replace { path, to, hunks, everywhere: false })
            }
            _ => None,
        }
    };
    files.iter().filter_map(edit).collect()
}

#[derive(Default)]
struct Following {
    /// Known contents, by absolute path.
    known: BTreeMap<String, String>,
    facts: Vec<FileFact>,
    /// The index of a fact, by path and agent.
    places: BTreeMap<(String, usize), usize>,
    /// The content before an agent's first change and after its last, by index.
    bases: BTreeMap<usize, String>,
    lasts: BTreeMap<usize, String>,
    /// Paths that cannot be resolved.
    lost: usize,
}

impl Following {
    fn apply(&mut self, agent: usize, folder: Option<&str>, call: &Call<'_>, edit: Edit) {
        let at = call.answered_at();
        let (path, to) = match &edit {
            Edit::Replace { path, to, .. } => (path, to.clone()),
            Edit::Write { path, .. }
            | Edit::Add { path, .. }
            | Edit::Delete { path }
            | Edit::Touch { path } => (path, None),
        };
        let Some(path) = paths::absolute(folder, path) else {
            self.lost += 1;
            return;
        };
        let old = self.known.remove(&path);
        let (action, new, counts) = outcome(edit, old.as_deref(), call);
        let mut fact = FileFact {
            path: path.clone(),
            action,
            agent,
            at,
            added: counts.map(|it| it.0),
            removed: counts.map(|it| it.1),
            before: old.as_deref().map(sha256),
            after: new.as_deref().map(sha256),
        };
        if let Some(to) = to.and_then(|to| paths::absolute(folder, &to)) {
            let gone = FileFact { action: FileAction::Deleted, after: None, ..fact.clone() };
            self.note(FileFact { added: Some(0), removed: None, ..gone }, None, None);
            fact = FileFact { path: to, action: FileAction::Created, before: None, ..fact };
        }
        let base = if fact.action == FileAction::Created { Some(String::new()) } else { old };
        let path = fact.path.clone();
        self.note(fact, base, new.as_deref());
        self.known.extend(new.map(|new| (path, new)));
    }

    fn note(&mut self, fact: FileFact, base: Option<String>, content: Option<&str>) {
        let next = self.facts.len();
        let place = *self.places.entry((fact.path.clone(), fact.agent)).or_insert(next);
        match self.facts.get_mut(place) {
            Some(known) => join(known, fact),
            None => {
                self.facts.push(fact);
                self.bases.extend(base.map(|base| (place, base)));
            }
        }
        match content {
            Some(content) => self.lasts.insert(place, content.to_owned()),
            None => self.lasts.remove(&place),
        };
    }

    /// Line counts from the first content to the last, if both are known; lines that were added and removed in
    /// between do not count.
    fn net(&self, place: usize) -> Option<(u64, u64)> {
        compared(self.bases.get(&place)?, self.lasts.get(&place)?)
    }

    fn finish(mut self, project: &str) -> Changes {
        let mut out = Changes { files: Vec::new(), outside: self.lost };
        for (place, mut fact) in std::mem::take(&mut self.facts).into_iter().enumerate() {
            if let Some((added, removed)) = self.net(place) {
                (fact.added, fact.removed) = (Some(added), Some(removed));
            }
            match paths::below(project, &fact.path) {
                Some(path) => {
                    fact.path = path;
                    out.files.push(fact);
                }
                None => out.outside += 1,
            }
        }
        out
    }
}

/// The result of an edit: the kind of change, the content if it is known, and the lines added and
/// removed if they are known.
fn outcome(
    edit: Edit,
    old: Option<&str>,
    call: &Call<'_>,
) -> (FileAction, Option<String>, Option<(u64, u64)>) {
    match edit {
        Edit::Add { content, .. } => {
            let lines = content.lines().count() as u64;
            (FileAction::Created, Some(content), Some((lines, 0)))
        }
        Edit::Write { content, .. } if old.is_none() && says_created(call) => {
            let lines = content.lines().count() as u64;
            (FileAction::Created, Some(content), Some((lines, 0)))
        }
        Edit::Write { content, .. } => {
            let counts = old.and_then(|old| compared(old, &content));
            (FileAction::Modified, Some(content), counts)
        }
        Edit::Replace { hunks, everywhere, .. } => {
            let new = old.and_then(|old| replaced(old, &hunks, everywhere));
            let counts = match (old, &new) {
                (Some(old), Some(new)) => compared(old, new),
                _ if everywhere || hunks.is_empty() => None,
                _ => Some(
                    hunks.iter().fold((0, 0), |sum, it| (sum.0 + it.added, sum.1 + it.removed)),
                ),
            };
            (FileAction::Modified, new, counts)
        }
        Edit::Delete { .. } => {
            (FileAction::Deleted, None, old.map(|old| (0, old.lines().count() as u64)))
        }
        Edit::Touch { .. } => (FileAction::Modified, None, None),
    }
}

fn says_created(call: &Call<'_>) -> bool {
    let said = call.said().to_ascii_lowercase();
    said.contains("created") || said.contains("new file")
}

fn replaced(old: &str, hunks: &[Hunk], everywhere: bool) -> Option<String> {
    let mut text = old.to_owned();
    for hunk in hunks {
        if hunk.old.is_empty() || !text.contains(&hunk.old) {
            return None;
        }
        let times = if everywhere { usize::MAX } else { 1 };
        text = text.replacen(&hunk.old, &hunk.new, times);
    }
    Some(text)
}

fn compared(old: &str, new: &str) -> Option<(u64, u64)> {
    if old.len() + new.len() > LARGEST_COMPARED {
        return None;
    }
    let diff = TextDiff::from_lines(old, new);
    let count = |tag| diff.iter_all_changes().filter(|it| it.tag() == tag).count() as u64;
    Some((count(ChangeTag::Insert), count(ChangeTag::Delete)))
}

fn join(known: &mut FileFact, then: FileFact) {
    known.action = joined(&known.action, &then.action);
    known.at = then.at;
    known.added = known.added.zip(then.added).map(|(one, other)| one + other);
    known.removed = known.removed.zip(then.removed).map(|(one, other)| one + other);
    known.after = then.after;
}

fn joined(first: &FileAction, then: &FileAction) -> FileAction {
    match (first, then) {
        (FileAction::Created, FileAction::Modified) => FileAction::Created,
        (FileAction::Deleted, FileAction::Created) => FileAction::Modified,
        (_, then) => then.clone(),
    }
}
