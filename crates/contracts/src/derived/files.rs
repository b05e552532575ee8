//! Changes to files, net over a session: from edit and write tools, from patches and from shell
//! commands that succeeded. Line counts and hashes are exact or absent.

use super::calls::{Call, calls};
use super::edits::{self, Edit, edits};
use super::file_states::{FileStates, Origin, State};
use super::patch::Hunk;
use super::paths;
use super::shell_files::effects;
use super::shell_run::Run;
use crate::captured::Captured;
use crate::vocabulary::FileAction;
use serde_json::Value;
use taffrail_model::Timestamp;

/// The changes of one agent to one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileFact {
    /// The path, relative to the project.
    pub path: String,
    /// The kind of change.
    pub action: FileAction,
    /// Nothing shows whether the file was there before, so the action is the usual one.
    pub is_assumed: bool,
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

/// The changes to files of a session and its sub-agents.
#[must_use]
pub fn changes(captured: &Captured) -> Changes {
    let all = captured.all();
    let mut done: Vec<(usize, Option<&str>, Call<'_>)> = Vec::new();
    for (agent, session) in all.iter().enumerate() {
        let own = calls(session).into_iter().filter(|call| !call.is_copy);
        done.extend(own.map(|call| (agent, session.project_path.as_deref(), call)));
    }
    done.sort_by_key(|(agent, _, call)| (call.answered_at(), *agent));
    let mut states = FileStates::new(&captured.disk);
    let mut lost = 0;
    for (agent, folder, call) in &done {
        let origin = Origin { agent: *agent, since: call.at, at: call.answered_at() };
        lost += follow(&mut states, origin, *folder, call);
    }
    let project = captured.main.project_path.as_deref().unwrap_or("/");
    let former = captured.here.former_project.as_deref();
    within(states.facts(), [Some(project), former], lost)
}

/// The paths that the changes of a session name, absolute: what the disk can say more about.
#[must_use]
pub fn changed_paths(captured: &Captured) -> Vec<String> {
    let project = captured.main.project_path.as_deref().unwrap_or("/");
    let all = changes(captured).files.into_iter();
    all.filter_map(|it| paths::absolute(Some(project), &it.path)).collect()
}

/// Follows one call, and returns the number of paths that cannot be resolved.
fn follow(
    states: &mut FileStates<'_>,
    origin: Origin,
    folder: Option<&str>,
    call: &Call<'_>,
) -> usize {
    let folder = call.field(&["workdir", "cwd", "dir_path"]).or(folder);
    let made = if call.is_done() { edits(call) } else { Vec::new() };
    if made.is_empty() {
        if let Some((script, run)) = call.script().zip(Run::of(call)) {
            let all = effects(&script, folder, run);
            all.into_iter().for_each(|effect| states.shell(origin, effect));
        } else if call.is_done() && !edits::changes_files(call) {
            let path = call.field(&edits::PATH).and_then(|path| paths::absolute(folder, path));
            path.into_iter().for_each(|path| states.seen(path));
        }
    }
    made.into_iter().filter(|edit| !apply(states, origin, (folder, call), edit)).count()
}

/// Applies an edit; `false` if its path cannot be resolved.
fn apply(
    states: &mut FileStates<'_>,
    origin: Origin,
    (folder, call): (Option<&str>, &Call<'_>),
    edit: &Edit,
) -> bool {
    let (Edit::Write { path, .. }
    | Edit::Replace { path, .. }
    | Edit::Add { path, .. }
    | Edit::Delete { path }
    | Edit::Unknown { path }) = edit;
    let Some(path) = paths::absolute(folder, path) else { return false };
    states.replaced(&path, origin.since);
    let before = recorded(call).or_else(|| states.known(&path));
    let amended = is_amended(call);
    match edit {
        Edit::Add { content, .. } => {
            states.set(origin, (path, State::Absent, State::Text(content.clone())), None);
        }
        Edit::Write { content, .. } => {
            let is_new = says_created(call).then_some(State::Absent);
            let before = before.or(is_new);
            let before = before.unwrap_or_else(|| states.state(&path, origin, State::There));
            let after = if amended { State::There } else { State::Text(content.clone()) };
            states.set(origin, (path, before, after), None);
        }
        Edit::Replace { to, hunks, everywhere, .. } => {
            let before = before.unwrap_or(State::There);
            let after = replaced(&before, hunks, *everywhere).filter(|_| !amended);
            match to.as_deref().and_then(|to| paths::absolute(folder, to)) {
                Some(to) => states.moved(origin, (path, before, after), to),
                None => {
                    let after = after.unwrap_or(State::There);
                    states.set(origin, (path, before, after), Some(hunks));
                }
            }
        }
        Edit::Delete { .. } => {
            states.set(origin, (path, before.unwrap_or(State::There), State::Absent), None);
        }
        Edit::Unknown { .. } => {
            let is_new = says_created(call).then_some(State::Absent);
            let before = before.or(is_new).unwrap_or(State::There);
            states.set(origin, (path, before, State::There), None);
        }
    }
    true
}

/// The content before the change, where the agent recorded it.
pub(super) fn recorded(call: &Call<'_>) -> Option<State> {
    let original = call.answer?.data.get("change")?.get("original")?;
    Some(original.as_str().map_or(State::Absent, |it| State::Text(it.to_owned())))
}

/// Whether the user changed the proposal, so that the content is not the call's.
pub(super) fn is_amended(call: &Call<'_>) -> bool {
    let amended = call.answer.and_then(|it| it.data.get("change")?.get("amended"));
    amended.and_then(Value::as_bool) == Some(true)
}

pub(super) fn says_created(call: &Call<'_>) -> bool {
    let said = call.said().to_ascii_lowercase();
    said.contains("created") || said.contains("new file")
}

fn replaced(before: &State, hunks: &[Hunk], everywhere: bool) -> Option<State> {
    let mut text = match before {
        State::Text(text) => text.clone(),
        State::Absent | State::Unknown | State::There => return None,
    };
    for hunk in hunks {
        if hunk.old.is_empty() && text.is_empty() {
            text.clone_from(&hunk.new);
            continue;
        }
        if hunk.old.is_empty() || !text.contains(&hunk.old) {
            return None;
        }
        let times = if everywhere { usize::MAX } else { 1 };
        text = text.replacen(&hunk.old, &hunk.new, times);
    }
    Some(State::Text(text))
}

/// The files below the project, or below the folder it was in on another device.
fn within(facts: Vec<FileFact>, roots: [Option<&str>; 2], lost: usize) -> Changes {
    let mut out = Changes { files: Vec::new(), outside: lost };
    for mut fact in facts {
        let below = |root: &&str| paths::below(root, &fact.path);
        match roots.iter().flatten().find_map(below) {
            Some(path) => {
                fact.path = path;
                out.files.push(fact);
            }
            None => out.outside += 1,
        }
    }
    out
}
