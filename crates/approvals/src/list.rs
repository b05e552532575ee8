//! Requests and decisions as the user interfaces list them. Readers take no lock.

use crate::screen_requests::seen;
use std::collections::{HashMap, HashSet};
use taffrail_api::{
    ApprovalRow, Approvals, AttemptRow, ControlProvenance, DecisionRow, Decisions, SCHEMA_VERSION,
};
use taffrail_context::LiveStatuses;
use taffrail_context::{Error, Settings};
use taffrail_model::approval::{Approval, ApprovalId, Happening, State};
use taffrail_model::audit::Deed;
use taffrail_model::caller::Who;
use taffrail_model::{SessionId, Timestamp, journal};
use taffrail_store::{IndexReader, Ledger, SessionRow};

/// Adds to each request the folder in which its session works, and where the session belongs.
pub(crate) fn add_sessions(settings: &Settings, rows: &mut [ApprovalRow]) -> Result<(), Error> {
    let mut known = Sessions::open(settings)?;
    for row in rows {
        let Some((folder, provenance)) = known.of(row.session_id)? else { continue };
        row.project_path = row.project_path.take().or(folder);
        row.provenance = Some(provenance);
    }
    Ok(())
}

/// The folder of a session, and where the session belongs.
type Facts = (Option<String>, ControlProvenance);

/// The facts about the sessions of requests, each looked up once.
struct Sessions {
    index: Option<IndexReader>,
    ledger: Option<Ledger>,
    known: HashMap<SessionId, Option<Facts>>,
}

impl Sessions {
    fn open(settings: &Settings) -> Result<Self, Error> {
        let (index, ledger) =
            (IndexReader::open(&settings.data)?, Ledger::open_read_only(&settings.data)?);
        Ok(Self { index, ledger, known: HashMap::new() })
    }

    fn of(&mut self, id: SessionId) -> Result<Option<Facts>, Error> {
        if let Some(known) = self.known.get(&id) {
            return Ok(known.clone());
        }
        let row = self.index.as_ref().map(|it| it.session_by_id(id)).transpose()?.flatten();
        let facts = row.map(|row| self.facts(row)).transpose()?;
        self.known.insert(id, facts.clone());
        Ok(facts)
    }

    fn facts(&self, row: SessionRow) -> Result<Facts, Error> {
        let bound = self.ledger.as_ref().map(|it| it.binding(row.id)).transpose()?.flatten();
        let uri = Some(row.source_uri).filter(|it| !it.is_empty() && !journal::is_locator(it));
        let provenance = ControlProvenance {
            repowire_session_id: row.id,
            runtime_session_id: row.runtime_id.to_string(),
            runtime_source_uri: uri,
            peer_id: bound.and_then(|it| it.peer_id),
        };
        Ok((row.project_path, provenance))
    }
}

/// Requests from hooks, and those that screens show beside them.
pub(crate) fn known_requests(
    settings: &Settings,
    statuses: &LiveStatuses,
    all: bool,
) -> Result<Approvals, Error> {
    let mut out = asked(settings, all)?;
    let Some(index) = IndexReader::open(&settings.data)? else { return Ok(out) };
    let mut seen = seen(&index, statuses)?;
    let open = |it: &ApprovalRow| matches!(it.state, State::Pending | State::DialogOnly);
    let asks: Vec<_> = out.approvals.iter().filter(|it| open(it)).map(|it| it.session_id).collect();
    seen.retain(|it| !asks.contains(&it.session_id));
    out.approvals.extend(seen);
    Ok(out)
}

fn asked(settings: &Settings, all: bool) -> Result<Approvals, Error> {
    let now = (settings.now)();
    let known = known(settings, all)?.into_iter().map(|it| timely(it, settings, now));
    let wanted = known.filter(|it| all || it.is_open());
    let approvals = wanted.map(ApprovalRow::from).collect();
    Ok(Approvals { schema_version: SCHEMA_VERSION, approvals })
}

/// Lists every decision with its outcome. `elsewhere` are decisions made here about requests of
/// other devices.
///
/// # Errors
/// When the ledger cannot be read.
pub fn decisions(settings: &Settings, elsewhere: Vec<DecisionRow>) -> Result<Decisions, Error> {
    let mut decisions: Vec<_> =
        known(settings, true)?.into_iter().filter_map(DecisionRow::of).collect();
    let mut attempts = Vec::new();
    decisions.extend(elsewhere);
    if let Some(ledger) = Ledger::open_read_only(&settings.data)? {
        let known: HashSet<_> = decisions.iter().map(|it| it.approval_id.clone()).collect();
        for entry in ledger.deeds()? {
            match entry.deed() {
                Some(Deed::Refused { what, approval_id, session_id, who }) => {
                    attempts.push(attempt(entry.at, what, (approval_id, session_id), who));
                }
                Some(deed) => decisions.extend(forgotten(entry.at, deed, &known)),
                None => {}
            }
        }
    }
    decisions.sort_by_key(|it| it.at);
    let mut sessions = Sessions::open(settings)?;
    for decision in &mut decisions {
        decision.provenance = sessions.of(decision.session_id)?.map(|it| it.1);
    }
    Ok(Decisions { schema_version: SCHEMA_VERSION, decisions, attempts })
}

fn attempt(
    at: Timestamp,
    what: String,
    (approval_id, session_id): (Option<ApprovalId>, Option<SessionId>),
    who: Who,
) -> AttemptRow {
    let Who { caller, pid, program, chain, because, .. } = who;
    AttemptRow { what, caller, approval_id, session_id, pid, program, chain, because, at }
}

/// A decision that outlived its request, without any of the request's content.
fn forgotten(at: Timestamp, deed: Deed, known: &HashSet<ApprovalId>) -> Option<DecisionRow> {
    let Deed::Decided { approval_id, session_id, decision, by, who, input_hash } = deed else {
        return None;
    };
    (!known.contains(&approval_id)).then(|| DecisionRow {
        approval_id,
        session_id,
        command: String::new(),
        decision,
        by,
        why: None,
        rule: None,
        at,
        input_hash,
        outcome: None,
        caller: who.as_ref().map(|it| it.caller),
        seen: who,
        provenance: None,
    })
}

fn known(settings: &Settings, all: bool) -> Result<Vec<Approval>, Error> {
    Ok(match Ledger::open_read_only(&settings.data)? {
        Some(ledger) => ledger.approvals(all)?,
        None => Vec::new(),
    })
}

/// The request in its current state: its time may be up, and without a daemon no hook is connected.
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
