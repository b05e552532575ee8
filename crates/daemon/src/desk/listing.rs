//! What was asked and decided, as faces list it. Readers take no lock.

use super::onscreen::{Cards, seen};
use crate::between::open_elsewhere;
use crate::live::{Handle, glance};
use crate::{DaemonError, Settings};
use taffrail_api::{ApprovalRow, Approvals, DecisionRow, Decisions, SCHEMA_VERSION};
use taffrail_model::Timestamp;
use taffrail_model::approval::{Approval, Happening, State};
use taffrail_store::{IndexReader, Ledger};

/// Requests that can still be answered, here or at the agent; or all there were.
///
/// # Errors
/// When the ledger cannot be read.
pub fn approvals(settings: &Settings, all: bool) -> Result<Approvals, DaemonError> {
    match IndexReader::open(&settings.data)? {
        Some(index) => listed((settings, &index), &glance(settings, &index)?, all),
        None => asked(settings, all),
    }
}

/// The same where a daemon knows how sessions stand, with what is asked on other devices.
pub(crate) fn approvals_now(handle: &Handle, all: bool) -> Result<Approvals, DaemonError> {
    let settings = handle.settings();
    let mut out = match IndexReader::open(&settings.data)? {
        Some(index) => listed((settings, &index), &handle.cards(), all),
        None => asked(settings, all),
    }?;
    out.approvals.extend(open_elsewhere(settings)?);
    Ok(out)
}

/// What hooks asked for, and what screens show beside it.
fn listed(
    (settings, index): (&Settings, &IndexReader),
    cards: &Cards,
    all: bool,
) -> Result<Approvals, DaemonError> {
    let mut out = asked(settings, all)?;
    let mut seen = seen(index, cards)?;
    let open = |it: &ApprovalRow| matches!(it.state, State::Pending | State::DialogOnly);
    let asks: Vec<_> = out.approvals.iter().filter(|it| open(it)).map(|it| it.session_id).collect();
    seen.retain(|it| !asks.contains(&it.session_id));
    out.approvals.extend(seen);
    Ok(out)
}

fn asked(settings: &Settings, all: bool) -> Result<Approvals, DaemonError> {
    let now = (settings.now)();
    let known = known(settings, all)?.into_iter().map(|it| timely(it, settings, now));
    let wanted = known.filter(|it| all || it.is_open());
    let approvals = wanted.map(ApprovalRow::from).collect();
    Ok(Approvals { schema_version: SCHEMA_VERSION, approvals })
}

/// Every decision there was, with what became of it.
///
/// # Errors
/// When the ledger cannot be read.
pub fn decisions(settings: &Settings) -> Result<Decisions, DaemonError> {
    let mut decisions: Vec<_> =
        known(settings, true)?.into_iter().filter_map(DecisionRow::of).collect();
    decisions.sort_by_key(|it| it.at);
    Ok(Decisions { schema_version: SCHEMA_VERSION, decisions })
}

fn known(settings: &Settings, all: bool) -> Result<Vec<Approval>, DaemonError> {
    Ok(match Ledger::open_read_only(&settings.data)? {
        Some(ledger) => ledger.approvals(all)?,
        None => Vec::new(),
    })
}

/// As it stands now: the time may be up, and without a daemon no hook is connected.
fn timely(it: Approval, settings: &Settings, now: Timestamp) -> Approval {
    let it = match it.expires_at <= now {
        true => it.after(&Happening::TimedOut).unwrap_or(it),
        false => it,
    };
    match settings.kept_up {
        true => it,
        false => it.after(&Happening::HookLost).unwrap_or(it),
    }
}
