//! What a look at the folders of homes found.

use crate::Refusal;
use crate::source::SourceFile;
use std::collections::HashSet;
use std::path::PathBuf;
use taffrail_model::hash::{self, Digest16};
use taffrail_model::observed::Fingerprint;

/// A file that looks like history but is not read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    /// The full path.
    pub path: String,
    /// The reason.
    pub why: Refusal,
}

/// The result of a scan.
#[derive(Debug, Default, Clone)]
pub struct Discovery {
    /// The sources, in no particular order.
    pub found: Vec<SourceFile>,
    /// Files that are not read.
    pub refused: Vec<Refused>,
    /// The homes that were scanned.
    pub homes: HashSet<String>,
    /// The folders that were scanned.
    pub folders: Vec<PathBuf>,
    /// Folders that could not be read; nothing is known of their files.
    pub unseen: Vec<String>,
}

impl Discovery {
    /// A digest of the sources and their fingerprints, in any order; `None` if something could not be seen.
    #[must_use]
    pub fn digest(&self) -> Option<Digest16> {
        if !self.unseen.is_empty() {
            return None;
        }
        let mut all: Vec<Digest16> = self.found.iter().map(digest_of).collect();
        all.sort_unstable();
        Some(hash::of_bytes(&all.concat()))
    }
}

fn digest_of(found: &SourceFile) -> Digest16 {
    let Fingerprint { device, inode, size, modified_ns, beside } = found.fingerprint;
    let numbers = [device, inode, size, modified_ns.cast_unsigned(), beside];
    let numbers = numbers.map(u64::to_le_bytes).concat();
    let agent = found.adapter.descriptor().id;
    let (home, path) = (found.home.as_bytes(), found.path.as_bytes());
    hash::digest("source", &[agent.as_bytes(), home, path, &numbers])
}

/// The path of a folder beside a file.
pub(crate) fn folder_beside(path: &str, folder: &str) -> String {
    path.rsplit_once('/').map_or(folder.to_owned(), |(above, _)| format!("{above}/{folder}"))
}
