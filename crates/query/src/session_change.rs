//! The changes of one batch to one session, for all observers.

use crate::events::{LineBuilder, stale};
use std::cell::{Cell, OnceCell, RefCell};
use std::ops::Range;
use taffrail_api::EventLine;
use taffrail_capture::{Body, BodyError, Sources};
use taffrail_context::Settings;
use taffrail_ingest::{reference, sources};
use taffrail_model::DeviceId;
use taffrail_store::{EventRow, IndexReader, SessionRow};

/// The changes of one batch to one session. A record is read back from its source when the first
/// observer needs it, and never again.
pub struct SessionChange<'a> {
    settings: &'a Settings,
    index: &'a IndexReader,
    device: &'a DeviceId,
    row: SessionRow,
    events: Vec<EventRow>,
    bodies: Vec<OnceCell<Result<Body, BodyError>>>,
    sources: RefCell<Sources<'a>>,
    reads: Cell<u64>,
}

impl std::fmt::Debug for SessionChange<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SessionChange").field("session", &self.row.id).finish_non_exhaustive()
    }
}

impl<'a> SessionChange<'a> {
    /// A change of these events of a session.
    #[must_use]
    pub fn new(
        (settings, index, device): (&'a Settings, &'a IndexReader, &'a DeviceId),
        row: SessionRow,
        events: Vec<EventRow>,
    ) -> Self {
        let bodies = events.iter().map(|_| OnceCell::new()).collect();
        let sources = RefCell::new(sources(settings));
        Self { settings, index, device, row, events, bodies, sources, reads: Cell::new(0) }
    }

    /// The daemon's settings.
    #[must_use]
    pub fn settings(&self) -> &'a Settings {
        self.settings
    }

    /// The index after the batch.
    #[must_use]
    pub fn index(&self) -> &'a IndexReader {
        self.index
    }

    /// The session after the batch.
    #[must_use]
    pub fn row(&self) -> &SessionRow {
        &self.row
    }

    /// The events that were inserted, changed or removed, in order.
    #[must_use]
    pub fn events(&self) -> &[EventRow] {
        &self.events
    }

    /// The session and its changed events, when no observer needs their texts any more.
    #[must_use]
    pub fn into_parts(self) -> (SessionRow, Vec<EventRow>) {
        (self.row, self.events)
    }

    /// How many records were read back.
    #[must_use]
    pub fn reads(&self) -> u64 {
        self.reads.get()
    }

    /// The body of an event, by its index in the change; `None` if its source no longer holds it.
    #[must_use]
    pub fn body(&self, at: usize) -> Option<&Body> {
        self.read(at)?.as_ref().ok()
    }

    /// A complete event, as clients read it.
    #[must_use]
    pub fn line(&self, at: usize) -> Option<EventLine> {
        let event = self.events.get(at)?;
        let body = match event.removed {
            true => Body::default(),
            false => match self.read(at)? {
                Ok(body) => body.clone(),
                Err(error) => stale(event, &error.to_string()),
            },
        };
        let context = (self.index, self.device);
        let builder = LineBuilder::new(&self.settings.devices, &self.row, context);
        Some(builder.line(event.clone(), body))
    }

    /// All events, complete.
    pub fn lines(&self) -> impl Iterator<Item = EventLine> + '_ {
        (0..self.events.len()).filter_map(|at| self.line(at))
    }

    fn read(&self, at: usize) -> Option<&Result<Body, BodyError>> {
        let cell = self.bodies.get(at)?;
        if cell.get().is_none() {
            self.reads.set(self.reads.get() + 1);
            let mut sources = self.sources.borrow_mut();
            for at in self.record_of(at) {
                if let (Some(event), Some(cell)) = (self.events.get(at), self.bodies.get(at)) {
                    cell.get_or_init(|| sources.body(&reference(&self.row.agent, event)));
                }
            }
        }
        cell.get()
    }

    /// The indices of all events of one record, which are consecutive.
    fn record_of(&self, at: usize) -> Range<usize> {
        let is_same = |one: &EventRow, other: &EventRow| {
            (&one.locator, &one.cursor) == (&other.locator, &other.cursor)
        };
        let (before, after) = self.events.split_at(at);
        let Some(event) = after.first() else { return at..at };
        let back = before.iter().rev().take_while(|it| is_same(it, event)).count();
        let on = after.iter().take_while(|it| is_same(it, event)).count();
        at - back..at + on
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::findings::Monitor;
    use std::collections::BTreeSet;
    use taffrail_ingest::{Budget, Scope, index};
    use taffrail_model::Timestamp;
    use taffrail_store::Filter;
    use taffrail_testkit::claude;

    const SESSION: &str = "11111111-1111-4111-8111-111111111111";

    /// Every observer of the loop used to read the record again: up to four times.
    #[test]
    fn a_record_is_read_back_once_however_many_observe_it() {
        let folder = tempfile::tempdir().unwrap();
        let now = || "2026-10-01T10:30:00Z".parse::<Timestamp>().unwrap();
        let settings = Settings::in_folder(folder.path(), now);
        let path = settings.user_home.join(claude::path(SESSION));
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, claude::talk(SESSION, 0, 6)).unwrap();
        index(&settings, &Scope::All, Budget::Whole, &mut |_| {}).unwrap();
        let index = IndexReader::open(&settings.data).unwrap().unwrap();
        let row = index.sessions(&Filter::default()).unwrap().remove(0);
        let (events, device) = (index.events(row.row).unwrap(), DeviceId::new("device"));
        let records: BTreeSet<_> =
            events.iter().map(|it| (it.locator.clone(), format!("{:?}", it.cursor))).collect();
        let change = SessionChange::new((&settings, &index, &device), row, events);
        assert_eq!(change.reads(), 0, "nothing is read before somebody needs it");
        let lines: Vec<_> = change.lines().collect();
        Monitor::default().take(&change).unwrap();
        assert_eq!(change.lines().collect::<Vec<_>>(), lines);
        assert_eq!(change.reads(), records.len() as u64);
        assert!(records.len() > 3, "{records:?}");
    }
}
