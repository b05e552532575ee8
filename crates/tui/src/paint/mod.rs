//! The painter: puts lines on the screen.

pub(crate) mod markdown;
pub(crate) mod text;
pub(crate) mod theme;

use crate::paint::text::span;
use crate::paint::theme::{Ink, Theme};
use crate::terminal::{fit, fit_words};
use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Rect};
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Borders, Clear, Padding, Widget};
use unicode_width::UnicodeWidthStr;

/// Draws on a buffer.
pub(crate) struct Painter<'a> {
    pub(crate) buffer: &'a mut Buffer,
    pub(crate) theme: Theme,
    /// The position of the cursor, if it is shown.
    pub(crate) cursor: Option<(u16, u16)>,
}

impl Painter<'_> {
    /// Draws a line into an area one line high.
    pub(crate) fn line(&mut self, area: Rect, line: &Line<'_>) {
        let area = area.intersection(self.buffer.area);
        if area.height > 0 && area.width > 0 {
            self.buffer.set_line(area.x, area.y, line, area.width);
        }
    }

    /// Draws lines below each other, as far as there is room.
    pub(crate) fn lines(&mut self, area: Rect, lines: &[Line<'_>]) {
        for (number, line) in (0..area.height).zip(lines) {
            self.line(Rect { y: area.y + number, height: 1, ..area }, line);
        }
    }

    /// Gives an area another background.
    pub(crate) fn background(&mut self, area: Rect, style: Style) {
        let area = area.intersection(self.buffer.area);
        self.buffer.set_style(area, style);
    }

    /// Draws a vertical line on the left of an area.
    pub(crate) fn rule_down(&mut self, area: Rect, ink: Ink) {
        let rule = Block::new().borders(Borders::LEFT).border_style(self.theme.style(ink));
        rule.render(area.intersection(self.buffer.area), self.buffer);
    }

    /// Clears an area.
    pub(crate) fn clear(&mut self, area: Rect) {
        Clear.render(area.intersection(self.buffer.area), self.buffer);
    }

    /// Draws a titled box over the screen; returns the area inside.
    pub(crate) fn frame(&mut self, area: Rect, title: &str) -> Rect {
        let area = area.intersection(self.buffer.area);
        let (dim, bold) = (self.theme.style(Ink::Dim), self.theme.style(Ink::Bold));
        let title = fit(title, usize::from(area.width).saturating_sub(6));
        let title = Line::from(vec![span("─ ", dim), span(title, bold), span(" ", dim)]);
        let block = Block::bordered().border_style(dim).title(title);
        let block = block.padding(Padding::horizontal(1));
        let inside = block.inner(area);
        self.clear(area);
        block.render(area, self.buffer);
        inside
    }
}

/// One line with text at its right end, which is never cut. ratatui's `Table` cuts a cell without a
/// mark.
pub(crate) fn left_right(left: Line<'static>, right: Line<'static>, room: usize) -> Line<'static> {
    let right_width = right.width();
    let mut line = cut(left, room.saturating_sub(right_width));
    let gap = room.saturating_sub(line.width() + right_width);
    line.spans.push(Span::raw(" ".repeat(gap)));
    line.spans.extend(right.spans);
    line
}

/// A line of at most this many columns.
pub(crate) fn cut(line: Line<'static>, room: usize) -> Line<'static> {
    let mut left = room;
    let mut out = Vec::with_capacity(line.spans.len());
    for it in line.spans {
        let wide = it.content.width();
        if wide <= left {
            left -= wide;
            out.push(it);
            continue;
        }
        let kept = fit_words(&it.content, left);
        out.push(Span::styled(kept, it.style));
        break;
    }
    Line::from(out)
}

/// A box of at most this size in the middle of the screen.
pub(crate) fn middle(screen: Rect, columns: u16, rows: u16) -> Rect {
    screen.centered(Constraint::Max(columns), Constraint::Max(rows))
}
