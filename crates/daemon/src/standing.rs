//! How sessions stand: evidence from the index, and whether processes live.

use crate::live::Card;
use taffrail_api::Session;
use taffrail_model::evidence::{Evidence, Life, Seen, of_event};
use taffrail_model::status;
use taffrail_model::{Process, Timestamp};
use taffrail_store::EventRow;

/// The latest evidence a status is read from.
pub(crate) const EVIDENCE: usize = 200;

/// What an event says about how its session stands.
pub(crate) fn of_row(row: &EventRow) -> Option<Evidence> {
    of_event(&Seen {
        id: row.id,
        parent: row.parent,
        kind: &row.kind,
        origin: &row.origin,
        signal: row.signal.as_ref(),
        marks: row.marks,
        label: row.label.as_deref(),
        excerpt: &row.excerpt,
        at: row.at,
        confidence: &row.confidence,
    })
}

/// Whether a process lives.
pub(crate) fn life_of(process: Process) -> Life {
    match taffrail_capture::start_of(process.pid) {
        Some(start) if start == process.start => Life::Alive,
        _ => Life::Dead,
    }
}

/// Writes a card into a session's row.
pub(crate) fn stand(session: &mut Session, card: &Card, now: Timestamp) {
    let reading = &card.reading;
    session.group = status::group(reading, now);
    session.status = reading.status;
    session.status_since = Some(reading.since);
    session.waiting_for = reading.waiting_for.clone();
    session.confidence = reading.confidence.clone();
    session.pid = card.process.filter(|_| card.life == Life::Alive).map(|it| it.pid);
    session.executor = card.executor.clone();
}
