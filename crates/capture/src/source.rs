//! A source on disk: an agent's transcripts, its prompt history, or Taffrail's journal of that agent.

use taffrail_adapters::prompt_history::PromptHistoryReader;
use taffrail_adapters::{Adapter, Encoding, Place, PromptHistory, Reader, Shape, Source};
use taffrail_model::journal::{self, FOLDER};
use taffrail_model::observed::Fingerprint;
use taffrail_model::prompt_history;

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

impl SourceFile {
    /// The prompt history that the file is, if it is one.
    #[must_use]
    pub fn prompt_history(&self) -> Option<&'static PromptHistory> {
        prompt_history_at(self.adapter, &self.path)
    }
}

/// The place of a file below a home, for transcripts, prompt history and journal alike.
pub(crate) fn place_of(adapter: &dyn Adapter, path: &str) -> Option<Place> {
    if let Some(locator) = journal::locator(path) {
        let encoding = if path.ends_with(".zst") { Encoding::Zstd } else { Encoding::Plain };
        return Some(shared(locator, encoding));
    }
    match prompt_history_at(adapter, path) {
        Some(_) => {
            let locator = prompt_history::locator(adapter.descriptor().id, path);
            Some(shared(locator, Encoding::Plain))
        }
        None => adapter.place(path),
    }
}

fn prompt_history_at(adapter: &dyn Adapter, path: &str) -> Option<&'static PromptHistory> {
    adapter.prompt_history().filter(|it| it.path == path)
}

/// The place of a file of lines with many sessions.
fn shared(locator: String, encoding: Encoding) -> Place {
    let (shape, session, beside) = (Shape::Lines(encoding), None, Vec::new());
    Place { shape, locator, session, is_worker: false, rank: 0, beside }
}

/// The reader of a source, for transcripts, prompt history and journal alike.
pub(crate) fn reader(
    adapter: &dyn Adapter,
    source: &Source<'_>,
    saved: Option<&str>,
) -> Box<dyn Reader> {
    if journal::locator(source.path).is_some() {
        return adapter.journal();
    }
    match prompt_history_at(adapter, source.path) {
        Some(history) => Box::new(PromptHistoryReader::new(adapter.descriptor().id, history)),
        None => adapter.reader(source, saved),
    }
}
