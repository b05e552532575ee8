//! Hands a session over: a brief of the captured data, and the command that starts another agent
//! with it.

mod brief;
mod imported;
mod markdown;
mod outcomes;

use crate::contracts::{captured, state_of};
use crate::resolve::resolve;
use taffrail_adapters::{Adapter, by_id};
use taffrail_api::Handoff;
use taffrail_context::agent_id;
use taffrail_context::{Error, Settings, Target};
use taffrail_contracts::craft::State;
use taffrail_model::SessionId;

/// A brief of a session.
///
/// # Errors
/// When the session or the index cannot be read.
pub fn handoff(settings: &Settings, target: &Target) -> Result<Handoff, Error> {
    let row = resolve(settings, target)?;
    let adapter = by_id(&row.agent);
    let plan = adapter.and_then(Adapter::start_plan);
    let resume = plan.and_then(|it| it.resume(row.runtime_id.as_str())).unwrap_or_default();
    let label = adapter.map_or(row.agent.clone(), |it| it.descriptor().label.to_owned());
    let mut handoff = match state_of(settings, &row)? {
        Some(state) => imported::of(row.id, &state),
        None => brief::of(&captured(settings, row, &|_| None)?, resume),
    };
    handoff.markdown = markdown::of(&handoff, &label);
    Ok(handoff)
}

/// A brief of a session state that was not imported, or was imported as this session.
#[must_use]
pub fn handoff_of_state(session: SessionId, state: &State) -> Handoff {
    let mut handoff = imported::of(session, state);
    handoff.markdown = markdown::of(&handoff, imported::LABEL);
    handoff
}

/// The command that starts an agent with a brief.
///
/// # Errors
/// When no agent has this name, or the agent cannot start from a brief.
pub fn start_with(agent: &str, file: &str) -> Result<Vec<String>, Error> {
    let id = agent_id(agent)?;
    let plan = by_id(&id).and_then(Adapter::start_plan);
    let plan = plan.ok_or(Error::CannotStart(id))?;
    Ok(plan.start_with(file))
}
