//! Imports a session that continued in two places as a fork under a new id, so that both are
//! visible and both can continue.

use crate::error::TeleportError;
use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};
use taffrail_model::{AgentId, RuntimeIdentity, hash};
use tempfile::TempDir;

/// The number of letters in an agent's session id.
const LETTERS: usize = 36;
/// How many of them stay: the time, by which agents sort.
const KEPT: usize = 15;

/// A new id for a session, and its files under that id.
#[derive(Debug)]
pub(super) struct Fork {
    old: String,
    new: String,
    folder: TempDir,
}

impl Fork {
    /// Derives the fork from the bundle, so that unpacking the same bundle twice gives the same
    /// fork.
    pub(super) fn of(old: &str, bundle: &str, scratch: &Path) -> Result<Self, TeleportError> {
        if old.len() != LETTERS || !old.is_ascii() {
            return Err(TeleportError::Contradicts(format!(
                "{old:?} is not an id that can be forked"
            )));
        }
        let folder = tempfile::tempdir_in(scratch).map_err(TeleportError::at(scratch))?;
        let mark = hash::digest("fork", &[bundle.as_bytes(), old.as_bytes()]);
        let drawn = hash::to_hex(&mark);
        let (a, b) = (drawn.get(..3).unwrap_or_default(), drawn.get(3..6).unwrap_or_default());
        let (kept, tail) =
            (old.get(..KEPT).unwrap_or_default(), drawn.get(6..18).unwrap_or_default());
        Ok(Self { old: old.to_owned(), new: format!("{kept}{a}-8{b}-{tail}"), folder })
    }

    /// The new id.
    pub(super) fn id(&self) -> &str {
        &self.new
    }

    /// The identity of the fork.
    pub(super) fn who(&self, agent: &AgentId) -> RuntimeIdentity {
        RuntimeIdentity::new(agent.clone(), "", &self.new)
    }

    /// A path with the old id replaced by the new one.
    pub(super) fn path(&self, path: &str) -> String {
        path.replace(&self.old, &self.new)
    }

    /// A copy of a file with the old id replaced by the new one; everything else stays the same.
    pub(super) fn file(&self, came: &Path) -> Result<PathBuf, TeleportError> {
        let at = TeleportError::at(came);
        let mut from = BufReader::new(File::open(came).map_err(&at)?);
        let to = tempfile::Builder::new().tempfile_in(self.folder.path()).map_err(&at)?;
        let (file, path) = to.keep().map_err(|it| at(it.error))?;
        let mut out = BufWriter::new(file);
        let mut line = Vec::new();
        while from.read_until(b'\n', &mut line).map_err(&at)? > 0 {
            rename(&mut line, self.old.as_bytes(), self.new.as_bytes());
            out.write_all(&line).map_err(&at)?;
            line.clear();
        }
        out.flush().map_err(&at)?;
        Ok(path)
    }
}

/// Replaces a name by another of the same length, everywhere in a line.
fn rename(line: &mut [u8], old: &[u8], new: &[u8]) {
    let mut from = 0;
    while let Some(rest) = line.get_mut(from..) {
        let Some(at) = rest.windows(old.len()).position(|it| it == old) else { return };
        if let Some(place) = rest.get_mut(at..at + new.len()) {
            place.copy_from_slice(new);
        }
        from += at + new.len();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OLD: &str = "01a1dc4a-98ab-7a52-8833-052a06111408";

    #[test]
    fn a_fork_has_an_id_of_its_own_and_the_same_one_every_time() {
        let scratch = tempfile::tempdir().unwrap();
        let fork = |old: &str, bundle: &str| Fork::of(old, bundle, scratch.path());
        let id = |bundle: &str| fork(OLD, bundle).unwrap().id().to_owned();
        assert_eq!(id("one"), id("one"));
        assert_ne!(id("one"), id("two"));
        let one = id("one");
        assert!(
            one.starts_with("01a1dc4a-98ab-7") && one != OLD && one.len() == OLD.len(),
            "{one}"
        );
        assert_eq!(one.match_indices('-').map(|(at, _)| at).collect::<Vec<_>>(), [8, 13, 18, 23]);
        assert!(fork("short", "one").is_err());
    }

    #[test]
    fn only_the_id_changes_in_a_file() {
        let scratch = tempfile::tempdir().unwrap();
        let fork = Fork::of(OLD, "one", scratch.path()).unwrap();
        let came = scratch.path().join("came");
        let text =
            format!("{OLD}{OLD}\n\u{1F600} \"{OLD}\"\r\nwithout\n{}", OLD.get(..35).unwrap());
        std::fs::write(&came, [text.as_bytes(), b"\xff"].concat()).unwrap();
        let got = std::fs::read(fork.file(&came).unwrap()).unwrap();
        assert_eq!(got, [text.replace(OLD, fork.id()).as_bytes(), b"\xff"].concat());
        assert_eq!(fork.path(&format!("a/{OLD}.jsonl")), format!("a/{}.jsonl", fork.id()));
    }
}
