//! Records what the last frame showed: no other request is ever answered.

use crate::state::keys::Screen;
use crate::state::{Overlay, State};
use crate::view;

/// Records a drawn frame: what it shows can be answered from now on.
pub(crate) fn shown(state: &mut State) {
    state.on_screen = match &state.overlay {
        Overlay::Nothing => {
            let request = state.request().filter(|_| is_command_in_sight(state));
            request.map(|it| it.id.clone()).into_iter().collect()
        }
        Overlay::Deny { request, .. } | Overlay::Risky { request } => vec![request.clone()],
        Overlay::Many(many) => many.requests.clone(),
        Overlay::Help { .. }
        | Overlay::Text { .. }
        | Overlay::Palette { .. }
        | Overlay::Filter { .. }
        | Overlay::New(_)
        | Overlay::Choose(_)
        | Overlay::Send { .. } => Vec::new(),
    };
}

/// True if the screen has room for the command of an answerable request.
fn is_command_in_sight(state: &State) -> bool {
    let (lines, room) = match state.screen {
        Screen::Board => {
            let plan = view::board::plan(state);
            (plan.lines, plan.peek.height)
        }
        Screen::Transcript => (view::transcript::asked(state), state.size.1.saturating_sub(4)),
        Screen::Approvals => view::approvals::below(state),
        _ => return false,
    };
    lines.iter().take(usize::from(room)).any(view::peek::is_command)
}
