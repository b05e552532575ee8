//! One box for both: the board is filtered while the user types, and hits in history follow below.

use crate::excerpt;
use crate::paint::text::span;
use crate::paint::theme::{Ink, Theme};
use crate::paint::{Painter, left_right};
use crate::phrases::speaker;
use crate::state::State;
use crate::state::keys::Screen;
use crate::state::search::{Search, Weak};
use crate::terminal::{pad, shown};
use crate::view::{board, hit};
use crate::when;
use ratatui::layout::Rect;
use ratatui::text::Line;
use taffrail_api::SearchHit;
use taffrail_model::EventId;

/// From this width on, the turn is shown to the right.
const WIDE: u16 = 120;
/// Columns of the word that says who said it.
const SPEAKER: usize = 9;

/// The event to open a session at.
pub(crate) fn aim(state: &State) -> Option<EventId> {
    let here = state.screen == Screen::Search;
    state.search.hit().filter(|_| here).map(|it| it.event_id)
}

/// The number of hits.
pub(crate) fn count(state: &State) -> usize {
    state.search.sessions.len() + state.search.hits.len()
}

/// Draws the search.
pub(crate) fn draw(state: &State, painter: &mut Painter<'_>) {
    let (width, height) = state.size;
    let theme = state.theme;
    let input = &state.search.input.text;
    let shown_input =
        crate::terminal::fit_end(&shown_typed(input), usize::from(width).saturating_sub(12));
    let column = 9 + unicode_width::UnicodeWidthStr::width(shown_input.as_str());
    painter.line(
        Rect::new(1, 1, width.saturating_sub(2), 1),
        &Line::from(vec![
            span("search  ", theme.style(Ink::Bold)),
            span(shown_input, theme.style(Ink::Plain)),
        ]),
    );
    painter.cursor = Some((u16::try_from(column).unwrap_or(0), 1));
    let body = Rect::new(0, 2, width, height.saturating_sub(3));
    if input.trim().is_empty() {
        hints(painter, body);
        return;
    }
    let is_wide = width >= WIDE;
    let list = list_area(state);
    list_of(state, painter, list);
    let turn = match is_wide {
        true => Rect { x: list.right() + 2, width: width - list.right() - 2, ..body },
        false => Rect {
            x: 1,
            y: list.bottom(),
            width: width.saturating_sub(2),
            height: body.height - list.height,
        },
    };
    if is_wide {
        painter.rule_down(Rect { x: list.right(), width: 1, ..list }, Ink::Dim);
    }
    turn_of(state, painter, turn);
}

fn list_area(state: &State) -> Rect {
    let (width, height) = state.size;
    let body = Rect::new(0, 2, width, height.saturating_sub(3));
    match width >= WIDE {
        true => Rect { width: width / 2, ..body },
        false => Rect { height: body.height - body.height.min(body.height * 2 / 5), ..body },
    }
}

/// The hit on a row of the screen.
pub(crate) fn place_at(state: &State, (column, row): (u16, u16)) -> Option<usize> {
    let list = list_area(state);
    if !list.contains((column, row).into()) {
        return None;
    }
    let sessions = state.search.sessions.len();
    // The sessions have a heading, if there are any, and so do the hits.
    let above = usize::from(sessions > 0);
    let line_of = |place: usize| place + above + usize::from(place >= sessions);
    let from = line_of(state.search.at).saturating_sub(usize::from(list.height).saturating_sub(2));
    let line = from + usize::from(row - list.y);
    (0..count(state)).find(|place| line_of(*place) == line)
}

/// The typed text, with its spaces.
fn shown_typed(text: &str) -> String {
    crate::terminal::clean(text).replace('\n', " ")
}

fn hints(painter: &mut Painter<'_>, body: Rect) {
    let theme = painter.theme;
    let lines = [
        "",
        "Type words to search the board and all history.",
        "",
        "\"exact words\"   a phrase",
        "agent:NAME      of one agent      project:NAME   in a folder",
        "since:7d        recent            kind:tool      calls and output",
        "Ctrl-a          weaker matches, too",
        "",
        "Enter opens, arrows move, Esc goes back.",
    ];
    let lines: Vec<Line<'_>> = lines.map(|it| Line::from(span(it, theme.style(Ink::Dim)))).into();
    painter.lines(Rect { x: 9, width: body.width.saturating_sub(9), ..body }, &lines);
}

