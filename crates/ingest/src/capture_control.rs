//! Stops and resumes the capture of a session.

use crate::forget::{Which, chosen};
use crate::index::bring_up;
use crate::scope::{Budget, Scope};
use crate::search_sync::Bring;
use crate::session_lookup::resolve_stored;
use crate::terminals::remove_terminals;
use crate::tombstones::finish_forgetting;
use std::collections::HashSet;
use taffrail_api::{CaptureReport, CapturedSession, SCHEMA_VERSION};
use taffrail_context::{Error, Settings, Target, TargetError};
use taffrail_store::{IndexReader, Ledger, SessionRow, UncapturedRow, Writer};

/// What happens to existing data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Held {
    /// It is kept.
    Stays,
    /// It is forgotten.
    Goes,
}

/// Stops capturing a session and its sub-agents.
///
/// # Errors
/// When the session cannot be found, another program writes, or our own files fail.
pub fn capture_off(
    settings: &Settings,
    target: &Target,
    held: Held,
) -> Result<CaptureReport, Error> {
    // Everything written until now is still captured.
    bring_up(settings, (&Scope::All, Budget::Whole), Bring::Never, &mut |_| {})?;
    let root = resolve_stored(settings, target)?;
    let index = IndexReader::open(&settings.data)?;
    let index = index.ok_or_else(|| TargetError::NotFound(root.id.to_string()))?;
    let which = Which::Sessions(vec![Target::Id(root.id.to_string())]);
    let all: Vec<SessionRow> = chosen(settings, &index, &which)?.into_values().collect();
    drop(index);
    let now = (settings.now)();
    let forgotten = held == Held::Goes;
    let row =
        |it: &SessionRow| UncapturedRow { session: it.id, root: root.id, since: now, forgotten };
    let rows: Vec<_> = all.iter().map(row).collect();
    let mut writer = Writer::open(&settings.data, settings.boot())?;
    writer.uncapture(&rows, now)?;
    remove_terminals(settings, &rows.iter().map(|it| it.session).collect())?;
    if forgotten {
        let ids: Vec<_> = rows.iter().map(|it| it.session).collect();
        writer.bury(&ids, now)?;
        finish_forgetting(settings, &mut writer)?;
    }
    let told = rows.iter().map(|it| described(it, all.iter().find(|row| row.id == it.session)));
    Ok(report(false, told.collect()))
}

/// Captures a session and its sub-agents again, and reads what was missed.
///
/// # Errors
/// As `capture_off`.
pub fn capture_on(settings: &Settings, target: &Target) -> Result<CaptureReport, Error> {
    let rows = uncaptured_rows(settings)?;
    let root = meant(settings, target, &rows)?;
    let rows: Vec<_> =
        rows.into_iter().filter(|it| it.root == root || it.session == root).collect();
    let mut writer = Writer::open(&settings.data, settings.boot())?;
    writer.recapture(&rows, (settings.now)())?;
    drop(writer);
    bring_up(settings, (&Scope::All, Budget::Whole), Bring::WhenDue, &mut |_| {})?;
    told(settings, true, &rows)
}

/// The sessions that are not captured.
///
/// # Errors
/// When our own files cannot be read.
pub fn not_captured(settings: &Settings) -> Result<CaptureReport, Error> {
    told(settings, false, &uncaptured_rows(settings)?)
}

fn uncaptured_rows(settings: &Settings) -> Result<Vec<UncapturedRow>, Error> {
    match Ledger::open_read_only(&settings.data)? {
        Some(ledger) => Ok(ledger.uncaptured_rows()?),
        None => Ok(Vec::new()),
    }
}

/// Resolves a session: one in the index, or one that was forgotten when its capture ended.
fn meant(
    settings: &Settings,
    target: &Target,
    rows: &[UncapturedRow],
) -> Result<taffrail_model::SessionId, Error> {
    let error = match resolve_stored(settings, target) {
        Ok(row) => return Ok(row.id),
        Err(error) => error,
    };
    let Target::Id(text) = target else { return Err(error) };
    let begins = |it: &&UncapturedRow| it.root.to_string().starts_with(text.as_str());
    let found: HashSet<_> = rows.iter().filter(begins).map(|it| it.root).collect();
    match (found.iter().next(), found.len()) {
        (Some(id), 1) => Ok(*id),
        _ => Err(error),
    }
}

fn told(
    settings: &Settings,
    captured: bool,
    rows: &[UncapturedRow],
) -> Result<CaptureReport, Error> {
    let index = IndexReader::open(&settings.data)?;
    let mut out = Vec::new();
    for it in rows {
        let id = Some(it.session.to_string());
        let filter = taffrail_store::Filter { workers: true, id_prefix: id, ..Default::default() };
        let found = index.as_ref().map(|index| index.sessions(&filter)).transpose()?;
        out.push(described(it, found.unwrap_or_default().first()));
    }
    Ok(report(captured, out))
}

fn described(it: &UncapturedRow, row: Option<&SessionRow>) -> CapturedSession {
    CapturedSession {
        id: it.session,
        since: it.since,
        forgotten: it.forgotten,
        agent: row.map(|it| it.agent.clone()),
        title: row.and_then(|it| it.title.clone()),
        parent_id: row.and_then(|it| it.parent),
    }
}

fn report(captured: bool, sessions: Vec<CapturedSession>) -> CaptureReport {
    CaptureReport { schema_version: SCHEMA_VERSION, captured, sessions }
}
