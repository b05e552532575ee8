//! Publishes which requests other devices can answer, and which they no longer can.

use super::{Asks, Settlement, ledger, prompts, push, takes_orders, written};
use crate::error::DevicesError;
use crate::link::ExchangeHandle;
use std::collections::BTreeMap;
use taffrail_model::approval::{Approval, ApprovalId, State};
use taffrail_store::Ledger;
use taffrail_sync::exchange::Item;
use taffrail_sync::exchange::decision::input_of;

/// Publishes what changed since the last time.
pub(in crate::exchange) fn tell(handle: &ExchangeHandle) -> Result<(), DevicesError> {
    let open = open_for_others(handle)?;
    let Some(read) = Ledger::open_read_only(&handle.settings().data)? else { return Ok(()) };
    let told = read.published_requests().all()?;
    if told.is_empty() && open.is_empty() && read.remote_prompts().open()?.is_empty() {
        return Ok(());
    }
    let mut ledger = ledger(handle.settings())?;
    let Changes { items, opened, closed } = changes(&told, &open, |id| settled(&ledger, id))?;
    if !items.is_empty() {
        push(handle, &mut ledger, &items)?;
        ledger.published_requests().note(&opened, &closed)?;
    }
    prompts::tell(handle, &mut ledger)
}

/// Requests with a waiting hook, of sessions that other devices may control.
fn open_for_others(
    handle: &ExchangeHandle,
) -> Result<BTreeMap<ApprovalId, Approval>, DevicesError> {
    let waiting = handle.broker().open_requests().into_iter();
    let mut open = BTreeMap::new();
    for it in waiting.filter(|it| it.state == State::Pending) {
        if takes_orders(handle.settings(), it.session_id)? {
            open.insert(it.id.clone(), it);
        }
    }
    Ok(open)
}

/// The items to publish, and the requests they are about.
#[derive(Debug, Default)]
struct Changes {
    items: Vec<Item>,
    opened: Vec<ApprovalId>,
    closed: Vec<ApprovalId>,
}

fn changes(
    told: &[ApprovalId],
    open: &BTreeMap<ApprovalId, Approval>,
    settled: impl Fn(&ApprovalId) -> Result<Settlement, DevicesError>,
) -> Result<Changes, DevicesError> {
    let mut new = Changes::default();
    for id in told.iter().filter(|it| !open.contains_key(it)) {
        new.items.push(Item::Settled { id: id.clone(), body: written(&settled(id)?)? });
        new.closed.push(id.clone());
    }
    for it in open.values().filter(|it| !told.contains(&it.id)) {
        new.opened.push(it.id.clone());
        new.items.push(Item::Request {
            id: it.id.clone(),
            session: it.session_id,
            input: input_of(&it.input_hash),
            body: written(&Asks::of(it))?,
            expires: it.expires_at,
        });
    }
    Ok(new)
}

/// The state of a request that other devices can no longer answer.
fn settled(ledger: &Ledger, id: &ApprovalId) -> Result<Settlement, DevicesError> {
    let known = ledger.approval(id)?;
    let verdict = known.as_ref().and_then(|it| it.verdict.as_ref());
    Ok(Settlement {
        decision: verdict.map(|it| it.decision.clone()),
        by: verdict.map(|it| it.by.clone()),
        at: verdict.map(|it| it.at),
        // A request that still waits is only closed to other devices.
        state: known.as_ref().map_or(State::Expired, |it| match it.state {
            State::Pending => State::DialogOnly,
            ref state => state.clone(),
        }),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use taffrail_model::approval::Decision;
    use taffrail_model::{AgentId, RuntimeIdentity, Timestamp};

    pub(super) fn request(id: &str) -> Approval {
        let who = RuntimeIdentity::new(AgentId::new("toy"), "", "s");
        Approval {
            id: ApprovalId::new(id),
            session_id: who.session(),
            agent: who.agent.clone(),
            runtime_session_id: who.id,
            scope: String::new(),
            tool: "Bash".to_owned(),
            command: "ls".to_owned(),
            truncated: false,
            input_hash: "00".to_owned(),
            risk: "low".to_owned(),
            state: State::Pending,
            outcome: None,
            asked_at: Timestamp::UNIX_EPOCH,
            expires_at: Timestamp::UNIX_EPOCH,
            sources: Vec::new(),
            call: None,
            verdict: None,
        }
    }

    #[test]
    fn only_what_changed_is_told() {
        let ids = |all: &[&str]| all.iter().map(|it| ApprovalId::new(*it)).collect::<Vec<_>>();
        let check = |told: &[&str], open: &[&str], expected: &[&str]| {
            let open = open.iter().map(|it| (ApprovalId::new(*it), request(it))).collect();
            let end = |_: &ApprovalId| {
                let decision = Some(Decision::Deny);
                Ok(Settlement { state: State::Decided, decision, by: None, at: None })
            };
            let new = changes(&ids(told), &open, end).unwrap();
            let said = new.items.iter().map(|it| match it {
                Item::Request { id, .. } => format!("+{id}"),
                Item::Settled { id, .. } => format!("-{id}"),
                other => format!("{other:?}"),
            });
            assert_eq!(said.collect::<Vec<_>>(), expected, "{told:?} {open:?}");
            let mut now = ids(told);
            now.retain(|it| !new.closed.contains(it));
            now.extend(new.opened);
            assert_eq!(now, open.keys().cloned().collect::<Vec<_>>());
            let again = changes(&now, &open, end).unwrap();
            assert_eq!(again.items, [], "twice is once");
        };
        check(&[], &[], &[]);
        check(&[], &["a"], &["+a"]);
        check(&["a", "b"], &["b", "c"], &["-a", "+c"]);
        check(&["a"], &[], &["-a"]);
    }
}
