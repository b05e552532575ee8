//! A text over the screen, such as the brief of a session.

use crate::paint::Painter;
use crate::paint::text::{span, wrapped};
use crate::paint::theme::Ink;
use crate::state::State;
use ratatui::layout::Rect;
use ratatui::text::Line;

/// The width of a text over the screen.
const COLUMNS: u16 = 100;

pub(crate) fn fitted(state: &State, lines: &[String]) -> Vec<String> {
    let width = usize::from(COLUMNS.min(state.size.0)).saturating_sub(4);
    let rows = |it: &String| match it.trim().is_empty() {
        true => vec![String::new()],
        false => wrapped(it, width, usize::MAX),
    };
    lines.iter().flat_map(rows).collect()
}

/// Draws a text over the screen.
pub(crate) fn draw(
    state: &State,
    painter: &mut Painter<'_>,
    screen: Rect,
    (title, lines, from): (&str, &[String], usize),
) {
    let above = Rect { height: screen.height.saturating_sub(1), ..screen };
    let area = crate::paint::middle(above, COLUMNS, above.height);
    let inside = painter.frame(area, &format!("{title} · j and k scroll · y copies · Esc closes"));
    let plain = state.theme.style(Ink::Plain);
    let lines: Vec<Line<'_>> =
        fitted(state, lines).into_iter().skip(from).map(|it| Line::from(span(it, plain))).collect();
    painter.lines(inside, &lines);
}
