//! What lies over the screen: help, the palette, and the questions before a decision goes out.

use super::keys::{Binding, KEYS, Place, Told, sign};
use super::paint::{Pen, middle};
use super::state::{Over, State};
use super::text::{shown, span, wrapped};
use super::theme::{Ink, Theme};
use super::update::palette_of;
use super::{marks, sending};
use crate::terminal::{fit, fit_end, pad};
use ratatui::layout::Rect;
use ratatui::text::Line;
use taffrail_model::approval::ApprovalId;
use unicode_width::UnicodeWidthStr;

/// Columns of a box.
pub(super) const COLUMNS: u16 = 76;

/// Columns of what is told beside a line that is typed.
const KEYS_WIDE: u16 = 32;

/// Takes a key while the help is open; anything that does not scroll closes it.
pub(crate) fn press(state: &State, from: usize, key: &str) -> Over {
    // The frame takes two lines, and the line at the bottom stays in sight.
    let room = usize::from(state.size.1.saturating_sub(3));
    let last = lines(state.theme, state.place).len().saturating_sub(room);
    let half = usize::from(state.size.1 / 2);
    let from = match key {
        "j" | "down" => from + 1,
        "k" | "up" => from.saturating_sub(1),
        "space" | "ctrl-d" | "pagedown" => from + half,
        "ctrl-u" | "pageup" => from.saturating_sub(half),
        "g" | "home" => 0,
        "G" | "end" => last,
        _ => return Over::Nothing,
    };
    Over::Help { from: from.min(last) }
}

/// Draws what lies over the screen.
pub(crate) fn draw(state: &State, pen: &mut Pen<'_>) {
    let screen = Rect::new(0, 0, state.size.0, state.size.1);
    match &state.over {
        Over::Nothing => {}
        Over::Help { from } => help(state, pen, screen, *from),
        Over::Palette { input, at } => palette(state, pen, screen, (&input.text, *at)),
        Over::Deny { request, input } => deny(state, pen, screen, (request, &input.text)),
        Over::Risky { request } => risky(state, pen, screen, request),
        Over::Filter { input, .. } => typed(state, pen, "filter ", &input.text),
        Over::Many(many) => marks::draw(state, pen, screen, many),
        Over::Send { to, input } => sending::draw(state, pen, screen, (*to, &input.text)),
    }
}

fn help(state: &State, pen: &mut Pen<'_>, screen: Rect, from: usize) {
    let lines = lines(state.theme, state.place);
    let rows = u16::try_from(lines.len() + 2).unwrap_or(u16::MAX);
    // The line at the bottom stays in sight: it says how to leave.
    let above = Rect { height: screen.height.saturating_sub(1), ..screen };
    let area = middle(above, COLUMNS, rows);
    let room = usize::from(area.height.saturating_sub(2));
    let more = if lines.len() > room { " · j and k scroll" } else { "" };
    let inside = pen.frame(area, &format!("Help · any other key closes it{more}"));
    let from = from.min(lines.len().saturating_sub(room));
    pen.lines(inside, lines.get(from..).unwrap_or_default());
}

/// The whole table of keys, two columns: those of this place first.
fn lines(theme: Theme, place: Place) -> Vec<Line<'static>> {
    let told = |it: &&Binding| it.told != Told::Nowhere;
    let here = |it: &&Binding| it.places.contains(&place);
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
        span(pad(binding.word, 12), theme.style(Ink::Running)),
        span(binding.help, theme.style(Ink::Plain)),
    ])
}

fn palette(state: &State, pen: &mut Pen<'_>, screen: Rect, (input, at): (&str, usize)) {
    let theme = state.theme;
    let hits = palette_of(state.place, input);
    let rows = u16::try_from(hits.len() + 4).unwrap_or(20).min(screen.height.saturating_sub(2));
    let area = middle(screen, COLUMNS, rows.clamp(6, 18));
    let inside = pen.frame(area, "What to do");
    prompt(pen, inside, ": ", input);
    let list = Rect { y: inside.y + 1, height: inside.height.saturating_sub(1), ..inside };
    let from = at.saturating_sub(usize::from(list.height).saturating_sub(1));
    for (number, binding) in (0..list.height).zip(hits.iter().skip(from)) {
        let chosen = usize::from(number) + from == at;
        let area = Rect { y: list.y + number, height: 1, ..list };
        let mark = if chosen { "▸ " } else { "  " };
        let keys: Vec<_> = binding.keys.iter().map(|it| sign(it)).collect();
        let ink = if chosen { Ink::Chosen } else { Ink::Plain };
        if chosen {
            pen.ground(area, theme.ground());
        }
        let line = Line::from(vec![
            span(mark, theme.style(ink)),
            span(pad(binding.word, 12), theme.style(ink)),
            span(pad(keys.first().unwrap_or(&""), 6), theme.style(Ink::Bold)),
            span(binding.help, theme.style(Ink::Dim)),
        ]);
        pen.line(area, &line);
    }
}

