//! Requests the sessions of the feed that the board does not know.

use crate::state::State;
use crate::state::message::Ask;
use crate::view::feed::window;
use std::collections::BTreeSet;
use taffrail_model::SessionId;

/// Requests the unknown sessions of the visible lines: a sub-agent, or a session that started after
/// the list.
pub(crate) fn look(state: &mut State) {
    let (from, room) = window(state);
    let shown = state.feed.all.iter().rev().skip(from).take(room);
    let unknown: BTreeSet<SessionId> = shown
        .map(|it| it.session_id)
        .filter(|it| state.sessions.get(*it).is_none() && !state.unsummed.contains(it))
        .filter(|it| !state.under_way.contains(&Ask::Session(*it)))
        .collect();
    for id in unknown {
        state.ask(Ask::Session(id));
    }
}
