//! Puts files where the agent's own resume finds them, and nowhere else. An existing file is only
//! ever extended, never replaced, except for bookkeeping records at its end, which are set aside.

use crate::error::TeleportError;
use serde::Deserialize;
use std::fs::{DirBuilder, File};
use std::io::{self, BufRead, BufReader, ErrorKind, Read, Seek, SeekFrom};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use taffrail_capture::open_below;

const BUFFER: usize = 64 * 1024;

/// What to do with a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Action {
    /// The file does not exist.
    Write,
    /// The existing file is a prefix of the new one.
    Extend,
    /// The files are equal.
    Same,
    /// The new file is a prefix of the existing one.
    Ahead,
    /// The existing file continues with bookkeeping alone from this byte on, which is set aside.
    Rejoin(u64),
}

impl Action {
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Write => "write",
            Self::Extend => "extend",
            Self::Same => "same",
            Self::Ahead => "ahead",
            Self::Rejoin(_) => "rejoin",
        }
    }
}

/// A file from the bundle, and its destination.
#[derive(Debug)]
pub(super) struct Step {
    /// Its current path.
    pub(super) came: PathBuf,
    /// Its destination below the home.
    pub(super) path: String,
    pub(super) bytes: u64,
    pub(super) action: Action,
    /// The types of records that may be set aside.
    pub(super) bookkeeping: &'static [&'static str],
    /// Where the end of the existing file goes, if it is set aside.
    pub(super) aside: PathBuf,
}

/// Decides what to do with one file, by comparing it with the existing one.
pub(super) fn action(
    home: &Path,
    path: &str,
    came: &Path,
    bookkeeping: &[&str],
) -> Result<Action, TeleportError> {
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
        Compared::Differ(from) => {
            let rest = open_below(home, path).and_then(|it| rest_of(it, from)).map_err(&at)?;
            let is_rejoined = is_all(rest, bookkeeping).map_err(&at)?;
            is_rejoined.then_some(Action::Rejoin(from)).ok_or(TeleportError::Differs(whole.clone()))
        }
    }
}

/// The content of a file from an offset on.
fn rest_of(mut file: File, from: u64) -> io::Result<File> {
    file.seek(SeekFrom::Start(from))?;
    Ok(file)
}