/// A line that is typed, with the cursor at its end.
pub(super) fn prompt(pen: &mut Pen<'_>, area: Rect, mark: &str, input: &str) {
    let text = crate::terminal::clean(input).replace('\n', " ");
    let text = fit_end(&text, usize::from(area.width).saturating_sub(mark.width() + 1));
    let column = area.x + u16::try_from(mark.width() + text.width()).unwrap_or(0);
    let line = Line::from(vec![
        span(mark, pen.theme.style(Ink::Bold)),
        span(text, pen.theme.style(Ink::Plain)),
    ]);
    pen.line(Rect { height: 1, ..area }, &line);
    pen.cursor = Some((column, area.y));
}

fn typed(state: &State, pen: &mut Pen<'_>, mark: &str, input: &str) {
    let area = Rect::new(1, state.size.1.saturating_sub(1), state.size.0.saturating_sub(1), 1);
    pen.clear(Rect { x: 0, width: state.size.0, ..area });
    if area.width < 2 * KEYS_WIDE {
        return prompt(pen, area, mark, input);
    }
    let typed = Rect { width: area.width - KEYS_WIDE, ..area };
    let keys = span("⏎ keeps it   Esc takes it away", state.theme.style(Ink::Dim));
    pen.line(Rect { x: typed.right(), width: KEYS_WIDE, ..area }, &Line::from(keys));
    prompt(pen, typed, mark, input);
}

fn command_of(state: &State, request: &ApprovalId) -> String {
    let row = state.approvals.iter().find(|it| it.id == *request);
    row.map(|it| it.command.clone()).unwrap_or_default()
}

fn deny(state: &State, pen: &mut Pen<'_>, screen: Rect, (request, input): (&ApprovalId, &str)) {
    let theme = state.theme;
    let inside = pen.frame(middle(screen, COLUMNS, 8), "Deny");
    let width = usize::from(inside.width);
    let command = fit(&shown(&command_of(state, request)), width.saturating_sub(2));
    let lines = [
        Line::from(vec![span("$ ", theme.style(Ink::Dim)), span(command, theme.style(Ink::Bold))]),
        Line::default(),
        Line::from(span("What the agent is told; it may stay empty:", theme.style(Ink::Dim))),
    ];
    pen.lines(inside, &lines);
    prompt(pen, Rect { y: inside.y + 3, height: 1, ..inside }, "› ", input);
    let keys = Line::from(span("⏎ denies   Esc decides nothing", theme.style(Ink::Dim)));
    pen.line(Rect { y: inside.y + 5, height: 1, ..inside }, &keys);
}

fn risky(state: &State, pen: &mut Pen<'_>, screen: Rect, request: &ApprovalId) {
    let theme = state.theme;
    let width = usize::from(COLUMNS.min(screen.width)).saturating_sub(6);
    let most = usize::from(screen.height).saturating_sub(8);
    let command = wrapped(&command_of(state, request), width, most);
    let rows = u16::try_from(command.len() + 6).unwrap_or(12);
    let inside = pen.frame(middle(screen, COLUMNS, rows), "This looks risky");
    let mut lines: Vec<Line<'_>> = command
        .into_iter()
        .map(|it| {
            Line::from(vec![span("$ ", theme.style(Ink::Dim)), span(it, theme.style(Ink::Bold))])
        })
        .collect();
    lines.push(Line::default());
    lines.push(Line::from(span("It may not be possible to undo it.", theme.style(Ink::Approval))));
    lines.push(Line::default());
    lines.push(Line::from(span(
        "y approves it   any other key decides nothing",
        theme.style(Ink::Dim),
    )));
    pen.lines(inside, &lines);
}
