//! The sockets of agents' own servers.

use crate::Home;
use rustix::process::geteuid;
use std::fs::{Metadata, symlink_metadata};
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::PathBuf;

/// Mode bits of a folder that let other users replace a socket in it.
const OTHERS_WRITE: u32 = 0o022;

/// The socket of an agent's server in a home, if only this user can have created it. The agent may
/// have put a link there, since the path of a socket must be short.
#[must_use]
pub fn server_socket(home: &Home) -> Option<PathBuf> {
    let plan = home.adapter.server_plan().filter(|_| !home.journal)?;
    let socket = home.root.join(plan.socket).canonicalize().ok()?;
    let folder = symlink_metadata(socket.parent()?).ok()?;
    let is_ours = |it: &Metadata| it.uid() == geteuid().as_raw();
    let it = symlink_metadata(&socket).ok()?;
    let is_safe = it.file_type().is_socket() && is_ours(&it) && is_ours(&folder);
    (is_safe && folder.mode() & OTHERS_WRITE == 0).then_some(socket)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::{Permissions, create_dir_all, set_permissions};
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::os::unix::net::UnixListener;
    use std::path::Path;
    use taffrail_adapters::{ServerPlan, agents};

    /// A home of an agent with a server, and the path of its socket.
    fn home(root: &Path) -> (Home, PathBuf) {
        let adapter = agents().find(|it| it.server_plan().is_some()).unwrap();
        let plan: &ServerPlan = adapter.server_plan().unwrap();
        let socket = root.join(plan.socket);
        create_dir_all(socket.parent().unwrap()).unwrap();
        (Home { adapter, root: root.to_owned(), journal: false }, socket)
    }

    #[test]
    fn a_link_leads_to_a_socket_in_a_folder_of_ours() {
        let (root, short) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let (home, link) = home(&root.path().canonicalize().unwrap());
        assert_eq!(server_socket(&home), None);
        let place = short.path().canonicalize().unwrap().join("s");
        let _listener = UnixListener::bind(&place).unwrap();
        symlink(&place, link).unwrap();
        assert_eq!(server_socket(&home), Some(place));
        set_permissions(short.path(), Permissions::from_mode(0o777)).unwrap();
        assert_eq!(server_socket(&home), None);
    }

    #[test]
    fn a_file_is_no_socket() {
        let root = tempfile::tempdir().unwrap();
        let (home, socket) = home(root.path());
        std::fs::write(socket, "").unwrap();
        assert_eq!(server_socket(&home), None);
    }
}
