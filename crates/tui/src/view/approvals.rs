//! The inbox: every open request, and the chosen one in full.

use crate::paint::text::span;
use crate::paint::theme::Ink;
use crate::paint::{Painter, left_right};
use crate::state::State;
use crate::table;
use crate::terminal::{pad, shown};
use crate::view::peek;
use crate::when;
use ratatui::layout::Rect;
use ratatui::text::Line;
use taffrail_api::ApprovalRow;
use taffrail_model::approval::State as ApprovalState;

/// Draws the inbox.
pub(crate) fn draw(state: &State, painter: &mut Painter<'_>) {
    let (width, height) = state.size;
    let body = Rect::new(0, 1, width, height.saturating_sub(2));
    let theme = state.theme;
    if state.approvals.is_empty() {
        let lines = [
            "Nothing waits for an answer.",
            "",
            "What agents ask for appears here, and on the board under NEEDS YOU.",
        ];
        let lines = lines.map(|it| Line::from(span(it, theme.style(Ink::Dim))));
        painter.lines(Rect { x: 2, y: 3, width: width.saturating_sub(2), ..body }, &lines);
        return;
    }
    let (from, room) = window(state);
    let list = Rect { height: u16::try_from(room).unwrap_or(body.height), ..body };
    let rows = state.approvals.iter().enumerate().skip(from).take(room);
    for (y, (place, it)) in (list.y..).zip(rows) {
        let area = Rect { y, height: 1, ..list };
        let chosen = place == state.approval_at;
        if chosen {
            painter.background(area, theme.background());
        }
        painter.line(area, &row(state, it, usize::from(width), chosen));
    }
    let rest = rest(state);
    painter.lines(rest, &whole(state, rest));
}

/// The area of the chosen request.
fn rest(state: &State) -> Rect {
    let (width, height) = state.size;
    let body = Rect::new(0, 1, width, height.saturating_sub(2));
    let (_, room) = window(state);
    let top = body.y + u16::try_from(room).unwrap_or(body.height) + 1;
    let height = body.bottom().saturating_sub(top);
    Rect { x: 1, y: top, width: width.saturating_sub(2), height }
}

/// The lines of the chosen request, and how many of them fit.
pub(crate) fn below(state: &State) -> (Vec<Line<'static>>, u16) {
    let rest = rest(state);
    (whole(state, rest), rest.height)
}

/// The first request in the list, and how many are shown: at most half of the screen.
pub(crate) fn window(state: &State) -> (usize, usize) {
    let most = usize::from(state.size.1.saturating_sub(2) / 2);
    let room = state.approvals.len().min(most);
    (state.approval_at.saturating_sub(room.saturating_sub(1)), room)
}

fn row(state: &State, it: &ApprovalRow, width: usize, chosen: bool) -> Line<'static> {
    let theme = state.theme;
    let plain = theme.style(if chosen { Ink::Chosen } else { Ink::Plain });
    let name = state.sessions.get(it.session_id).map_or("?".to_owned(), table::project);
    let fresh = if state.is_fresh(&it.id) { Ink::Fresh } else { Ink::Approval };
    let (shape, ink) =
        if it.state == ApprovalState::Pending { ("●", fresh) } else { ("○", Ink::Dim) };
    let agent = it.agent.as_str();
    let left = Line::from(vec![
        span(if chosen { "▸" } else { " " }, plain),
        span(shape, theme.style(ink)),
        span(format!(" {} ", pad(&name, 14)), plain),
        span(format!("{} ", pad(table::short(agent), 9)), theme.style(Ink::Dim)),
        span(shown(&it.command), plain),
    ]);
    let mut right = Vec::new();
    if it.risk == "high" {
        right.push(span(" risky ", theme.style(Ink::Approval)));
    }
    let age = when::ago(it.asked_at, state.now);
    right.push(span(format!(" {age:>4}"), theme.style(Ink::Dim)));
    left_right(left, Line::from(right), width)
}

/// The chosen request in full, with its session and the evidence.
fn whole(state: &State, area: Rect) -> Vec<Line<'static>> {
    let width = usize::from(area.width);
    let mut out = Vec::new();
    if let Some(session) = state.session() {
        out.push(peek::who(state, session, width));
        if let Some(it) = state.sessions.summary(session.id) {
            let theme = state.theme;
            let prompt = crate::terminal::fit(&shown(&it.last_prompt), width.saturating_sub(9));
            out.push(Line::from(vec![
                span("Prompt   ", theme.style(Ink::Dim)),
                span(prompt, theme.style(Ink::Plain)),
            ]));
        }
        out.push(Line::default());
    }
    if let Some(request) = state.request() {
        out.extend(peek::asked(state, request, width, usize::from(area.height).saturating_sub(9)));
    }
    if state.details.of == state.target() {
        out.extend(peek::evidence(state, width));
    }
    out
}
