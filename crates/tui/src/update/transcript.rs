//! Opens a session and moves in it: by lines, by turns, by hits, to its sub-agents.

use crate::state::State;
use crate::state::keys::{Action, Screen};
use crate::state::message::Ask;
use crate::state::transcript_view::ABOVE;
use crate::state::transcript_view::Aim;
use crate::state::transcript_view::EVENTS;
use crate::state::transcript_view::TranscriptView;
use crate::state::transcript_view::entries::{Body, Reader};
use crate::state::transcript_view::fits;
use crate::update::movement::moved;
use crate::view;
use crate::view::transcript::height;
use taffrail_model::SessionId;

/// Opens the target session; it also shows a request too long for the peek.
pub(crate) fn open(state: &mut State) {
    let Some(id) = state.target() else { return };
    let aim = view::search::aim(state).or_else(|| view::feed::aim(state)).map(|event| Aim {
        event,
        words: state.search.words(),
        text: String::new(),
    });
    state.log(Action::Open);
    begin(state, id, aim);
}

fn begin(state: &mut State, id: SessionId, aim: Option<Aim>) {
    let tools = state.transcript_view.tools;
    let root = state.sessions.get(id).and_then(|it| it.project_path.clone()).unwrap_or_default();
    let reader = Reader { root, zone: state.zone.clone() };
    state.transcript_view = TranscriptView {
        id: Some(id),
        wants: true,
        aim,
        tools,
        reader,
        ..TranscriptView::default()
    };
    state.ask(Ask::Events { id, limit: EVENTS });
    state.go(Screen::Transcript);
}

/// Moves by lines.
pub(crate) fn scroll(state: &mut State, by: isize) {
    let height = height(state);
    let first = state.transcript_view.first(height);
    let last = state.transcript_view.count().saturating_sub(height);
    let now = moved(first, by, last + 1);
    // At the end, the view follows new events.
    state.transcript_view.top = (now < last).then_some(now);
}

/// Goes to the previous or next turn.
pub(crate) fn turn(state: &mut State, by: isize) {
    let height = height(state);
    let first = state.transcript_view.first(height);
    let starts = state.transcript_view.entries.iter().enumerate();
    let starts = starts.filter(|(_, it)| matches!(it.body, Body::Prompt { .. }));
    let starts: Vec<usize> = starts.map(|(at, _)| state.transcript_view.line_of(at)).collect();
    let found = match by {
        ..0 => starts.iter().rev().find(|it| **it < first).copied().or(Some(0)),
        _ => starts.iter().find(|it| **it > first).copied(),
    };
    let last = state.transcript_view.count().saturating_sub(height);
    state.transcript_view.top = found.filter(|it| *it < last);
}

/// Opens the next sub-agent of the session.
pub(crate) fn worker(state: &mut State) {
    let Some(id) = state.transcript_view.id else { return };
    let parent = state.sessions.get(id).and_then(|it| it.parent_id);
    let family = state.sessions.sub_agents(parent.unwrap_or(id)).to_vec();
    let at = family.iter().position(|it| *it == id).map_or(0, |at| at + 1);
    match family.get(at).or_else(|| family.first()) {
        Some(next) => begin(state, *next, None),
        None => state.say("it has no sub-agents"),
    }
}

/// Opens the parent of the session.
pub(crate) fn parent(state: &mut State) {
    let parent = state.session().and_then(|it| it.parent_id);
    match parent {
        Some(parent) => begin(state, parent, None),
        None => state.say("it works for nobody"),
    }
}

/// Goes to the next match of the last search in the open session.
pub(crate) fn next_found(state: &mut State, by: isize) {
    let words = state.search.words();
    if words.is_empty() {
        state.say("search with / first");
        return;
    }
    let height = height(state);
    let first = state.transcript_view.first(height);
    let found = hit_from(&state.transcript_view, &words, first + ABOVE, by);
    match found {
        Some(at) => state.transcript_view.top = Some(at.saturating_sub(ABOVE)),
        None => state.say("no more"),
    }
}

/// The next line with one of these words, before or after a position.
fn hit_from(reading: &TranscriptView, words: &[String], place: usize, by: isize) -> Option<usize> {
    let lines = (0..).zip(reading.lines());
    let mut hits = lines.filter(|(_, it)| fits(it, words)).map(|(at, _)| at);
    match by {
        ..0 => hits.take_while(|it| *it < place).last(),
        _ => hits.find(|it| *it > place),
    }
}
