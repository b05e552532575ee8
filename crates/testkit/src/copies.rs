//! Reads the archive without Taffrail's code: its files are plain zstd streams.

use crate::Home;
use crate::home::files_below;
use serde_json::Value;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

/// The folder below the home.
pub const ARCHIVE: &str = ".local/share/taffrail/archive";
/// The magic of a label.
const LABEL: [u8; 4] = 0x184d_2a50_u32.to_le_bytes();

/// A copy on disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArchivedCopy {
    /// The file.
    pub file: PathBuf,
    /// The path of its source.
    pub source: PathBuf,
    /// The part of the source.
    pub key: String,
    /// The edition.
    pub edition: u32,
    /// The bytes that can be decompressed.
    pub bytes: Vec<u8>,
    /// The whole file can be decompressed.
    pub whole: bool,
}

/// Every copy in the archive, except half-written leftovers of a crash.
#[must_use]
pub fn kept(home: &Home) -> Vec<ArchivedCopy> {
    let mut files = Vec::new();
    if home.path(ARCHIVE).exists() {
        files_below(&home.path(ARCHIVE), &mut files);
    }
    files.retain(|file| file.extension().is_some_and(|it| it == "tfa"));
    files.sort();
    files.into_iter().map(read).collect()
}

/// The newest edition of every source.
#[must_use]
pub fn newest(home: &Home) -> Vec<ArchivedCopy> {
    let all = kept(home);
    let is_newest = |it: &&ArchivedCopy| {
        let same = all.iter().filter(|other| (&other.source, &other.key) == (&it.source, &it.key));
        same.map(|other| other.edition).max() == Some(it.edition)
    };
    all.iter().filter(is_newest).cloned().collect()
}

fn read(file: PathBuf) -> ArchivedCopy {
    let packed = fs::read(&file).unwrap();
    let label = label(&file, &packed);
    let text = |name: &str| label[name].as_str().unwrap();
    let edition = file.file_name().unwrap().to_str().unwrap().split('.').nth(1).unwrap();
    let mut bytes = Vec::new();
    let mut decoder = zstd::stream::read::Decoder::new(packed.as_slice()).unwrap();
    let whole = decoder.read_to_end(&mut bytes).is_ok();
    let source = Path::new(text("home")).join(text("path"));
    ArchivedCopy {
        source,
        key: text("key").to_owned(),
        edition: edition.parse().unwrap(),
        bytes,
        whole,
        file,
    }
}

/// The label at the start of a file: magic, size, checksum, JSON.
fn label(file: &Path, packed: &[u8]) -> Value {
    assert!(packed.starts_with(&LABEL), "{} has no label", file.display());
    let size = u32::from_le_bytes(packed[4..8].try_into().unwrap());
    let end = 8 + usize::try_from(size).unwrap();
    serde_json::from_slice(&packed[24..end]).unwrap()
}
