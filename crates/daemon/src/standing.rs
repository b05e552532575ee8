//! How sessions stand: evidence from the index, processes from the system, folded for an instant.

use crate::live::Card;
use crate::{DaemonError, Settings};
use taffrail_api::Session;
use taffrail_model::evidence::{Evidence, Life, Seen, of_event};
use taffrail_model::status::{self, Given, Thresholds, Worker};
use taffrail_model::{Process, Timestamp};
use taffrail_store::{EventRow, IndexReader, SessionRow};

/// The latest events a status is read from.
pub(crate) const EVIDENCE: usize = 200;

/// What the events of a session say about how it stands.
pub(crate) fn evidence(rows: &[EventRow]) -> Vec<Evidence> {
    let seen = |row: &EventRow| {
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
    };
    rows.iter().filter_map(seen).collect()
}

/// How a session stands, from the index and its process.
pub(crate) fn card(
    index: &IndexReader,
    row: &SessionRow,
    workers: &[Worker],
    now: Timestamp,
) -> Result<Card, DaemonError> {
    let evidence = evidence(&index.last_events(row.row, EVIDENCE)?);
    Ok(of_evidence(evidence, row.process, workers, now))
}

/// The same from evidence at hand.
pub(crate) fn of_evidence(
    evidence: Vec<Evidence>,
    process: Option<Process>,
    workers: &[Worker],
    now: Timestamp,
) -> Card {
    let life = process.map_or(Life::Unknown, life_of);
    let thresholds = Thresholds::default();
    let reading = status::read(&Given { evidence: &evidence, life, workers, now, thresholds });
    Card { reading, evidence, process, life, executor: None }
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

/// Sessions in which something moved after this instant may be alive; the others are over.
pub(crate) fn may_live(settings: &Settings, row: &SessionRow) -> bool {
    let now = (settings.now)();
    let moved = row.last_event_at.map_or(i64::MIN, Timestamp::as_second);
    now.as_second() - moved < Thresholds::default().over || row.process.is_some()
}
