//! The feed: prompts, calls, approvals, ends and changed files of all sessions.

use crate::feed_line::{FeedLine, Kind};
use crate::paint::text::span;
use crate::paint::theme::Ink;
use crate::paint::{Painter, left_right};
use crate::state::State;
use crate::state::keys::Screen;
use crate::state::transcript_view::entries::below;
use crate::table;
use crate::terminal::pad;
use crate::when;
use ratatui::layout::Rect;
use ratatui::text::Line;
use taffrail_model::EventId;

/// The event to open a session at.
pub(crate) fn aim(state: &State) -> Option<EventId> {
    let here = state.screen == Screen::Feed;
    state.feed.at(state.list_at).filter(|_| here).map(|it| it.event_id)
}

/// Draws the feed, latest first.
pub(crate) fn draw(state: &State, painter: &mut Painter<'_>) {
    let (width, height) = state.size;
    let area = Rect::new(0, 1, width, height.saturating_sub(2));
    if state.feed.len() == 0 {
        let text = if state.feed.is_filled { "Nothing has happened yet." } else { "Reading …" };
        let line = Line::from(span(text, state.theme.style(Ink::Dim)));
        painter.line(Rect { x: 2, y: 3, height: 1, ..area }, &line);
        return;
    }
    let (from, room) = window(state);
    let shown = state.feed.all.iter().rev().enumerate().skip(from).take(room);
    for (y, (place, it)) in (area.y..).zip(shown) {
        let area = Rect { y, height: 1, ..area };
        let chosen = place == state.list_at;
        if chosen {
            painter.background(area, state.theme.background());
        }
        painter.line(area, &row(state, it, usize::from(width), chosen));
    }
}

/// The first visible line, and how many fit.
pub(crate) fn window(state: &State) -> (usize, usize) {
    let room = usize::from(state.size.1.saturating_sub(2));
    (state.list_at.saturating_sub(room.saturating_sub(1)), room)
}

fn row(state: &State, it: &FeedLine, width: usize, chosen: bool) -> Line<'static> {
    let theme = state.theme;
    let plain = theme.style(if chosen { Ink::Chosen } else { Ink::Plain });
    let session = state.sessions.get(it.session_id);
    let name = session.map_or_else(|| "…".to_owned(), table::project);
    let agent = session.map_or("", |it| table::short(&it.agent));
    let root = session.and_then(|it| it.project_path.as_deref()).unwrap_or_default();
    let left = Line::from(vec![
        span(if chosen { "▸" } else { " " }, plain),
        span(format!("{:>4} ", when::ago(it.at, state.now)), theme.style(Ink::Dim)),
        span(format!("{} ", it.kind.shape()), theme.style(ink(it.kind))),
        span(pad(it.kind.word(), 9), theme.style(ink(it.kind))),
        span(pad(&name, 14), plain),
        span(format!(" {} ", pad(agent, 8)), theme.style(Ink::Dim)),
        span(below(&it.text, root), plain),
    ]);
    left_right(left, Line::default(), width)
}

fn ink(kind: Kind) -> Ink {
    match kind {
        Kind::Asked => Ink::Approval,
        Kind::Prompt => Ink::Running,
        Kind::Changed | Kind::Finished | Kind::Decided => Ink::Done,
        Kind::Failed | Kind::Refused => Ink::Failed,
        Kind::Called | Kind::Began | Kind::Ended => Ink::Dim,
    }
}
