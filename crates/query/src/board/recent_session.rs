//! The board's state of one recent session.

use crate::status::EVIDENCE;
use std::collections::HashSet;
use taffrail_model::evidence::Evidence;
use taffrail_model::status::Reading;
use taffrail_model::{Cursor, EventId, Origin, Process, SessionId, Timestamp};
use taffrail_store::{EventRow, SessionRow};

/// Orders evidence by time, and at equal times by position in the source.
type Place = (Timestamp, bool, u64, u32, EventId);

/// The state of a recent session.
#[derive(Debug, Default)]
pub(super) struct RecentSession {
    pub(super) row: i64,
    pub(super) process: Option<Process>,
    pub(super) executor: Option<String>,
    /// Its executor in the ledger.
    pub(super) noted: Option<String>,
    pub(super) parent: Option<SessionId>,
    pub(super) workers: HashSet<SessionId>,
    pub(super) evidence: Vec<(Place, Evidence)>,
    pub(super) until: Option<Timestamp>,
    /// The row of a remote session, whose device publishes its status.
    pub(super) remote: Option<Box<SessionRow>>,
    /// The status of an imported session.
    pub(super) imported: Option<Reading>,
}

impl RecentSession {
    /// The time of its last activity.
    pub(super) fn moved(&self) -> Option<Timestamp> {
        let said = self.evidence.last().map(|((at, ..), _)| *at);
        said.or_else(|| self.remote.as_ref().and_then(|it| it.last_event_at))
    }

    pub(super) fn extend(&mut self, rows: &[EventRow]) {
        for row in rows {
            let Some(evidence) = row.evidence() else { continue };
            let place = place(row);
            // New evidence is nearly always the latest.
            let at = self.evidence.partition_point(|(known, _)| *known <= place);
            self.evidence.insert(at, (place, evidence));
        }
        let over = self.evidence.len().saturating_sub(EVIDENCE);
        self.evidence.drain(..over);
    }
}

fn place(row: &EventRow) -> Place {
    let offset = match row.cursor {
        Cursor::Bytes { byte_offset, .. } => byte_offset,
        Cursor::Row { rowid, .. } => rowid.unsigned_abs(),
        Cursor::Pointer { .. } => 0,
    };
    (row.at, row.origin != Origin::Transcript, offset, row.part, row.id)
}
