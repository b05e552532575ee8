//! Answers a request of an agent on another device.

use super::mirror::{self, Request, row};
use super::{AnswerBody, Settlement, by_device, ledger, name_of, push, read, written};
use crate::error::DevicesError;
use crate::error::HubFault;
use crate::hubs;
use crate::hubs::block_on;
use crate::link::{ClaimTask, ExchangeHandle};
use std::sync::PoisonError;
use std::sync::mpsc::sync_channel;
use std::time::{Duration, Instant};
use taffrail_api::{ApprovalRow, DecisionRow};
use taffrail_context::Error;
use taffrail_model::DeviceId;
use taffrail_model::approval::{ApprovalId, Decision, State, Verdict};
use taffrail_model::caller::Caller;
use taffrail_store::Ledger;
use taffrail_sync::Digest;
use taffrail_sync::exchange::Item;
use taffrail_sync::exchange::decision::{Answer, Claim, Claimed, claim};
use taffrail_sync::hub::HubError;
use taffrail_team::ThisDevice;

/// How long to wait for the other device to report the outcome.
const PATIENCE: Duration = Duration::from_secs(15);

/// Answers a request of another device: claims the decision on the hub, sends it, and waits for
/// that device's report. `None` if no device has this request.
pub fn answer(
    handle: &ExchangeHandle,
    id: &str,
    (verdict, blind): (&Verdict, bool),
) -> Result<Option<ApprovalRow>, DevicesError> {
    let settings = handle.settings();
    let Some((device, id)) = mirror::find(settings, id)? else { return Ok(None) };
    let own = taffrail_team::own(settings)?;
    own.check_current()?;
    let mut ledger = ledger(settings)?;
    let Some(request) = mirror::open_request(&ledger, (&device, &id))? else {
        return Err(over(&ledger, &own, (&device, &id))?);
    };
    let is_hidden = request.asks.redacted || request.asks.truncated;
    if is_hidden && !blind && verdict.decision == Decision::Allow {
        return Err(Error::Hidden(id.to_string(), name_of(&own, &device)).into());
    }
    let said = AnswerBody {
        decision: verdict.decision.clone(),
        why: verdict.why.clone(),
        by: verdict.by.clone(),
    };
    let answer = answer_of(handle, &own, (&device, &id, &request), &said)?;
    claim_it(handle, &own, &answer)?;
    // Saved, so that a retry sends the same answer.
    ledger.remote_requests().note_answer((&device, &id), &written(&answer)?)?;
    push(handle, &mut ledger, &[Item::Answer(answer)])?;
    let end = wait(handle, &ledger, (&device, &id))?;
    let name = name_of(&own, &device);
    match end {
        Some(end) if is_ours(&end, &own, &said) => {
            let decision = decided(&own, (&id, &request), (&said, &end));
            ledger.remote_decisions().note((&id, request.session), &written(&decision)?)?;
            Ok(Some(row(&name, &id, (&request, Some(&end)))))
        }
        Some(end) => Err(Error::Undecided(standing(&id, &name, &end)).into()),
        None => Err(Error::Undecided(format!(
            "{id} was answered, and {name} has not said that it took it: it may still; look at \
             `taffrail approvals`"
        ))
        .into()),
    }
}

/// A decision made here, as the log shows it. The log of the requesting device says the same.
fn decided(
    own: &ThisDevice,
    (id, request): (&ApprovalId, &Request),
    (said, end): (&AnswerBody, &Settlement),
) -> DecisionRow {
    DecisionRow {
        approval_id: id.clone(),
        session_id: request.session,
        command: request.asks.command.clone(),
        decision: said.decision.clone(),
        by: by_device(&own.name, &said.by),
        why: said.why.clone(),
        rule: None,
        at: end.at.unwrap_or(request.asks.asked_at),
        input_hash: request.asks.input_hash.clone(),
        outcome: None,
        caller: Some(Caller::Person),
        seen: None,
        provenance: None,
    }
}

/// The decisions made here about requests of other devices.
pub(super) fn decided_here(ledger: &Ledger) -> Result<Vec<DecisionRow>, DevicesError> {
    Ok(ledger.remote_decisions().all()?.iter().filter_map(|it| read(it)).collect())
}

