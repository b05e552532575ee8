//! Where the plan and the history of a feature are: in their usual files, or in the files inside the
//! directory that the state names.

use crate::error::{WorkError, disk};
use crate::folder::Folder;
use crate::yaml;
use rustix::fs::OFlags;
use serde_json::{Map, Value};
use std::fs::File;
use std::io;
use std::path::{Component, Path, PathBuf};
use taffrail_contracts::ai_session::{
    ACKNOWLEDGMENT, ACTIVE_FEATURES, FOLDER, HISTORY, PLAN, README, STATE, is_feature_id,
};

/// The keys of a state that name the two files, with the usual names.
const NAMED: [(&str, &str); 2] = [("implementation_plan", PLAN), ("history_log", HISTORY)];

/// A file of a feature.
#[derive(Debug)]
pub(crate) struct Place {
    /// The folder in which the path begins.
    root: Folder,
    /// The folders between it and the file.
    below: Vec<String>,
    name: String,
    /// The path relative to the directory, for messages.
    pub(crate) path: String,
}

/// The two files that a state may name.
#[derive(Debug)]
pub(crate) struct Places {
    pub(crate) plan: Place,
    pub(crate) history: Place,
    pub(crate) origin: Origin,
}

/// Where the two places come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Origin {
    /// The state, which may name other files.
    State,
    /// The layout alone.
    Layout,
}

impl Place {
    /// A file right in a folder. The path is for messages.
    pub(crate) fn of(folder: &Folder, name: &str, path: String) -> Result<Self, WorkError> {
        Ok(Self { root: folder.again()?, below: Vec::new(), name: name.to_owned(), path })
    }

    /// The usual file of a feature in its folder.
    pub(crate) fn usual(folder: &Folder, id: &str, name: &str) -> Result<Self, WorkError> {
        Self::of(folder, name, format!("{id}/{name}"))
    }

    /// The file at these names below the directory. The feature's own folder may be in the archive, so a
    /// path into it begins there.
    pub(crate) fn located(
        (own, id): (&Folder, &str),
        above: impl FnOnce() -> Result<Folder, WorkError>,
        mut parts: Vec<String>,
    ) -> Result<Self, WorkError> {
        let path = parts.join("/");
        let name = parts.pop().unwrap_or_default();
        let is_own = parts.first().is_some_and(|it| it == id);
        let root = if is_own { own.again()? } else { above()? };
        let below = parts.into_iter().skip(usize::from(is_own)).collect();
        Ok(Self { root, below, name, path })
    }

    /// The folder of the file; `None` if it does not exist.
    fn folder(&self) -> Result<Option<Folder>, WorkError> {
        let mut folder = self.root.again()?;
        for name in &self.below {
            let Some(next) = folder.sub(name)? else { return Ok(None) };
            folder = next;
        }
        Ok(Some(folder))
    }

    /// The folder of the file, created if it does not exist.
    fn made(&self) -> Result<Folder, WorkError> {
        let first = self.root.again()?;
        self.below.iter().try_fold(first, |folder, name| folder.make(name))
    }

    /// Opens the file; `None` if it does not exist.
    pub(crate) fn file(&self, how: OFlags) -> Result<Option<File>, WorkError> {
        match self.folder()? {
            Some(folder) => folder.file(&self.name, how),
            None => Ok(None),
        }
    }

    /// The content of a document; `None` if it does not exist.
    pub(crate) fn read(&self) -> Result<Option<Vec<u8>>, WorkError> {
        match self.folder()? {
            Some(folder) => folder.read(&self.name),
            None => Ok(None),
        }
    }

    /// Replaces a document atomically.
    pub(crate) fn replace(&self, bytes: &[u8]) -> Result<(), WorkError> {
        self.made()?.replace(&self.name, bytes)
    }

    /// Appends bytes in one write and syncs them.
    pub(crate) fn append(&self, bytes: &[u8]) -> Result<(), WorkError> {
        self.made()?.append(&self.name, bytes)
    }

    /// Copies bytes beside the file, under the first of these endings that is free; returns the name.
    pub(crate) fn keep_beside(
        &self,
        endings: impl IntoIterator<Item = String>,
        bytes: &[u8],
    ) -> Result<String, WorkError> {
        let folder = self.made()?;
        let mut names = endings.into_iter().map(|ending| format!("{}{ending}", self.name));
        let name = names.find(|it| !folder.has(it)).unwrap_or_default();
        folder.replace(&name, bytes)?;
        Ok(name)
    }

    /// Converts a system error about the file.
    pub(crate) fn failed(&self) -> impl Fn(io::Error) -> WorkError + use<> {
        let below: PathBuf = self.below.iter().collect();
        let path = self.root.path().join(below).join(&self.name);
        move |error| disk(&path)(error)
    }
}

impl Places {
    /// The usual files.
    pub(crate) fn usual(folder: &Folder, id: &str) -> Result<Self, WorkError> {
        Ok(Self {
            plan: Place::usual(folder, id, PLAN)?,
            history: Place::usual(folder, id, HISTORY)?,
            origin: Origin::Layout,
        })
    }

    /// Whether they are what the state says.
    pub(crate) fn is_named(&self) -> bool {
        self.origin == Origin::State
    }
}

