//! Up and down, wherever we are.

use super::board;
use super::keys::Place;
use super::layout::Row;
use super::state::State;

/// How far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    By(isize),
    /// Half screens.
    Half(isize),
    First,
    Last,
}

/// Moves in the place where we are.
pub(crate) fn step(state: &mut State, step: Step) {
    let half = isize::try_from(state.size.1 / 2).unwrap_or(10).max(1);
    let by = match step {
        Step::By(by) => by,
        Step::Half(halves) => halves * half,
        Step::First => isize::MIN / 2,
        Step::Last => isize::MAX / 2,
    };
    match state.place {
        Place::Board => board(state, by),
        Place::Transcript => super::reading::scroll(state, by),
        Place::Search => state.search.at = moved(state.search.at, by, super::search::count(state)),
        Place::Approvals => {
            state.approval_at = moved(state.approval_at, by, state.approvals.len());
        }
        Place::Feed => state.list_at = moved(state.list_at, by, state.feed.len()),
        Place::Findings => state.list_at = moved(state.list_at, by, state.findings.len()),
        Place::Timeline => {
            let count = super::timeline::lanes(state).len();
            state.list_at = moved(state.list_at, by, count);
        }
        Place::Health | Place::Commands | Place::Explain => {
            state.from = moved(state.from, by, super::lists::last(state) + 1);
        }
    }
}

/// A place in a list, moved and still in it.
pub(crate) fn moved(at: usize, by: isize, count: usize) -> usize {
    at.saturating_add_signed(by).min(count.saturating_sub(1))
}

fn board(state: &mut State, by: isize) {
    let order: Vec<_> = state.fleet.order().collect();
    let at = order.iter().position(|it| Some(*it) == state.chosen).unwrap_or_default();
    if let Some(id) = order.get(moved(at, by, order.len())) {
        state.chosen = Some(*id);
        state.moved = true;
    }
}

/// Chooses the session on a line of the board; `true` if it was chosen already.
pub(crate) fn choose_line(state: &mut State, line: usize) -> bool {
    let Some(Row::Session(id)) = board::plan(state).rows.get(line).cloned() else { return false };
    let already = state.moved && state.chosen == Some(id);
    state.chosen = Some(id);
    state.moved = true;
    already
}
