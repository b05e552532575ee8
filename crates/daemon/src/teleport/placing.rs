//! Putting files where the agent's own resume finds them, and nothing else. What is there already is
//! only ever gone on with, never replaced.

use super::TeleportError;
use std::fs::{DirBuilder, File};
use std::io::{self, ErrorKind, Read};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use taffrail_capture::open_below;

const BUFFER: usize = 64 * 1024;

/// What is to be done with a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Action {
    /// It is not there.
    Write,
    /// What is there is how it began.
    Extend,
    /// It is there.
    Same,
    /// What came is how the one that is there began.
    Ahead,
}

impl Action {
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Write => "write",
            Self::Extend => "extend",
            Self::Same => "same",
            Self::Ahead => "ahead",
        }
    }
}

/// A file that came, and where it goes.
#[derive(Debug)]
pub(super) struct Step {
    /// Where it is now.
    pub(super) came: PathBuf,
    /// Where it goes, below the home.
    pub(super) path: String,
    pub(super) bytes: u64,
    pub(super) action: Action,
}

/// What is to be done with one file, by what is there.
pub(super) fn action(home: &Path, path: &str, came: &Path) -> Result<Action, TeleportError> {
    let whole = home.join(path);
    let there = match open_below(home, path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Action::Write),
        Err(error) => return Err(TeleportError::NotOurs { path: whole, why: error.to_string() }),
    };
    let at = TeleportError::at(&whole);
    let came = File::open(came).map_err(&at)?;
    match compared(there, came).map_err(&at)? {
        Compared::Same => Ok(Action::Same),
        Compared::FirstBegins => Ok(Action::Extend),
        Compared::SecondBegins => Ok(Action::Ahead),
        Compared::Differ => Err(TeleportError::Differs(whole.clone())),
    }
}

/// How two runs of bytes are to each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Compared {
    Same,
    /// The first is how the second begins.
    FirstBegins,
    /// The second is how the first begins.
    SecondBegins,
    Differ,
}

fn compared(mut first: impl Read, mut second: impl Read) -> io::Result<Compared> {
    let (mut one, mut other) = (vec![0; BUFFER], vec![0; BUFFER]);
    loop {
        let a = filled(&mut first, &mut one)?;
        let b = filled(&mut second, &mut other)?;
        let both = a.len().min(b.len());
        if a.get(..both) != b.get(..both) {
            return Ok(Compared::Differ);
        }
        match (a.len(), b.len()) {
            (a, b) if a < b => return Ok(Compared::FirstBegins),
            (a, b) if a > b => return Ok(Compared::SecondBegins),
            (BUFFER, _) => {}
            _ => return Ok(Compared::Same),
        }
    }
}

fn filled<'b>(input: &mut impl Read, buffer: &'b mut [u8]) -> io::Result<&'b [u8]> {
    let mut length = 0;
    while let Some(rest) = buffer.get_mut(length..).filter(|it| !it.is_empty()) {
        match input.read(rest)? {
            0 => break,
            got => length += got,
        }
    }
    Ok(buffer.get(..length).unwrap_or_default())
}

/// Puts a file in its place, whole or not at all. What changed there since it was looked at stays.
pub(super) fn put(home: &Path, step: &Step) -> Result<(), TeleportError> {
    if matches!(step.action, Action::Same | Action::Ahead) {
        return Ok(());
    }
    let whole = home.join(&step.path);
    let at = TeleportError::at(&whole);
    let folder = folder_of(home, &step.path)?;
    let mut file =
        tempfile::Builder::new().prefix(".taffrail-").tempfile_in(&folder).map_err(&at)?;
    let mut came = File::open(&step.came).map_err(&at)?;
    io::copy(&mut came, file.as_file_mut()).map_err(&at)?;
    file.as_file().sync_all().map_err(&at)?;
    match step.action {
        Action::Extend if action(home, &step.path, &step.came)? == Action::Extend => {
            file.persist(&whole).map_err(|error| at(error.error))?;
        }
        Action::Write => {
            file.persist_noclobber(&whole).map_err(|error| match error.error.kind() {
                ErrorKind::AlreadyExists => TeleportError::Differs(whole.clone()),
                _ => at(error.error),
            })?;
        }
        Action::Extend | Action::Same | Action::Ahead => return Ok(()),
    }
    File::open(&folder).and_then(|it| it.sync_all()).map_err(&at)
}

