//! The tmux servers that an agent may run in.
//!
//! tmux keeps its sockets in one folder, unless `TMUX_TMPDIR` or `tmux -S` names another place. Every process in a
//! pane has the path of its server's socket in `TMUX`, so the environment of the agent also names the server.

use super::{DEPTH_LIMIT, ancestors, system};
use rustix::process::geteuid;
use std::collections::HashMap;
use std::fs::{self, Metadata};
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Component, Path, PathBuf};

/// The most sockets of one folder that are used.
pub(super) const SOCKET_LIMIT: usize = 16;
/// Mode bits of a folder: everybody may write to it, and only the owner of a file may replace that file.
const WORLD_WRITABLE: u32 = 0o002;
const STICKY: u32 = 0o1000;

/// The sockets of this user's tmux servers: the server that these variables name, then the servers in the folder
/// they name, then the servers in tmux's default folder.
#[must_use]
pub fn tmux_servers(variables: &HashMap<String, String>) -> Vec<PathBuf> {
    let named = variables.get("TMUX").and_then(|it| socket_named(it, geteuid().as_raw()));
    let mut out: Vec<PathBuf> = named.into_iter().collect();
    let below = variables.get("TMUX_TMPDIR").map(Path::new).filter(|it| it.is_absolute());
    out.extend(below.map(|it| sockets_in(&folder_below(it))).unwrap_or_default());
    out.extend(sockets_in(&default_folder()));
    distinct_sockets(out)
}

/// The socket of the server that a process runs in, from the first `TMUX` in its environment or an ancestor's.
#[must_use]
pub fn tmux_server_of(pid: u32) -> Option<PathBuf> {
    let above = ancestors(pid, DEPTH_LIMIT);
    let line = std::iter::once(pid).chain(above.iter().map(|it| it.pid));
    let said = line.into_iter().find_map(variable_of)?;
    socket_named(&said, geteuid().as_raw())
}

/// Removes sockets that are listed twice, also under another path.
#[must_use]
pub fn distinct_sockets(sockets: Vec<PathBuf>) -> Vec<PathBuf> {
    let mut out: Vec<PathBuf> = Vec::new();
    for socket in sockets {
        if !out.iter().any(|it| is_same(it, &socket)) {
            out.push(socket);
        }
    }
    out
}

/// Whether two paths name one file, as `/tmp` and `/private/tmp` do on macOS.
pub(super) fn is_same(one: &Path, other: &Path) -> bool {
    let real = |it: &Path| it.canonicalize().ok();
    one == other || real(one).is_some_and(|it| Some(it) == real(other))
}

/// The socket of the default tmux server.
pub(super) fn default_socket() -> PathBuf {
    default_folder().join("default")
}

fn default_folder() -> PathBuf {
    folder_below(Path::new("/tmp"))
}

fn folder_below(temporary: &Path) -> PathBuf {
    temporary.join(format!("tmux-{}", geteuid().as_raw()))
}

/// Anyone can create a folder in `/tmp`, so only a folder that this user owns is read.
fn sockets_in(folder: &Path) -> Vec<PathBuf> {
    let me = geteuid().as_raw();
    let is_mine = |it: &Metadata| it.is_dir() && it.uid() == me;
    if !fs::symlink_metadata(folder).is_ok_and(|it| is_mine(&it)) {
        return Vec::new();
    }
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().map(|it| it.path());
    let mut found: Vec<PathBuf> = entries.filter(|it| is_socket_of(it, me)).collect();
    found.sort();
    found.truncate(SOCKET_LIMIT);
    found
}

/// The `TMUX` variable of a process; `None` for a process of another user.
fn variable_of(pid: u32) -> Option<String> {
    let all = system::environment(pid)?;
    let mut variables = all.split(|byte| *byte == 0);
    let said = variables.find_map(|it| it.strip_prefix(b"TMUX="))?;
    String::from_utf8(said.to_vec()).ok()
}

