//! Opens the user's configuration files, which no other user may have written.

use rustix::fs::OFlags;
use rustix::process::geteuid;
use std::fs::File;
use std::io::{Error, Result};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;

/// Opens a file that the user owns. Links are followed, since people keep their settings elsewhere.
///
/// # Errors
/// When it cannot be opened, belongs to another user, or is writable by others.
pub fn open_own(path: &Path) -> Result<File> {
    let flags = i32::try_from(OFlags::NONBLOCK.bits()).unwrap_or_default();
    let file = File::options().read(true).custom_flags(flags).open(path)?;
    let found = file.metadata()?;
    let is_ours = found.uid() == geteuid().as_raw();
    match (found.is_file() && is_ours, found.mode() & 0o022) {
        (true, 0) => Ok(file),
        (true, _) => Err(Error::other("others may write it; chmod 600 takes that away")),
        (false, _) => Err(Error::other("it is not a regular file of yours")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::{Permissions, set_permissions, write};
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn a_file_that_others_may_write_is_not_opened() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("config.toml");
        write(&file, "").unwrap();
        let check = |mode: u32, expected: bool| {
            set_permissions(&file, Permissions::from_mode(mode)).unwrap();
            assert_eq!(open_own(&file).is_ok(), expected, "{mode:o}");
        };
        check(0o600, true);
        check(0o644, true);
        check(0o664, false);
        check(0o602, false);
        assert!(open_own(folder.path()).is_err());
    }
}
