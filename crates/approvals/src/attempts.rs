//! Records refused actions in the audit log and in the history of the session they came from.

use crate::decision_log::sign_log;
use taffrail_capture::spool;
use taffrail_context::{Error, Settings};
use taffrail_model::approval::ApprovalId;
use taffrail_model::audit::{self, Deed};
use taffrail_model::caller::{Caller, Who};
use taffrail_model::journal::{Entry, Tried};
use taffrail_model::{Origin, RuntimeIdentity, SessionId, Timestamp, hash};
use taffrail_store::{IndexReader, Ledger, StoreError};

/// Seconds during which the same attempt is recorded only once.
const AGAIN: i64 = 60;
/// How many of the latest entries are searched for the same attempt.
const LOOK: i64 = 64;
/// The daily limit of recorded attempts, so that endless attempts cannot push decisions out of the
/// log.
const A_DAY: u64 = 200;
const DAY: i64 = 24 * 60 * 60;

/// A refused action.
#[derive(Debug, Clone)]
pub struct Attempt {
    /// The action: one of our commands, or a route of the API.
    pub what: String,
    /// The request the attempt was about.
    pub approval: Option<ApprovalId>,
    /// The session the attempt came from, if known.
    pub session: Option<SessionId>,
    /// The process that made the attempt.
    pub who: Who,
}

/// Records an attempt, and adds one made by an agent to the journal.
///
/// # Errors
/// When the ledger cannot be written.
pub fn note_attempt(settings: &Settings, attempt: &Attempt) -> Result<(), Error> {
    let now = (settings.now)();
    let mut ledger = Ledger::open(&settings.data, &settings.new_device)?;
    let asked = attempt.approval.as_ref().map(|it| ledger.approval(it)).transpose()?.flatten();
    let session = attempt.session.or(asked.as_ref().map(|it| it.session_id));
    let deed = Deed::Refused {
        what: attempt.what.clone(),
        approval_id: attempt.approval.clone(),
        session_id: session,
        who: attempt.who.clone(),
    };
    if is_enough(&ledger, &deed, now)? {
        return Ok(());
    }
    let entry = ledger.note_deed(&deed, now)?;
    sign_log(settings, &mut ledger);
    if let (Caller::Agent, Some(session)) = (attempt.who.caller, session) {
        tell(settings, session, attempt, entry.number);
    }
    Ok(())
}

/// True if the log already has this attempt, or has reached the daily limit.
fn is_enough(ledger: &Ledger, deed: &Deed, now: Timestamp) -> Result<bool, Error> {
    let before = |seconds| Timestamp::from_second(now.as_second() - seconds);
    let day = before(DAY).unwrap_or(Timestamp::MIN);
    if ledger.refused_since(day)? >= A_DAY {
        return Ok(true);
    }
    let latest = ledger.latest_deeds(LOOK)?;
    let is_new = |it: &&audit::Entry| now.as_second() - it.at.as_second() < AGAIN;
    Ok(latest.iter().filter(is_new).filter_map(audit::Entry::deed).any(|it| is_alike(&it, deed)))
}

/// True if both are the same attempt, made by any process of the same agent.
fn is_alike(one: &Deed, other: &Deed) -> bool {
    let about = |it: &Deed| match it {
        Deed::Refused { what, approval_id, session_id, who } => {
            Some((what.clone(), approval_id.clone(), *session_id, who.program.clone()))
        }
        Deed::Decided { .. } | Deed::Undelivered { .. } => None,
    };
    about(one).is_some() && about(one) == about(other)
}

/// Writes an agent's attempt into the journal: it belongs to the history of its session, and
/// becomes a finding. If the journal cannot be written, the audit log still has the attempt.
fn tell(settings: &Settings, session: SessionId, attempt: &Attempt, number: u64) {
    let identity = match identity_of(settings, session) {
        Ok(Some(identity)) => identity,
        Ok(None) => return,
        Err(error) => {
            tracing::warn!(%error, %session, "cannot look up the session of a refused attempt");
            return;
        }
    };
    let tried = Tried {
        tried: attempt.what.clone(),
        program: attempt.who.program.clone(),
        approval: attempt.approval.clone(),
        session: identity.id.as_str().to_owned(),
        scope: identity.scope,
    };
    // Plain strings always serialize.
    let Ok(payload) = serde_json::value::to_raw_value(&tried) else { return };
    let entry = Entry {
        at: (settings.now)(),
        nonce: hash::to_hex(&hash::digest("attempt", &[&number.to_le_bytes()])),
        agent: identity.agent,
        via: Origin::Input,
        ancestors: Vec::new(),
        store: None,
        shortened: false,
        payload: &payload,
    };
    if let Err(error) = spool(&settings.data, &entry) {
        tracing::warn!(%error, %session, "cannot note a refused attempt in the journal");
    }
}

/// Looks up a session by its agent's own id; `None` if the index does not have it.
fn identity_of(
    settings: &Settings,
    session: SessionId,
) -> Result<Option<RuntimeIdentity>, StoreError> {
    let Some(index) = IndexReader::open(&settings.data)? else { return Ok(None) };
    let Some(row) = index.session_by_id(session)? else { return Ok(None) };
    index.identity_of(row.row).map(Some)
}

#[cfg(test)]
mod tests {
    use super::*;
    use taffrail_model::DeviceId;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(1_000_000 + second).unwrap()
    }

    fn refused(what: &str) -> Deed {
        let who = Who::elsewhere(Caller::Agent, "agent", "it is one");
        Deed::Refused { what: what.to_owned(), approval_id: None, session_id: None, who }
    }

    #[test]
    fn the_same_attempt_is_recorded_once_a_minute() {
        let folder = tempfile::tempdir().unwrap();
        let mut ledger = Ledger::open(folder.path(), &DeviceId::new("d")).unwrap();
        ledger.note_deed(&refused("approve"), at(0)).unwrap();
        let check = |what: &str, now: i64, expected: bool| {
            let got = is_enough(&ledger, &refused(what), at(now)).unwrap();
            assert_eq!(got, expected, "{what} at {now}");
        };
        check("approve", 10, true);
        check("forget", 10, false);
        check("approve", AGAIN, false);
    }

    /// Decisions in between do not get around the limit.
    #[test]
    fn attempts_without_end_do_not_push_decisions_out_of_the_log() {
        let folder = tempfile::tempdir().unwrap();
        let mut ledger = Ledger::open(folder.path(), &DeviceId::new("d")).unwrap();
        for number in 0..A_DAY {
            let approval_id = ApprovalId::of(&number.to_string());
            ledger.note_deed(&Deed::Undelivered { approval_id }, at(0)).unwrap();
            assert!(!is_enough(&ledger, &refused("more"), at(0)).unwrap(), "{number}");
            ledger.note_deed(&refused(&format!("what {number}")), at(0)).unwrap();
        }
        assert!(is_enough(&ledger, &refused("more"), at(3_600)).unwrap());
        assert!(!is_enough(&ledger, &refused("more"), at(DAY + 1)).unwrap());
    }
}
