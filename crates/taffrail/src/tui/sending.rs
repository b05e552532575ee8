//! A prompt for a session: written here, put in by the daemon when the session waits for one, and
//! followed until the agent has taken it.

use super::help::{COLUMNS, prompt};
use super::input::Input;
use super::message::Ask;
use super::paint::{Pen, middle};
use super::state::{Over, State};
use super::text::{shown, span};
use super::theme::Ink;
use crate::table;
use crate::wording::receipt_says;
use ratatui::layout::Rect;
use ratatui::text::Line;
use taffrail_api::Receipt;
use taffrail_model::SessionId;

/// What became of prompts.
#[derive(Debug, Default)]
pub(crate) struct Sent {
    /// The last one that is still on its way: the session and the message's name.
    open: Option<(SessionId, String)>,
    /// What could not be sent is not lost.
    unsent: Option<(SessionId, String)>,
}

/// Begins to write to the session that is meant.
pub(crate) fn begin(state: &mut State) {
    let Some(to) = state.target() else {
        state.complain("no session is chosen");
        return;
    };
    let unsent = state.sent.unsent.take_if(|it| it.0 == to);
    let input = Input { text: unsent.map(|it| it.1).unwrap_or_default() };
    state.over = Over::Send { to, input };
}

/// Takes a key while it is written.
pub(crate) fn press(state: &mut State, to: SessionId, mut input: Input, key: &str) {
    let text = input.text.trim().to_owned();
    match key {
        "enter" if !text.is_empty() => send(state, to, text),
        "enter" => state.say("nothing was sent"),
        "esc" => {
            state.sent.unsent = Some((to, text)).filter(|it| !it.1.is_empty());
            state.say("nothing was sent");
        }
        other => {
            input.press(other);
            state.over = Over::Send { to, input };
        }
    }
}

fn send(state: &mut State, to: SessionId, text: String) {
    let id: String = to.to_string().chars().take(8).collect();
    state.write_down(format!("taffrail send {id} {}", super::search::quoted(&text)));
    state.say("sending …");
    state.ask(Ask::Send { id: to, text });
}

/// A receipt came: it says how far the prompt is.
pub(crate) fn told(state: &mut State, id: SessionId, receipt: &Receipt) {
    state.under_way.retain(|it| !matches!(it, Ask::Send { id: to, .. } if *to == id));
    state.came(&Ask::Receipt { id, name: receipt.correlation_id.clone() });
    let says = receipt_says(receipt);
    let name = state.fleet.get(id).map_or("?".to_owned(), table::project);
    let is_over = !matches!(receipt.delivery_state.as_str(), "accepted" | "delivered");
    state.sent.open = (!is_over).then(|| (id, receipt.correlation_id.clone()));
    match receipt.delivery_state.as_str() {
        "failed" => state.complain(format!("{name}: {says}")),
        _ => state.say(format!("{name}: {says}")),
    }
}

/// The daemon did not take it.
pub(crate) fn refused(state: &mut State, id: SessionId, text: &str, why: &str) {
    state.sent.unsent = Some((id, text.to_owned()));
    state.complain(format!("not sent: {why}"));
}

/// A session moved: the prompt on its way to it may have arrived.
pub(crate) fn look(state: &mut State, id: SessionId) {
    let open = state.sent.open.clone().filter(|it| it.0 == id);
    if let Some((id, name)) = open {
        state.ask(Ask::Receipt { id, name });
    }
}

/// Draws the box it is written in.
pub(crate) fn draw(state: &State, pen: &mut Pen<'_>, screen: Rect, (to, text): (SessionId, &str)) {
    let dim = state.theme.style(Ink::Dim);
    let session = state.fleet.get(to);
    let name = session.map_or("?".to_owned(), table::project);
    let inside = pen.frame(middle(screen, COLUMNS, 6), &format!("Send to {name}"));
    let place = session.and_then(|it| it.executor.as_deref()).map(shown);
    let how = match place {
        Some(at) => format!("It goes in at {at} when the session waits for a prompt."),
        None => "Nothing says where it runs; r goes on with it in its agent.".to_owned(),
    };
    let at = |y: u16| Rect { y: inside.y + y, height: 1, ..inside };
    pen.line(at(0), &Line::from(span(how, dim)));
    prompt(pen, at(1), "› ", text);
    pen.line(at(3), &Line::from(span("⏎ sends   Esc does not", dim)));
}
