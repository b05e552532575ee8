//! The plain lists: findings, health, the evidence of a status, and the log of commands.

use crate::numbers::counted;
use crate::paint::text::{span, wrapped};
use crate::paint::theme::{Ink, Theme};
use crate::paint::{Painter, left_right};
use crate::state::State;
use crate::state::keys::Screen;
use crate::table;
use crate::terminal::{fit, pad, shown};
use crate::view::peek::short_path;
use crate::when;
use ratatui::layout::Rect;
use ratatui::text::Line;
use taffrail_api::{EvidenceRow, Health};
use taffrail_model::findings::Finding;

/// Draws lines from the scroll position on.
fn scrolled(state: &State, painter: &mut Painter<'_>, lines: &[Line<'_>]) {
    let (width, height) = state.size;
    let area = Rect::new(1, 2, width.saturating_sub(2), height.saturating_sub(3));
    let last = lines.len().saturating_sub(usize::from(area.height));
    painter.lines(area, lines.get(state.from.min(last)..).unwrap_or_default());
}

/// How far the current list can be scrolled.
pub(crate) fn last(state: &State) -> usize {
    let lines = match state.screen {
        Screen::Health => state.health.as_ref().map_or(1, |it| health_lines(state, it).len()),
        Screen::Explain => explain_lines(state).len(),
        _ => state.log.len(),
    };
    lines.saturating_sub(usize::from(state.size.1.saturating_sub(3)))
}

fn dim(theme: Theme, text: impl Into<String>) -> Line<'static> {
    Line::from(span(text, theme.style(Ink::Dim)))
}

/// Findings, and what would help.
pub(crate) fn findings(state: &State, painter: &mut Painter<'_>) {
    let (width, height) = state.size;
    let theme = state.theme;
    if state.findings.is_empty() {
        return scrolled(state, painter, &[dim(theme, "No findings.")]);
    }
    let list = Rect::new(0, 1, width, height.saturating_sub(6));
    let (from, room) = window(state);
    let rows = state.findings.iter().enumerate().skip(from).take(room);
    for (y, (place, it)) in (list.y..).zip(rows) {
        let area = Rect { y, height: 1, ..list };
        let chosen = place == state.list_at;
        if chosen {
            painter.background(area, theme.background());
        }
        painter.line(area, &finding(state, it, usize::from(width), chosen));
    }
    let Some(it) = state.findings.get(state.list_at) else { return };
    let room = usize::from(width).saturating_sub(2);
    let mut lines = vec![Line::default()];
    let rows = if it.proposes.is_some() { 2 } else { 3 };
    lines.extend(wrapped(&it.says, room, rows).into_iter().map(Line::from));
    lines.extend(
        it.proposes.as_deref().map(|it| dim(theme, fit(&format!("Try: {}", shown(it)), room))),
    );
    painter.lines(Rect::new(1, list.bottom(), width.saturating_sub(2), 4), &lines);
}

/// The first visible finding, and how many fit.
pub(crate) fn window(state: &State) -> (usize, usize) {
    let room = usize::from(state.size.1.saturating_sub(6));
    (state.list_at.saturating_sub(room.saturating_sub(1)), room)
}

fn finding(state: &State, it: &Finding, width: usize, chosen: bool) -> Line<'static> {
    let theme = state.theme;
    let plain = theme.style(if chosen { Ink::Chosen } else { Ink::Plain });
    let name = state.sessions.get(it.session_id).map_or("?".to_owned(), table::project);
    let left = Line::from(vec![
        span(if chosen { "▸" } else { " " }, plain),
        span(pad(&name, 14), plain),
        span(
            format!(" {} ", pad(&it.kind.as_str().replace('_', " "), 21)),
            theme.style(Ink::Question),
        ),
        span(shown(&it.says), plain),
    ]);
    let age = when::ago(it.since, state.now);
    left_right(left, Line::from(span(format!(" {age:>4}"), theme.style(Ink::Dim))), width)
}

/// The state of the watchers, by place and by agent.
pub(crate) fn health(state: &State, painter: &mut Painter<'_>) {
    let theme = state.theme;
    let Some(it) = &state.health else {
        return scrolled(state, painter, &[dim(theme, "Asking …")]);
    };
    scrolled(state, painter, &health_lines(state, it));
}

