//! Whether the user is away: then the daemon also holds requests that hide their own dialog.

use crate::settings::Settings;
use std::fs::OpenOptions;
use std::io::{self, ErrorKind};
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;

/// Whether the user is marked as away.
#[must_use]
pub fn is_away(settings: &Settings) -> bool {
    file(settings).exists()
}

/// Marks the user as away, or back.
///
/// # Errors
/// When our data folder cannot be written.
pub fn set_away(settings: &Settings, away: bool) -> io::Result<()> {
    if away {
        std::fs::create_dir_all(&settings.data)?;
        let mut how = OpenOptions::new();
        how.create(true).append(true).mode(0o600);
        return how.open(file(settings)).map(|_| ());
    }
    match std::fs::remove_file(file(settings)) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

fn file(settings: &Settings) -> PathBuf {
    settings.data.join("away")
}
