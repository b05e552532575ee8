//! A session as it is read: its turns from the first to the last, tools folded.

mod changes;
pub(crate) mod entries;

use super::keys::{Action, Place};
use super::message::Ask;
use super::moving::moved;
use super::paint::{Pen, left_right};
use super::peek;
use super::state::State;
use super::text::{shown, span, standing};
use super::theme::{Ink, Theme, ink_of};
use crate::table;
use entries::{Body, Entry, Tools, push, show};
use ratatui::layout::Rect;
use ratatui::text::Line;
use taffrail_model::{Event, EventId, SessionId};

/// The most events of a session that are read.
pub(crate) const EVENTS: usize = 5_000;

/// What is read.
#[derive(Debug, Default)]
pub(crate) struct Reading {
    pub(crate) id: Option<SessionId>,
    /// Its events are still to come.
    pub(crate) wants: bool,
    entries: Vec<Entry>,
    turns: usize,
    /// What the lines were made for.
    shown_for: Option<(usize, Theme, Tools)>,
    tools: Tools,
    /// The first line on the screen; the end where nothing says otherwise.
    top: Option<usize>,
    /// An event that was searched for.
    aim: Option<EventId>,
    /// More of it comes before what is shown.
    is_cut: bool,
    /// The folder it works in.
    root: String,
}

impl Reading {
    /// Takes what happens in the session while it is read.
    pub(crate) fn hear(&mut self, event: &Event) {
        if self.id != Some(event.session_id) || self.wants {
            return;
        }
        if self.entries.iter().rev().take(64).any(|it| it.event == event.id) {
            return;
        }
        let at = push(&mut self.entries, &mut self.turns, event, &self.root);
        self.refresh(at);
    }

    /// Takes the events of the session.
    pub(crate) fn fill(&mut self, events: &[Event]) {
        (self.entries, self.turns) = (Vec::new(), 0);
        for event in events {
            push(&mut self.entries, &mut self.turns, event, &self.root);
        }
        self.is_cut = events.len() >= EVENTS;
        self.wants = false;
        self.shown_for = None;
    }

    pub(crate) fn toggle(&mut self) {
        self.tools = match self.tools {
            Tools::Folded => Tools::Open,
            Tools::Open => Tools::Folded,
        };
    }

    /// Makes lines of what has none yet.
    pub(crate) fn settle(&mut self, width: usize, theme: Theme) {
        let wanted = (width, theme, self.tools);
        if self.shown_for != Some(wanted) {
            self.shown_for = Some(wanted);
            for entry in &mut self.entries {
                entry.lines = show(entry, width, theme, self.tools);
            }
        }
        if let Some(aim) = self.aim.filter(|_| !self.wants) {
            self.aim = None;
            let at = self.entries.iter().position(|it| it.event == aim);
            self.top = at.map(|at| self.line_of(at).saturating_sub(2));
        }
    }

    fn refresh(&mut self, at: Option<usize>) {
        let Some((width, theme, tools)) = self.shown_for else { return };
        if let Some(entry) = at.and_then(|at| self.entries.get_mut(at)) {
            entry.lines = show(entry, width, theme, tools);
        }
    }

    fn count(&self) -> usize {
        self.entries.iter().map(|it| it.lines.len()).sum()
    }

    /// The first line of an entry.
    fn line_of(&self, entry: usize) -> usize {
        self.entries.iter().take(entry).map(|it| it.lines.len()).sum()
    }

    /// Lines from one on.
    fn lines(&self, from: usize, count: usize) -> Vec<Line<'static>> {
        let mut skip = from;
        let mut out = Vec::with_capacity(count);
        for entry in &self.entries {
            if skip >= entry.lines.len() {
                skip -= entry.lines.len();
                continue;
            }
            out.extend(entry.lines.iter().skip(skip).cloned());
            skip = 0;
            if out.len() >= count {
                break;
            }
        }
        out.truncate(count);
        out
    }

    /// The first line on a screen so many lines high.
    fn first(&self, height: usize) -> usize {
        let last = self.count().saturating_sub(height);
        self.top.map_or(last, |top| top.min(last))
    }
}

/// Opens the session that is meant; a request too long for the peek is in it, too.
pub(crate) fn open(state: &mut State) {
    let Some(id) = state.target() else { return };
    let aim = super::search::aim(state).or_else(|| super::feed::aim(state));
    state.log(Action::Open);
    begin(state, id, aim);
}

fn begin(state: &mut State, id: SessionId, aim: Option<EventId>) {
    let tools = state.reading.tools;
    let root = state.fleet.get(id).and_then(|it| it.project_path.clone()).unwrap_or_default();
    state.reading = Reading { id: Some(id), wants: true, aim, tools, root, ..Reading::default() };
    state.ask(Ask::Events { id, limit: EVENTS });
    state.go(Place::Transcript);
}

