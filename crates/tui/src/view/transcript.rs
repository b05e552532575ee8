//! The transcript of a session: its turns from first to last, tools collapsed.

use crate::paint::text::{span, status_words};
use crate::paint::theme::{Ink, ink_of};
use crate::paint::{Painter, left_right};
use crate::state::State;
use crate::table;
use crate::terminal::shown;
use crate::view::peek;
use ratatui::layout::Rect;
use ratatui::text::Line;

pub(crate) fn height(state: &State) -> usize {
    usize::from(state.size.1).saturating_sub(4 + asked(state).len())
}

/// The request of the session, so that it is not answered unseen.
pub(crate) fn asked(state: &State) -> Vec<Line<'static>> {
    let Some(request) = state.request() else { return Vec::new() };
    let width = usize::from(state.size.0).saturating_sub(2);
    let most = usize::from(state.size.1 / 4);
    let rule = Line::from(span("─".repeat(width), state.theme.style(Ink::Dim)));
    std::iter::once(rule).chain(peek::asked(state, request, width, most)).collect()
}

/// Draws the transcript.
pub(crate) fn draw(state: &State, painter: &mut Painter<'_>) {
    let (width, height_all) = state.size;
    let head = Rect::new(1, 1, width.saturating_sub(2), 1);
    if let Some(session) = state.session() {
        painter.line(head, &peek::who(state, session, usize::from(head.width)));
        painter.line(Rect { y: 2, ..head }, &about(state, session, usize::from(head.width)));
    }
    let body = Rect { y: 3, height: height_all.saturating_sub(4), ..head };
    let asked = asked(state);
    let taken = u16::try_from(asked.len()).unwrap_or(body.height).min(body.height);
    let body = Rect { height: body.height - taken, ..body };
    painter.lines(Rect { y: body.bottom(), height: taken, ..body }, &asked);
    let reading = &state.transcript_view;
    if reading.wants {
        painter.line(
            Rect { height: 1, ..body },
            &Line::from(span("Reading …", state.theme.style(Ink::Dim))),
        );
        return;
    }
    let first = reading.first(usize::from(body.height));
    let shown = reading.lines().skip(first).take(usize::from(body.height)).cloned();
    painter.lines(body, &shown.collect::<Vec<_>>());
}

/// The status, the scroll position, and the sub-agents.
fn about(state: &State, session: &taffrail_api::Session, width: usize) -> Line<'static> {
    let theme = state.theme;
    let (lines, height) = (state.transcript_view.count(), height(state));
    let first = state.transcript_view.first(height);
    let percent = (first + height).min(lines) * 100 / lines.max(1);
    let title = session.title.as_deref().map(shown).unwrap_or_default();
    let left = Line::from(vec![
        span(format!("{} ", table::shape(session)), theme.style(ink_of(session))),
        span(status_words(session.status), theme.style(ink_of(session))),
        span(" · ", theme.style(Ink::Dim)),
        span(title, theme.style(Ink::Plain)),
    ]);
    let sub_agents = state.sessions.sub_agents(session.id).len();
    let sub_agents =
        if sub_agents > 0 { format!(" · {sub_agents} sub-agents (w)") } else { String::new() };
    let cut = if state.transcript_view.is_cut { " · its end only" } else { "" };
    let right = format!(" {percent}%{cut}{sub_agents}");
    left_right(left, Line::from(span(right, theme.style(Ink::Dim))), width)
}
