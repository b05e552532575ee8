//! The mouse: a click chooses, another opens, the wheel moves.

use crate::state;
use crate::state::keys::{Action, Screen};
use crate::state::{Overlay, State};
use crate::update::by_hand;
use crate::update::movement::{Step, choose_line, step};
use crate::view;
use crate::view::board;
use crossterm::event::{MouseButton, MouseEvent, MouseEventKind};

/// Lines that one step of the wheel moves.
const WHEEL: isize = 3;

/// Handles a mouse event.
pub(crate) fn moved(state: &mut State, mouse: MouseEvent) {
    match mouse.kind {
        MouseEventKind::ScrollUp => wheel(state, -1),
        MouseEventKind::ScrollDown => wheel(state, 1),
        MouseEventKind::Down(MouseButton::Left) => click(state, mouse.column, mouse.row),
        _ => {}
    }
}

fn wheel(state: &mut State, by: isize) {
    match &mut state.overlay {
        Overlay::Help { from } => {
            let (from, key) = (*from, if by < 0 { "k" } else { "j" });
            state.overlay = view::help::press(state, from, key);
        }
        Overlay::Nothing if state.screen == Screen::Board => step(state, Step::By(by)),
        Overlay::Nothing => step(state, Step::By(by * WHEEL)),
        _ => {}
    }
}

fn click(state: &mut State, column: u16, row: u16) {
    if state.overlay != Overlay::Nothing {
        return;
    }
    if row + 1 == state.size.1 {
        press_below(state, usize::from(column));
        return;
    }
    by_hand(state, |state| {
        if hit(state, (column, row)) {
            super::actions::act(state, Action::Open);
        }
    });
}

/// Chooses the row under the pointer; `true` if it was chosen already.
fn hit(state: &mut State, (column, row): (u16, u16)) -> bool {
    let line = usize::from(row.saturating_sub(1));
    match state.screen {
        Screen::Board => {
            let list = board::plan(state).list;
            list.contains((column, row).into()) && choose_line(state, usize::from(row - list.y))
        }
        Screen::Search => {
            let place = view::search::place_at(state, (column, row));
            place.is_some_and(|place| place == std::mem::replace(&mut state.search.at, place))
        }
        Screen::Approvals => {
            let (from, room) = view::approvals::window(state);
            let place = Some(from + line).filter(|_| row > 0 && line < room);
            place.is_some_and(|place| place == std::mem::replace(&mut state.approval_at, place))
        }
        Screen::Feed | Screen::Findings | Screen::Timeline => {
            let place = in_list(state, row);
            place.is_some_and(|place| place == std::mem::replace(&mut state.list_at, place))
        }
        Screen::Transcript | Screen::Health | Screen::Commands | Screen::Explain => false,
    }
}

/// The index of a row in a list that fills the screen.
fn in_list(state: &State, row: u16) -> Option<usize> {
    let ((from, room), above, count) = match state.screen {
        Screen::Timeline => (
            view::timeline::window(state),
            view::timeline::ABOVE,
            state::timeline::lanes(state).len(),
        ),
        Screen::Findings => (view::lists::window(state), 1, state.findings.len()),
        _ => (view::feed::window(state), 1, state.feed.len()),
    };
    let line = usize::from(row.checked_sub(above)?);
    Some(from + line).filter(|place| line < room && *place < count)
}

/// A click on a word in the footer runs its action.
fn press_below(state: &mut State, column: usize) {
    let hit = view::footer::words(state).into_iter().find(|it| it.covers(column));
    if let Some(hit) = hit {
        super::actions::act(state, hit.action);
    }
}
