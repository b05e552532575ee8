//! The turn around a search hit, with the matches marked.

use crate::paint::text::{span, wrapped};
use crate::paint::theme::{Ink, Theme};
use crate::paint::{cut, markdown};
use crate::state::State;
use crate::state::search::Search;
use crate::state::transcript_view::{around, has};
use crate::terminal::{fit_words, shown};
use crate::when;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use taffrail_api::{SearchHit, WindowEvent};
use taffrail_model::Kind;

/// The most rows of an event beside the hit, and of the hit.
const BESIDE: usize = 6;
const HIT: usize = 60;

/// The hit in its turn, in so many columns and rows.
pub(crate) fn lines(
    state: &State,
    hit: &SearchHit,
    width: usize,
    height: usize,
) -> Vec<Line<'static>> {
    let theme = state.theme;
    let mut out = head(state, hit, width);
    let words = words(hit);
    let (turn, first) = match turn_of(&state.search, hit) {
        Some(events) => turn_lines(&events, hit, (&words, width), theme),
        None => (own_lines(&hit.snippet, hit, (&words, width), theme), 0),
    };
    let room = height.saturating_sub(out.len() + usize::from(hit.stale));
    let last = turn.len().saturating_sub(room);
    out.extend(turn.into_iter().skip(first.saturating_sub(room / 3).min(last)).take(room));
    if hit.stale {
        let text = "its source is gone; this is what is remembered of its beginning";
        out.push(Line::from(span(text, theme.style(Ink::Dim))));
    }
    out
}

/// When and where it was said.
fn head(state: &State, hit: &SearchHit, width: usize) -> Vec<Line<'static>> {
    let title = hit.title.as_deref().map(shown).unwrap_or_default();
    let date = when::dated(hit.created_at, &state.zone);
    let text = format!("{date} · {} · {title}", shown(&hit.agent));
    let mut out = vec![Line::from(span(fit_words(&text, width), state.theme.style(Ink::Bold)))];
    let context = state.search.context.as_ref().filter(|it| it.of == hit.event_id);
    if let Some(window) = context.and_then(|it| it.window.as_ref()) {
        let hit = window.events.iter().find(|it| it.id == hit.event_id);
        if let Some(turn) = hit.and_then(|it| it.turn) {
            let text = format!("turn {turn} of {}", window.turns);
            out.push(Line::from(span(text, state.theme.style(Ink::Dim))));
        }
    }
    out
}

/// The events of the hit's turn, once they are known.
fn turn_of<'a>(search: &'a Search, hit: &SearchHit) -> Option<Vec<&'a WindowEvent>> {
    let context = search.context.as_ref().filter(|it| it.of == hit.event_id)?;
    let events = &context.window.as_ref()?.events;
    let turn = events.iter().find(|it| it.id == hit.event_id)?.turn;
    Some(events.iter().filter(|it| it.turn == turn).collect())
}

/// What the search matched, in lowercase.
fn words(hit: &SearchHit) -> Vec<String> {
    let letters: Vec<char> = hit.snippet.chars().collect();
    let word = |[from, to]: &[usize; 2]| -> String {
        letters.get(*from..*to).unwrap_or_default().iter().collect()
    };
    let mut out: Vec<_> = hit.matches.iter().map(|it| word(it).to_lowercase()).collect();
    out.retain(|it| !it.is_empty());
    out.sort();
    out.dedup();
    out
}

/// The lines of a turn, and the first of them that matches.
fn turn_lines(
    events: &[&WindowEvent],
    hit: &SearchHit,
    (words, width): (&[String], usize),
    theme: Theme,
) -> (Vec<Line<'static>>, usize) {
    let (mut out, mut first) = (Vec::new(), 0);
    for event in events {
        if event.id != hit.event_id {
            out.extend(beside(event, width, theme));
            continue;
        }
        let text = if has(&event.text, words) { &event.text } else { &hit.snippet };
        let own = own_lines(text, hit, (words, width), theme);
        first = out.len() + own.iter().position(|it| is_marked(it, theme)).unwrap_or_default();
        out.extend(own);
    }
    (out, first)
}

/// An event beside the hit, in a few rows.
fn beside(event: &WindowEvent, width: usize, theme: Theme) -> Vec<Line<'static>> {
    let room = width.saturating_sub(4);
    match event.kind {
        Kind::UserPrompt => {
            let rows = wrapped(&event.text, room, BESIDE);
            rows.into_iter()
                .map(|it| row("  › ", span(it, theme.style(Ink::Bold)), theme))
                .collect()
        }
        Kind::AssistantMessage => {
            let rows = markdown::lines(&event.text, room, BESIDE, theme);
            rows.into_iter().map(|it| prefixed("    ", it, theme.style(Ink::Dim))).collect()
        }
        Kind::ToolCall => {
            let tool = event.tool.as_deref().map(shown).unwrap_or_default();
            let text = span(shown(&event.text), theme.style(Ink::Dim));
            vec![cut(row(&format!("  ▸ {tool} "), text, theme), width)]
        }
        _ => Vec::new(),
    }
}

/// The hit itself, with a bar at its left and the matches marked.
fn own_lines(
    text: &str,
    hit: &SearchHit,
    (words, width): (&[String], usize),
    theme: Theme,
) -> Vec<Line<'static>> {
    let room = width.saturating_sub(4);
    let rows = match hit.kind {
        Kind::AssistantMessage => markdown::lines(text, room, HIT, theme),
        Kind::ToolResult => plain(&around(text, words).join("\n"), room, theme),
        _ => plain(text, room, theme),
    };
    let bar = theme.style(Ink::Question);
    rows.into_iter().map(|it| prefixed("  ▌ ", marked(&it, words, theme), bar)).collect()
}

fn plain(text: &str, width: usize, theme: Theme) -> Vec<Line<'static>> {
    let rows = wrapped(text, width, HIT).into_iter();
    rows.map(|it| Line::from(span(it, theme.style(Ink::Plain)))).collect()
}

fn row(mark: &str, text: Span<'static>, theme: Theme) -> Line<'static> {
    prefixed(mark, Line::from(text), theme.style(Ink::Dim))
}

fn prefixed(mark: &str, mut line: Line<'static>, style: Style) -> Line<'static> {
    line.spans.insert(0, span(mark, style));
    line
}

/// A line with every word marked that contains a match.
fn marked(line: &Line<'static>, words: &[String], theme: Theme) -> Line<'static> {
    let mut out = Vec::new();
    for it in &line.spans {
        for piece in it.content.split_inclusive(' ') {
            let word = piece.trim_end_matches(' ');
            let style = if has(word, words) { theme.style(Ink::Found) } else { it.style };
            let gap = piece.get(word.len()..).unwrap_or_default();
            out.push(span(word, style));
            out.push(span(gap, it.style));
        }
    }
    out.retain(|it| !it.content.is_empty());
    Line::from(out)
}

fn is_marked(line: &Line<'_>, theme: Theme) -> bool {
    line.spans.iter().any(|it| it.style == theme.style(Ink::Found))
}
