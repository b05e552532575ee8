//! Writes the search index: adds documents, and records in each commit how far it has indexed.

use super::fields::{self, Document, Fields, SEARCH_VERSION, key, row};
use super::meaning::Meaning;
use crate::db::StoreError;
use crate::db::open::private_folder;
use std::io::ErrorKind;
use std::ops::Bound;
use std::path::Path;
use taffrail_model::EventId;
use tantivy::indexer::{IndexWriterOptions, LogMergePolicy, NoMergePolicy};
use tantivy::query::{BooleanQuery, Occur, RangeQuery, TermQuery};
use tantivy::schema::IndexRecordOption;
use tantivy::{Index, IndexReader, IndexWriter, ReloadPolicy, Term};

/// Memory for uncommitted documents: large for a whole history, small otherwise.
const BULK_ARENA: usize = 96_000_000;
const STEADY_ARENA: usize = 16_000_000;
/// How many small segments of one size trigger a merge.
const MERGE_AT: usize = 8;

/// How far a search index has come: the index it was made from and the last batch.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Stand {
    /// The identity of the index it was made from.
    pub born: String,
    /// The last batch it holds.
    pub change: i64,
    /// The number of commits since it was created.
    pub commits: u64,
}

impl Stand {
    fn written(&self) -> String {
        format!("{SEARCH_VERSION} {} {} {}", self.born, self.change, self.commits)
    }

    pub(crate) fn read(payload: &str) -> Option<Self> {
        let mut parts = payload.split(' ');
        parts.next().filter(|version| *version == SEARCH_VERSION.to_string())?;
        let born = parts.next()?.to_owned();
        let (change, commits) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
        Some(Self { born, change, commits })
    }
}

/// How much is to be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Load {
    /// A whole history: a large arena, no merging on the way.
    Bulk,
    /// A few events.
    Steady,
}

/// The search index, open for writing.
pub struct SearchWriter {
    writer: IndexWriter,
    fields: Fields,
    stand: Stand,
}

impl std::fmt::Debug for SearchWriter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SearchWriter").field("stand", &self.stand).finish_non_exhaustive()
    }
}

impl SearchWriter {
    /// Opens the search index of the index `born`; removes one that was made from another index, or otherwise.
    ///
    /// # Errors
    /// When the folder cannot be written.
    pub fn open(
        data: &Path,
        born: &str,
        (load, meaning): (Load, Meaning),
    ) -> Result<Self, StoreError> {
        let folder = data.join("search");
        private_folder(&folder)?;
        let (index, stand) = match open_known(&folder, (born, meaning)) {
            Some(known) => known,
            None => (make(&folder, meaning)?, Stand { born: born.to_owned(), ..Stand::default() }),
        };
        let fields = Fields::of(&index.schema())?;
        let arena = if load == Load::Bulk { BULK_ARENA } else { STEADY_ARENA };
        let options = IndexWriterOptions::builder()
            .memory_budget_per_thread(arena)
            .num_worker_threads(1)
            .num_merge_threads(1)
            .build();
        let writer: IndexWriter = index.writer_with_options(options)?;
        match load {
            Load::Bulk => writer.set_merge_policy(Box::new(NoMergePolicy)),
            Load::Steady => writer.set_merge_policy(Box::new(merging())),
        }
        Ok(Self { writer, fields, stand })
    }

    /// Removes the search index, whatever its state.
    ///
    /// # Errors
    /// When the folder cannot be removed.
    pub fn throw_away(data: &Path) -> Result<(), StoreError> {
        match std::fs::remove_dir_all(data.join("search")) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(error.into()),
            _ => Ok(()),
        }
    }

    /// How far it has indexed.
    #[must_use]
    pub fn stand(&self) -> &Stand {
        &self.stand
    }

    /// Adds an event that is not in the index.
    ///
    /// # Errors
    /// When the index cannot be written.
    pub fn add(&self, document: Document) -> Result<(), StoreError> {
        if !document.text.is_empty() {
            self.writer.add_document(document.into_tantivy(&self.fields))?;
        }
        Ok(())
    }

    /// Removes an event, if it is in the index.
    ///
    /// # Errors
    /// When the index cannot be written.
    pub fn remove(&self, session: i64, id: EventId) -> Result<(), StoreError> {
        let key = Term::from_field_u64(self.fields.key, key(id));
        let same = RangeQuery::new(Bound::Included(key.clone()), Bound::Included(key));
        let session = TermQuery::new(self.session_term(session), IndexRecordOption::Basic);
        let both = BooleanQuery::new(vec![
            (Occur::Must, Box::new(session)),
            (Occur::Must, Box::new(same)),
        ]);
        self.writer.delete_query(Box::new(both))?;
        Ok(())
    }

    /// Removes a whole session.
    pub fn remove_session(&self, session: i64) {
        self.writer.delete_term(self.session_term(session));
    }

    /// Makes the changes up to `change` visible and durable.
    ///
    /// # Errors
    /// When the index cannot be written.
    pub fn commit(&mut self, change: i64) -> Result<(), StoreError> {
        let stand = Stand { change, commits: self.stand.commits + 1, ..self.stand.clone() };
        let mut prepared = self.writer.prepare_commit()?;
        prepared.set_payload(&stand.written());
        prepared.commit()?;
        self.stand = stand;
        Ok(())
    }

    /// Merges every segment that holds deleted documents and removes the old files, so that nothing
    /// of them is left.
    ///
    /// # Errors
    /// When the index cannot be written.
    pub fn purge(&mut self) -> Result<(), StoreError> {
        let segments = self.writer.index().searchable_segment_metas()?;
        let holed = segments.iter().filter(|it| it.num_deleted_docs() > 0);
        let holed: Vec<_> = holed.map(tantivy::index::SegmentMeta::id).collect();
        for segment in holed {
            self.writer.merge(&[segment]).wait()?;
        }
        self.writer.garbage_collect_files().wait()?;
        Ok(())
    }

    /// Waits for running merges and closes the writer.
    ///
    /// # Errors
    /// When a merge fails.
    pub fn finish(self) -> Result<(), StoreError> {
        Ok(self.writer.wait_merging_threads()?)
    }

    fn session_term(&self, session: i64) -> Term {
        Term::from_field_u64(self.fields.session, row(session))
    }
}

fn merging() -> LogMergePolicy {
    let mut policy = LogMergePolicy::default();
    policy.set_min_num_segments(MERGE_AT);
    policy
}

/// The index in the folder, if it is readable, in our format and made from the index `born`.
fn open_known(folder: &Path, (born, meaning): (&str, Meaning)) -> Option<(Index, Stand)> {
    let index = Index::open_in_dir(folder).ok()?;
    let stand = Stand::read(&index.load_metas().ok()?.payload?)?;
    fields::register(&index);
    // Opens every file, to detect damage before anything is added.
    let reader: tantivy::Result<IndexReader> =
        index.reader_builder().reload_policy(ReloadPolicy::Manual).try_into();
    reader.ok()?;
    let kept = Fields::of(&index.schema()).ok()?.meaning();
    (stand.born == born && kept == meaning).then_some((index, stand))
}

fn make(folder: &Path, meaning: Meaning) -> Result<Index, StoreError> {
    std::fs::remove_dir_all(folder)?;
    private_folder(folder)?;
    let index = Index::create_in_dir(folder, fields::schema(meaning))?;
    fields::register(&index);
    Ok(index)
}