fn list_of(state: &State, painter: &mut Painter<'_>, area: Rect) {
    let theme = state.theme;
    let search = &state.search;
    let width = usize::from(area.width);
    let mut lines = Vec::new();
    let mut chosen_at = 0;
    if !search.sessions.is_empty() {
        lines.push((None, heading("ON THE BOARD", "", width, theme)));
    }
    for (number, id) in search.sessions.iter().enumerate() {
        let Some(session) = state.sessions.get(*id) else { continue };
        let chosen = number == search.at;
        lines.push((Some(chosen), board::row(state, session, width, chosen)));
    }
    lines.push((None, heading("SAID", &total(search), width, theme)));
    for (number, hit) in search.hits.iter().enumerate() {
        let chosen = number + search.sessions.len() == search.at;
        lines.push((Some(chosen), hit_line(state, hit, width, chosen)));
    }
    lines.extend(weaker(search).map(|it| (None, Line::from(span(it, theme.style(Ink::Dim))))));
    if let Some(at) = lines.iter().position(|(chosen, _)| *chosen == Some(true)) {
        chosen_at = at;
    }
    let height = usize::from(area.height);
    let from = chosen_at.saturating_sub(height.saturating_sub(2));
    for (number, (chosen, line)) in (0..area.height).zip(lines.iter().skip(from)) {
        let area = Rect { y: area.y + number, height: 1, ..area };
        if *chosen == Some(true) {
            painter.background(area, theme.background());
        }
        painter.line(area, line);
    }
}

fn heading(name: &str, total: &str, width: usize, theme: Theme) -> Line<'static> {
    let text = format!(" {name} {total}").trim_end().to_owned();
    let rule = width.saturating_sub(text.chars().count() + 1);
    Line::from(vec![
        span(format!("{text} "), theme.style(Ink::Heading)),
        span("─".repeat(rule), theme.style(Ink::Dim)),
    ])
}

/// How many matches are left out.
fn weaker(search: &Search) -> Option<String> {
    let plus = if search.total.1 { "+" } else { "" };
    let matches = if search.weaker == 1 { "match" } else { "matches" };
    let is_hidden = search.weak == Weak::Counted && search.weaker > 0;
    is_hidden.then(|| format!("   {}{plus} weaker {matches}: Ctrl-a shows them", search.weaker))
}

fn total(search: &Search) -> String {
    match (&search.why_not, search.answered.as_ref()) {
        (Some(why), _) => shown(why),
        (None, None) => "…".to_owned(),
        (None, Some(_)) if search.hits.is_empty() => "(nothing)".to_owned(),
        (None, Some(_)) if search.total.1 => format!("(more than {})", search.total.0),
        (None, Some(_)) => format!("({})", search.total.0),
    }
}

fn hit_line(state: &State, hit: &SearchHit, width: usize, chosen: bool) -> Line<'static> {
    let theme = state.theme;
    let plain = theme.style(if chosen { Ink::Chosen } else { Ink::Plain });
    let project = hit.project_path.as_deref().unwrap_or("?").trim_end_matches('/');
    let project = shown(project.rsplit('/').next().unwrap_or(project));
    let name = board::name_width(width);
    let mut spans = vec![
        span(if chosen { "▸  " } else { "   " }, plain),
        span(pad(&project, name), plain),
        span(format!(" {} ", pad(speaker(&hit.kind), SPEAKER)), theme.style(Ink::Dim)),
    ];
    let age = when::ago(hit.created_at, state.now);
    let how = if hit.by_meaning { " by meaning" } else { "" };
    let right = Line::from(span(format!("{how} {age:>4}"), theme.style(Ink::Dim)));
    let room = width.saturating_sub(3 + name + SPEAKER + 2 + right.width());
    spans.extend(excerpt::spans(hit, room, theme));
    left_right(Line::from(spans), right, width)
}

/// The turn around the chosen hit, with its date.
fn turn_of(state: &State, painter: &mut Painter<'_>, area: Rect) {
    let theme = state.theme;
    let width = usize::from(area.width);
    let Some(hit) = state.search.hit() else {
        let most = usize::from(area.height).saturating_sub(1);
        let lines = super::peek::short(state, width, most);
        painter
            .lines(Rect { y: area.y + 1, height: area.height.saturating_sub(1), ..area }, &lines);
        return;
    };
    let mut lines = Vec::new();
    if area.x <= 1 {
        let rule = "─".repeat(width.saturating_sub(1));
        lines.push(Line::from(span(rule, theme.style(Ink::Dim))));
    }
    let height = usize::from(area.height).saturating_sub(lines.len());
    lines.extend(hit::lines(state, hit, width, height));
    painter.lines(area, &lines);
}
