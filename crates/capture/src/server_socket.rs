//! The sockets of agents' own servers.

use rustix::process::geteuid;
use std::fs::{Metadata, symlink_metadata};
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

/// Mode bits of a folder that let other users replace a socket in it.
const OTHERS_WRITE: u32 = 0o022;

/// The socket of an agent's server below a home, if only this user can have created it. The agent
/// may have put a link there, since the path of a socket must be short.
pub(crate) fn server_socket(root: &Path, path: &str) -> Option<PathBuf> {
    let socket = root.join(path).canonicalize().ok()?;
    let folder = symlink_metadata(socket.parent()?).ok()?;
    let is_ours = |it: &Metadata| it.uid() == geteuid().as_raw();
    let it = symlink_metadata(&socket).ok()?;
    let is_safe = it.file_type().is_socket() && is_ours(&it) && is_ours(&folder);
    (is_safe && folder.mode() & OTHERS_WRITE == 0).then_some(socket)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::{Permissions, set_permissions};
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::os::unix::net::UnixListener;

    #[test]
    fn a_link_leads_to_a_socket_in_a_folder_of_ours() {
        let (root, short) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let root = root.path().canonicalize().unwrap();
        assert_eq!(server_socket(&root, "link"), None);
        let place = short.path().canonicalize().unwrap().join("s");
        let _listener = UnixListener::bind(&place).unwrap();
        symlink(&place, root.join("link")).unwrap();
        assert_eq!(server_socket(&root, "link"), Some(place));
        set_permissions(short.path(), Permissions::from_mode(0o777)).unwrap();
        assert_eq!(server_socket(&root, "link"), None);
    }

    #[test]
    fn a_file_is_no_socket() {
        let root = tempfile::tempdir().unwrap();
        std::fs::write(root.path().join("socket"), "").unwrap();
        assert_eq!(server_socket(root.path(), "socket"), None);
    }
}
