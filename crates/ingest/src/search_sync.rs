//! Brings search up to date with the index.

use crate::bodies::{reference, sources};
use taffrail_capture::Sources;
use taffrail_context::{Error, Settings};
use taffrail_model::EventId;
use taffrail_model::observed::Observed;
use taffrail_model::search_text::is_searched;
use taffrail_store::search::{Document, Load, SearchReader, SearchWriter, Stand};
use taffrail_store::{EventRow, IndexReader, Writer, make_durable};

/// From this many bytes on, a run writes search as it goes; below, search catches up when it is
/// used or when it is due.
const ALONG_BYTES: u64 = 4 * 1024 * 1024;
/// From this many bytes on, a run uses a large arena and does not merge.
const BULK_BYTES: u64 = 64 * 1024 * 1024;
/// Search is due after this many unindexed bytes, or this long.
const DUE_BYTES: u64 = 16 * 1024 * 1024;
const DUE_SECONDS: i64 = 60;

/// When a run brings search up to date.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bring {
    /// Not at all: only the list is needed.
    Never,
    /// When much is missing, or for long.
    WhenDue,
    /// At once: a search is waiting.
    Now,
}

/// Search during a run of the index.
pub struct SearchSync {
    bring: Bring,
    /// The writer for new events, and the batch from which on it writes them.
    along: Option<(SearchWriter, i64)>,
}

impl SearchSync {
    /// Decides how search follows a run that has `bytes` to read.
    pub fn begin(
        settings: &Settings,
        writer: &Writer,
        bring: Bring,
        bytes: u64,
    ) -> Result<Self, Error> {
        let along = if bring != Bring::Never && bytes >= ALONG_BYTES {
            let load = if bytes >= BULK_BYTES { Load::Bulk } else { Load::Steady };
            let search =
                SearchWriter::open(&settings.data, &writer.born()?, (load, settings.meaning))?;
            Some((search, writer.last_batch()?))
        } else {
            None
        };
        Ok(Self { bring, along })
    }

    /// Whether new events are written as they come.
    pub(crate) fn wants_texts(&self) -> bool {
        self.along.is_some()
    }

    /// Adds the new events of a piece.
    pub(crate) fn take(&self, piece: &mut Observed, new: &[(usize, i64)]) -> Result<(), Error> {
        let Some((search, _)) = &self.along else { return Ok(()) };
        for (number, session) in new {
            let Some(event) = piece.events.get_mut(*number) else { continue };
            if !is_searched(&event.origin, &event.kind) {
                continue;
            }
            let text = std::mem::take(&mut event.searched);
            let (id, kind, marks, at) = (event.id, event.kind.clone(), event.marks, event.at);
            search.add(Document { session: *session, id, kind, marks, at, text })?;
        }
        Ok(())
    }

    /// Ends the run: adds the missing events if search is due, and commits.
    pub(crate) fn finish(
        self,
        settings: &Settings,
        writer: &mut Writer,
        read: u64,
    ) -> Result<(), Error> {
        let now = (settings.now)();
        let changed = writer.take_changed();
        if let Some((search, since)) = self.along {
            let upkeep = Upkeep::new(settings, search)?;
            return upkeep.close(writer, &Missing { upto: since, changed });
        }
        let stand = stand_of(settings);
        let stand = stand.filter(|it| writer.born().is_ok_and(|born| it.born == born));
        if !is_behind(writer, stand.as_ref())? {
            return Ok(());
        }
        let (unsearched, since) = writer.note_unsearched(read, now)?;
        let late = now.as_second() - since.as_second() >= DUE_SECONDS;
        let due = unsearched >= DUE_BYTES || late || stand.is_none();
        if self.bring == Bring::Never || (self.bring == Bring::WhenDue && !due) {
            return Ok(());
        }
        let how = (Load::Steady, settings.meaning);
        let search = SearchWriter::open(&settings.data, &writer.born()?, how)?;
        let missing = Missing { upto: writer.last_batch()?, changed: Vec::new() };
        Upkeep::new(settings, search)?.close(writer, &missing)
    }
}