/// The answer already given from here, if it says the same; otherwise a new one.
fn answer_of(
    handle: &ExchangeHandle,
    own: &ThisDevice,
    (device, id, request): (&DeviceId, &ApprovalId, &Request),
    said: &AnswerBody,
) -> Result<Answer, DevicesError> {
    let decision = written(said)?;
    let before = request.answer.clone();
    if let Some(before) = before.filter(|it| it.decision == decision && it.by == own.id) {
        return Ok(before);
    }
    let mut salt = [0; 32];
    handle.settings().hub.draw.ok_or(HubFault::NoChance)?(&mut salt);
    Ok(Answer {
        to: device.clone(),
        session: request.session,
        request: id.clone(),
        input: request.input,
        expires: request.expires,
        decision,
        by: own.id.clone(),
        salt: Digest::from_bytes(salt),
    })
}

/// Claims the decision, so that among all other devices only this one's answer counts.
fn claim_it(
    handle: &ExchangeHandle,
    own: &ThisDevice,
    answer: &Answer,
) -> Result<(), DevicesError> {
    let settings = handle.settings();
    let ours = Claim::sign(own.roster.team(), answer, &own.signer());
    let id = &answer.request;
    let claimed = match claimed_by_exchange(handle, own, (id, &ours)) {
        Some(claimed) => claimed.map_err(HubFault::from)?,
        // The exchange is not connected. Our own connection is quicker, or reports why.
        None => block_on(async {
            let url = hubs::address(settings)?;
            let hub = hubs::open(settings, &url, own.roster.team(), &own.secret).await?;
            Ok(claim(&hub, &own.roster, id, &ours).await.map_err(HubFault::from)?)
        })?,
    };
    match claimed {
        Claimed::Won => Ok(()),
        Claimed::Lost(other) if other.by == own.id => {
            Err(Error::Undecided(format!("{id} was answered from here already")).into())
        }
        Claimed::Lost(other) => {
            let who = name_of(own, &other.by);
            Err(Error::Undecided(format!("{id} is being answered by {who}")).into())
        }
    }
}

/// Claims over the connection of the exchange; `None` while it has none.
fn claimed_by_exchange(
    handle: &ExchangeHandle,
    own: &ThisDevice,
    (request, ours): (&ApprovalId, &Claim),
) -> Option<Result<Claimed, HubError>> {
    let (done, outcome) = sync_channel(1);
    let (roster, request, ours) = (own.roster.clone(), request.clone(), ours.clone());
    let tasks = handle.state().claims.lock().unwrap_or_else(PoisonError::into_inner).clone()?;
    tasks.send(ClaimTask { roster, request, ours, done }).ok()?;
    outcome.recv_timeout(PATIENCE).ok()
}

/// Waits for the requesting device to report the outcome.
fn wait(
    handle: &ExchangeHandle,
    ledger: &Ledger,
    of: (&DeviceId, &ApprovalId),
) -> Result<Option<Settlement>, DevicesError> {
    let end = Instant::now() + PATIENCE;
    loop {
        let seen = handle.state().settlements();
        if let Some(found) = settlement(ledger, of)? {
            return Ok(Some(found));
        }
        let left = end.saturating_duration_since(Instant::now());
        if handle.state().settlements_after(seen, left).is_none() {
            return Ok(None);
        }
    }
}

fn settlement(
    ledger: &Ledger,
    of: (&DeviceId, &ApprovalId),
) -> Result<Option<Settlement>, DevicesError> {
    Ok(ledger.remote_requests().settlement(of)?.as_deref().and_then(read))
}

fn is_ours(end: &Settlement, own: &ThisDevice, said: &AnswerBody) -> bool {
    end.decision.as_ref() == Some(&said.decision)
        && end.by.as_deref() == Some(by_device(&own.name, &said.by).as_str())
}

fn over(
    ledger: &Ledger,
    own: &ThisDevice,
    (device, id): (&DeviceId, &ApprovalId),
) -> Result<DevicesError, DevicesError> {
    let name = name_of(own, device);
    let why = match settlement(ledger, (device, id))? {
        Some(end) => standing(id, &name, &end),
        None => format!("{id} is over: nobody waits for an answer"),
    };
    Ok(Error::Undecided(why).into())
}

/// Describes the state of a request to a caller that came too late.
fn standing(id: &ApprovalId, device: &str, end: &Settlement) -> String {
    match (&end.state, &end.decision, &end.by) {
        (_, Some(word), Some(by)) => {
            format!("{id} was decided on {device}, by {by}: {}", word.as_str())
        }
        (State::DialogOnly, ..) => format!("{id} can only be answered on {device} now"),
        _ => format!("{id} is over: nobody waits for an answer"),
    }
}
