//! The record of our change to a file, and the backup of the original.

use crate::edit::{Insertion, undone};
use crate::files::write_own;
use crate::{HookSettings, HooksError, Made};
use serde::{Deserialize, Serialize};
use std::fs;
use std::path::{Path, PathBuf};
use taffrail_model::hash;

const FOLDER: &str = "hooks";
const COPIES: &str = "hooks/before";
/// The most backups that are kept; the oldest is removed.
const MOST_COPIES: usize = 50;
const VERSION: u32 = 1;

/// Our change to one file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Note {
    version: u32,
    /// The file.
    path: String,
    /// The path of our program that was written into it.
    pub(crate) program: String,
    /// The surroundings that we created.
    pub(crate) made: Made,
    /// The hash of the file without and with our calls.
    without: String,
    with: String,
    pieces: Vec<Insertion>,
}

impl Note {
    pub(crate) fn new(
        path: &Path,
        program: &str,
        (before, after): (&str, &str),
        (pieces, made): (Vec<Insertion>, Made),
    ) -> Self {
        Self {
            version: VERSION,
            path: path.to_string_lossy().into_owned(),
            program: program.to_owned(),
            made,
            without: hashed(before),
            with: hashed(after),
            pieces,
        }
    }

    /// The original text, if the file is unchanged since.
    pub(crate) fn undone(&self, text: &str) -> Option<String> {
        let is_as_left = hashed(text) == self.with;
        let before = is_as_left.then(|| undone(text, &self.pieces)).flatten()?;
        (hashed(&before) == self.without).then_some(before)
    }
}

fn hashed(text: &str) -> String {
    hash::to_hex(&hash::of_bytes(text.as_bytes()))
}

/// The note about a file. An unreadable note counts as missing: then we recognize our calls by
/// their content.
pub(crate) fn read(state: &Path, file: &Path) -> Option<Note> {
    let text = fs::read_to_string(place(state, file)).ok()?;
    let note: Note = serde_json::from_str(&text).ok()?;
    (note.version == VERSION && Path::new(&note.path) == file).then_some(note)
}

/// Writes the note about a file, or removes it.
pub(crate) fn keep(state: &Path, file: &Path, note: Option<&Note>) -> Result<(), HooksError> {
    let place = place(state, file);
    let Some(note) = note else {
        return match fs::remove_file(&place) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                Err(HooksError::io(&place, error))
            }
            _ => Ok(()),
        };
    };
    let mut bytes =
        serde_json::to_vec_pretty(note).map_err(|error| HooksError::io(&place, error.into()))?;
    bytes.push(b'\n');
    write_own(&place, &bytes)
}

/// Backs up a file before a change, named by the time.
pub(crate) fn copy(
    given: &HookSettings<'_>,
    (agent, file): (&str, &Path),
    text: &str,
) -> Result<(), HooksError> {
    let folder = given.state.join(COPIES);
    let at = (given.settings.now)().to_string().replace(':', "-");
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    write_own(&folder.join(format!("{at} {agent} {name}")), text.as_bytes())?;
    // Backups that cannot be listed or removed only take space.
    let mut copies: Vec<_> = fs::read_dir(&folder)
        .map(|list| list.filter_map(|it| Some(it.ok()?.path())).collect())
        .unwrap_or_default();
    copies.sort();
    let spare = copies.len().saturating_sub(MOST_COPIES);
    for old in copies.iter().take(spare) {
        if let Err(error) = fs::remove_file(old) {
            tracing::info!(%error, "cannot remove an old copy of an agent's settings");
        }
    }
    Ok(())
}

fn place(state: &Path, file: &Path) -> PathBuf {
    let name = hash::digest("hooks", &[file.as_os_str().as_encoded_bytes()]);
    state.join(FOLDER).join(format!("{}.json", hash::to_hex(&name)))
}
