//! How a subscription begins: with the latest events, or with the changes after its cursor.

use std::path::Path;
use taffrail_api::{EventLine, Session};
use taffrail_context::{Settings, Target, TargetError};
use taffrail_daemon::DaemonError;
use taffrail_daemon::live::Handle;
use taffrail_model::{ResumeCursor, Timestamp};
use taffrail_query::board::current_statuses;
use taffrail_query::events::{device_of, each_line};
use taffrail_query::resolve::resolve;
use taffrail_query::resolve::waiting;
use taffrail_query::session as listed;
use taffrail_query::status::apply_status;
use taffrail_store::{Changes, EventRow, IndexReader, SessionRow};

/// The latest events that a subscription begins with.
pub(super) const RECENT: usize = 200;
/// A client that missed more changes starts over.
const MISSED: usize = 10_000;

/// The beginning of a subscription.
#[derive(Debug)]
pub(super) struct Beginning {
    pub(super) session: Session,
    /// Everything up to here is in `lines` or was known; everything later follows.
    pub(super) cursor: ResumeCursor,
    /// `lines` are the latest events; otherwise the changes after the given cursor.
    pub(super) snapshot: bool,
    pub(super) lines: Vec<EventLine>,
}

/// One session at one moment of the index.
pub(super) struct Moment {
    pub(super) reader: IndexReader,
    pub(super) row: SessionRow,
}

impl Moment {
    /// Loads the session of a target.
    pub(super) fn of(settings: &Settings, target: &Target) -> Result<Self, DaemonError> {
        let found = resolve(settings, target)?;
        let gone = || TargetError::NotFound(found.id.to_string());
        let reader = IndexReader::open(&settings.data)?.ok_or_else(gone)?;
        // The index may have been rebuilt in the meantime.
        let row = reader.session(found.row)?.filter(|it| it.id == found.id).ok_or_else(gone)?;
        Ok(Self { reader, row })
    }

    /// The cursor of the last change.
    pub(super) fn cursor(&self) -> ResumeCursor {
        let generation = self.reader.generation().to_owned();
        ResumeCursor { generation, sequence: self.row.sequence }
    }

    /// Parses a cursor: a bare number belongs to the current generation.
    pub(super) fn cursor_in(&self, text: &str) -> Option<ResumeCursor> {
        let bare = text.parse().ok();
        let generation = || self.reader.generation().to_owned();
        bare.map(|sequence| ResumeCursor { generation: generation(), sequence })
            .or_else(|| ResumeCursor::parse(text))
    }

    /// The changes after a cursor, in order; `None` for an unknown cursor.
    pub(super) fn since(&self, after: &ResumeCursor) -> Result<Option<Vec<EventRow>>, DaemonError> {
        Ok(match self.reader.changes(&self.row, Some(after))? {
            Changes::Since(rows) => Some(self.settled(rows)),
            Changes::Snapshot(_) => None,
        })
    }

    /// Whether changes after a cursor can be told apart from those before it.
    pub(super) fn knows(&self, cursor: &ResumeCursor) -> bool {
        cursor.generation == self.reader.generation() && cursor.sequence <= self.row.sequence
    }

    /// The first changes after a cursor that are wanted, in order: at most `limit` of them.
    pub(super) fn first_since(
        &self,
        after: u64,
        limit: usize,
        is_wanted: &dyn Fn(&EventRow) -> bool,
    ) -> Result<Vec<EventRow>, DaemonError> {
        let (mut out, mut after) = (Vec::new(), after);
        loop {
            let rows = self.reader.first_changes_after(self.row.row, after, limit)?;
            let is_end = rows.len() < limit;
            after = rows.last().map_or(after, |it| it.sequence);
            out.extend(self.settled(rows).into_iter().filter(is_wanted));
            if is_end || out.len() >= limit {
                out.truncate(limit);
                return Ok(out);
            }
        }
    }

    /// Drops changes written after the session's row was read: they follow later.
    pub(super) fn settled(&self, mut rows: Vec<EventRow>) -> Vec<EventRow> {
        rows.retain(|it| it.sequence <= self.row.sequence);
        rows
    }

    /// Converts rows to complete events.
    pub(super) fn told(
        &self,
        settings: &Settings,
        rows: Vec<EventRow>,
    ) -> Result<Vec<EventLine>, DaemonError> {
        let mut lines = Vec::with_capacity(rows.len());
        let device = device_of(settings)?;
        each_line((settings, &self.reader, &device), &self.row, rows, &mut |line| {
            lines.push(line);
            true
        });
        Ok(lines)
    }

    /// The session in list form, with its current status.
    pub(super) fn session(&self, handle: &Handle) -> Session {
        standing(
            handle,
            listed(&handle.settings().devices, self.row.clone()),
            (handle.settings().now)(),
        )
    }
}

/// Adds the current status to a session.
pub(super) fn standing(handle: &Handle, mut session: Session, now: Timestamp) -> Session {
    if let Some(card) = handle.live().status(session.id) {
        apply_status(&mut session, &card, now);
    }
    session
}

/// Begins a subscription to a session.
pub(super) fn begin(
    handle: &Handle,
    target: &Target,
    after: Option<&str>,
    limit: usize,
) -> Result<Beginning, DaemonError> {
    let settings = handle.settings();
    let moment = Moment::of(settings, target)?;
    let after = after.and_then(|text| moment.cursor_in(text));
    let missed = after.map(|cursor| moment.since(&cursor)).transpose()?.flatten();
    let missed = missed.filter(|rows| rows.len() <= MISSED);
    let snapshot = missed.is_none();
    let rows = match missed {
        Some(rows) => rows,
        None => moment.settled(moment.reader.last_events(moment.row.row, limit)?),
    };
    let lines = moment.told(settings, rows)?;
    Ok(Beginning { session: moment.session(handle), cursor: moment.cursor(), snapshot, lines })
}

/// Resolves a person's word for a session. `@waiting` is the one that started to need somebody
/// last.
pub(super) fn meant(handle: &Handle, word: &str, here: &str) -> Result<Target, DaemonError> {
    let target = Target::parse(word, Path::new(here));
    if target != Target::Waiting {
        return Ok(target);
    }
    Ok(Target::Id(waiting(handle.settings(), &current_statuses(handle.live())?)?.to_string()))
}
