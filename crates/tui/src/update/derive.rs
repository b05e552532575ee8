//! What follows from the state: the order, the selection, and the next requests.

use crate::state::keys::Screen;
use crate::state::message::Ask;
use crate::state::{Chosen, NOTE_MS, State};
use crate::update::look_at;
use crate::view::board;
use crate::view::layout::Row;
use taffrail_model::SessionId;
use taffrail_model::status::Group;

/// The shortest time between two requests for the details of a session.
const AGAIN_MS: i64 = 700;
/// How many of the latest events are requested to show the last turn.
const EVENTS: usize = 80;
/// The most outstanding requests for summaries.
const SUMMARIES: usize = 3;
/// How often the day's cost is requested.
const COST_MS: i64 = 300_000;
/// How often limits are requested while anything works, and otherwise.
const LIMITS_MS: i64 = 30_000;
const QUIET_LIMITS_MS: i64 = 300_000;

/// Updates all derived state.
pub(crate) fn derive(state: &mut State) {
    let narrowed = state.narrowed();
    state.sessions.sort(&narrowed);
    choose(state);
    state.mean(Chosen::ByItself);
    if state.note.as_ref().is_some_and(|it| age(state, it.at) >= NOTE_MS) {
        state.note = None;
    }
    if state.screen == Screen::Transcript {
        let width = usize::from(state.size.0).saturating_sub(2);
        state.transcript_view.lay_out(width, state.theme);
    }
    look(state);
    if state.screen == Screen::Search {
        super::search::look(state);
    }
    if state.screen == Screen::Feed {
        super::feed::look(state);
    }
    if state.screen == Screen::Timeline {
        super::timeline::look(state);
    }
    super::welcome::look(state);
    sum_up(state);
    pace(state);
    limits(state);
}

fn age(state: &State, at: taffrail_model::Timestamp) -> i64 {
    state.now.as_millisecond() - at.as_millisecond()
}

/// Keeps a session chosen, if there is any: the first, until the user chooses.
fn choose(state: &mut State) {
    let first = state.sessions.order().next();
    let is_there = |id: SessionId| state.sessions.is_shown(id);
    match state.chosen {
        Some(chosen) if state.moved && is_there(chosen) => {}
        _ => {
            state.chosen = first;
            state.moved &= first.is_none();
        }
    }
}

/// Requests what is shown of the chosen session.
fn look(state: &mut State) {
    let Some(id) = state.target() else { return };
    if state.details.of != Some(id) {
        if state.details.awaited > 0 && state.details.of.is_some_and(|it| is_known(state, it)) {
            return;
        }
        look_at(state, id);
    }
    let soon = state.details.asked_at.is_some_and(|at| age(state, at) < AGAIN_MS);
    if !state.details.stale || state.details.awaited > 0 || soon {
        return;
    }
    state.details.stale = false;
    state.details.asked_at = Some(state.now);
    state.details.awaited = 3;
    state.ask(Ask::Summary(id));
    state.ask(Ask::Explain(id));
    state.ask(Ask::Events { id, limit: EVENTS });
}

fn is_known(state: &State, id: SessionId) -> bool {
    state.sessions.get(id).is_some()
}

/// Requests summaries of the visible sessions that have none.
fn sum_up(state: &mut State) {
    // The list of sessions comes first: summaries must not delay it.
    if state.screen != Screen::Board || state.under_way.contains(&Ask::Sessions) {
        return;
    }
    let under_way = state.under_way.iter().filter(|it| matches!(it, Ask::Summary(_))).count();
    let wanted: Vec<SessionId> = board::plan(state)
        .rows
        .iter()
        .filter_map(|row| match row {
            Row::Session(id) => Some(*id),
            Row::Heads(_) | Row::Blank => None,
        })
        .filter(|id| is_wanted(state, *id))
        .take(SUMMARIES.saturating_sub(under_way))
        .collect();
    for id in wanted {
        state.ask(Ask::Summary(id));
    }
}

fn is_wanted(state: &State, id: SessionId) -> bool {
    let Some(session) = state.sessions.get(id) else { return false };
    matches!(session.group, Group::Working | Group::YourTurn)
        && !state.sessions.is_summed_up(session)
        && !state.unsummed.contains(&id)
        && !state.under_way.contains(&Ask::Summary(id))
}

/// Samples the token rate while anything works.
fn pace(state: &mut State) {
    if state.sessions.counts(Group::Working) == 0 || !state.pace.is_due(state.now) {
        return;
    }
    state.pace.asked(state.now);
    if !state.under_way.contains(&Ask::Recent) {
        state.ask(Ask::Recent);
    }
    if state.pace.is_cost_due(state.now, COST_MS) {
        state.ask(Ask::Today);
    }
}

/// Requests the limits of accounts, which move only while agents work.
fn limits(state: &mut State) {
    let is_quiet = state.sessions.counts(Group::Working) == 0;
    let after = if is_quiet { QUIET_LIMITS_MS } else { LIMITS_MS };
    if state.limits.is_due(state.now, after) {
        state.limits.asked(state.now);
        state.ask(Ask::Quota);
    }
}

/// Milliseconds until the screen changes by time alone.
pub(crate) fn rest(state: &State) -> u64 {
    let waits = state.details.stale && state.details.awaited == 0 && state.target().is_some();
    let fresh = state.approvals.iter().any(|it| state.is_fresh(&it.id));
    match (waits, fresh || state.note.is_some() || is_ticking(state)) {
        (true, _) => 200,
        (false, true) => 1_000,
        (false, false) => 10_000,
    }
}

/// True if an age in seconds is visible.
fn is_ticking(state: &State) -> bool {
    let recent = |id: &SessionId| {
        let since = state.sessions.get(*id).and_then(|it| it.status_since);
        since.is_some_and(|at| age(state, at) < 60_000)
    };
    let groups = [Group::NeedsYou, Group::Working, Group::YourTurn, Group::Idle];
    groups.into_iter().any(|group| state.sessions.group(group).iter().take(60).any(recent))
}
