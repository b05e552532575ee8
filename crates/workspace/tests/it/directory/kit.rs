//! A project with a directory and a fixed clock.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use taffrail_contracts::ai_session::{
    CONTRACT, FOLDER, FeatureStatus, Model, STATE, TaskMove, checksum,
};
use taffrail_model::Timestamp;
use taffrail_workspace::{Directory, Feature, Invocation, New, NewTask, TaskChange, WorkError};
use tempfile::TempDir;

/// The feature every test works on.
pub(crate) const ID: &str = "dark-mode-2026-11-15";

/// The clock is fixed: later timestamps follow from the rules alone.
pub(crate) fn now() -> Timestamp {
    "2026-11-15T12:00:00Z".parse().unwrap()
}

/// A project in its own folder.
pub(crate) struct Project {
    pub(crate) held: TempDir,
}

/// Every file below a folder, by its path.
pub(crate) type Files = BTreeMap<String, Vec<u8>>;

impl Project {
    /// A project without a directory.
    pub(crate) fn bare() -> Self {
        Self { held: tempfile::tempdir().unwrap() }
    }

    /// A project with one feature.
    pub(crate) fn new() -> Self {
        let project = Self::bare();
        assert_eq!(project.make("Dark mode").unwrap(), ID);
        project
    }

    /// A project with one feature, a task in progress and a pending one.
    pub(crate) fn at_work() -> Self {
        let project = Self::new();
        project.with(|it| it.add_task(&task("t1"), &invocation())).unwrap();
        project.with(|it| it.add_task(&task("t2"), &invocation())).unwrap();
        project.with(|it| it.move_task(&change("t1", TaskMove::Start), &invocation())).unwrap();
        project
    }

    pub(crate) fn root(&self) -> &Path {
        self.held.path()
    }

    pub(crate) fn make(&self, name: &str) -> Result<String, WorkError> {
        let new =
            New { name: name.to_owned(), description: "at night".to_owned(), model: Model::Opus };
        Directory::create(self.root(), &new, &invocation(), now)
    }

    pub(crate) fn open(&self) -> Directory {
        Directory::open(self.root(), now).unwrap()
    }

    /// Runs a function on the feature.
    pub(crate) fn with<T>(
        &self,
        act: impl FnOnce(&mut Feature<'_>) -> Result<T, WorkError>,
    ) -> Result<T, WorkError> {
        let directory = Directory::open(self.root(), now)?;
        let mut feature = directory.choose(None, FeatureStatus::Active)?;
        act(&mut feature)
    }

    /// The path of a file of the feature.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.root().join(FOLDER).join(ID).join(name)
    }

    /// The path of a file of the directory.
    pub(crate) fn outer(&self, name: &str) -> PathBuf {
        self.root().join(FOLDER).join(name)
    }

    pub(crate) fn text(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path(name), text).unwrap();
    }

    /// The fields of the state, without the time of its last update.
    pub(crate) fn current(&self) -> String {
        self.with(|it| Ok(format!("{:?}", it.state.current))).unwrap()
    }

    /// The findings of a check, one `file: details` a line.
    pub(crate) fn check(&self) -> Vec<String> {
        let audit = self.open().check(None, &[checksum(CONTRACT.as_bytes())]).unwrap();
        audit.errors.iter().map(|it| format!("{}: {}", it.file, it.details)).collect()
    }

    /// The warnings of a check, one `file: details` a line.
    pub(crate) fn warnings(&self) -> Vec<String> {
        let audit = self.open().check(None, &[checksum(CONTRACT.as_bytes())]).unwrap();
        audit.warnings.iter().map(|it| format!("{}: {}", it.file, it.details)).collect()
    }

    pub(crate) fn recover(&self) -> Vec<String> {
        let recovered = self.open().recover(None).unwrap();
        recovered.repairs.iter().map(|it| format!("{}: {}", it.file, it.done)).collect()
    }

    /// Every file of the directory except locks.
    pub(crate) fn files(&self) -> Files {
        let mut out = Files::new();
        gather(&self.root().join(FOLDER), "", &mut out);
        out.remove(".lock");
        out
    }

    /// Restores files.
    pub(crate) fn put(&self, files: &Files) {
        for (path, bytes) in files {
            std::fs::write(self.root().join(FOLDER).join(path), bytes).unwrap();
        }
    }

    pub(crate) fn state(&self) -> String {
        self.text(STATE)
    }
}

fn gather(folder: &Path, below: &str, out: &mut Files) {
    for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let name = format!("{below}{}", entry.file_name().to_str().unwrap());
        if entry.file_type().unwrap().is_dir() {
            gather(&entry.path(), &format!("{name}/"), out);
        } else {
            out.insert(name, std::fs::read(entry.path()).unwrap());
        }
    }
}

pub(crate) fn invocation() -> Invocation {
    Invocation {
        command: "work test".to_owned(),
        arguments: "x".to_owned(),
        by: "tester".to_owned(),
        began: now(),
    }
}

pub(crate) fn task(id: &str) -> NewTask {
    NewTask {
        id: id.to_owned(),
        phase: "build".to_owned(),
        phase_name: None,
        description: "a switch: \"on\" # or off".to_owned(),
        agent: "a1".to_owned(),
    }
}

/// Drops what is ours from a history, as another tool would have written it.
pub(crate) fn foreign_history(project: &Project) {
    let text = project.text("history.jsonl");
    let lines = text.lines().map(|it| format!("{}}}\n", it.split_once(",\"change\"").unwrap().0));
    project.write("history.jsonl", &lines.collect::<String>());
}

pub(crate) fn change(id: &str, made: TaskMove) -> TaskChange {
    TaskChange { id: id.to_owned(), made, artifacts: Vec::new() }
}

/// The message of a refusal.
pub(crate) fn refusal<T: std::fmt::Debug>(result: Result<T, WorkError>) -> String {
    match result {
        Err(WorkError::Refused(why)) => why,
        other => format!("not refused: {other:?}"),
    }
}
