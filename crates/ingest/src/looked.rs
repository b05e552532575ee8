//! The last look at all files that found nothing new. While every file and folder is as it was listed then, no folder is
//! read; a look that finds the same files beside the same sources needs no comparison, and reads no row of a source.

use std::fs::OpenOptions;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use taffrail_capture::{Discovery, Listing};
use taffrail_context::{Error, Settings};
use taffrail_model::hash::to_hex;
use taffrail_store::IndexReader;

/// The file, in the data folder.
const FILE: &str = "looked";

/// What a look is compared with, beside the files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Against {
    /// The identity of the index.
    pub(crate) born: String,
    /// The version of its sources.
    sources: u64,
    /// Its last batch: only a batch can change which projects it knows.
    pub(crate) batch: i64,
    /// The retention limit: older files are not read.
    index_days: Option<u32>,
}

/// The note of the last look that found nothing new.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Note {
    /// What it was compared with, and a digest of the files with their fingerprints.
    line: String,
    /// The last batch of the index.
    batch: String,
    /// The state of every file and folder, if they were at rest.
    listing: Option<Listing>,
}

impl Against {
    /// The present state of the index.
    pub(crate) fn of(settings: &Settings, index: &IndexReader) -> Result<Self, Error> {
        let (born, sources, batch) = (index.born()?, index.sources_version()?, index.last_batch()?);
        Ok(Self { born, sources, batch, index_days: settings.retention.index_days })
    }

    fn text(&self) -> String {
        let Self { born, sources, batch: _, index_days } = self;
        let days = index_days.map_or("all".to_owned(), |it| it.to_string());
        format!("{} {born} {sources} {days} ", env!("CARGO_PKG_VERSION"))
    }

    /// The line of a look that found these files; `None` if it could not see everything.
    pub(crate) fn line(&self, discovery: &Discovery) -> Option<String> {
        Some(format!("{}{}", self.text(), to_hex(&discovery.digest()?)))
    }
}

impl Note {
    /// The note of a look with this line.
    pub(crate) fn new(line: String, against: &Against, listing: Option<Listing>) -> Self {
        Self { line, batch: against.batch.to_string(), listing }
    }

    /// Reads the note; one that is missing or torn only costs a comparison.
    pub(crate) fn read(data: &Path) -> Option<Self> {
        let bytes = std::fs::read(data.join(FILE)).ok()?;
        let (line, rest) = line_of(&bytes)?;
        let (batch, rest) = line_of(rest).unwrap_or_default();
        Some(Self { line, batch, listing: Listing::read(rest) })
    }

    /// Notes that a look found nothing new.
    pub(crate) fn write(&self, data: &Path) {
        let listed = self.listing.as_ref().map(Listing::bytes).unwrap_or_default();
        let lines = format!("{}\n{}\n", self.line, self.batch);
        if let Err(error) = write(&data.join(FILE), &[lines.as_bytes(), &listed].concat()) {
            tracing::debug!(%error, "cannot note what was looked at; the next look compares it again");
        }
    }

    /// The files and folders, if the note is of this state of the index.
    pub(crate) fn into_listing(self, against: &Against) -> Option<Listing> {
        let is_same = self.line.starts_with(&against.text());
        self.listing.filter(|_| is_same && self.batch == against.batch.to_string())
    }

    /// Whether a look with this line found the same.
    pub(crate) fn has(&self, line: &str) -> bool {
        self.line == line
    }
}

/// A line, and what follows.
fn line_of(bytes: &[u8]) -> Option<(String, &[u8])> {
    let (line, rest) = bytes.split_at_checked(bytes.iter().position(|it| *it == b'\n')?)?;
    Some((std::str::from_utf8(line).ok()?.to_owned(), rest.get(1..)?))
}

fn write(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let mut options = OpenOptions::new();
    let mut file = options.write(true).create(true).truncate(true).mode(0o600).open(path)?;
    file.write_all(bytes)
}
