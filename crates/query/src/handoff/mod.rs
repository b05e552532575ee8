//! Hands a session over: a brief of the captured data, and the command that starts another agent
//! with it.

mod brief;
mod imported;
mod markdown;
mod outcomes;

use crate::contracts::{captured, latest_part, state_of};
use crate::resolve::resolve;
use taffrail_adapters::{Adapter, by_id};
use taffrail_api::{Handoff, SCHEMA_VERSION, SessionDecisions};
use taffrail_context::agent_id;
use taffrail_context::{Error, Settings, Target};
use taffrail_contracts::craft::State;
use taffrail_contracts::deeds::calls;
use taffrail_model::SessionId;

/// How many of the latest events of a session are looked at for decisions.
const LATEST: usize = 400;

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

/// What a person decided in a session, as far as its latest events tell.
///
/// # Errors
/// When the session or the index cannot be read.
pub fn decisions(settings: &Settings, target: &Target) -> Result<SessionDecisions, Error> {
    let row = resolve(settings, target)?;
    let session_id = row.id;
    let decisions = match state_of(settings, &row)? {
        Some(state) => imported::of(session_id, &state).decisions,
        None => {
            let main = latest_part(settings, row, LATEST)?;
            brief::decisions(&main, &calls(&main))
        }
    };
    Ok(SessionDecisions { schema_version: SCHEMA_VERSION, session_id, decisions })
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

/// The command that starts a new session of an agent; `None` if this prompt cannot be given on its
/// command line.
///
/// # Errors
/// When no agent has this name, or the agent cannot be started.
pub fn start_command(agent: &str, prompt: Option<&str>) -> Result<Option<Vec<String>>, Error> {
    let id = agent_id(agent)?;
    let plan = by_id(&id).and_then(Adapter::start_plan);
    let plan = plan.ok_or(Error::CannotStart(id))?;
    Ok(started_with(plan.brief, prompt))
}

/// The command with a prompt in the place of the request to read a brief; `None` for a prompt that
/// could be read as an option, and for an agent that takes a file instead.
fn started_with(brief: &[&str], prompt: Option<&str>) -> Option<Vec<String>> {
    let Some(prompt) = prompt else { return Some(vec![(*brief.first()?).to_owned()]) };
    let is_text = !prompt.starts_with('-') && brief.contains(&"{ask}");
    let word = |it: &&str| if *it == "{ask}" { prompt.to_owned() } else { (*it).to_owned() };
    is_text.then(|| brief.iter().map(word).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prompt_is_one_word_and_never_an_option() {
        let check = |brief: &[&str], prompt: Option<&str>, expected: Option<&[&str]>| {
            let found = started_with(brief, prompt);
            let found = found.as_ref().map(|it| it.iter().map(String::as_str).collect::<Vec<_>>());
            assert_eq!(found.as_deref(), expected, "{prompt:?}");
        };
        check(&["parrot", "{ask}"], None, Some(&["parrot"]));
        check(&["parrot", "{ask}"], Some("fix {id} now"), Some(&["parrot", "fix {id} now"]));
        check(&["parrot", "{ask}"], Some("--allow-all"), None);
        check(&["parrot", "--file", "{file}"], Some("fix"), None);
        check(&["parrot", "--file", "{file}"], None, Some(&["parrot"]));
    }
}