/// Moves by lines.
pub(crate) fn scroll(state: &mut State, by: isize) {
    let height = height(state);
    let first = state.reading.first(height);
    let last = state.reading.count().saturating_sub(height);
    let now = moved(first, by, last + 1);
    // At the end it follows what comes.
    state.reading.top = (now < last).then_some(now);
}

/// Goes to the turn before or after.
pub(crate) fn turn(state: &mut State, by: isize) {
    let height = height(state);
    let first = state.reading.first(height);
    let starts = state.reading.entries.iter().enumerate();
    let starts = starts.filter(|(_, it)| matches!(it.body, Body::Prompt { .. }));
    let starts: Vec<usize> = starts.map(|(at, _)| state.reading.line_of(at)).collect();
    let found = match by {
        ..0 => starts.iter().rev().find(|it| **it < first).copied().or(Some(0)),
        _ => starts.iter().find(|it| **it > first).copied(),
    };
    let last = state.reading.count().saturating_sub(height);
    state.reading.top = found.filter(|it| *it < last);
}

/// Reads the next sub-agent of the session.
pub(crate) fn worker(state: &mut State) {
    let Some(id) = state.reading.id else { return };
    let parent = state.fleet.get(id).and_then(|it| it.parent_id);
    let family = state.fleet.workers(parent.unwrap_or(id)).to_vec();
    let at = family.iter().position(|it| *it == id).map_or(0, |at| at + 1);
    match family.get(at).or_else(|| family.first()) {
        Some(next) => begin(state, *next, None),
        None => state.say("it has no sub-agents"),
    }
}

/// Reads the session it works for.
pub(crate) fn parent(state: &mut State) {
    let parent = state.session().and_then(|it| it.parent_id);
    match parent {
        Some(parent) => begin(state, parent, None),
        None => state.say("it works for nobody"),
    }
}

/// The next place that fits the last search, in the session that is read.
pub(crate) fn next_found(state: &mut State, by: isize) {
    let words = state.search.words();
    if words.is_empty() {
        state.say("search with / first");
        return;
    }
    let height = height(state);
    let first = state.reading.first(height);
    let all = state.reading.lines(0, usize::MAX);
    let fits = |line: &Line<'_>| {
        let text: String = line.spans.iter().map(|it| it.content.as_ref()).collect();
        let text = text.to_lowercase();
        words.iter().any(|it| text.contains(it.as_str()))
    };
    let hits: Vec<usize> = (0..).zip(&all).filter(|(_, it)| fits(it)).map(|(at, _)| at).collect();
    let place = first + 2;
    let found = match by {
        ..0 => hits.iter().rev().find(|it| **it < place),
        _ => hits.iter().find(|it| **it > place),
    };
    match found {
        Some(at) => state.reading.top = Some(at.saturating_sub(2)),
        None => state.say("no more"),
    }
}

fn height(state: &State) -> usize {
    usize::from(state.size.1).saturating_sub(4)
}

/// Draws it.
pub(crate) fn draw(state: &State, pen: &mut Pen<'_>) {
    let (width, height_all) = state.size;
    let head = Rect::new(1, 1, width.saturating_sub(2), 1);
    if let Some(session) = state.session() {
        pen.line(head, &peek::who(state, session, usize::from(head.width)));
        pen.line(Rect { y: 2, ..head }, &about(state, session, usize::from(head.width)));
    }
    let body = Rect { y: 3, height: height_all.saturating_sub(4), ..head };
    let reading = &state.reading;
    if reading.wants {
        pen.line(
            Rect { height: 1, ..body },
            &Line::from(span("Reading …", state.theme.style(Ink::Dim))),
        );
        return;
    }
    let first = reading.first(usize::from(body.height));
    pen.lines(body, &reading.lines(first, usize::from(body.height)));
}

/// How it stands, how far one has read, and its sub-agents.
fn about(state: &State, session: &taffrail_api::Session, width: usize) -> Line<'static> {
    let theme = state.theme;
    let (lines, height) = (state.reading.count(), height(state));
    let first = state.reading.first(height);
    let percent = (first + height).min(lines) * 100 / lines.max(1);
    let title = session.title.as_deref().map(shown).unwrap_or_default();
    let left = Line::from(vec![
        span(format!("{} ", table::shape(session)), theme.style(ink_of(session))),
        span(standing(session.status), theme.style(ink_of(session))),
        span(" · ", theme.style(Ink::Dim)),
        span(title, theme.style(Ink::Plain)),
    ]);
    let workers = state.fleet.workers(session.id).len();
    let workers = if workers > 0 { format!(" · {workers} sub-agents (w)") } else { String::new() };
    let cut = if state.reading.is_cut { " · its end only" } else { "" };
    let right = format!(" {percent}%{cut}{workers}");
    left_right(left, Line::from(span(right, theme.style(Ink::Dim))), width)
}
