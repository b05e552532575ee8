//! The text that a session wrote into files, call by call, for whoever asks who wrote a line.

use super::calls::{Call, calls_in};
use super::edits::{self, Edit, edits};
use super::file_states::State;
use super::files::{is_amended, recorded, says_created};
use super::patch::Hunk;
use super::paths;
use super::shell_files::{Effect, effects};
use super::shell_run::Run;
use std::collections::HashSet;
use taffrail_blame::{Base, Change, Reach};
use taffrail_model::{Event, Timestamp, TurnId};

/// A change to a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// The time of the result.
    pub at: Timestamp,
    /// The turn.
    pub turn: Option<TurnId>,
    /// The absolute path.
    pub path: String,
    /// What the file was before.
    pub base: Base,
    /// What the call did. A file moves to an absolute path.
    pub change: Change,
}

/// The changes to files in some events of a session, in order. Calls that failed and calls that were
/// copied from another session wrote nothing.
#[must_use]
pub fn written(events: &[Event], folder: Option<&str>) -> Vec<Written> {
    let mut writer = Writer { read: HashSet::new(), out: Vec::new() };
    for call in calls_in(events).iter().filter(|it| !it.is_copy) {
        writer.follow(call, call.field(&["workdir", "cwd", "dir_path"]).or(folder));
    }
    writer.out
}

struct Writer {
    /// The files that the session read since its last change to them.
    read: HashSet<String>,
    out: Vec<Written>,
}

impl Writer {
    fn follow(&mut self, call: &Call<'_>, folder: Option<&str>) {
        let made = if call.is_done() { edits(call) } else { Vec::new() };
        if !made.is_empty() {
            return made.into_iter().for_each(|it| self.edit(call, folder, it));
        }
        if let Some((script, run)) = call.script().zip(Run::of(call)) {
            return effects(&script, folder, run).into_iter().for_each(|it| self.shell(call, it));
        }
        let path = call.field(&edits::PATH).and_then(|it| paths::absolute(folder, it));
        self.read.extend(path.filter(|_| call.is_done() && !edits::changes_files(call)));
    }

    fn edit(&mut self, call: &Call<'_>, folder: Option<&str>, edit: Edit) {
        let absolute = |path: &str| paths::absolute(folder, path);
        match edit {
            Edit::Write { path, content } | Edit::Add { path, content } => {
                let Some(path) = absolute(&path) else { return };
                let base = self.base(call, &path);
                // What the user made of the proposal is unknown.
                let change = if is_amended(call) { Change::Delete } else { Change::Write(content) };
                self.add(call, (path, base), change);
            }
            Edit::Replace { path, to, hunks, everywhere } => {
                let Some(path) = absolute(&path) else { return };
                let base = before(call).unwrap_or(Base::Unknown);
                let hunks = if is_amended(call) { Vec::new() } else { hunks };
                let hunks = hunks.into_iter().map(hunk).collect();
                let reach = if everywhere { Reach::Everywhere } else { Reach::Once };
                self.add(call, (path.clone(), base), Change::Replace(hunks, reach));
                if let Some(to) = to.as_deref().and_then(absolute) {
                    self.add(call, (path, Base::Unknown), Change::Move(to));
                }
            }
            Edit::Delete { path } => {
                let path = absolute(&path).map(|it| (it, Base::Unknown));
                path.into_iter().for_each(|it| self.add(call, it, Change::Delete));
            }
            Edit::Unknown { .. } => {}
        }
    }

    fn shell(&mut self, call: &Call<'_>, effect: Effect) {
        let (path, change) = match effect {
            Effect::Write { path, content } => {
                (path, content.map_or(Change::Delete, Change::Write))
            }
            Effect::Append { path, content: Some(content) } => (path, Change::Append(content)),
            Effect::Delete { path, .. } => (path, Change::Delete),
            Effect::Move { from, to } => {
                let to = target(&from, to);
                (from, Change::Move(to))
            }
            Effect::Read(path) => {
                self.read.insert(path);
                return;
            }
            Effect::Folder(_)
            | Effect::Touch(_)
            | Effect::Append { .. }
            | Effect::Change(_)
            | Effect::DeleteAll(_)
            | Effect::Copy { .. }
            | Effect::Restore(_)
            | Effect::Merge => return,
        };
        let base = if self.read.contains(&path) { Base::There } else { Base::Unknown };
        self.add(call, (path, base), change);
    }

    /// What a file was before a call wrote all of it.
    fn base(&self, call: &Call<'_>, path: &str) -> Base {
        let is_new = || (says_created(call) && !is_patch(call)).then_some(Base::New);
        // A patch reports an update for every file, also for a new one.
        let is_there = || self.read.contains(path) || (says_updated(call) && !is_patch(call));
        let guess = || if is_there() { Base::There } else { Base::Unknown };
        before(call).or_else(is_new).unwrap_or_else(guess)
    }

    fn add(&mut self, call: &Call<'_>, (path, base): (String, Base), change: Change) {
        self.read.remove(&path);
        self.out.push(Written { at: call.answered_at(), turn: call.turn, path, base, change });
    }
}

/// What the agent recorded of the file before the call.
fn before(call: &Call<'_>) -> Option<Base> {
    match recorded(call)? {
        State::Absent => Some(Base::New),
        State::Text(text) => Some(Base::Text(text)),
        State::There | State::Unknown => None,
    }
}

fn is_patch(call: &Call<'_>) -> bool {
    call.field(&edits::PATH).is_none()
}

fn says_updated(call: &Call<'_>) -> bool {
    let said = call.said().to_ascii_lowercase();
    said.contains("updated") || said.contains("overwr")
}

fn hunk(hunk: Hunk) -> taffrail_blame::Hunk {
    taffrail_blame::Hunk { old: hunk.old, new: hunk.new }
}

/// Where a file goes: a name without an ending is that of a folder if the file has one.
fn target(from: &str, to: String) -> String {
    let name = from.rsplit('/').next().unwrap_or_default();
    let last = to.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    match name.contains('.') && !last.contains('.') {
        true => format!("{}/{name}", to.trim_end_matches('/')),
        false => to,
    }
}
