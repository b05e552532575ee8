//! Resolves which session a person means.

use crate::board::recent_statuses;
use std::collections::HashSet;
use std::io::Write;
use taffrail_api::{CaptureReport, ForgetReport};
use taffrail_context::{Error, LiveStatuses, Settings, Target, TargetError};
use taffrail_ingest::{
    Bring, Budget, Held, Mode, Progress, Scope, Which, bring_up, resolve_stored,
};
use taffrail_model::SessionId;
use taffrail_model::status::{self, Group};
use taffrail_store::{IndexReader, SessionRow};

/// Finds the one matching session.
///
/// # Errors
/// When no session matches or several do, or the index cannot be read.
pub fn resolve(settings: &Settings, target: &Target) -> Result<SessionRow, Error> {
    resolve_stored(settings, &stored(settings, target)?)
}

/// Replaces a target by a stored one: looks up the session that waits.
fn stored(settings: &Settings, target: &Target) -> Result<Target, Error> {
    if *target != Target::Waiting {
        return Ok(target.clone());
    }
    let Some(reader) = IndexReader::open(&settings.data)? else {
        return Err(TargetError::NotFound(target.shown()).into());
    };
    let session = waiting(settings, &recent_statuses(settings, &reader)?)?;
    Ok(Target::Id(session.to_string()))
}

/// Like `stored`, for commands that change data: brings the index up to date first, so that an
/// older index does not decide which session waits.
fn stored_now(settings: &Settings, target: &Target) -> Result<Target, Error> {
    if *target == Target::Waiting {
        bring_up(settings, (&Scope::All, Budget::Whole), Bring::Never, &mut |_| {})?;
    }
    stored(settings, target)
}

/// Forgets sessions, or reports what would be forgotten.
///
/// # Errors
/// When a session cannot be found, another program writes, or our own files fail.
pub fn forget(
    settings: &Settings,
    which: &Which,
    mode: Mode,
    progress: &mut dyn FnMut(Progress),
) -> Result<ForgetReport, Error> {
    let which = match which {
        Which::Sessions(all) => {
            let all = all.iter().map(|it| stored_now(settings, it));
            Which::Sessions(all.collect::<Result<_, _>>()?)
        }
        Which::Project(_) | Which::Before(_) => which.clone(),
    };
    taffrail_ingest::forget(settings, &which, mode, progress)
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
    taffrail_ingest::capture_off(settings, &stored_now(settings, target)?, held)
}

/// Captures a session and its sub-agents again, and reads what was missed.
///
/// # Errors
/// As `capture_off`.
pub fn capture_on(settings: &Settings, target: &Target) -> Result<CaptureReport, Error> {
    taffrail_ingest::capture_on(settings, &stored(settings, target)?)
}

/// Writes the archived bytes of a session's main source.
///
/// # Errors
/// When there is no such session or no copy, or it cannot be written.
pub fn archived_bytes(
    settings: &Settings,
    target: &Target,
    out: &mut dyn Write,
) -> Result<(), Error> {
    taffrail_ingest::archived_bytes(settings, &stored(settings, target)?, out)
}

/// The session that started to need a person most recently.
pub fn waiting(settings: &Settings, cards: &LiveStatuses) -> Result<SessionId, Error> {
    let now = (settings.now)();
    let needs = cards.iter().filter(|(_, it)| status::group(&it.reading, now) == Group::NeedsYou);
    let last = needs.max_by_key(|(id, it)| (it.reading.since, **id));
    last.map(|(id, _)| *id).ok_or_else(|| TargetError::NothingWaits.into())
}

/// The home and path of each source of a session.
///
/// # Errors
/// When the session cannot be found or the index cannot be read.
pub fn places_of(settings: &Settings, target: &Target) -> Result<HashSet<(String, String)>, Error> {
    let session = resolve(settings, target)?;
    let Some(reader) = IndexReader::open(&settings.data)? else { return Ok(HashSet::new()) };
    let sources = reader.sources_of(session.row)?.into_iter();
    Ok(sources.map(|it| (it.state.home, it.state.path)).collect())
}
