//! The service file: written, and removed with everything that was made for it.

use crate::error::SetupError;
use crate::note::{self, Note, Undone};
use crate::unit::{MARK, Manager, Unit};
use std::fs;
use std::path::{Path, PathBuf};

/// The note of what was made for it.
const NOTE: &str = "service";

/// Writes the file of a service, and a note of it below `notes`.
///
/// # Errors
/// Somebody else wrote a file of that name, or it cannot be written.
pub fn install(unit: &Unit, notes: &Path) -> Result<(), SetupError> {
    refuse_foreign(&unit.path)?;
    Note::new(&unit.path, unit.text.clone(), true).keep(notes, NOTE)?;
    note::replace(&unit.path, &unit.text)
}

/// Removes the file and the folders that were made for it; `false` if it was not there.
///
/// # Errors
/// Somebody else wrote a file of that name, or it cannot be removed.
pub fn uninstall(unit: &Unit, notes: &Path) -> Result<bool, SetupError> {
    if !unit.path.exists() {
        drop_wanted(&unit.path);
        return Ok(false);
    }
    refuse_foreign(&unit.path)?;
    drop_wanted(&unit.path);
    // An earlier version left no note.
    let note = note::take(notes, NOTE)?;
    if note.map(|it| it.undo()).transpose()? != Some(Undone::Removed) {
        fs::remove_file(&unit.path).map_err(SetupError::at("remove", &unit.path))?;
    }
    Ok(true)
}

/// A manager of the user's services runs, with `path` as `PATH`: launchd does always.
#[must_use]
pub fn is_managed(path: &str, system: &Path) -> bool {
    if Manager::here() == Manager::Launchd {
        return true;
    }
    let mut programs = path.split(':').map(|it| Path::new(it).join("systemctl"));
    system.join("run/systemd/system").is_dir() && programs.any(|it| it.exists())
}

/// Removes the link by which systemd starts the service at login: `systemctl disable` finds it only while
/// the unit is there.
fn drop_wanted(unit: &Path) {
    let Some(folder) = unit.parent() else { return };
    let wants = folder.join("default.target.wants");
    let link = wants.join("taffrail.service");
    // systemd writes the absolute path, other tools a relative one.
    let is_ours = |it: PathBuf| it == unit || it == Path::new("../taffrail.service");
    if fs::read_link(&link).is_ok_and(is_ours) {
        // Best effort: systemd reports a dangling link, and a folder with other files stays.
        fs::remove_file(&link).ok();
        fs::remove_dir(&wants).ok();
    }
}

/// A file that others wrote is left alone.
///
/// # Errors
/// Somebody else wrote the file.
pub fn refuse_foreign(path: &Path) -> Result<(), SetupError> {
    let is_link = fs::symlink_metadata(path).is_ok_and(|it| it.is_symlink());
    let is_ours = fs::read_to_string(path).map_or(true, |text| text.contains(MARK));
    if is_ours && !is_link { Ok(()) } else { Err(SetupError::Foreign(path.to_owned())) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_link_that_starts_it_goes_and_links_of_others_stay() {
        let check = |target: &str, expected: bool| {
            let folder = tempfile::tempdir().unwrap();
            let unit = folder.path().join("taffrail.service");
            let wants = folder.path().join("default.target.wants");
            fs::create_dir(&wants).unwrap();
            let target = target.replace("HERE", &folder.path().to_string_lossy());
            std::os::unix::fs::symlink(&target, wants.join("taffrail.service")).unwrap();
            // Also if the unit is already gone: then the link is dangling.
            drop_wanted(&unit);
            assert_eq!(wants.exists(), expected, "{target}");
        };
        check("HERE/taffrail.service", false);
        check("../taffrail.service", false);
        check("/usr/lib/systemd/user/taffrail.service", true);
        check("HERE/mine.service", true);
    }
}
