//! The token of the loopback address: a file that only its user can read.

use std::fmt::Write as _;
use std::fs::{File, OpenOptions};
use std::hint::black_box;
use std::io::{ErrorKind, Read, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use taffrail_daemon::ServeError;
use taffrail_model::hash;

/// The length of a token: 256 bits in hexadecimal.
const LETTERS: usize = 64;

/// A token that is reloaded when its file changes.
#[derive(Debug)]
pub(super) struct Token {
    path: PathBuf,
    last: Mutex<Option<(Stamp, String)>>,
}

/// Identifies a state of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stamp {
    inode: u64,
    changed: (i64, i64),
    size: u64,
}

impl Stamp {
    fn of(metadata: &std::fs::Metadata) -> Self {
        let changed = (metadata.ctime(), metadata.ctime_nsec());
        Self { inode: metadata.ino(), changed, size: metadata.size() }
    }
}

impl Token {
    pub(super) fn open(path: &Path, chance: [u8; 32]) -> Result<Self, ServeError> {
        token(path, chance)?;
        Ok(Self { path: path.to_owned(), last: Mutex::new(None) })
    }

    /// True if this is the token in the file. Takes constant time.
    pub(super) fn is(&self, offered: &[u8]) -> bool {
        self.with(|token| same(token.as_bytes(), offered)).unwrap_or(false)
    }

    /// A keyed digest of a text that only a holder of the token can make.
    pub(super) fn mark(&self, text: &str) -> Option<hash::Digest16> {
        self.with(|token| hash::digest("web-cookie", &[token.as_bytes(), text.as_bytes()]))
    }

    fn with<T>(&self, what: impl FnOnce(&str) -> T) -> Option<T> {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let now = std::fs::symlink_metadata(&self.path).ok().map(|it| Stamp::of(&it));
        if last.as_ref().map(|(stamp, _)| *stamp) != now {
            // A file that is missing or unsafe admits nobody.
            *last = now.zip(read(&self.path).ok());
        }
        last.as_ref().map(|(_, token)| what(token))
    }
}

/// Returns the token, and creates it if there is none.
///
/// # Errors
/// When the file cannot be created or read, or others can access it.
pub fn token(path: &Path, chance: [u8; 32]) -> Result<String, ServeError> {
    match make(path, chance) {
        Err(ServeError::Io(_, error)) if error.kind() == ErrorKind::AlreadyExists => read(path),
        made => made,
    }
}

/// Replaces the token; the old one is invalid from then on.
///
/// # Errors
/// When the file cannot be created.
pub fn renew_token(path: &Path, chance: [u8; 32]) -> Result<String, ServeError> {
    let beside = path.with_extension("new");
    // A failed renewal may have left a file behind.
    std::fs::remove_file(&beside).ok();
    let token = make(&beside, chance)?;
    std::fs::rename(&beside, path).map_err(ServeError::at(path))?;
    Ok(token)
}

fn make(path: &Path, chance: [u8; 32]) -> Result<String, ServeError> {
    let mut text = String::with_capacity(LETTERS);
    for byte in chance {
        // Writing to a string cannot fail.
        write!(text, "{byte:02x}").ok();
    }
    let mut options = OpenOptions::new();
    options.write(true).create_new(true).mode(0o600).custom_flags(no_follow());
    let mut file = options.open(path).map_err(ServeError::at(path))?;
    file.write_all(text.as_bytes()).map_err(ServeError::at(path))?;
    Ok(text)
}

fn read(path: &Path) -> Result<String, ServeError> {
    let mut options = OpenOptions::new();
    let file = options.read(true).custom_flags(no_follow()).open(path);
    let file = file.map_err(ServeError::at(path))?;
    check(&file, path)?;
    let mut text = String::new();
    file.take(LETTERS as u64 + 2).read_to_string(&mut text).map_err(ServeError::at(path))?;
    let token = text.trim();
    if token.len() != LETTERS {
        return Err(ServeError::Unsafe(path.display().to_string(), "holds no token"));
    }
    Ok(token.to_owned())
}

fn check(file: &File, path: &Path) -> Result<(), ServeError> {
    let metadata = file.metadata().map_err(ServeError::at(path))?;
    let fault = match metadata.is_file() {
        false => Some("is not a file"),
        true if metadata.uid() != rustix::process::geteuid().as_raw() => Some("is not ours"),
        true if metadata.mode() & 0o077 != 0 => Some("can be read by others: chmod 600"),
        true => None,
    };
    match fault {
        Some(why) => Err(ServeError::Unsafe(path.display().to_string(), why)),
        None => Ok(()),
    }
}

fn no_follow() -> i32 {
    let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
    i32::try_from(flags.bits()).unwrap_or_default()
}

/// Compares in a time that depends only on the lengths.
pub(super) fn same(one: &[u8], other: &[u8]) -> bool {
    let differ = one.iter().zip(other).fold(0, |differ, (a, b)| black_box(differ | (a ^ b)));
    one.len() == other.len() && differ == 0
}
