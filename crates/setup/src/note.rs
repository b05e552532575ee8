//! A change to a file that can be undone to the byte.

use crate::error::SetupError;
use serde::{Deserialize, Serialize};
use std::fs::{self, DirBuilder, Permissions};
use std::io::{ErrorKind, Write};
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// The mode of a file that was not there.
const PRIVATE: u32 = 0o600;

/// What was put into a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    /// The file.
    pub path: PathBuf,
    /// What was put at its end.
    added: String,
    /// The file was not there.
    made_file: bool,
    /// Folders above it that were not there, the deepest first.
    made_folders: Vec<PathBuf>,
}

/// What became of a change that was to be taken back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Undone {
    /// The file is gone, as it was before.
    Removed,
    /// The file says what it said before.
    Restored,
    /// Somebody changed what we put in: it was left alone.
    Changed,
    /// Nothing of ours was there any more.
    Nothing,
}

impl Note {
    #[must_use]
    pub fn new(path: &Path, added: String, made_file: bool) -> Self {
        let above = path.ancestors().skip(1).filter(|it| !it.exists());
        let made_folders = above.map(Path::to_owned).collect();
        Self { path: path.to_owned(), added, made_file, made_folders }
    }

    /// Writes it below a folder. What an earlier one made is still ours.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn keep(&self, folder: &Path, name: &str) -> Result<(), SetupError> {
        let file = folder.join(format!("{name}.json"));
        let mut note = self.clone();
        if let Some(earlier) = one(&file)?.filter(|it| it.path == self.path) {
            note.made_file |= earlier.made_file;
            note.made_folders.extend(earlier.made_folders);
        }
        let text = serde_json::to_string(&note).map_err(std::io::Error::other);
        replace(&file, &text.map_err(SetupError::at("write", &file))?)
    }

    /// Takes it back.
    ///
    /// # Errors
    /// The file cannot be read, written or removed.
    pub fn undo(&self) -> Result<Undone, SetupError> {
        let Some(text) = read(&self.path)? else { return Ok(Undone::Nothing) };
        if self.made_file && text == self.added {
            fs::remove_file(&self.path).map_err(SetupError::at("remove", &self.path))?;
            for folder in &self.made_folders {
                // A folder that contains something by now stays.
                fs::remove_dir(folder).ok();
            }
            return Ok(Undone::Removed);
        }
        let mut parts = text.split(&self.added);
        match (parts.next(), parts.next(), parts.next()) {
            (Some(before), Some(after), None) => {
                // A line after ours still begins on a line of its own.
                let is_cut = self.added.starts_with('\n') && !after.is_empty();
                let between = if is_cut { "\n" } else { "" };
                replace(&self.path, &format!("{before}{between}{after}"))?;
                Ok(Undone::Restored)
            }
            (_, None, _) if !self.made_file => Ok(Undone::Nothing),
            _ => Ok(Undone::Changed),
        }
    }
}

/// Every note, with the file it is in.
///
/// # Errors
/// The folder cannot be read.
pub fn all(folder: &Path) -> Result<Vec<(PathBuf, Note)>, SetupError> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(SetupError::at("read", folder))?,
    };
    let mut out = Vec::new();
    for entry in entries {
        let path = entry.map_err(SetupError::at("read", folder))?.path();
        out.extend(one(&path)?.map(|note| (path, note)));
    }
    Ok(out)
}

/// Takes a note away and returns it, if there is one.
pub(crate) fn take(folder: &Path, name: &str) -> Result<Option<Note>, SetupError> {
    let file = folder.join(format!("{name}.json"));
    let note = one(&file)?;
    if note.is_some() {
        fs::remove_file(&file).map_err(SetupError::at("remove", &file))?;
    }
    Ok(note)
}

/// One note; one that cannot be understood is left where it is.
fn one(file: &Path) -> Result<Option<Note>, SetupError> {
    Ok(read(file)?.and_then(|text| serde_json::from_str(&text).ok()))
}

/// What a file says; `None` if it is not there. A link leads to a file of somebody else's.
pub(crate) fn read(path: &Path) -> Result<Option<String>, SetupError> {
    match fs::symlink_metadata(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Ok(it) if it.is_symlink() => return Err(SetupError::Link(path.to_owned())),
        Ok(_) | Err(_) => {}
    }
    fs::read_to_string(path).map(Some).map_err(SetupError::at("read", path))
}

/// Gives a file its new text, whole or not at all; it keeps its mode.
///
/// # Errors
/// It cannot be written.
pub fn replace(path: &Path, text: &str) -> Result<(), SetupError> {
    let folder = path.parent().unwrap_or(Path::new("/"));
    let made = DirBuilder::new().recursive(true).mode(0o700).create(folder);
    made.map_err(SetupError::at("make", folder))?;
    let mode = fs::metadata(path).map_or(PRIVATE, |it| it.permissions().mode());
    let written = || -> std::io::Result<()> {
        let mut file = tempfile::Builder::new().prefix(".taffrail-").tempfile_in(folder)?;
        file.write_all(text.as_bytes())?;
        file.as_file().set_permissions(Permissions::from_mode(mode))?;
        file.as_file().sync_all()?;
        file.persist(path)?;
        Ok(())
    };
    written().map_err(SetupError::at("write", path))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tempfile::TempDir;

    const LINE: &str = "source it\n";

    fn noted(folder: &TempDir, before: Option<&str>) -> Note {
        let path = folder.path().join("a/b/rc");
        if let Some(text) = before {
            replace(&path, text).unwrap();
        }
        let note = Note::new(&path, LINE.to_owned(), before.is_none());
        replace(&path, &format!("{}{LINE}", before.unwrap_or_default())).unwrap();
        note
    }

    #[test]
    fn what_was_put_in_comes_out_and_every_other_byte_stays() {
        let check = |before: Option<&str>, change: &dyn Fn(&str) -> String, expected: Undone| {
            let folder = TempDir::new().unwrap();
            let note = noted(&folder, before);
            let now = change(&fs::read_to_string(&note.path).unwrap());
            replace(&note.path, &now).unwrap();
            assert_eq!(note.undo().unwrap(), expected, "{before:?}");
            read(&note.path).unwrap()
        };
        let same = |text: &str| text.to_owned();
        assert_eq!(check(None, &same, Undone::Removed), None);
        for before in ["", "a\n", "no end", "\u{feff}\r\n\t"] {
            let after = check(Some(before), &same, Undone::Restored);
            assert_eq!(after.as_deref(), Some(before));
        }
        let more = |text: &str| format!("{text}mine\n");
        assert_eq!(check(Some("a\n"), &more, Undone::Restored).unwrap(), "a\nmine\n");
        assert_eq!(check(None, &more, Undone::Restored).unwrap(), "mine\n");
        let gone = |_: &str| "mine\n".to_owned();
        assert_eq!(check(Some("a\n"), &gone, Undone::Nothing).unwrap(), "mine\n");
        assert_eq!(check(None, &gone, Undone::Changed).unwrap(), "mine\n");
    }

    #[test]
    fn folders_that_were_made_go_with_the_file_unless_something_is_in_them() {
        let folder = TempDir::new().unwrap();
        let note = noted(&folder, None);
        note.undo().unwrap();
        assert!(!folder.path().join("a").exists());
        let note = noted(&folder, None);
        replace(&folder.path().join("a/other"), "").unwrap();
        note.undo().unwrap();
        assert!(folder.path().join("a/other").exists() && !folder.path().join("a/b").exists());
    }
}
