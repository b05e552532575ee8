//! Up and down on every screen.

use crate::state;
use crate::state::State;
use crate::state::keys::Screen;
use crate::view;
use crate::view::board;
use crate::view::layout::Row;

/// How far to move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    By(isize),
    /// Half screens.
    Half(isize),
    First,
    Last,
}

/// Moves on the current screen.
pub(crate) fn step(state: &mut State, step: Step) {
    let half = isize::try_from(state.size.1 / 2).unwrap_or(10).max(1);
    let by = match step {
        Step::By(by) => by,
        Step::Half(halves) => halves * half,
        Step::First => isize::MIN / 2,
        Step::Last => isize::MAX / 2,
    };
    match state.screen {
        Screen::Board => board(state, by),
        Screen::Transcript => super::transcript::scroll(state, by),
        Screen::Search => {
            state.search.at = moved(state.search.at, by, view::search::count(state));
        }
        Screen::Approvals => {
            state.approval_at = moved(state.approval_at, by, state.approvals.len());
        }
        Screen::Feed => state.list_at = moved(state.list_at, by, state.feed.len()),
        Screen::Findings => state.list_at = moved(state.list_at, by, state.findings.len()),
        Screen::Timeline => {
            let count = state::timeline::lanes(state).len();
            state.list_at = moved(state.list_at, by, count);
        }
        Screen::Health | Screen::Commands | Screen::Explain => {
            state.from = moved(state.from, by, view::lists::last(state) + 1);
        }
    }
}

/// An index in a list, moved and clamped.
pub(crate) fn moved(at: usize, by: isize, count: usize) -> usize {
    at.saturating_add_signed(by).min(count.saturating_sub(1))
}

fn board(state: &mut State, by: isize) {
    let order: Vec<_> = state.sessions.order().collect();
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
