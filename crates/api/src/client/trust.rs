//! Checks that the daemon is our own. Another user of the machine may have created the folder of
//! its socket, or the file that names it: then the client reports that no daemon runs.

use super::peer::user_of;
use rustix::process::geteuid;
use std::fs::{File, Metadata, OpenOptions};
use std::io::{Error, ErrorKind, Read, Result};
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt};
use std::os::unix::net::UnixStream;
use std::path::Path;

/// The permission bits that let others write.
const WRITES: u32 = 0o022;
/// The sticky bit: in such a folder a user cannot remove another user's files.
const STICKY: u32 = 0o1000;
/// The longest file that names a daemon.
const LONGEST: u64 = 64 * 1024;

/// The bytes of a file that only this user can write.
pub(super) fn read(file: &Path) -> Result<Vec<u8>> {
    let no_follow = i32::try_from(rustix::fs::OFlags::NOFOLLOW.bits()).unwrap_or(0);
    let opened = OpenOptions::new().read(true).custom_flags(no_follow).open(file)?;
    let about = opened.metadata()?;
    if !about.is_file() || !is_ours(&about) {
        return Err(foreign(file));
    }
    bytes_of(opened)
}

fn bytes_of(file: File) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.take(LONGEST).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Checks that the socket is in a folder that only this user can write.
pub(super) fn check_place(socket: &Path) -> Result<()> {
    let about = std::fs::symlink_metadata(socket)?;
    let folder = socket.parent().unwrap_or(Path::new("/"));
    let below = std::fs::symlink_metadata(folder)?;
    let above = std::fs::metadata(folder.parent().unwrap_or(Path::new("/")))?;
    let is_socket = about.file_type().is_socket() && about.uid() == geteuid().as_raw();
    match is_socket && below.is_dir() && is_ours(&below) && holds(&above) {
        true => Ok(()),
        false => Err(foreign(socket)),
    }
}

/// Checks that the peer has our own uid. Where the system does not name the peer, the owner of folder and
/// socket has to do.
pub(super) fn check_peer(stream: &UnixStream) -> Result<()> {
    match user_of(stream)? {
        Some(user) if user != geteuid().as_raw() => {
            Err(Error::new(ErrorKind::PermissionDenied, "another user answers there"))
        }
        Some(_) | None => Ok(()),
    }
}

fn is_ours(about: &Metadata) -> bool {
    about.uid() == geteuid().as_raw() && about.mode() & WRITES == 0
}

/// Whether others cannot replace a folder inside this one.
fn holds(folder: &Metadata) -> bool {
    let is_trusted = folder.uid() == geteuid().as_raw() || folder.uid() == 0;
    is_trusted && (folder.mode() & WRITES == 0 || folder.mode() & STICKY != 0)
}

fn foreign(path: &Path) -> Error {
    let why = format!("{} is not ours alone", path.display());
    Error::new(ErrorKind::PermissionDenied, why)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::{Permissions, create_dir, set_permissions, write};
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::os::unix::net::UnixListener;

    fn mode(path: &Path, mode: u32) {
        set_permissions(path, Permissions::from_mode(mode)).unwrap();
    }

    #[test]
    fn a_socket_counts_only_in_a_folder_nobody_else_can_write() {
        let home = tempfile::tempdir().unwrap();
        let (above, folder) = (home.path().join("a"), home.path().join("a/taffrail"));
        create_dir(&above).unwrap();
        create_dir(&folder).unwrap();
        let socket = folder.join("taffrail.sock");
        let _listener = UnixListener::bind(&socket).unwrap();
        let check = |of_above: u32, of_folder: u32, expected: bool| {
            mode(&above, of_above);
            mode(&folder, of_folder);
            assert_eq!(check_place(&socket).is_ok(), expected, "{of_above:o} {of_folder:o}");
        };
        check(0o700, 0o700, true);
        check(0o755, 0o755, true);
        check(0o700, 0o777, false);
        check(0o777, 0o700, false);
        check(0o1777, 0o700, true);
        mode(&above, 0o700);
        let linked = home.path().join("linked");
        symlink(&folder, &linked).unwrap();
        assert!(
            check_place(&linked.join("taffrail.sock")).is_err(),
            "a link in the folder's place"
        );
    }

    #[test]
    fn a_file_counts_only_if_nobody_else_can_write_it_and_it_is_no_link() {
        let home = tempfile::tempdir().unwrap();
        let (file, link) = (home.path().join("daemon.json"), home.path().join("link.json"));
        write(&file, "{}").unwrap();
        symlink(&file, &link).unwrap();
        let check = |of_file: u32, expected: bool| {
            mode(&file, of_file);
            assert_eq!(read(&file).is_ok(), expected, "{of_file:o}");
        };
        check(0o600, true);
        check(0o644, true);
        check(0o666, false);
        mode(&file, 0o600);
        assert!(read(&link).is_err());
    }

    #[test]
    fn our_own_answer_is_believed() {
        let (one, _two) = UnixStream::pair().unwrap();
        assert!(check_peer(&one).is_ok());
    }
}
