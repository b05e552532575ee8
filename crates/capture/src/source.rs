//! A source on disk: an agent's history, or Taffrail's journal of that agent.

use taffrail_adapters::{Adapter, Encoding, Place, Reader, Shape, Source};
use taffrail_model::journal::{self, FOLDER};
use taffrail_model::observed::Fingerprint;

/// A source file that exists.
#[derive(Clone)]
pub struct SourceFile {
    /// The agent.
    pub adapter: &'static dyn Adapter,
    /// The home's real path.
    pub home: String,
    /// The path below the home.
    pub path: String,
    /// The kind of source.
    pub place: Place,
    /// Its current fingerprint.
    pub fingerprint: Fingerprint,
}

impl std::fmt::Debug for SourceFile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "SourceFile({}/{})", self.home, self.path)
    }
}

/// The folder of an agent's journal, below the data folder.
pub(crate) fn folder_of(adapter: &dyn Adapter) -> String {
    format!("{FOLDER}/{}", adapter.descriptor().id)
}

/// The place of a file below a home, for history and journal alike.
pub(crate) fn place_of(adapter: &dyn Adapter, path: &str) -> Option<Place> {
    let Some(locator) = journal::locator(path) else { return adapter.place(path) };
    let encoding = if path.ends_with(".zst") { Encoding::Zstd } else { Encoding::Plain };
    let (shape, session, beside) = (Shape::Lines(encoding), None, Vec::new());
    Some(Place { shape, locator, session, is_worker: false, rank: 0, beside })
}

/// The reader of a source, for history and journal alike.
pub(crate) fn reader(
    adapter: &dyn Adapter,
    source: &Source<'_>,
    saved: Option<&str>,
) -> Box<dyn Reader> {
    match journal::locator(source.path) {
        Some(_) => adapter.journal(),
        None => adapter.reader(source, saved),
    }
}