/// The folder of a file below the home, made where it is missing. No link is followed.
fn folder_of(home: &Path, path: &str) -> Result<PathBuf, TeleportError> {
    let make = |folder: &Path| DirBuilder::new().recursive(true).mode(0o700).create(folder);
    make(home).map_err(TeleportError::at(home))?;
    let mut folder = home.to_owned();
    let parents = path.rsplit_once('/').map_or("", |(parents, _)| parents);
    for part in parents.split('/').filter(|it| !it.is_empty()) {
        folder.push(part);
        let at = TeleportError::at(&folder);
        match folder.symlink_metadata() {
            Ok(metadata) if metadata.is_dir() => {}
            Ok(_) => {
                let why = "is no folder of the agent's".to_owned();
                return Err(TeleportError::NotOurs { path: folder.clone(), why });
            }
            Err(error) if error.kind() == ErrorKind::NotFound => make(&folder).map_err(at)?,
            Err(error) => return Err(at(error)),
        }
    }
    Ok(folder)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::symlink;

    #[test]
    fn what_is_there_decides_and_is_never_lost() {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path().join("home");
        let came = folder.path().join("came");
        let check = |there: Option<&str>, new: &str, expected: Option<Action>, after: &str| {
            fs::remove_dir_all(&home).ok();
            if let Some(there) = there {
                fs::create_dir_all(home.join("a/b")).unwrap();
                fs::write(home.join("a/b/s.jsonl"), there).unwrap();
            }
            fs::write(&came, new).unwrap();
            let path = "a/b/s.jsonl".to_owned();
            let got = action(&home, &path, &came);
            assert_eq!(got.as_ref().ok().copied(), expected, "{there:?} {new:?}");
            if let Ok(action) = got {
                let step = Step { came: came.clone(), path: path.clone(), bytes: 0, action };
                put(&home, &step).unwrap();
            }
            assert_eq!(fs::read_to_string(home.join(path)).unwrap(), after);
        };
        let long = "x".repeat(BUFFER * 2);
        check(None, "one\n", Some(Action::Write), "one\n");
        check(Some("one\n"), "one\n", Some(Action::Same), "one\n");
        check(Some("one\n"), "one\ntwo\n", Some(Action::Extend), "one\ntwo\n");
        check(Some("one\ntwo\n"), "one\n", Some(Action::Ahead), "one\ntwo\n");
        check(Some("one\nTWO\n"), "one\ntwo\n", None, "one\nTWO\n");
        check(Some(&long), &long, Some(Action::Same), &long);
        check(Some(&long), &format!("{long}y"), Some(Action::Extend), &format!("{long}y"));
        check(Some(""), "one\n", Some(Action::Extend), "one\n");
    }

    #[test]
    fn no_link_is_followed_and_nothing_that_came_up_meanwhile_is_lost() {
        let folder = tempfile::tempdir().unwrap();
        let (home, outside) = (folder.path().join("home"), folder.path().join("outside"));
        fs::create_dir_all(&home).unwrap();
        fs::create_dir_all(&outside).unwrap();
        let came = folder.path().join("came");
        fs::write(&came, "new").unwrap();
        symlink(&outside, home.join("door")).unwrap();
        let step = |path: &str| {
            let (came, path) = (came.clone(), path.to_owned());
            Step { came, path, bytes: 3, action: Action::Write }
        };
        assert!(put(&home, &step("door/s.jsonl")).is_err());
        assert_eq!(fs::read_dir(&outside).unwrap().count(), 0);
        symlink(outside.join("x"), home.join("link")).unwrap();
        assert!(put(&home, &step("link")).is_err());
        assert!(!outside.join("x").exists());
        fs::write(home.join("s"), "old").unwrap();
        assert!(put(&home, &step("s")).is_err());
        assert_eq!(fs::read_to_string(home.join("s")).unwrap(), "old");
    }
}
