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
    let how = how(session.and_then(|it| it.executor.as_deref()));
    let at = |y: u16| Rect { y: inside.y + y, height: 1, ..inside };
    painter.line(at(0), &Line::from(span(how, dim)));
    prompt(painter, at(1), "› ", text);
    painter.line(at(3), &Line::from(span("Enter send · Esc cancel", dim)));
}

/// What happens to the prompt, by where the session runs. A plain terminal cannot be typed into.
fn how(executor: Option<&str>) -> String {
    match executor {
        Some(at) if at.starts_with("process:") => {
            format!("Taffrail cannot type into {}: only into tmux and `taffrail run`.", shown(at))
        }
        Some(at) => {
            format!("Runs at {}. The prompt goes in when the session waits for one.", shown(at))
        }
        None => "The prompt goes in when the session waits for one.".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plain_terminal_is_named_before_anything_is_typed() {
        let check = |executor: Option<&str>, expected: &str| {
            assert!(how(executor).starts_with(expected), "{}", how(executor));
        };
        check(Some("process:7"), "Taffrail cannot type into process:7");
        check(Some("tmux:%1"), "Runs at tmux:%1. The prompt goes in");
        check(Some("pty:9"), "Runs at pty:9. The prompt goes in");
        check(None, "The prompt goes in");
    }
}
