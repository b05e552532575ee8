//! How sessions stand: evidence from the index, and whether processes live.

use crate::findings::found_in;
use crate::live::{Card, glance};
use crate::{DaemonError, Settings, Target, resolve};
use std::sync::Arc;
use taffrail_api::{EvidenceRow, Explanation, SCHEMA_VERSION, Session};
use taffrail_model::evidence::{Evidence, Life, Seen, of_event};
use taffrail_model::relay::{device_of, is_locator};
use taffrail_model::status::{self, Given, Status, Thresholds, Worker};
use taffrail_model::{Lifecycle, Process, SessionId, Timestamp};
use taffrail_store::{EventRow, IndexReader, SessionRow};

/// The latest evidence a status is read from.
pub(crate) const EVIDENCE: usize = 200;

/// What an event says about how its session stands.
pub(crate) fn of_row(row: &EventRow) -> Option<Evidence> {
    // What another device saw is no evidence here: it says itself how its sessions stand.
    if is_locator(&row.locator) {
        return None;
    }
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

/// How a session stands, from evidence at hand.
pub(crate) fn card(
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

/// How a session stands and why: from its card, or else from the index.
///
/// # Errors
/// When the session or the index cannot be read.
pub fn explain(settings: &Settings, target: &Target) -> Result<Explanation, DaemonError> {
    let mut explanation = explain_with(settings, target, &|_| None)?;
    explanation.findings = found_in(settings, &resolve(settings, target)?)?;
    Ok(explanation)
}

/// The same, where somebody may have its card.
pub(crate) fn explain_with(
    settings: &Settings,
    target: &Target,
    known: &dyn Fn(SessionId) -> Option<Arc<Card>>,
) -> Result<Explanation, DaemonError> {
    let row = resolve(settings, target)?;
    let card = card_of(settings, &row, known)?;
    let explanation = explanation(row.id, &card, (settings.now)());
    Ok(Explanation { also_on: also_on(settings, &row)?, ..explanation })
}

/// Other devices that told of a session, beside where it is.
fn also_on(settings: &Settings, row: &SessionRow) -> Result<Vec<String>, DaemonError> {
    let Some(index) = IndexReader::open(&settings.data)? else { return Ok(Vec::new()) };
    let sources = index.sources_of(row.row)?.into_iter().filter(|it| it.present);
    let others = sources.filter(|it| it.state.locator != row.source_uri);
    let others = others.filter_map(|it| device_of(&it.state.locator));
    let mut names: Vec<_> = others.map(|it| settings.devices.name_of(&it)).collect();
    names.sort();
    names.dedup();
    Ok(names)
}

/// How a session stands: from its card, or else from the index.
pub(crate) fn card_of(
    settings: &Settings,
    row: &SessionRow,
    known: &dyn Fn(SessionId) -> Option<Arc<Card>>,
) -> Result<Arc<Card>, DaemonError> {
    let now = (settings.now)();
    Ok(match (known(row.id), IndexReader::open(&settings.data)?) {
        (Some(card), _) => card,
        _ if !row.captured => Arc::new(card(Vec::new(), None, &[], now)),
        (None, _) if is_locator(&row.source_uri) => {
            let card = crate::relay::card_of(&settings.data, &settings.devices, row, now);
            Arc::new(card.unwrap_or_else(|| self::card(Vec::new(), None, &[], now)))
        }
        (None, Some(index)) => {
            let live =
                if settings.kept_up { None } else { glance(settings, &index)?.remove(&row.id) };
            match live {
                Some(card) => card,
                None => {
                    let rows = index.last_events(row.row, EVIDENCE)?;
                    let evidence = rows.iter().filter_map(of_row).collect();
                    Arc::new(card(evidence, row.process, &[], now))
                }
            }
        }
        (None, None) => Arc::new(card(Vec::new(), row.process, &[], now)),
    })
}

fn explanation(session_id: SessionId, card: &Card, now: Timestamp) -> Explanation {
    let reading = &card.reading;
    let evidence = card.evidence.iter().enumerate().rev();
    let evidence = evidence.map(|(place, it)| EvidenceRow {
        source: it.source.clone(),
        kind: it.kind.clone(),
        at: it.at,
        age_ms: now.as_millisecond() - it.at.as_millisecond(),
        confidence: it.confidence.clone(),
        says: it.says.word().to_owned(),
        detail: it.detail.clone(),
        decided: reading.rests_on.contains(&place),
    });
    Explanation {
        schema_version: SCHEMA_VERSION,
        session_id,
        status: reading.status,
        group: status::group(reading, now),
        since: reading.since,
        confidence: reading.confidence.clone(),
        waiting_for: reading.waiting_for.clone(),
        rule: reading.rule.to_owned(),
        life: card.life.into(),
        pid: card.process.filter(|_| card.life == Life::Alive).map(|it| it.pid),
        executor: card.executor.clone(),
        until: reading.until,
        evidence: evidence.collect(),
        findings: Vec::new(),
        also_on: Vec::new(),
    }
}

/// Whether a process lives.
pub(crate) fn life_of(process: Process) -> Life {
    if taffrail_capture::lives(process) { Life::Alive } else { Life::Dead }
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
    let follows = [Lifecycle::Resumable, Lifecycle::Detached, Lifecycle::Lost];
    if follows.contains(&session.lifecycle) && session.parent_id.is_none() && is_run(card) {
        session.lifecycle = Lifecycle::Active;
    }
}

/// A process lives that runs the session, and has not ended it.
pub(crate) fn is_run(card: &Card) -> bool {
    card.life == Life::Alive && card.reading.status != Status::Exited
}
