//! Answers from other devices: judged one by one, and let out at most once by the desk.

use super::{Said, by_device, keep, ledger, list, name_of, takes_orders};
use crate::devices::{self, Own};
use crate::hubs::HubFault;
use crate::live::Handle;
use crate::{DaemonError, Settings};
use serde::{Deserialize, Serialize};
use std::time::Duration;
use taffrail_model::DeviceId;
use taffrail_model::approval::{Approval, Decision, State, Verdict};
use taffrail_model::text::cut;
use taffrail_sync::exchange::Item;
use taffrail_sync::exchange::decision::{Answer, Asked, NotOut, input_of, judge, standing_claim};
use taffrail_sync::hub::AnyHub;
use tokio::sync::watch;

/// Answers that came and were not judged yet: they outlive a daemon that ends in between.
const ANSWERS: &str = "desk/answers";
/// So long is waited before a hub that did not answer is asked again.
const AGAIN: Duration = Duration::from_secs(1);
/// The longest reason, in bytes.
const REASON: usize = 4_000;

/// An answer, and who sent it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Came {
    from: DeviceId,
    answer: Answer,
}

/// Keeps answers that are for this device.
pub(super) fn hear(
    handle: &Handle,
    own: &Own,
    (from, items): (&DeviceId, &[&Item]),
) -> Result<(), DaemonError> {
    let ours = items.iter().filter_map(|it| match it {
        Item::Answer(answer) if answer.to == own.id => Some(answer),
        _ => None,
    });
    let new: Vec<_> = ours.map(|it| Came { from: from.clone(), answer: it.clone() }).collect();
    if new.is_empty() {
        return Ok(());
    }
    let mut ledger = ledger(handle.settings())?;
    let mut all: Vec<Came> = list(&mut ledger, ANSWERS)?;
    all.extend(new);
    keep(&mut ledger, ANSWERS, &all)?;
    handle.between().answered.notify_one();
    Ok(())
}

/// Judges answers as they come, until the daemon ends.
pub(in crate::between) async fn judge_all(
    handle: &Handle,
    hub: AnyHub,
    mut stops: watch::Receiver<bool>,
) {
    while !*stops.borrow() {
        let left = match judge_now(handle, &hub).await {
            Ok(left) => left,
            Err(error) => {
                handle.between().fail(&error.to_string());
                true
            }
        };
        let again = if left { AGAIN } else { Duration::from_secs(3_600) };
        tokio::select! {
            () = handle.between().answered.notified() => {}
            () = tokio::time::sleep(again) => {}
            _ = stops.wait_for(|it| *it) => {}
        }
    }
}

/// Judges everything that came; `true` where something has to be asked again.
async fn judge_now(handle: &Handle, hub: &AnyHub) -> Result<bool, DaemonError> {
    let settings = handle.settings();
    let all: Vec<Came> = list(&mut ledger(settings)?, ANSWERS)?;
    let mut left = false;
    for came in &all {
        let own = devices::own(settings)?;
        let claim = standing_claim(hub, &own.roster, &came.answer.request).await;
        let claim = claim.map_err(HubFault::from)?;
        let now = (settings.now)();
        let judged = match asked(settings, &own, came)? {
            Some(asked) => {
                let sent = (&came.from, &came.answer);
                judge(&asked, sent, claim.as_ref(), &own.roster, now)
            }
            None => Err(NotOut::Other),
        };
        // A claim may come to be seen a little after its answer.
        if judged == Err(NotOut::Unclaimed) {
            left = true;
            continue;
        }
        if judged.is_ok() {
            let_out(handle, &own, came).await?;
        }
        drop_judged(settings, came)?;
    }
    Ok(left)
}

/// The request an answer is for, if it waits here and its project takes orders.
fn asked(settings: &Settings, own: &Own, came: &Came) -> Result<Option<Asked>, DaemonError> {
    let Some(it) = ledger(settings)?.approval(&came.answer.request)? else { return Ok(None) };
    let is_open = it.state == State::Pending && takes_orders(settings, it.session_id)?;
    let Approval { id, session_id, input_hash, expires_at, .. } = it;
    Ok(is_open.then(|| Asked {
        device: own.id.clone(),
        session: session_id,
        request: id,
        input: input_of(&input_hash),
        expires: expires_at,
    }))
}

/// Lets a decision out, named after the device it was made on. Who was quicker is told by the desk.
async fn let_out(handle: &Handle, own: &Own, came: &Came) -> Result<(), DaemonError> {
    let Ok(said) = serde_json::from_str::<Said>(&came.answer.decision) else { return Ok(()) };
    if !matches!(said.decision, Decision::Allow | Decision::Deny) {
        return Ok(());
    }
    let face = said.by.chars().filter(char::is_ascii_alphanumeric).take(16).collect::<String>();
    let verdict = Verdict {
        decision: said.decision,
        by: by_device(&name_of(own, &came.from), &face),
        why: said.why.map(|it| cut(&it, REASON).to_owned()),
        rule: None,
        at: (handle.settings().now)(),
    };
    let (handle, id) = (handle.clone(), came.answer.request.clone());
    let decided = move || handle.desk().decide(&handle, id.as_str(), verdict);
    match tokio::task::spawn_blocking(decided).await {
        Ok(Err(DaemonError::Undecided(_) | DaemonError::NoApproval(_))) => Ok(()),
        Ok(decided) => decided.map(|_| ()),
        Err(_) => Err(DaemonError::Ending),
    }
}

/// It was judged.
fn drop_judged(settings: &Settings, came: &Came) -> Result<(), DaemonError> {
    let mut ledger = ledger(settings)?;
    let mut all: Vec<Came> = list(&mut ledger, ANSWERS)?;
    if let Some(at) = all.iter().position(|it| it == came) {
        all.remove(at);
    }
    keep(&mut ledger, ANSWERS, &all)
}
