//! Opens files below a home without following a link out of it.

use rustix::fs::{CWD, FileType, Mode, OFlags, fstat, openat};
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// Why a file is not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// It is a symbolic link, or a folder above it is.
    Link,
    /// It belongs to another user.
    ForeignOwner,
    /// It is neither a file nor a folder.
    NotRegular,
    /// Its path is not UTF-8.
    PathNotText,
}

impl Refusal {
    /// The reason, for people.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Link => "is a symbolic link below the agent's home",
            Self::ForeignOwner => "belongs to another user",
            Self::NotRegular => "is not a regular file",
            Self::PathNotText => "has a path that is not UTF-8",
        }
    }
}

/// Opens a regular file that our user owns below `root`, without following any link.
///
/// # Errors
/// Any error of the file system; a link, a foreign owner or a special file is `PermissionDenied`.
pub fn open_below(root: &Path, path: &str) -> io::Result<File> {
    let base = OFlags::RDONLY | OFlags::CLOEXEC;
    let mut folder = openat(CWD, root, base | OFlags::DIRECTORY, Mode::empty())?;
    let mut parts = path.split('/').filter(|part| !part.is_empty()).peekable();
    while let Some(part) = parts.next() {
        if part == ".." || part == "." {
            return Err(refused(Refusal::Link));
        }
        let last = parts.peek().is_none();
        let kind = if last { OFlags::NONBLOCK } else { OFlags::DIRECTORY };
        folder = openat(&folder, part, base | OFlags::NOFOLLOW | kind, Mode::empty()).map_err(
            |error| match error {
                rustix::io::Errno::LOOP => refused(Refusal::Link),
                other => other.into(),
            },
        )?;
    }
    let stat = fstat(&folder)?;
    if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
        return Err(refused(Refusal::NotRegular));
    }
    if stat.st_uid != rustix::process::geteuid().as_raw() {
        return Err(refused(Refusal::ForeignOwner));
    }
    Ok(File::from(folder))
}

/// The text of a small file below `root`, cut at `limit` bytes. Bytes that are not UTF-8 are replaced.
///
/// # Errors
/// See `open_below`.
pub fn text_below(root: &Path, path: &str, limit: u64) -> io::Result<String> {
    let mut bytes = Vec::new();
    open_below(root, path)?.take(limit).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn refused(refusal: Refusal) -> io::Error {
    io::Error::new(io::ErrorKind::PermissionDenied, refusal.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn nothing_below_a_home_leads_out() {
        let outside = tempfile::tempdir().unwrap();
        std::fs::write(outside.path().join("secret"), "s").unwrap();
        let real = tempfile::tempdir().unwrap();
        std::fs::create_dir(real.path().join("a")).unwrap();
        std::fs::write(real.path().join("a/file"), "x").unwrap();
        symlink(outside.path(), real.path().join("door")).unwrap();
        symlink(outside.path().join("secret"), real.path().join("a/link")).unwrap();
        let mut mkfifo = std::process::Command::new("mkfifo");
        assert!(mkfifo.arg(real.path().join("a/pipe")).status().unwrap().success());
        let check = |path: &str, expected: bool| {
            assert_eq!(open_below(real.path(), path).is_ok(), expected, "{path}");
        };
        check("a/file", true);
        check("door/secret", false);
        check("a/link", false);
        check("a/pipe", false);
        check("a", false);
        check("../etc/passwd", false);
        check("a/../a/file", false);
    }

    #[test]
    fn the_home_itself_may_be_the_users_link() {
        let real = tempfile::tempdir().unwrap();
        std::fs::write(real.path().join("file"), "x").unwrap();
        let elsewhere = tempfile::tempdir().unwrap();
        let home = elsewhere.path().join("home");
        symlink(real.path(), &home).unwrap();
        assert!(open_below(&home, "file").is_ok());
    }

    #[test]
    fn a_file_of_another_user_is_refused() {
        let home = tempfile::tempdir().unwrap();
        std::fs::write(home.path().join("file"), "x").unwrap();
        // Only root can change a file's owner, so other users skip this check.
        if std::os::unix::fs::chown(home.path().join("file"), Some(65534), None).is_ok() {
            assert!(open_below(home.path(), "file").is_err());
        }
    }
}
