//! Decides which changes on disk wake a watcher: those of sources, and not those of our own files.
//!
//! Every line that is read makes us write to databases, a search index and an archive. If those
//! writes woke us, each change would cause several more.

use super::walk::source_folders;
use notify::EventKind;
use notify::event::{ModifyKind, RenameMode};
use std::path::{Path, PathBuf};
use taffrail_capture::{Home, spool_folder};
use taffrail_context::Settings;

/// The folders we write to, and the places in them that hold sources nevertheless.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct OwnFolders {
    folders: Vec<PathBuf>,
    sources: Vec<PathBuf>,
    spool: PathBuf,
}

impl OwnFolders {
    /// Our folders, for a watcher of these homes.
    pub(super) fn new(settings: &Settings, state: Option<&Path>, homes: &[Home]) -> Self {
        let folders = [Some(settings.data.as_path()), Some(&settings.runtime), state];
        let folders = folders.into_iter().flatten().map(real).collect();
        let sources = homes.iter().flat_map(|home| source_folders(settings, home));
        let sources = sources.map(|it| real(&it)).collect();
        Self { folders, sources, spool: real(&spool_folder(&settings.data)) }
    }

    /// Whether only our own files change in a folder.
    pub(super) fn has(&self, path: &Path) -> bool {
        let depth = |all: &[PathBuf]| {
            let above = all.iter().filter(|it| path.starts_with(it));
            above.map(|it| it.components().count()).max()
        };
        // The nearest ancestor decides.
        depth(&self.folders) > depth(&self.sources)
    }

    /// Whether a change can be ignored. In the spool, only a new entry cannot.
    pub(super) fn made(&self, path: &Path, kind: EventKind) -> bool {
        if path.parent() != Some(self.spool.as_path()) {
            return self.has(path);
        }
        let is_entry = path.extension().is_some_and(|it| it == "json")
            && path.file_name().is_some_and(|it| !it.as_encoded_bytes().starts_with(b"."));
        let is_gone = matches!(
            kind,
            EventKind::Remove(_) | EventKind::Modify(ModifyKind::Name(RenameMode::From))
        );
        !is_entry || is_gone
    }
}

/// Resolves a path; a folder that does not exist yet keeps the name it will have.
fn real(path: &Path) -> PathBuf {
    if let Ok(real) = path.canonicalize() {
        return real;
    }
    match (path.parent(), path.file_name()) {
        (Some(above), Some(name)) if above != path => real(above).join(name),
        _ => path.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use notify::event::{CreateKind, RemoveKind};

    fn own() -> OwnFolders {
        OwnFolders {
            folders: vec!["/h/agent/d".into(), "/h/s".into(), "/run/t".into()],
            sources: vec!["/h/agent".into(), "/h/agent/d/remote".into()],
            spool: "/h/agent/d/journal/spool".into(),
        }
    }

    #[test]
    fn the_nearest_folder_says_whose_a_file_is() {
        let check = |path: &str, expected: bool| {
            assert_eq!(own().has(Path::new(path)), expected, "{path}");
        };
        check("/h/agent/a.jsonl", false);
        check("/h/agent/d", true);
        check("/h/agent/d/index.db-wal", true);
        check("/h/agent/d/search/x", true);
        check("/h/agent/d/remote/dev-1/x.jsonl", false);
        check("/h/agent/d2/x", false);
        check("/h/s/glance.json", true);
        check("/run/t/daemon.sock", true);
        check("/elsewhere", false);
    }

    #[test]
    fn an_entry_that_came_is_looked_at_and_its_going_is_not() {
        let check = |name: &str, kind: EventKind, expected: bool| {
            let path = own().spool.join(name);
            assert_eq!(own().made(&path, kind), expected, "{name} {kind:?}");
        };
        let renamed = |how| EventKind::Modify(ModifyKind::Name(how));
        check("1-a.json", EventKind::Create(CreateKind::File), false);
        check("1-a.json", renamed(RenameMode::To), false);
        check("1-a.json", renamed(RenameMode::Both), false);
        check(".1-a", renamed(RenameMode::Both), true);
        check(".1-a", EventKind::Create(CreateKind::File), true);
        check("1-a.json", renamed(RenameMode::From), true);
        check("1-a.json", EventKind::Remove(RemoveKind::File), true);
        check("1-a.broken", renamed(RenameMode::To), true);
    }

    #[test]
    fn a_folder_that_is_not_there_yet_is_known_by_its_real_name() {
        let folder = tempfile::tempdir().unwrap();
        let (real_one, link) = (folder.path().join("real"), folder.path().join("link"));
        std::fs::create_dir(&real_one).unwrap();
        std::os::unix::fs::symlink(&real_one, &link).unwrap();
        assert_eq!(real(&link.join("a/b")), real(&real_one).join("a/b"));
    }
}
