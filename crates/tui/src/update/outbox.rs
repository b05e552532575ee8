//! A prompt for a session: written here, delivered by the daemon when the session waits for one,
//! and followed until the agent has taken it.

use crate::phrases::receipt_says;
use crate::state::input::Input;
use crate::state::message::Ask;
use crate::state::{Overlay, State};
use crate::table;
use crate::update::choice;
use taffrail_api::Receipt;
use taffrail_model::SessionId;

/// Starts a prompt for the target session.
pub(crate) fn begin(state: &mut State) {
    let Some(to) = state.target() else {
        state.complain("no session is chosen");
        return;
    };
    if let Some(why) = cannot(state, to) {
        state.complain(why);
        return;
    }
    if let Some(choice) = choice::offered(state, to) {
        state.overlay = Overlay::Choose(choice);
        return;
    }
    let unsent = state.outbox.unsent.take_if(|it| it.0 == to);
    let input = Input { text: unsent.map(|it| it.1).unwrap_or_default() };
    state.overlay = Overlay::Send { to, input };
}

/// Why nothing can be sent to a session: it is not running. Another device knows that for its own
/// sessions.
fn cannot(state: &State, to: SessionId) -> Option<&'static str> {
    let session = state.sessions.get(to)?;
    let runs = session.pid.is_some() || session.executor.is_some();
    match runs || table::elsewhere(session).is_some() {
        true => None,
        false => Some("Not running. Press r to resume it."),
    }
}

/// Handles a key while a prompt is written.
pub(crate) fn press(state: &mut State, to: SessionId, mut input: Input, key: &str) {
    let text = input.text.trim().to_owned();
    match key {
        "enter" if !text.is_empty() => send(state, to, text),
        "enter" => state.say("nothing was sent"),
        "esc" => {
            state.outbox.unsent = Some((to, text)).filter(|it| !it.1.is_empty());
            state.say("nothing was sent");
        }
        other => {
            input.press(other);
            state.overlay = Overlay::Send { to, input };
        }
    }
}

fn send(state: &mut State, to: SessionId, text: String) {
    let id: String = to.to_string().chars().take(8).collect();
    state.write_down(format!("taffrail send {id} {}", crate::phrases::quoted(&text)));
    state.say("sending …");
    state.ask(Ask::Send { id: to, text });
}

/// Applies a receipt: the progress of the prompt.
pub(crate) fn receipt(state: &mut State, id: SessionId, receipt: &Receipt) {
    state.under_way.retain(|it| !matches!(it, Ask::Send { id: to, .. } if *to == id));
    state.came(&Ask::Receipt { id, name: receipt.correlation_id.clone() });
    let says = receipt_says(receipt);
    let name = state.sessions.get(id).map_or("?".to_owned(), table::project);
    let is_over = !matches!(receipt.delivery_state.as_str(), "accepted" | "delivered");
    state.outbox.open = (!is_over).then(|| (id, receipt.correlation_id.clone()));
    match receipt.delivery_state.as_str() {
        "failed" => state.complain(format!("{name}: {says}")),
        _ => state.say(format!("{name}: {says}")),
    }
}

/// Handles a prompt that the daemon refused.
pub(crate) fn refused(state: &mut State, id: SessionId, text: &str, why: &str) {
    state.outbox.unsent = Some((id, text.to_owned()));
    state.complain(format!("not sent: {why}"));
}

/// Handles a change of a session: the prompt on its way may have arrived.
pub(crate) fn look(state: &mut State, id: SessionId) {
    let open = state.outbox.open.clone().filter(|it| it.0 == id);
    if let Some((id, name)) = open {
        state.ask(Ask::Receipt { id, name });
    }
}
