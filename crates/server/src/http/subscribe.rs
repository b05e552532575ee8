//! How a follower begins: with the latest events, or with what changed after its cursor.

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

/// The latest events a follower begins with.
pub(super) const RECENT: usize = 200;
/// Who missed more changes begins anew.
const MISSED: usize = 10_000;

/// Where a follower begins.
#[derive(Debug)]
pub(super) struct Beginning {
    pub(super) session: Session,
    /// Everything up to here is in `lines`, or was known; all that comes later is told.
    pub(super) cursor: ResumeCursor,
    /// These are the latest events; otherwise what changed after the cursor that was given.
    pub(super) snapshot: bool,
    pub(super) lines: Vec<EventLine>,
}

/// One session at one moment of the index.
pub(super) struct Moment {
    pub(super) reader: IndexReader,
    pub(super) row: SessionRow,
}

impl Moment {
    /// The session that is meant.
    pub(super) fn of(settings: &Settings, target: &Target) -> Result<Self, DaemonError> {
        let found = resolve(settings, target)?;
        let gone = || TargetError::NotFound(found.id.to_string());
        let reader = IndexReader::open(&settings.data)?.ok_or_else(gone)?;
        // The index may have been made anew since.
        let row = reader.session(found.row)?.filter(|it| it.id == found.id).ok_or_else(gone)?;
        Ok(Self { reader, row })
    }

    /// The last change there is.
    pub(super) fn cursor(&self) -> ResumeCursor {
        let generation = self.reader.generation().to_owned();
        ResumeCursor { generation, sequence: self.row.sequence }
    }

    /// A cursor as it was given: a bare number counts in the numbering in force.
    pub(super) fn cursor_in(&self, text: &str) -> Option<ResumeCursor> {
        let bare = text.parse().ok();
        let generation = || self.reader.generation().to_owned();
        bare.map(|sequence| ResumeCursor { generation: generation(), sequence })
            .or_else(|| ResumeCursor::parse(text))
    }

    /// What changed after a cursor, in the order of the changes; `None` for a cursor nobody knows.
    pub(super) fn since(&self, after: &ResumeCursor) -> Result<Option<Vec<EventRow>>, DaemonError> {
        Ok(match self.reader.changes(&self.row, Some(after))? {
            Changes::Since(rows) => Some(self.settled(rows)),
            Changes::Snapshot(_) => None,
        })
    }

    /// Without what was written after the session's row was read: that is told later.
    pub(super) fn settled(&self, mut rows: Vec<EventRow>) -> Vec<EventRow> {
        rows.retain(|it| it.sequence <= self.row.sequence);
        rows
    }

    /// Rows as whole events.
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

    /// The session as a list shows it, as it stands now.
    pub(super) fn session(&self, handle: &Handle) -> Session {
        standing(
            handle,
            listed(&handle.settings().devices, self.row.clone()),
            (handle.settings().now)(),
        )
    }
}

/// A session as it stands.
pub(super) fn standing(handle: &Handle, mut session: Session, now: Timestamp) -> Session {
    if let Some(card) = handle.live().status(session.id) {
        apply_status(&mut session, &card, now);
    }
    session
}

/// Begins to follow a session.
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

/// What a person means by a word for a session. `@waiting` is the one that began last to need
/// somebody.
pub(super) fn meant(handle: &Handle, word: &str, here: &str) -> Result<Target, DaemonError> {
    let target = Target::parse(word, Path::new(here));
    if target != Target::Waiting {
        return Ok(target);
    }
    Ok(Target::Id(waiting(handle.settings(), &current_statuses(handle.live())?)?.to_string()))
}
