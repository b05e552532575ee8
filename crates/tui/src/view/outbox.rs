//! The box to write a prompt in.

use crate::paint::text::span;
use crate::paint::theme::Ink;
use crate::paint::{Painter, middle};
use crate::state::State;
use crate::table;
use crate::terminal::shown;
use crate::view::help::{COLUMNS, prompt};
use ratatui::layout::Rect;
use ratatui::text::Line;
use taffrail_model::SessionId;

/// Draws the box.
pub(crate) fn draw(
    state: &State,
    painter: &mut Painter<'_>,
    screen: Rect,
    (to, text): (SessionId, &str),
) {
    let dim = state.theme.style(Ink::Dim);
    let session = state.sessions.get(to);
    let name = session.map_or("?".to_owned(), table::project);
    let inside = painter.frame(middle(screen, COLUMNS, 6), &format!("Send to {name}"));
    let place = session.and_then(|it| it.executor.as_deref()).map(shown);
    let how = match place {
        Some(at) => format!("Runs at {at}. The prompt goes in when the session waits for one."),
        None => "The prompt goes in when the session waits for one.".to_owned(),
    };
    let at = |y: u16| Rect { y: inside.y + y, height: 1, ..inside };
    painter.line(at(0), &Line::from(span(how, dim)));
    prompt(painter, at(1), "› ", text);
    painter.line(at(3), &Line::from(span("Enter send · Esc cancel", dim)));
}
