//! The entries of a bundle, and where their bytes are: in memory, in a file, or in the archive.

use std::fs::File;
use std::io::{self, Cursor, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use taffrail_capture::open_below;
use taffrail_model::AgentId;
use taffrail_store::archive::{Address, Archive};
use taffrail_sync::bundle::{Kind, Piece};

/// How many bytes are searched at a time for the end of a line.
const STEP: u64 = 64 * 1024;

/// One entry of a bundle to write.
#[derive(Debug)]
pub(super) struct BundleEntry {
    /// Its name in the bundle.
    pub(super) entry: String,
    /// The kind of the entry.
    pub(super) kind: Kind,
    /// The source of its bytes.
    pub(super) from: Bytes,
}

/// Where bytes are.
#[derive(Debug)]
pub(super) enum Bytes {
    /// In memory.
    Held(Vec<u8>),
    /// In a file below a folder, up to this length.
    File { folder: PathBuf, path: String, length: u64 },
    /// In the archive below our data.
    Copy { data: PathBuf, source: Source },
}

/// A source as the archive knows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Source {
    pub(super) agent: AgentId,
    pub(super) home: String,
    pub(super) path: String,
}

impl Source {
    fn address(&self) -> Address<'_> {
        Address { agent: &self.agent, home: &self.home, path: &self.path, key: "" }
    }

    /// The whole copy of the source.
    pub(super) fn copy(&self, data: &Path) -> io::Result<Vec<u8>> {
        let found = Archive::new(data).find(self.address()).map_err(io::Error::other)?;
        let mut volume = found.ok_or(io::ErrorKind::NotFound)?;
        volume.whole().map_err(io::Error::other)
    }

    /// The small files that were kept with the copy, by path.
    pub(super) fn beside(&self, data: &Path) -> Vec<(String, String)> {
        let found = Archive::new(data).find(self.address()).ok().flatten();
        found.map(|volume| volume.label().beside.clone()).unwrap_or_default()
    }
}

impl BundleEntry {
    /// The entry in the form the bundle writer takes.
    pub(super) fn piece(&self) -> Piece<'_> {
        let open = Box::new(|| self.from.open());
        Piece { path: self.entry.clone(), kind: self.kind.clone(), open }
    }
}

impl Bytes {
    fn open(&self) -> io::Result<Box<dyn Read + '_>> {
        Ok(match self {
            Self::Held(bytes) => Box::new(bytes.as_slice()),
            Self::File { folder, path, length } => {
                Box::new(open_below(folder, path)?.take(*length))
            }
            Self::Copy { data, source } => Box::new(Cursor::new(source.copy(data)?)),
        })
    }
}

/// The length of a file of lines up to its last complete line. A line that an agent is still
/// writing is left out.
pub(super) fn whole_lines(file: &mut File) -> io::Result<u64> {
    let mut end = file.seek(SeekFrom::End(0))?;
    let mut buffer = Vec::new();
    while end > 0 {
        let start = end.saturating_sub(STEP);
        file.seek(SeekFrom::Start(start))?;
        buffer.clear();
        file.take(end.saturating_sub(start)).read_to_end(&mut buffer)?;
        if let Some(at) = buffer.iter().rposition(|byte| *byte == b'\n') {
            return Ok(start.saturating_add(at as u64).saturating_add(1));
        }
        end = start;
    }
    Ok(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn only_whole_lines_are_carried() {
        let check = |text: &str, expected: u64| {
            let mut file = tempfile::tempfile().unwrap();
            file.write_all(text.as_bytes()).unwrap();
            assert_eq!(whole_lines(&mut file).unwrap(), expected, "{}", text.len());
        };
        check("", 0);
        check("torn", 0);
        check("a\nb\n", 4);
        check("a\nb\ntorn", 4);
        check(&format!("a\n{}", "x".repeat(200_000)), 2);
        check(&format!("a\n{}\n", "x".repeat(200_000)), 200_003);
    }
}
