//! The status of sessions: evidence from the index, and whether processes are alive.

use crate::board::recent_statuses;
use crate::imported::{imported_reading, imported_status};
use crate::resolve::resolve;
use crate::session_row::session;
use crate::status::{EVIDENCE, StatusLookup, When, apply_status, executor_of, live_status, when};
use std::sync::Arc;
use taffrail_api::{EvidenceRow, Explanation, SCHEMA_VERSION, Session};
use taffrail_context::LiveStatus;
use taffrail_context::{Error, Settings, Target};
use taffrail_model::evidence::Life;
use taffrail_model::replication::{device_of, is_locator};
use taffrail_model::status::{self, Reading, Status};
use taffrail_model::{Lifecycle, SessionId, Timestamp, prompt_history};
use taffrail_store::{EventRow, IndexReader, SessionRow};

/// The session of a target, as a list shows it.
///
/// # Errors
/// When the session cannot be found.
pub fn session_with(
    settings: &Settings,
    target: &Target,
    known: StatusLookup<'_>,
) -> Result<Session, Error> {
    let row = resolve(settings, target)?;
    let card = live_card(settings, &row, known)?;
    let mut session = session(&settings.devices, row);
    if let Some(card) = card {
        apply_status(&mut session, &card, (settings.now)());
    }
    Ok(session)
}

/// A session's status and the evidence for it.
///
/// # Errors
/// When the session or the index cannot be read.
pub fn explain_with(
    settings: &Settings,
    target: &Target,
    known: StatusLookup<'_>,
) -> Result<Explanation, Error> {
    let row = resolve(settings, target)?;
    let card = status_of(settings, &row, known)?;
    let explanation = explanation(row.id, &card, (settings.now)());
    Ok(Explanation { also_on: also_on(settings, &row)?, ..explanation })
}

/// Other devices that publish a session, besides the one it is on.
fn also_on(settings: &Settings, row: &SessionRow) -> Result<Vec<String>, Error> {
    let Some(index) = IndexReader::open(&settings.data)? else { return Ok(Vec::new()) };
    let sources = index.sources_of(row.row)?.into_iter().filter(|it| it.present);
    let others = sources.filter(|it| it.state.locator != row.source_uri);
    let others = others.filter(|it| !prompt_history::is_shared(&it.state.locator));
    let is_elsewhere = is_locator(&row.source_uri);
    let named = others.filter_map(|it| match device_of(&it.state.locator) {
        Some(device) => Some(settings.devices.name_of(&device)),
        // The session continues on another device, and an older copy is here.
        None if is_elsewhere => settings.devices.here.clone(),
        None => None,
    });
    let mut names: Vec<_> = named.collect();
    names.sort();
    names.dedup();
    Ok(names)
}

/// The status of a session: the live status, or else computed from the index.
pub fn status_of(
    settings: &Settings,
    row: &SessionRow,
    known: StatusLookup<'_>,
) -> Result<Arc<LiveStatus>, Error> {
    if let Some(card) = live_card(settings, row, known)? {
        return Ok(card);
    }
    let has_status = row.captured && row.lifecycle != Lifecycle::PromptsOnly;
    let Some(index) = IndexReader::open(&settings.data)?.filter(|_| has_status) else {
        return Ok(Arc::new(live_status(Vec::new(), None, &[], when(settings))));
    };
    let rows = index.last_events(row.row, EVIDENCE)?;
    let evidence: Vec<_> = rows.iter().filter_map(EventRow::evidence).collect();
    Ok(Arc::new(match evidence.is_empty() {
        true => left(row, when(settings)),
        false => live_status(evidence, row.process, &[], when(settings)),
    }))
}

/// The live status of a recent session; `None` if it has none.
fn live_card(
    settings: &Settings,
    row: &SessionRow,
    known: StatusLookup<'_>,
) -> Result<Option<Arc<LiveStatus>>, Error> {
    if let Some(card) = known(row.id) {
        return Ok(Some(card));
    }
    if let Some(reading) = imported_reading(row) {
        return Ok(Some(Arc::new(imported_status(reading))));
    }
    if !row.captured || settings.kept_up {
        return Ok(remote(settings, row));
    }
    match IndexReader::open(&settings.data)? {
        Some(index) => {
            Ok(recent_statuses(settings, &index)?.remove(&row.id).or_else(|| remote(settings, row)))
        }
        None => Ok(None),
    }
}

/// The status that its own device published, for a remote session.
fn remote(settings: &Settings, row: &SessionRow) -> Option<Arc<LiveStatus>> {
    let row = Some(row).filter(|it| it.captured && is_locator(&it.source_uri))?;
    taffrail_context::remote_status::card_of(
        &settings.data,
        &settings.devices,
        row,
        (settings.now)(),
    )
    .map(Arc::new)
}

/// The status of a session without any evidence: it is over, as far as we can tell.
fn left(row: &SessionRow, (now, thresholds): When) -> LiveStatus {
    let card = live_status(Vec::new(), None, &[], (now, thresholds));
    let since = row.last_event_at.or(row.started_at);
    let Some(since) = since.filter(|it| !status::is_recent(*it, now)) else { return card };
    let rule = taffrail_model::status::StatusRule::NoProcessForADay;
    let reading = Reading { status: Status::Exited, since, rule, ..card.reading };
    LiveStatus { reading, ..card }
}

fn explanation(session_id: SessionId, card: &LiveStatus, now: Timestamp) -> Explanation {
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
        failed: reading.failure.is_some(),
        since: reading.since,
        confidence: reading.confidence.clone(),
        waiting_for: reading.waiting_for.clone(),
        rule: reading.rule.sentence().to_owned(),
        life: card.life.into(),
        pid: card.process.filter(|_| card.life == Life::Alive).map(|it| it.pid),
        executor: executor_of(card),
        until: reading.until,
        evidence: evidence.collect(),
        findings: Vec::new(),
        also_on: Vec::new(),
    }
}
