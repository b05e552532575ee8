//! When a new user is welcomed, and when no longer.

use crate::state;
use crate::state::State;
use crate::state::message::{Ask, Effect};
use taffrail_api::{AgentRow, HookRow};

/// Requests the facts about this machine, once history was read.
pub(crate) fn look(state: &mut State) {
    let wants = state.welcome.as_ref().is_some_and(|it| it.machine.is_none());
    let is_up = state.link == state::Link::Up && state.reads.is_none();
    if wants && is_up && !state.under_way.contains(&Ask::Machine) {
        state.ask(Ask::Machine);
    }
}

/// Takes the facts about this machine.
pub(crate) fn machine(state: &mut State, agents: Vec<AgentRow>, hooks: Vec<HookRow>) {
    state.came(&Ask::Machine);
    if let Some(welcome) = &mut state.welcome {
        welcome.machine = Some((agents, hooks));
    }
}

/// Closes the welcome for good; `true` if it was open.
pub(crate) fn close(state: &mut State) -> bool {
    let was_there = state.welcome.take().is_some();
    if was_there {
        state.effects.push(Effect::Welcomed);
    }
    was_there
}

/// A user who quits after the welcome could be read is not welcomed again.
pub(crate) fn leave(state: &mut State) {
    if state.welcome.as_ref().is_some_and(|it| it.machine.is_some()) {
        close(state);
    }
}