/// The two keys of a state that is not valid, as far as it can be read: from the document, else from each
/// line that is YAML by itself.
pub(crate) fn salvaged(bytes: &[u8]) -> Map<String, Value> {
    let text = String::from_utf8_lossy(bytes);
    let whole = yaml::read(&text).ok().filter(Value::is_object);
    let lines = || text.lines().filter_map(|line| yaml::read(line).ok()).collect();
    let readable: Vec<Value> = whole.map_or_else(lines, |it| vec![it]);
    let find = |key: &str| readable.iter().find_map(|it| it.get(key)).filter(|it| it.is_string());
    NAMED.iter().filter_map(|(key, _)| Some(((*key).to_owned(), find(key)?.clone()))).collect()
}

/// The paths of the plan and of the history, as names below the directory. The error is a sentence.
pub(crate) fn both(state: &Value, id: &str, above: &Path) -> [Result<Vec<String>, String>; 2] {
    NAMED.map(|it| named(state, it, (id, above)))
}

/// The path that a state names under a key, or the usual one.
fn named(
    state: &Value,
    (key, usual): (&str, &str),
    (id, above): (&str, &Path),
) -> Result<Vec<String>, String> {
    match state.get(key).and_then(Value::as_str) {
        Some(path) => inside(path, id, above).map_err(|why| format!("/{key}: {path:?} {why}")),
        None => Ok(vec![id.to_owned(), usual.to_owned()]),
    }
}

/// Resolves a path to names below the directory. It begins at the project if it starts with
/// `.ai-session`, at the directory if it starts with the feature's id, else in the feature's folder.
fn inside(path: &str, id: &str, above: &Path) -> Result<Vec<String>, &'static str> {
    const LEAVES: &str = "leaves the directory";
    let path = Path::new(path);
    let path = path.strip_prefix(".").unwrap_or(path);
    let (mut out, rest) = match (path.is_absolute(), path.strip_prefix(FOLDER)) {
        (true, _) => (Vec::new(), path.strip_prefix(above).map_err(|_| LEAVES)?),
        (false, Ok(rest)) => (Vec::new(), rest),
        (false, Err(_)) if path.starts_with(id) => (Vec::new(), path),
        (false, Err(_)) => (vec![id.to_owned()], path),
    };
    for part in rest.components() {
        match part {
            Component::Normal(name) => out.push(name.to_str().ok_or("is not UTF-8")?.to_owned()),
            Component::ParentDir => drop(out.pop().ok_or(LEAVES)?),
            Component::CurDir => {}
            Component::RootDir | Component::Prefix(_) => return Err(LEAVES),
        }
    }
    permitted(out, id)
}

/// Refuses files that have another purpose.
fn permitted(parts: Vec<String>, id: &str) -> Result<Vec<String>, &'static str> {
    let is_other = |it: &String| is_feature_id(it) && it != id;
    match parts.as_slice() {
        [] => Err("is not a file"),
        all if all.iter().any(|it| it.starts_with('.')) => Err("is a hidden file or folder"),
        [own] if own == id => Err("is not a file"),
        [first, ..] if is_other(first) => Err("is in the folder of another feature"),
        [name] if [ACTIVE_FEATURES, README, ACKNOWLEDGMENT].contains(&name.as_str()) => {
            Err("has another purpose")
        }
        [.., name] if name == STATE => Err("has another purpose"),
        _ => Ok(parts),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "dark-mode-2026-11-15";

    #[test]
    fn a_path_is_resolved_inside_the_directory_or_refused() {
        let above = Path::new("/p/.ai-session");
        let check = |path: &str, expected: Result<&str, &str>| {
            let parts = inside(path, ID, above).map(|it| it.join("/"));
            assert_eq!(parts.as_deref().map_err(|it| *it), expected, "{path}");
        };
        let own = |name: &str| format!("{ID}/{name}");
        check("plan.yaml", Ok(&own("plan.yaml")));
        check("./plans/plan.yaml", Ok(&own("plans/plan.yaml")));
        check("dark-mode-2026-11-15/plan.yaml", Ok(&own("plan.yaml")));
        check(".ai-session/dark-mode-2026-11-15/plan.yaml", Ok(&own("plan.yaml")));
        check("./.ai-session/plans/p.yaml", Ok("plans/p.yaml"));
        check("../plans/p.yaml", Ok("plans/p.yaml"));
        check("/p/.ai-session/plans/p.yaml", Ok("plans/p.yaml"));
        check("/p/.ai-session/plans/../p.yaml", Ok("p.yaml"));
        check("../../p.yaml", Err("leaves the directory"));
        check(".ai-session/../p.yaml", Err("leaves the directory"));
        check("/etc/passwd", Err("leaves the directory"));
        check("/p/.ai-session/../../etc/passwd", Err("leaves the directory"));
        check("", Err("is not a file"));
        check(".ai-session", Err("is not a file"));
        check(".", Err("is not a file"));
        check("../.lock", Err("is a hidden file or folder"));
        check(".archive/x/history.jsonl", Err("is a hidden file or folder"));
        check("../other-2026-11-15/history.jsonl", Err("is in the folder of another feature"));
        check("../README.md", Err("has another purpose"));
        check("state.yaml", Err("has another purpose"));
    }
}
