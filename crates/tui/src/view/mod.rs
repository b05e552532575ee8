//! The screen: a function of the state and nothing else.

pub(crate) mod approvals;
pub(crate) mod board;
pub(crate) mod brief;
pub(crate) mod choice;
pub(crate) mod feed;
pub(crate) mod footer;
pub(crate) mod header;
pub(crate) mod help;
mod hit;
pub(crate) mod layout;
pub(crate) mod lists;
pub(crate) mod marks;
pub(crate) mod new;
pub(crate) mod outbox;
pub(crate) mod peek;
pub(crate) mod search;
pub(crate) mod timeline;
pub(crate) mod transcript;
pub(crate) mod welcome;

use crate::paint::Painter;
use crate::paint::text::{guard, wrapped};
use crate::state::State;
use crate::state::keys::Screen;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::Line;

/// The smallest screen that is drawn.
const SMALLEST: (u16, u16) = (20, 6);

/// Draws the screen; returns the position of the cursor, if it is visible.
pub(crate) fn draw(state: &State, buffer: &mut Buffer) -> Option<(u16, u16)> {
    let mut painter = Painter { buffer, theme: state.theme, cursor: None };
    if state.size.0 < SMALLEST.0 || state.size.1 < SMALLEST.1 {
        too_small(&mut painter, state.size);
        return None;
    }
    header::draw(state, &mut painter);
    match state.screen {
        Screen::Board => board::draw(state, &mut painter),
        Screen::Transcript => transcript::draw(state, &mut painter),
        Screen::Search => search::draw(state, &mut painter),
        Screen::Approvals => approvals::draw(state, &mut painter),
        Screen::Feed => feed::draw(state, &mut painter),
        Screen::Timeline => timeline::draw(state, &mut painter),
        Screen::Findings => lists::findings(state, &mut painter),
        Screen::Health => lists::health(state, &mut painter),
        Screen::Commands => lists::commands(state, &mut painter),
        Screen::Explain => lists::explain(state, &mut painter),
    }
    footer::draw(state, &mut painter);
    help::draw(state, &mut painter);
    let cursor = painter.cursor;
    guard(buffer);
    cursor
}

/// Explains why there is nothing to see, in as many words as fit.
fn too_small(painter: &mut Painter<'_>, (width, height): (u16, u16)) {
    let (columns, rows) = SMALLEST;
    let wanted = format!("needs {columns}x{rows}");
    let lines = ["terminal too small", wanted.as_str()];
    let text = |it: &&str| wrapped(it, usize::from(width), usize::from(height));
    let lines: Vec<Line<'_>> = lines.iter().flat_map(text).map(Line::from).collect();
    painter.lines(Rect::new(0, 0, width, height), &lines);
}
