//! The box with the answers that a question offers.

use crate::paint::text::span;
use crate::paint::theme::Ink;
use crate::paint::{Painter, middle};
use crate::state::{Choice, State};
use crate::table;
use crate::terminal::{fit, shown};
use crate::view::help::COLUMNS;
use ratatui::layout::Rect;
use ratatui::text::Line;

/// So many answers have a key.
const KEYS: usize = 9;

/// Draws the box.
pub(crate) fn draw(state: &State, painter: &mut Painter<'_>, screen: Rect, it: &Choice) {
    let session = state.sessions.get(it.to);
    let name = session.map_or("?".to_owned(), table::project);
    let many = it.options.len().min(KEYS);
    let rows = u16::try_from(many + 5).unwrap_or(u16::MAX);
    let inside = painter.frame(middle(screen, COLUMNS, rows), &format!("{name} asks"));
    let executor = session.and_then(|it| it.executor.as_deref());
    let mut lines = vec![Line::from(span(
        fit(&shown(&it.question), usize::from(inside.width)),
        state.theme.style(Ink::Bold),
    ))];
    lines.extend(it.options.iter().take(KEYS).enumerate().map(|(at, text)| {
        let text = fit(&shown(text), usize::from(inside.width).saturating_sub(5));
        Line::from(span(format!("  {}  {text}", at + 1), state.theme.style(Ink::Plain)))
    }));
    lines.push(Line::from(span(how(executor), state.theme.style(Ink::Dim))));
    lines.push(Line::from(span(
        format!("1 to {many} answer · Esc cancel"),
        state.theme.style(Ink::Dim),
    )));
    painter.lines(inside, &lines);
}

/// Where the key is pressed.
fn how(executor: Option<&str>) -> String {
    match executor {
        Some(at) if at.starts_with("tmux:") => {
            format!("The number is pressed in {}, if its screen shows it.", shown(at))
        }
        _ => "It does not run in tmux: answer in its own window.".to_owned(),
    }
}