/// Brings search up to date from outside the writer, which may continue meanwhile.
pub fn bring_up(settings: &Settings) -> Result<(), Error> {
    let Some(index) = IndexReader::open(&settings.data)? else { return Ok(()) };
    if is_searchable(settings, &index)? {
        return Ok(());
    }
    let upto = index.last_batch()?;
    let how = (Load::Steady, settings.meaning);
    let search = SearchWriter::open(&settings.data, &index.born()?, how)?;
    let mut upkeep = Upkeep { search, index: Some(index), sources: sources(settings) };
    upkeep.catch_up(&Missing { upto, changed: Vec::new() })?;
    // Search must not outlive the index rows that it was made from.
    make_durable(&settings.data)?;
    upkeep.search.commit(upto)?;
    Ok(upkeep.search.finish()?)
}

/// Whether search has everything that the index has.
fn is_searchable(settings: &Settings, index: &IndexReader) -> Result<bool, Error> {
    let Some(stand) = stand_of(settings) else { return Ok(false) };
    Ok(stand.born == index.born()? && stand.change == index.last_batch()?)
}

/// How far search has come; `None` if it is missing or damaged, or made with another setting.
pub(crate) fn stand_of(settings: &Settings) -> Option<Stand> {
    let search = SearchReader::open(&settings.data);
    search.filter(|it| it.meaning() == settings.meaning).map(|it| it.stand().clone())
}

fn is_behind(writer: &Writer, stand: Option<&Stand>) -> Result<bool, Error> {
    let last = writer.last_batch()?;
    Ok(stand.map_or(last > 0, |stand| stand.change != last))
}

/// What search lacks: all changes after its last batch up to a given one, and single events.
struct Missing {
    upto: i64,
    changed: Vec<(i64, EventId)>,
}

struct Upkeep<'a> {
    search: SearchWriter,
    index: Option<IndexReader>,
    sources: Sources<'a>,
}

impl<'a> Upkeep<'a> {
    fn new(settings: &'a Settings, search: SearchWriter) -> Result<Self, Error> {
        let index = IndexReader::open(&settings.data)?;
        Ok(Self { search, index, sources: sources(settings) })
    }

    fn close(mut self, writer: &mut Writer, missing: &Missing) -> Result<(), Error> {
        self.catch_up(missing)?;
        // Search must not outlive the index rows that it was made from.
        writer.make_durable()?;
        self.search.commit(writer.last_batch()?)?;
        writer.note_searched()?;
        Ok(self.search.finish()?)
    }

    fn catch_up(&mut self, missing: &Missing) -> Result<(), Error> {
        let Some(index) = self.index.take() else { return Ok(()) };
        let stand = self.search.stand().change;
        if missing.upto > stand {
            for session in index.sessions_after(stand)? {
                let rows = index.events_after(session.row, stand)?;
                let rows = rows.into_iter().filter(|it| it.batch <= missing.upto);
                for row in rows {
                    // Before the first commit the search index is empty.
                    if stand > 0 {
                        self.search.remove(session.row, row.id)?;
                    }
                    self.write((session.row, &session.agent), &row)?;
                }
            }
        }
        for (session, id) in &missing.changed {
            let (Some(who), Some(row)) =
                (index.session(*session)?, index.event_by_id(*session, *id)?)
            else {
                continue;
            };
            // The event may have been added during the run before it changed.
            self.search.remove(*session, *id)?;
            self.write((*session, &who.agent), &row)?;
        }
        Ok(())
    }

    /// Adds the current state of an event with words, unless it was removed or is a copy.
    fn write(&mut self, (session, agent): (i64, &str), row: &EventRow) -> Result<(), Error> {
        let has_words = is_searched(&row.origin, &row.kind);
        if row.removed || row.inherited_from.is_some() || !has_words {
            return Ok(());
        }
        let body = self.sources.body(&reference(agent, row));
        // An event that cannot be read back is indexed by its excerpt.
        let text = body.map_or_else(|_| row.excerpt.clone(), |body| body.searched);
        let (id, kind, marks, at) = (row.id, row.kind.clone(), row.marks, row.at);
        let document = Document { session, id, kind, marks, at, text };
        Ok(self.search.add(document)?)
    }
}