/// True if every line is a record of one of these types.
fn is_all(file: File, types: &[&str]) -> io::Result<bool> {
    #[derive(Deserialize)]
    struct Typed {
        #[serde(rename = "type")]
        kind: String,
    }
    let is_one = |line: &[u8]| {
        let record = serde_json::from_slice::<Typed>(line);
        record.is_ok_and(|it| types.contains(&it.kind.as_str()))
    };
    for line in BufReader::new(file).split(b'\n') {
        if !is_one(&line?) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// How two files compare.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Compared {
    Same,
    /// The first is a prefix of the second.
    FirstBegins,
    /// The second is a prefix of the first.
    SecondBegins,
    /// They differ in the line that begins at this offset.
    Differ(u64),
}

fn compared(mut first: impl Read, mut second: impl Read) -> io::Result<Compared> {
    let (mut one, mut other) = (vec![0; BUFFER], vec![0; BUFFER]);
    let (mut passed, mut line) = (0_u64, 0_u64);
    loop {
        let a = filled(&mut first, &mut one)?;
        let b = filled(&mut second, &mut other)?;
        let same = a.iter().zip(b).take_while(|(a, b)| a == b).count();
        let ends = a.get(..same).unwrap_or_default().iter().rposition(|it| *it == b'\n');
        line = ends.map_or(line, |at| passed + at as u64 + 1);
        if same < a.len().min(b.len()) {
            return Ok(Compared::Differ(line));
        }
        passed += same as u64;
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

/// Puts a file in place atomically. A file that changed since the comparison stays.
pub(super) fn put(home: &Path, step: &Step) -> Result<(), TeleportError> {
    if matches!(step.action, Action::Same | Action::Ahead) {
        return Ok(());
    }
    let whole = home.join(&step.path);
    let at = TeleportError::at(&whole);
    let folder = folder_of(home, &step.path)?;
    let now = || action(home, &step.path, &step.came, step.bookkeeping);
    let mut file =
        tempfile::Builder::new().prefix(".taffrail-").tempfile_in(&folder).map_err(&at)?;
    let mut came = File::open(&step.came).map_err(&at)?;
    io::copy(&mut came, file.as_file_mut()).map_err(&at)?;
    file.as_file().sync_all().map_err(&at)?;
    match step.action {
        Action::Extend if now()? == Action::Extend => {
            file.persist(&whole).map_err(|error| at(error.error))?;
        }
        Action::Rejoin(from) if now()? == Action::Rejoin(from) => {
            set_aside(home, step, from)?;
            file.persist(&whole).map_err(|error| at(error.error))?;
        }
        Action::Write => {
            file.persist_noclobber(&whole).map_err(|error| match error.error.kind() {
                ErrorKind::AlreadyExists => TeleportError::Differs(whole.clone()),
                _ => at(error.error),
            })?;
        }
        // The file changed since the comparison, and stays.
        Action::Rejoin(_) => return Err(TeleportError::Differs(whole.clone())),
        Action::Extend | Action::Same | Action::Ahead => return Ok(()),
    }
    File::open(&folder).and_then(|it| it.sync_all()).map_err(&at)
}

/// Saves the end of a file that is about to be replaced.
fn set_aside(home: &Path, step: &Step, from: u64) -> Result<(), TeleportError> {
    let at = TeleportError::at(&step.aside);
    let folder = step.aside.parent().unwrap_or(Path::new("."));
    DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(&at)?;
    let mut rest = open_below(home, &step.path).and_then(|it| rest_of(it, from)).map_err(&at)?;
    let mut kept = tempfile::Builder::new().tempfile_in(folder).map_err(&at)?;
    io::copy(&mut rest, kept.as_file_mut()).map_err(&at)?;
    kept.as_file().sync_all().map_err(&at)?;
    kept.persist(&step.aside).map(drop).map_err(|error| at(error.error))
}

/// The folder of a file below the home, created if missing. Links are not followed.
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
                let why = "is not a folder of the agent's".to_owned();
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
        let (came, aside) = (folder.path().join("came"), folder.path().join("aside/tail"));
        let check = |there: Option<&str>, new: &str, expected: Option<Action>, after: &str| {
            fs::remove_dir_all(&home).ok();
            if let Some(there) = there {
                fs::create_dir_all(home.join("a/b")).unwrap();
                fs::write(home.join("a/b/s.jsonl"), there).unwrap();
            }
            fs::write(&came, new).unwrap();
            let path = "a/b/s.jsonl".to_owned();
            let got = action(&home, &path, &came, &["state"]);
            assert_eq!(got.as_ref().ok().copied(), expected, "{there:?} {new:?}");
            if let Ok(action) = got {
                let (came, path) = (came.clone(), path.clone());
                let (bookkeeping, aside) = (&["state"], aside.clone());
                let step = Step { came, path, bytes: 0, action, bookkeeping, aside };
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
        assert!(!aside.exists());
        // The agent left its own records when it ended; the session continued elsewhere.
        let state = "{\"type\":\"state\",\"n\":1}\n";
        let (left, went_on) = (format!("one\n{state}{state}"), "one\n{\"type\":\"say\"}\n");
        check(Some(&left), went_on, Some(Action::Rejoin(4)), went_on);
        assert_eq!(fs::read_to_string(&aside).unwrap(), format!("{state}{state}"));
        let said = format!("{left}{{\"type\":\"say\",\"n\":2}}\n");
        check(Some(&said), went_on, None, &said);
        let far = format!("{long}\n");
        let (left, went_on) = (format!("{far}{state}"), format!("{far}two\n"));
        check(Some(&left), &went_on, Some(Action::Rejoin(far.len() as u64)), &went_on);
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
            let (came, path, aside) = (came.clone(), path.to_owned(), home.join("aside"));
            Step { came, path, bytes: 3, action: Action::Write, bookkeeping: &[], aside }
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
