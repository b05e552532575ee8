//! The last look at all files that found nothing new. A look that finds the same files beside the same sources needs
//! no comparison, and reads no row of a source.

use std::fs::OpenOptions;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use taffrail_capture::Discovery;
use taffrail_context::{Error, Settings};
use taffrail_model::hash::{Digest16, to_hex};
use taffrail_store::IndexReader;

/// The file, in the data folder.
const FILE: &str = "looked";

/// What a look found, and what it was compared with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Looked {
    /// The identity of the index.
    born: String,
    /// The version of its sources.
    sources: u64,
    /// The retention limit: older files are not read.
    index_days: Option<u32>,
    /// A digest of the files with their fingerprints.
    files: Digest16,
}

impl Looked {
    /// What this look found; `None` if it could not see everything.
    pub(crate) fn of(
        settings: &Settings,
        index: &IndexReader,
        discovery: &Discovery,
    ) -> Result<Option<Self>, Error> {
        let (born, sources) = (index.born()?, index.sources_version()?);
        let index_days = settings.retention.index_days;
        Ok(discovery.digest().map(|files| Self { born, sources, index_days, files }))
    }

    /// Whether the same was found before, and nothing was new.
    pub(crate) fn is_noted(&self, data: &Path) -> bool {
        // A file that is missing, torn or from elsewhere only costs a comparison.
        std::fs::read(data.join(FILE)).is_ok_and(|noted| noted == self.text().as_bytes())
    }

    /// Notes that nothing was new.
    pub(crate) fn note(&self, data: &Path) {
        if let Err(error) = write(&data.join(FILE), &self.text()) {
            tracing::debug!(%error, "cannot note what was looked at; the next look compares it again");
        }
    }

    fn text(&self) -> String {
        let Self { born, sources, index_days, files } = self;
        let days = index_days.map_or("all".to_owned(), |it| it.to_string());
        format!("{} {born} {sources} {days} {}\n", env!("CARGO_PKG_VERSION"), to_hex(files))
    }
}

fn write(path: &Path, text: &str) -> std::io::Result<()> {
    let mut options = OpenOptions::new();
    let mut file = options.write(true).create(true).truncate(true).mode(0o600).open(path)?;
    file.write_all(text.as_bytes())
}
