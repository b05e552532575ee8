//! Overlays: help, the palette, and the confirmations before a decision goes out.

use crate::paint::text::span;
use crate::paint::theme::{Ink, Theme};
use crate::paint::{Painter, middle};
use crate::state::keys::palette_hits;
use crate::state::keys::{Binding, KEYS, Screen, Visibility, sign};
use crate::state::{Overlay, State};
use crate::terminal::{fit, fit_end, pad, shown};
use crate::view::brief;
use crate::view::choice;
use crate::view::marks;
use crate::view::new;
use crate::view::outbox;
use crate::view::peek;
use ratatui::layout::Rect;
use ratatui::text::Line;
use taffrail_model::approval::ApprovalId;
use unicode_width::UnicodeWidthStr;

/// Columns of a box.
pub(crate) const COLUMNS: u16 = 76;

/// The width of the hint beside an input line.
const KEYS_WIDE: u16 = 32;

/// Handles a key while the help is open; any key that does not scroll closes it.
pub(crate) fn press(state: &State, from: usize, key: &str) -> Overlay {
    // The frame takes two lines, and the footer stays visible.
    let room = usize::from(state.size.1.saturating_sub(3));
    let last = lines(state.theme, state.screen).len().saturating_sub(room);
    let half = usize::from(state.size.1 / 2);
    let from = match key {
        "j" | "down" => from + 1,
        "k" | "up" => from.saturating_sub(1),
        "space" | "ctrl-d" | "pagedown" => from + half,
        "ctrl-u" | "pageup" => from.saturating_sub(half),
        "g" | "home" => 0,
        "G" | "end" => last,
        _ => return Overlay::Nothing,
    };
    Overlay::Help { from: from.min(last) }
}

/// Draws the overlay.
pub(crate) fn draw(state: &State, painter: &mut Painter<'_>) {
    let screen = Rect::new(0, 0, state.size.0, state.size.1);
    match &state.overlay {
        Overlay::Nothing => {}
        Overlay::Help { from } => help(state, painter, screen, *from),
        Overlay::Text { title, lines, from } => {
            brief::draw(state, painter, screen, (title, lines, *from));
        }
        Overlay::Palette { input, at } => palette(state, painter, screen, (&input.text, *at)),
        Overlay::Deny { request, input } => deny(state, painter, screen, (request, &input.text)),
        Overlay::Risky { request } => risky(state, painter, screen, request),
        Overlay::Filter { input, .. } => typed(state, painter, "filter ", &input.text),
        Overlay::Many(many) => marks::draw(state, painter, screen, many),
        Overlay::New(it) => new::draw(state, painter, screen, it),
        Overlay::Send { to, input } => outbox::draw(state, painter, screen, (*to, &input.text)),
        Overlay::Choose(it) => choice::draw(state, painter, screen, it),
    }
}

fn help(state: &State, painter: &mut Painter<'_>, screen: Rect, from: usize) {
    let lines = lines(state.theme, state.screen);
    let rows = u16::try_from(lines.len() + 2).unwrap_or(u16::MAX);
    // The footer stays visible: it shows how to leave.
    let above = Rect { height: screen.height.saturating_sub(1), ..screen };
    let area = middle(above, COLUMNS, rows);
    let room = usize::from(area.height.saturating_sub(2));
    let more = if lines.len() > room { " · j and k scroll" } else { "" };
    let inside = painter.frame(area, &format!("Help · any other key closes it{more}"));
    let from = from.min(lines.len().saturating_sub(room));
    painter.lines(inside, lines.get(from..).unwrap_or_default());
}

/// The table of keys in two columns: those of this screen first.
fn lines(theme: Theme, screen: Screen) -> Vec<Line<'static>> {
    let told = |it: &&Binding| it.visibility != Visibility::Nowhere;
    let here = |it: &&Binding| it.screens.contains(&screen);
    let mut out = vec![
        Line::from(span(
            "● needs you  ◆ asks you  ◐ works  ◇ your turn  ○ idle  ✓ done",
            theme.style(Ink::Dim),
        )),
        Line::from(span(
            "✕ failed or lost  ? not known  ~ not sure (e says why)  + marked",
            theme.style(Ink::Dim),
        )),
    ];
    out.extend(KEYS.iter().filter(told).filter(here).map(|it| key_line(it, theme)));
    let elsewhere: Vec<_> = KEYS.iter().filter(told).filter(|it| !here(it)).collect();
    if !elsewhere.is_empty() {
        out.push(Line::from(span("Elsewhere", theme.style(Ink::Heading))));
        out.extend(elsewhere.into_iter().map(|it| key_line(it, theme)));
    }
    out
}

fn key_line(binding: &Binding, theme: Theme) -> Line<'static> {
    let keys: Vec<_> = binding.keys.iter().map(|it| sign(it)).collect();
    Line::from(vec![
        span(pad(&keys.join(" "), 12), theme.style(Ink::Bold)),
        span(pad(binding.word, 14), theme.style(Ink::Running)),
        span(binding.help, theme.style(Ink::Plain)),
    ])
}