/// The socket that a `TMUX` variable names, as `/tmp/tmux-1000/default,417,0`. The variable is untrusted: a path
/// that is relative, or whose socket another user owns or could have replaced, is refused.
fn socket_named(variable: &str, user: u32) -> Option<PathBuf> {
    let mut parts = variable.rsplitn(3, ',');
    let numbers = [parts.next()?, parts.next()?];
    let socket = PathBuf::from(parts.next()?);
    let is_number = |it: &str| !it.is_empty() && it.bytes().all(|byte| byte.is_ascii_digit());
    let plain = |it: Component<'_>| matches!(it, Component::RootDir | Component::Normal(_));
    let is_fit = numbers.into_iter().all(is_number)
        && socket.is_absolute()
        && socket.components().all(plain)
        && socket.parent().is_some_and(|it| is_kept_from_others(it, user))
        && is_socket_of(&socket, user);
    is_fit.then_some(socket)
}

fn is_socket_of(path: &Path, user: u32) -> bool {
    let is_it = |it: Metadata| it.uid() == user && it.file_type().is_socket();
    fs::symlink_metadata(path).is_ok_and(is_it)
}

/// Whether no other user can replace this user's files in the folder.
fn is_kept_from_others(folder: &Path, user: u32) -> bool {
    fs::metadata(folder).is_ok_and(|it| {
        let (owner, mode) = (it.uid(), it.mode());
        (owner == user || owner == 0) && (mode & WORLD_WRITABLE == 0 || mode & STICKY != 0)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;
    use std::os::unix::net::UnixListener;

    #[test]
    fn a_hostile_value_names_no_server() {
        let folder = tempfile::tempdir().unwrap();
        let socket = folder.path().join("a, b");
        let listener = UnixListener::bind(&socket).unwrap();
        let me = geteuid().as_raw();
        let check = |variable: &str, user: u32, expected: bool| {
            let found = socket_named(variable, user);
            assert_eq!(found, expected.then(|| socket.clone()), "{variable} for {user}");
        };
        let path = socket.display().to_string();
        check(&format!("{path},417,0"), me, true);
        check(&format!("{path},417,0"), me + 1, false);
        check(&format!("{path},417"), me, false);
        check(&format!("{path},417,x"), me, false);
        check(&format!("{path},,"), me, false);
        check(&path, me, false);
        check("", me, false);
        check("tmux.sock,417,0", me, false);
        let name = folder.path().file_name().unwrap().to_str().unwrap();
        check(&format!("{}/../{name}/a, b,417,0", folder.path().display()), me, false);
        let other = folder.path().join("link");
        std::os::unix::fs::symlink(&socket, &other).unwrap();
        check(&format!("{},417,0", other.display()), me, false);
        std::fs::write(folder.path().join("file"), "").unwrap();
        check(&format!("{},417,0", folder.path().join("file").display()), me, false);
        let open = |mode| fs::set_permissions(folder.path(), fs::Permissions::from_mode(mode));
        open(0o777).unwrap();
        check(&format!("{path},417,0"), me, false);
        open(0o1777).unwrap();
        check(&format!("{path},417,0"), me, true);
        drop(listener);
    }

    #[test]
    fn the_servers_a_shell_names_come_first() {
        let folder = tempfile::tempdir().unwrap();
        let below = folder_below(folder.path());
        fs::create_dir(&below).unwrap();
        let bound = |path: PathBuf| (UnixListener::bind(&path).unwrap(), path).1;
        let (b, a) = (bound(below.join("b")), bound(below.join("a")));
        let own = bound(folder.path().join("own"));
        fs::write(below.join("file"), "").unwrap();
        let variables = HashMap::from([
            ("TMUX".to_owned(), format!("{},1,0", own.display())),
            ("TMUX_TMPDIR".to_owned(), folder.path().display().to_string()),
        ]);
        let found = tmux_servers(&variables);
        assert_eq!(found.get(..3), Some([own, a, b].as_slice()));
        let relative = HashMap::from([("TMUX_TMPDIR".to_owned(), "here".to_owned())]);
        assert_eq!(tmux_servers(&relative), tmux_servers(&HashMap::new()));
    }

    #[test]
    fn a_socket_under_two_names_is_asked_once() {
        let folder = tempfile::tempdir().unwrap();
        let (real, link) = (folder.path().join("real"), folder.path().join("link"));
        fs::create_dir(&real).unwrap();
        std::os::unix::fs::symlink(&real, &link).unwrap();
        let listener = UnixListener::bind(real.join("s")).unwrap();
        let other = real.join("t");
        let all = vec![link.join("s"), real.join("s"), other.clone(), other.clone()];
        assert_eq!(distinct_sockets(all), [link.join("s"), other]);
        drop(listener);
    }
}
