//! Putting lines on the screen.

use super::text::{span, width};
use super::theme::{Ink, Theme};
use crate::terminal::fit;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use unicode_width::UnicodeWidthStr;

/// What draws.
pub(crate) struct Pen<'a> {
    pub(crate) buffer: &'a mut Buffer,
    pub(crate) theme: Theme,
    /// Where the cursor stands, if anywhere.
    pub(crate) cursor: Option<(u16, u16)>,
}

impl Pen<'_> {
    /// Puts a line into an area one line high.
    pub(crate) fn line(&mut self, area: Rect, line: &Line<'_>) {
        let area = area.intersection(self.buffer.area);
        if area.height > 0 && area.width > 0 {
            self.buffer.set_line(area.x, area.y, line, area.width);
        }
    }

    /// Puts lines below each other, as far as there is room.
    pub(crate) fn lines(&mut self, area: Rect, lines: &[Line<'_>]) {
        for (number, line) in (0..area.height).zip(lines) {
            self.line(Rect { y: area.y + number, height: 1, ..area }, line);
        }
    }

    /// Gives an area another ground.
    pub(crate) fn ground(&mut self, area: Rect, style: Style) {
        let area = area.intersection(self.buffer.area);
        self.buffer.set_style(area, style);
    }

    /// A line down the left of an area.
    pub(crate) fn rule_down(&mut self, area: Rect, ink: Ink) {
        let rule = Line::from(span("│", self.theme.style(ink)));
        for y in area.top()..area.bottom() {
            self.line(Rect { y, height: 1, ..area }, &rule);
        }
    }

    /// Takes everything off an area.
    pub(crate) fn clear(&mut self, area: Rect) {
        let area = area.intersection(self.buffer.area);
        for y in area.top()..area.bottom() {
            for x in area.left()..area.right() {
                if let Some(cell) = self.buffer.cell_mut((x, y)) {
                    cell.reset();
                }
            }
        }
    }

    /// A box over the screen with a title; gives the area inside.
    pub(crate) fn frame(&mut self, area: Rect, title: &str) -> Rect {
        self.clear(area);
        let dim = self.theme.style(Ink::Dim);
        let room = usize::from(area.width).saturating_sub(2);
        let title = fit(title, room.saturating_sub(4));
        let rest = room.saturating_sub(title.width() + 3);
        let top = Line::from(vec![
            span("┌─ ", dim),
            span(title, self.theme.style(Ink::Bold)),
            span(format!(" {}┐", "─".repeat(rest)), dim),
        ]);
        self.line(Rect { height: 1, ..area }, &top);
        for y in area.top() + 1..area.bottom().saturating_sub(1) {
            let side = Line::from(span("│", dim));
            self.line(Rect { y, height: 1, ..area }, &side);
            self.line(Rect { x: area.right().saturating_sub(1), y, width: 1, height: 1 }, &side);
        }
        let bottom = Line::from(span(format!("└{}┘", "─".repeat(room)), dim));
        self.line(Rect { y: area.bottom().saturating_sub(1), height: 1, ..area }, &bottom);
        Rect {
            x: area.x + 2,
            y: area.y + 1,
            width: area.width.saturating_sub(4),
            height: area.height.saturating_sub(2),
        }
    }
}

/// One line with something at its right end, which is never cut.
pub(crate) fn left_right(left: Line<'static>, right: Line<'static>, room: usize) -> Line<'static> {
    let right_width = width(&right);
    let mut line = cut(left, room.saturating_sub(right_width));
    let gap = room.saturating_sub(width(&line) + right_width);
    line.spans.push(Span::raw(" ".repeat(gap)));
    line.spans.extend(right.spans);
    line
}

/// A line of at most so many columns.
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
        let kept = fit(&it.content, left);
        out.push(Span::styled(kept, it.style));
        break;
    }
    Line::from(out)
}

/// A box of at most this size in the middle of the screen.
pub(crate) fn middle(screen: Rect, columns: u16, rows: u16) -> Rect {
    let (width, height) = (columns.min(screen.width), rows.min(screen.height));
    Rect {
        x: screen.x + (screen.width - width) / 2,
        y: screen.y + (screen.height - height) / 2,
        width,
        height,
    }
}
