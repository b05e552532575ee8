//! The line in which a new agent is named, and the commands that start it.

use crate::paint::text::{span, wrapped};
use crate::paint::theme::Ink;
use crate::paint::{Painter, middle};
use crate::state::State;
use crate::state::new::NewAgent;
use crate::view::help::{COLUMNS, prompt};
use crate::view::peek::short_path;
use ratatui::layout::Rect;
use ratatui::text::Line;

/// The most rows of commands.
const ROWS: usize = 12;

/// Draws the box.
pub(crate) fn draw(state: &State, painter: &mut Painter<'_>, screen: Rect, new: &NewAgent) {
    let (dim, bold) = (state.theme.style(Ink::Dim), state.theme.style(Ink::Bold));
    let width = usize::from(COLUMNS.min(screen.width)).saturating_sub(6);
    let commands = new.commands.iter().flatten();
    let rows: Vec<_> = commands.flat_map(|it| wrapped(it, width, ROWS)).take(ROWS).collect();
    let height = u16::try_from(rows.len()).unwrap_or_default() + 6;
    let title = match &new.folder {
        Some(folder) => format!("Start an agent in {}", short_path(state, folder)),
        None => "Start an agent".to_owned(),
    };
    let inside = painter.frame(middle(screen, COLUMNS, height), &title);
    let at = |y: u16| Rect { y: inside.y + y, height: 1, ..inside };
    let about = "AGENT [--worktree NAME] [PROMPT]; it starts in a new tmux session";
    painter.line(at(0), &Line::from(span(about, dim)));
    for (number, row) in (0..).zip(&rows) {
        let mark = if number == 0 { "$ " } else { "  " };
        painter.line(at(2 + number), &Line::from(vec![span(mark, dim), span(row, bold)]));
    }
    let keys = match new.commands {
        Some(_) => "Enter start · Esc cancel",
        None => "Enter show the commands · Esc cancel",
    };
    painter.line(at(inside.height.saturating_sub(1)), &Line::from(span(keys, dim)));
    prompt(painter, at(1), "› ", &new.input.text);
}
