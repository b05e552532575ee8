//! Secrets in files of the user: read for each use, and refused if others can read them.

use rustix::fs::{FileType, Mode, OFlags, fstat, open};
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// The longest secret, in bytes.
const BYTES: u64 = 4096;

/// The secret in a file, without white space at its end.
pub(crate) fn secret_in(path: &Path) -> Result<Vec<u8>, String> {
    let fault = |why: &str| format!("{}: {why}", path.display());
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = open(path, flags, Mode::empty()).map_err(|it| fault(&it.to_string()))?;
    let known = fstat(&file).map_err(|it| fault(&it.to_string()))?;
    let is_file = FileType::from_raw_mode(known.st_mode) == FileType::RegularFile;
    let is_ours = known.st_uid == rustix::process::geteuid().as_raw();
    if !is_file || !is_ours || known.st_mode & 0o077 != 0 {
        return Err(fault("it must be a file of yours that nobody else can read (mode 0600)"));
    }
    let mut secret = Vec::new();
    let read = File::from(file).take(BYTES).read_to_end(&mut secret);
    read.map_err(|it| fault(&it.to_string()))?;
    while secret.last().is_some_and(u8::is_ascii_whitespace) {
        secret.pop();
    }
    if secret.is_empty() { Err(fault("it is empty")) } else { Ok(secret) }
}

/// The same as a word for an address or a header.
pub(crate) fn word_in(path: &Path) -> Result<String, String> {
    let word = String::from_utf8(secret_in(path)?).ok();
    let word = word.filter(|it| it.bytes().all(|it| it.is_ascii_graphic()));
    word.ok_or_else(|| format!("{}: it holds no token", path.display()))
}
