//! Answering what an agent on another device asks.

use super::kept::{self, Request, Requests, row};
use super::{Said, Settlement, by_device, ledger, name_of, push};
use crate::DaemonError;
use crate::devices::{self, Own};
use crate::hubs::{self, HubFault, block_on};
use crate::live::Handle;
use std::time::{Duration, Instant};
use taffrail_api::ApprovalRow;
use taffrail_model::DeviceId;
use taffrail_model::approval::{ApprovalId, State, Verdict};
use taffrail_sync::Digest;
use taffrail_sync::exchange::Item;
use taffrail_sync::exchange::decision::{Answer, Claim, Claimed, claim};

/// So long the other device is waited for to say what it did.
const PATIENCE: Duration = Duration::from_secs(15);
const LOOK: Duration = Duration::from_millis(20);

/// Answers a request of another device: the decision is claimed on the hub, sent, and what that device
/// says to it is waited for. `None` where no device asks this.
pub(crate) fn answer(
    handle: &Handle,
    id: &str,
    verdict: &Verdict,
) -> Result<Option<ApprovalRow>, DaemonError> {
    let settings = handle.settings();
    let Some((device, id)) = kept::find(settings, id)? else { return Ok(None) };
    let own = devices::own(settings)?;
    own.check_current()?;
    let Some(request) = Requests::of(settings, &device).open.remove(&id) else {
        return Err(over(handle, &own, (&device, &id)));
    };
    let said = Said {
        decision: verdict.decision.clone(),
        why: verdict.why.clone(),
        by: verdict.by.clone(),
    };
    let answer = answer_of(handle, &own, (&device, &id, &request), &said)?;
    claim_it(handle, &own, &answer)?;
    note(handle, (&device, &id), &answer)?;
    push(handle, &mut ledger(settings)?, &[Item::Answer(answer)])?;
    let end = wait(handle, (&device, &id));
    let name = name_of(&own, &device);
    match end {
        Some(end) if is_ours(&end, &own, &said) => {
            Ok(Some(row(&name, &id, (&request, Some(&end)))))
        }
        Some(end) => Err(DaemonError::Undecided(standing(&id, &name, &end))),
        None => Err(DaemonError::Undecided(format!(
            "{id} was answered, and {name} has not said that it took it: it may still; look at \
             `taffrail approvals`"
        ))),
    }
}

/// The answer that was given from here before, if it says the same, or a new one.
fn answer_of(
    handle: &Handle,
    own: &Own,
    (device, id, request): (&DeviceId, &ApprovalId, &Request),
    said: &Said,
) -> Result<Answer, DaemonError> {
    let decision = serde_json::to_string(said).map_err(|it| DaemonError::Bug(it.to_string()))?;
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

/// Claims the decision, so that of all other devices only this one's answer counts.
fn claim_it(handle: &Handle, own: &Own, answer: &Answer) -> Result<(), DaemonError> {
    let settings = handle.settings();
    let ours = Claim::sign(own.roster.team(), answer, &own.signer());
    let claimed = block_on(async {
        let url = hubs::address(settings)?;
        let hub = hubs::open(settings, &url, own.roster.team(), &own.secret).await?;
        let claimed = claim(&hub, &own.roster, &answer.request, &ours).await;
        Ok(claimed.map_err(HubFault::from)?)
    })?;
    let id = &answer.request;
    match claimed {
        Claimed::Won => Ok(()),
        Claimed::Lost(other) if other.by == own.id => {
            Err(DaemonError::Undecided(format!("{id} was answered from here already")))
        }
        Claimed::Lost(other) => {
            let who = name_of(own, &other.by);
            Err(DaemonError::Undecided(format!("{id} is being answered by {who}")))
        }
    }
}

/// Remembers the answer: sent again it is the same one.
fn note(
    handle: &Handle,
    (device, id): (&DeviceId, &ApprovalId),
    answer: &Answer,
) -> Result<(), DaemonError> {
    let _alone = handle.between().alone();
    let mut known = Requests::of(handle.settings(), device);
    match known.open.get_mut(id) {
        Some(it) => it.answer = Some(answer.clone()),
        None => return Ok(()),
    }
    known.keep(handle.settings(), device)
}

/// What the device that asks says became of it.
fn wait(handle: &Handle, (device, id): (&DeviceId, &ApprovalId)) -> Option<Settlement> {
    let end = Instant::now() + PATIENCE;
    loop {
        let found = settlement(handle, (device, id));
        if found.is_some() || Instant::now() >= end {
            return found;
        }
        std::thread::park_timeout(LOOK);
    }
}

fn settlement(handle: &Handle, (device, id): (&DeviceId, &ApprovalId)) -> Option<Settlement> {
    let known = Requests::of(handle.settings(), device);
    known.settled.into_iter().rfind(|(of, _)| of == id).map(|(_, end)| end)
}

fn is_ours(end: &Settlement, own: &Own, said: &Said) -> bool {
    end.decision.as_ref() == Some(&said.decision)
        && end.by.as_deref() == Some(by_device(&own.name, &said.by).as_str())
}

fn over(handle: &Handle, own: &Own, (device, id): (&DeviceId, &ApprovalId)) -> DaemonError {
    let name = name_of(own, device);
    DaemonError::Undecided(match settlement(handle, (device, id)) {
        Some(end) => standing(id, &name, &end),
        None => format!("{id} is over: nobody waits for an answer"),
    })
}

/// How a request stands, for who came too late.
fn standing(id: &ApprovalId, device: &str, end: &Settlement) -> String {
    match (&end.state, &end.decision, &end.by) {
        (_, Some(word), Some(by)) => {
            format!("{id} was decided on {device}, by {by}: {}", word.as_str())
        }
        (State::DialogOnly, ..) => format!("{id} can only be answered on {device} now"),
        _ => format!("{id} is over: nobody waits for an answer"),
    }
}
