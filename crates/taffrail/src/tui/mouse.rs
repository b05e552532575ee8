//! The mouse: a click chooses, another opens, the wheel moves.

use super::board;
use super::keys::{Action, Place};
use super::moving::{Step, choose_line, step};
use super::state::{Chosen, Over, State};
use super::timeline;
use crossterm::event::{MouseButton, MouseEvent, MouseEventKind};

/// Lines a turn of the wheel moves.
const WHEEL: isize = 3;

/// Takes what the mouse did.
pub(crate) fn moved(state: &mut State, mouse: MouseEvent) {
    match mouse.kind {
        MouseEventKind::ScrollUp => wheel(state, -1),
        MouseEventKind::ScrollDown => wheel(state, 1),
        MouseEventKind::Down(MouseButton::Left) => click(state, mouse.column, mouse.row),
        _ => {}
    }
}

fn wheel(state: &mut State, by: isize) {
    match &mut state.over {
        Over::Help { from } => {
            let (from, key) = (*from, if by < 0 { "k" } else { "j" });
            state.over = super::help::press(state, from, key);
        }
        Over::Nothing if state.place == Place::Board => step(state, Step::By(by)),
        Over::Nothing => step(state, Step::By(by * WHEEL)),
        _ => {}
    }
}

fn click(state: &mut State, column: u16, row: u16) {
    if state.over != Over::Nothing {
        return;
    }
    if row + 1 == state.size.1 {
        press_below(state, usize::from(column));
        return;
    }
    if hit(state, (column, row)) {
        super::acting::act(state, Action::Open);
    }
    state.mean(Chosen::ByHand);
}

/// Chooses what stands there; `true` if it was chosen already.
fn hit(state: &mut State, (column, row): (u16, u16)) -> bool {
    let line = usize::from(row.saturating_sub(1));
    match state.place {
        Place::Board => {
            let list = board::plan(state).list;
            list.contains((column, row).into()) && choose_line(state, usize::from(row - list.y))
        }
        Place::Search => {
            let place = super::search::place_at(state, (column, row));
            place.is_some_and(|place| place == std::mem::replace(&mut state.search.at, place))
        }
        Place::Approvals => {
            let (from, room) = super::approvals::window(state);
            let place = Some(from + line).filter(|_| row > 0 && line < room);
            place.is_some_and(|place| place == std::mem::replace(&mut state.approval_at, place))
        }
        Place::Feed | Place::Findings | Place::Timeline => {
            let place = in_list(state, row);
            place.is_some_and(|place| place == std::mem::replace(&mut state.list_at, place))
        }
        Place::Transcript | Place::Health | Place::Commands | Place::Explain => false,
    }
}

/// The place of a row in a list that fills the screen.
fn in_list(state: &State, row: u16) -> Option<usize> {
    let ((from, room), above, count) = match state.place {
        Place::Timeline => (timeline::window(state), timeline::ABOVE, timeline::lanes(state).len()),
        Place::Findings => (super::lists::window(state), 1, state.findings.len()),
        _ => (super::feed::window(state), 1, state.feed.len()),
    };
    let line = usize::from(row.checked_sub(above)?);
    Some(from + line).filter(|place| line < room && *place < count)
}

/// A click on a word at the bottom of the screen does what the word says.
fn press_below(state: &mut State, column: usize) {
    let hit = super::footer::words(state).into_iter().find(|it| it.covers(column));
    if let Some(hit) = hit {
        super::acting::act(state, hit.action);
    }
}
