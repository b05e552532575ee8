//! Why a request cannot be decided from here, and where it can.

use taffrail_adapters::{Adapter, Dialog, by_id};
use taffrail_context::Live;
use taffrail_model::SessionId;
use taffrail_model::approval::{Approval, State};

/// Describes the state of a request to a caller that came too late.
pub(crate) fn refusal(live: &Live, it: &Approval) -> String {
    let id = &it.id;
    match (&it.state, &it.verdict) {
        (State::Decided, Some(verdict)) => {
            let (word, at) = (verdict.decision.as_str(), verdict.at.strftime("%Y-%m-%d %H:%M:%S"));
            format!("{id} was decided by {} at {at} UTC: {word}", verdict.by)
        }
        (State::DialogOnly, _) => at_the_agent(live, it.session_id, it.agent.as_str()),
        (State::Expired, _) => format!("{id} has expired: no hook waits for an answer"),
        (state, _) => format!("{id} is {}", state.as_str()),
    }
}

/// Where to answer a request that only the agent's own dialog can settle.
pub(crate) fn at_the_agent(live: &Live, session: SessionId, agent: &str) -> String {
    let adapter = by_id(agent);
    let label = adapter.map_or(agent, |it| it.descriptor().label);
    let executor = live.status(session).and_then(|it| it.executor.clone());
    let pane = executor.as_deref().and_then(pane).map(|it| format!(" (pane {it})"));
    let hides =
        adapter.and_then(Adapter::approval_plan).is_some_and(|it| it.dialog == Dialog::After);
    let next = if hides { ", or turn on `taffrail away` for the next one" } else { "" };
    format!("{label} is showing its own dialog; answer it there{}{next}", pane.unwrap_or_default())
}

/// The number of a pane, as tmux shows it.
fn pane(executor: &str) -> Option<&str> {
    executor.strip_prefix("tmux:")?.rsplit(':').next()
}