fn health_lines(state: &State, it: &Health) -> Vec<Line<'static>> {
    let theme = state.theme;
    let age = |at| when::ago(at, state.now);
    let well = it.problems.is_empty();
    let (mark, ink) = if well { ("✓", Ink::Done) } else { ("✕", Ink::Failed) };
    let told = format!(
        " daemon {}, process {}, up for {} · {} · {}",
        shown(&it.version),
        it.pid,
        age(it.started_at),
        counted(it.sessions, "session"),
        counted(it.sources, "source")
    );
    let mut out = vec![
        Line::from(vec![span(mark, theme.style(ink)), span(told, theme.style(Ink::Plain))]),
        Line::default(),
        Line::from(span(
            "AGENT         SESSIONS   LAST EVENT   NOT UNDERSTOOD",
            theme.style(Ink::Heading),
        )),
    ];
    for agent in &it.adapters {
        let last = agent.last_event_at.map_or("-".to_owned(), age);
        let unknown = match agent.unknown_records {
            0 => "-".to_owned(),
            count => format!("{count}: {}", shown(&agent.unknown_types.join(", "))),
        };
        let ink = if agent.unknown_records == 0 { Ink::Done } else { Ink::Question };
        out.push(Line::from(vec![
            span(pad(&shown(&agent.agent), 13), theme.style(Ink::Plain)),
            span(format!("{:>9}   {last:>10}   ", agent.sessions), theme.style(Ink::Plain)),
            span(unknown, theme.style(ink)),
        ]));
    }
    out.push(Line::default());
    out.push(Line::from(span(
        "PLACE                                    SOURCES  BEHIND  DROPPED",
        theme.style(Ink::Heading),
    )));
    for place in &it.places {
        let lag = place.lag_ms.map_or("-".to_owned(), |it| format!("{it} ms"));
        let path = pad(&short_path(state, &place.root), 40);
        let text = format!("{path} {:>7} {lag:>7} {:>8}", place.sources, place.dropped);
        out.push(Line::from(span(text, theme.style(Ink::Plain))));
    }
    for problem in &it.problems {
        out.push(Line::from(span(format!("✕ {}", shown(problem)), theme.style(Ink::Failed))));
    }
    out
}

/// The status of the chosen session, and its evidence.
pub(crate) fn explain(state: &State, painter: &mut Painter<'_>) {
    scrolled(state, painter, &explain_lines(state));
}

fn explain_lines(state: &State) -> Vec<Line<'static>> {
    let theme = state.theme;
    let width = usize::from(state.size.0).saturating_sub(2);
    let known = state.details.explanation.as_ref().filter(|_| state.details.of == state.chosen);
    let Some(it) = known else { return vec![dim(theme, "Asking …")] };
    let mut lines = Vec::new();
    lines.extend(state.session().map(|it| super::peek::who(state, it, width)));
    let since = when::ago(it.since, state.now);
    let status = crate::paint::text::status_words(it.status);
    let text = format!("{status} for {since}, confidence {}", it.confidence.as_str());
    lines.push(Line::from(span(text, theme.style(Ink::Bold))));
    if let Some(waits) = it.waiting_for.as_ref().filter(|it| !it.text.is_empty()) {
        lines.push(Line::from(fit(&format!("waits for: {}", shown(&waits.text)), width)));
    }
    lines.push(Line::from(fit(&format!("because {}", it.rule), width)));
    if let Some(pid) = it.pid {
        let at = it.executor.as_deref().map_or("no known terminal".to_owned(), shown);
        lines.push(dim(theme, format!("process {pid}, {at}")));
    }
    for finding in &it.findings {
        let text = format!("{}: {}", finding.kind.as_str(), shown(&finding.says));
        lines.push(Line::from(span(fit(&text, width), theme.style(Ink::Question))));
    }
    lines.push(Line::default());
    lines.push(Line::from(span(
        "   AGE SOURCE     WHAT               SURE   SAYS",
        theme.style(Ink::Heading),
    )));
    lines.extend(it.evidence.iter().map(|it| evidence(state, it, width)));
    lines
}

fn evidence(state: &State, row: &EvidenceRow, width: usize) -> Line<'static> {
    let (mark, ink) = if row.decided { ("▸", Ink::Bold) } else { (" ", Ink::Dim) };
    let text = format!(
        "{mark} {:>4} {} {} {} {} {}",
        when::ago(row.at, state.now),
        pad(row.source.as_str(), 10),
        pad(&shown(&row.kind), 18),
        pad(row.confidence.as_str(), 6),
        pad(&shown(&row.says), 14),
        shown(&row.detail)
    );
    Line::from(span(fit(&text, width), state.theme.style(ink)))
}

/// The commands equivalent to the user's actions.
pub(crate) fn commands(state: &State, painter: &mut Painter<'_>) {
    let theme = state.theme;
    if state.log.is_empty() {
        return scrolled(
            state,
            painter,
            &[dim(
                theme,
                "What you do here is written down here, as the command that does the same.",
            )],
        );
    }
    let line = |it: &String| {
        Line::from(vec![
            span("$ ", theme.style(Ink::Dim)),
            span(shown(it), theme.style(Ink::Plain)),
        ])
    };
    let lines: Vec<Line<'_>> = state.log.iter().rev().map(line).collect();
    scrolled(state, painter, &lines);
}
