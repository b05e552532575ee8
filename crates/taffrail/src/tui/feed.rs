//! What happened, across all sessions: prompts, calls, approvals, ends and changed files.

use super::keys::Place;
use super::paint::{Pen, left_right};
use super::reading::entries::below;
use super::state::State;
use super::text::span;
use super::theme::Ink;
use crate::happening::{Happening, Kind, of};
use crate::terminal::pad;
use crate::{table, when};
use ratatui::layout::Rect;
use ratatui::text::Line;
use std::collections::VecDeque;
use taffrail_model::{Event, EventId};

/// The most that is kept.
const KEPT: usize = 2_000;

/// What happened, the latest last.
#[derive(Debug, Default)]
pub(crate) struct Feed {
    all: VecDeque<Happening>,
    pub(crate) is_filled: bool,
}

impl Feed {
    /// Takes one more event.
    pub(crate) fn hear(&mut self, event: &Event) {
        let Some(happening) = of(event) else { return };
        if self.all.iter().rev().take(256).any(|it| it.event_id == happening.event_id) {
            return;
        }
        self.all.push_back(happening);
        if self.all.len() > KEPT {
            self.all.pop_front();
        }
    }

    /// Takes what happened before anybody looked.
    pub(crate) fn fill(&mut self, events: &[Event]) {
        self.is_filled = true;
        let known: Vec<EventId> = self.all.iter().map(|it| it.event_id).collect();
        let old = events.iter().filter_map(of).filter(|it| !known.contains(&it.event_id));
        let mut all: Vec<Happening> = old.chain(self.all.drain(..)).collect();
        all.sort_by_key(|it| it.at);
        let over = all.len().saturating_sub(KEPT);
        self.all = all.into_iter().skip(over).collect();
    }

    pub(crate) fn len(&self) -> usize {
        self.all.len()
    }

    /// The one at a place, counted from the latest.
    pub(crate) fn at(&self, place: usize) -> Option<&Happening> {
        self.all.iter().rev().nth(place)
    }
}

/// The event to open a session at.
pub(crate) fn aim(state: &State) -> Option<EventId> {
    let here = state.place == Place::Feed;
    state.feed.at(state.list_at).filter(|_| here).map(|it| it.event_id)
}

/// Draws it, the latest first.
pub(crate) fn draw(state: &State, pen: &mut Pen<'_>) {
    let (width, height) = state.size;
    let area = Rect::new(0, 1, width, height.saturating_sub(2));
    if state.feed.len() == 0 {
        let text = if state.feed.is_filled { "Nothing has happened yet." } else { "Reading …" };
        let line = Line::from(span(text, state.theme.style(Ink::Dim)));
        pen.line(Rect { x: 2, y: 3, height: 1, ..area }, &line);
        return;
    }
    let (from, room) = window(state);
    let shown = state.feed.all.iter().rev().enumerate().skip(from).take(room);
    for (y, (place, it)) in (area.y..).zip(shown) {
        let area = Rect { y, height: 1, ..area };
        let chosen = place == state.list_at;
        if chosen {
            pen.ground(area, state.theme.ground());
        }
        pen.line(area, &row(state, it, usize::from(width), chosen));
    }
}

/// The first one on the screen, and how many there is room for.
pub(crate) fn window(state: &State) -> (usize, usize) {
    let room = usize::from(state.size.1.saturating_sub(2));
    (state.list_at.saturating_sub(room.saturating_sub(1)), room)
}

fn row(state: &State, it: &Happening, width: usize, chosen: bool) -> Line<'static> {
    let theme = state.theme;
    let plain = theme.style(if chosen { Ink::Chosen } else { Ink::Plain });
    let session = state.fleet.get(it.session_id);
    let name = session.map_or_else(|| it.session_id.to_string(), table::project);
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
        Kind::Failed => Ink::Failed,
        Kind::Called | Kind::Began | Kind::Ended => Ink::Dim,
    }
}