fn palette(state: &State, painter: &mut Painter<'_>, screen: Rect, (input, at): (&str, usize)) {
    let theme = state.theme;
    let hits = palette_hits(state.screen, input);
    let rows = u16::try_from(hits.len() + 4).unwrap_or(20).min(screen.height.saturating_sub(2));
    let area = middle(screen, COLUMNS, rows.clamp(6, 18));
    let inside = painter.frame(area, "What to do");
    prompt(painter, inside, ": ", input);
    let list = Rect { y: inside.y + 1, height: inside.height.saturating_sub(1), ..inside };
    let from = at.saturating_sub(usize::from(list.height).saturating_sub(1));
    for (number, binding) in (0..list.height).zip(hits.iter().skip(from)) {
        let chosen = usize::from(number) + from == at;
        let area = Rect { y: list.y + number, height: 1, ..list };
        let mark = if chosen { "▸ " } else { "  " };
        let keys: Vec<_> = binding.keys.iter().map(|it| sign(it)).collect();
        let ink = if chosen { Ink::Chosen } else { Ink::Plain };
        if chosen {
            painter.background(area, theme.background());
        }
        let line = Line::from(vec![
            span(mark, theme.style(ink)),
            span(pad(binding.word, 14), theme.style(ink)),
            span(pad(keys.first().unwrap_or(&""), 6), theme.style(Ink::Bold)),
            span(binding.help, theme.style(Ink::Dim)),
        ]);
        painter.line(area, &line);
    }
}

/// An input line, with the cursor at its end.
pub(crate) fn prompt(painter: &mut Painter<'_>, area: Rect, mark: &str, input: &str) {
    let text = crate::terminal::clean(input).replace('\n', " ");
    let text = fit_end(&text, usize::from(area.width).saturating_sub(mark.width() + 1));
    let column = area.x + u16::try_from(mark.width() + text.width()).unwrap_or(0);
    let line = Line::from(vec![
        span(mark, painter.theme.style(Ink::Bold)),
        span(text, painter.theme.style(Ink::Plain)),
    ]);
    painter.line(Rect { height: 1, ..area }, &line);
    painter.cursor = Some((column, area.y));
}

fn typed(state: &State, painter: &mut Painter<'_>, mark: &str, input: &str) {
    let area = Rect::new(1, state.size.1.saturating_sub(1), state.size.0.saturating_sub(1), 1);
    painter.clear(Rect { x: 0, width: state.size.0, ..area });
    if area.width < 2 * KEYS_WIDE {
        return prompt(painter, area, mark, input);
    }
    let typed = Rect { width: area.width - KEYS_WIDE, ..area };
    let keys = span("Enter keep · Esc clear", state.theme.style(Ink::Dim));
    painter.line(Rect { x: typed.right(), width: KEYS_WIDE, ..area }, &Line::from(keys));
    prompt(painter, typed, mark, input);
}

fn command_of(state: &State, request: &ApprovalId) -> String {
    let row = state.approvals.iter().find(|it| it.id == *request);
    row.map(|it| it.command.clone()).unwrap_or_default()
}

fn deny(
    state: &State,
    painter: &mut Painter<'_>,
    screen: Rect,
    (request, input): (&ApprovalId, &str),
) {
    let theme = state.theme;
    let inside = painter.frame(middle(screen, COLUMNS, 8), "Deny");
    let width = usize::from(inside.width);
    let command = fit(&shown(&command_of(state, request)), width.saturating_sub(2));
    let lines = [
        Line::from(vec![span("$ ", theme.style(Ink::Dim)), span(command, theme.style(Ink::Bold))]),
        Line::default(),
        Line::from(span("What the agent receives; may be empty:", theme.style(Ink::Dim))),
    ];
    painter.lines(inside, &lines);
    prompt(painter, Rect { y: inside.y + 3, height: 1, ..inside }, "› ", input);
    let keys = Line::from(span("Enter deny · Esc cancel", theme.style(Ink::Dim)));
    painter.line(Rect { y: inside.y + 5, height: 1, ..inside }, &keys);
}

fn risky(state: &State, painter: &mut Painter<'_>, screen: Rect, request: &ApprovalId) {
    let theme = state.theme;
    let width = usize::from(COLUMNS.min(screen.width)).saturating_sub(4);
    let most = usize::from(screen.height).saturating_sub(9).max(1);
    let mut lines = peek::command(&command_of(state, request), theme, width, most);
    let rows = u16::try_from(lines.len() + 6).unwrap_or(12);
    let inside = painter.frame(middle(screen, COLUMNS, rows), "This looks risky");
    lines.push(Line::default());
    lines.push(Line::from(span("It may not be possible to undo it.", theme.style(Ink::Approval))));
    lines.push(Line::default());
    lines.push(Line::from(span("y approve · any other key cancels", theme.style(Ink::Dim))));
    painter.lines(inside, &lines);
}
