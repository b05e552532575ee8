//! Verifies answers from other devices one by one; the broker lets at most one out.

use super::{AnswerBody, by_device, ledger, name_of, read, takes_orders, written};
use crate::error::DevicesError;
use crate::error::HubFault;
use crate::link::ExchangeHandle;
use std::time::Duration;
use taffrail_context::Error;
use taffrail_context::Settings;
use taffrail_model::DeviceId;
use taffrail_model::approval::{Approval, Decision, State, Verdict};
use taffrail_model::caller::{Caller, Who};
use taffrail_model::text::cut;
use taffrail_sync::exchange::Item;
use taffrail_sync::exchange::decision::{
    Answer, AnswerRejection, OpenRequest, current_claim, input_of, verify_answer,
};
use taffrail_sync::hub::AnyHub;
use taffrail_team::ThisDevice;
use tokio::sync::watch;

/// The pause before an unresponsive hub is asked again.
const AGAIN: Duration = Duration::from_secs(1);
/// The longest reason, in bytes.
const REASON: usize = 4_000;

/// An answer and its sender.
#[derive(Debug)]
struct ReceivedAnswer {
    from: DeviceId,
    answer: Answer,
}

/// Stores answers that are for this device.
pub(super) fn hear(
    handle: &ExchangeHandle,
    own: &ThisDevice,
    (from, items): (&DeviceId, &[&Item]),
) -> Result<(), DevicesError> {
    let ours = items.iter().filter_map(|it| match it {
        Item::Answer(answer) if answer.to == own.id => Some(answer),
        _ => None,
    });
    let new = ours.map(written).collect::<Result<Vec<_>, _>>()?;
    if new.is_empty() {
        return Ok(());
    }
    ledger(handle.settings())?.remote_answers().add(from, &new)?;
    handle.state().answered.notify_one();
    Ok(())
}

/// Verifies answers as they arrive, until the daemon ends.
pub(in crate::exchange) async fn judge_all(
    handle: &ExchangeHandle,
    hub: AnyHub,
    mut stops: watch::Receiver<bool>,
) {
    while !*stops.borrow() {
        let left = match judge_now(handle, &hub).await {
            Ok(left) => left,
            Err(error) => {
                handle.state().fail(&error.to_string());
                true
            }
        };
        let again = if left { AGAIN } else { Duration::from_secs(3_600) };
        tokio::select! {
            () = handle.state().answered.notified() => {}
            () = tokio::time::sleep(again) => {}
            _ = stops.wait_for(|it| *it) => {}
        }
    }
}

/// Verifies every stored answer; returns `true` if some must be tried again.
async fn judge_now(handle: &ExchangeHandle, hub: &AnyHub) -> Result<bool, DevicesError> {
    let settings = handle.settings();
    let mut left = false;
    for it in ledger(settings)?.remote_answers().all()? {
        let Some(answer) = read(&it.body) else {
            ledger(settings)?.remote_answers().remove(it.number)?;
            continue;
        };
        let came = &ReceivedAnswer { from: it.device, answer };
        let own = taffrail_team::own(settings)?;
        let claim = current_claim(hub, &own.roster, &came.answer.request).await;
        let claim = claim.map_err(HubFault::from)?;
        let now = (settings.now)();
        let judged = match asked(settings, &own, came)? {
            Some(asked) => {
                let sent = (&came.from, &came.answer);
                verify_answer(&asked, sent, claim.as_ref(), &own.roster, now)
            }
            None => Err(AnswerRejection::Other),
        };
        // A claim may become visible shortly after its answer.
        if judged == Err(AnswerRejection::Unclaimed) {
            left = true;
            continue;
        }
        if judged.is_ok() {
            let_out(handle, &own, came).await?;
        }
        ledger(settings)?.remote_answers().remove(it.number)?;
    }
    Ok(left)
}

/// The request that an answer is for, if it waits here and its project accepts remote answers.
fn asked(
    settings: &Settings,
    own: &ThisDevice,
    came: &ReceivedAnswer,
) -> Result<Option<OpenRequest>, DevicesError> {
    let Some(it) = ledger(settings)?.approval(&came.answer.request)? else { return Ok(None) };
    let is_open = it.state == State::Pending && takes_orders(settings, it.session_id)?;
    let Approval { id, session_id, input_hash, expires_at, .. } = it;
    Ok(is_open.then(|| OpenRequest {
        device: own.id.clone(),
        session: session_id,
        request: id,
        input: input_of(&input_hash),
        expires: expires_at,
    }))
}

/// Makes the decision in the name of the device it came from. If another decision was quicker, the
/// broker reports that.
async fn let_out(
    handle: &ExchangeHandle,
    own: &ThisDevice,
    came: &ReceivedAnswer,
) -> Result<(), DevicesError> {
    let Ok(said) = serde_json::from_str::<AnswerBody>(&came.answer.decision) else {
        tracing::warn!(request = %came.answer.request, from = came.from.as_str(), "cannot read an answer of another device");
        return Ok(());
    };
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
        who: Some(Who::elsewhere(Caller::Person, &name_of(own, &came.from), "a paired device")),
    };
    let (handle, id) = (handle.clone(), came.answer.request.clone());
    let decided = move || handle.broker().decide(id.as_str(), verdict);
    match tokio::task::spawn_blocking(decided).await {
        Ok(Err(Error::Undecided(_) | Error::NoApproval(_))) => Ok(()),
        Ok(decided) => Ok(decided.map(|_| ())?),
        // The task fails only when the daemon ends.
        Err(_) => Err(Error::Ending.into()),
    }
}
