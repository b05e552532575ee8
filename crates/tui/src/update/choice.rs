//! Answers a session's question with a number, and interrupts its turn: keys that the daemon presses in
//! its pane.

use crate::state::message::Ask;
use crate::state::{Choice, Overlay, State};
use crate::table;
use crate::terminal::shown;
use taffrail_model::SessionId;
use taffrail_model::status::WaitingKind;

/// The question of a session, if it offers answers.
pub(crate) fn offered(state: &State, to: SessionId) -> Option<Choice> {
    let asks = state.sessions.get(to)?.waiting_for.as_ref();
    let asks = asks.filter(|it| it.kind == WaitingKind::Question && !it.options.is_empty())?;
    Some(Choice { to, question: asks.text.clone(), options: asks.options.clone() })
}

/// Handles a key while an answer is chosen.
pub(crate) fn press(state: &mut State, it: Choice, key: &str) {
    let number = key.parse::<u8>().ok().filter(|number| (1..=9).contains(number));
    let option = number.and_then(|number| {
        let text = it.options.get(usize::from(number) - 1)?.clone();
        Some((number, text))
    });
    match (option, key) {
        (Some((option, text)), _) => {
            state.say("answering …");
            state.ask(Ask::Choose { id: it.to, option, text });
        }
        (None, "esc") => state.say("nothing was answered"),
        (None, _) => state.overlay = Overlay::Choose(it),
    }
}

/// Interrupts the turn of the target session.
pub(crate) fn interrupt(state: &mut State) {
    match state.target() {
        Some(id) => {
            state.say("interrupting …");
            state.ask(Ask::Interrupt(id));
        }
        None => state.complain("no session is chosen"),
    }
}

/// Reports that the agent reacted to a key.
pub(crate) fn pressed(state: &mut State, asked: &Ask) {
    state.came(asked);
    let name = |id: SessionId| state.sessions.get(id).map_or("?".to_owned(), table::project);
    let says = match asked {
        Ask::Choose { id, text, .. } => format!("{}: answered {}", name(*id), shown(text)),
        Ask::Interrupt(id) => format!("{}: interrupted", name(*id)),
        _ => return,
    };
    state.say(says);
}
