//! Marked sessions: what several ask for is answered at once, after all of it was shown. And the way
//! back from marks and filters.

use super::acting::decide;
use super::help::{COLUMNS, prompt};
use super::input::Input;
use super::moving::{Step, step};
use super::paint::{Pen, middle};
use super::state::{Over, State};
use super::text::{span, wrapped};
use super::theme::Ink;
use crate::table;
use ratatui::layout::Rect;
use ratatui::text::Line;
use std::collections::BTreeSet;
use taffrail_api::{Allowed, ApprovalRow};
use taffrail_model::SessionId;
use taffrail_model::approval::{ApprovalId, State as Standing};

/// How many steps can be undone.
const STEPS: usize = 50;
/// Lines of the box that are not commands.
const AROUND: usize = 8;

/// Something that can be undone; a decision cannot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Undo {
    /// These were marked before.
    Marks(BTreeSet<SessionId>),
    /// The board was narrowed to this before.
    Filter(Input),
}

/// The answer to several requests, before it goes out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Many {
    pub(crate) decision: Allowed,
    pub(crate) requests: Vec<ApprovalId>,
    /// What the agents are told with a refusal.
    pub(crate) input: Input,
}

/// Marks the chosen session, or takes its mark away, and goes on to the next.
pub(crate) fn toggle(state: &mut State) {
    let Some(id) = state.chosen else { return };
    remember(state, Undo::Marks(state.marked.clone()));
    if !state.marked.remove(&id) {
        state.marked.insert(id);
    }
    step(state, Step::By(1));
}

/// The board was narrowed to something else before.
pub(crate) fn narrowed(state: &mut State, before: Input) {
    if before != state.filter {
        remember(state, Undo::Filter(before));
    }
}

fn remember(state: &mut State, step: Undo) {
    state.undo.push(step);
    let over = state.undo.len().saturating_sub(STEPS);
    state.undo.drain(..over);
}

/// Goes one step back.
pub(crate) fn undo(state: &mut State) {
    match state.undo.pop() {
        Some(Undo::Marks(before)) => {
            state.marked = before;
            state.say("marks are as they were before");
        }
        Some(Undo::Filter(before)) => {
            state.filter = before;
            state.fleet.disturb();
            state.say("the filter is as it was before");
        }
        None => state.complain("nothing to undo; what was decided stays decided"),
    }
}

/// Shows what the marked sessions ask for, to be answered at once.
pub(crate) fn ask(state: &mut State, decision: Allowed) {
    let pending: Vec<ApprovalRow> = state
        .marked
        .iter()
        .filter_map(|id| state.request_of(*id))
        .filter(|it| it.state == Standing::Pending && state.is_readable(&it.id))
        .cloned()
        .collect();
    if pending.is_empty() {
        state.complain("no marked session waits for an answer from here; z takes marks back");
        return;
    }
    let many = Many {
        decision,
        requests: pending.into_iter().map(|it| it.id).collect(),
        input: Input::default(),
    };
    // Nothing is answered that was not on the screen.
    match commands(state, &many).len() + AROUND > usize::from(state.size.1) {
        true => state.complain("these are too many to be shown at once; mark fewer"),
        false => state.over = Over::Many(many),
    }
}

/// Takes a key while the box is open.
pub(crate) fn press(state: &mut State, mut many: Many, key: &str) {
    match (many.decision, key) {
        (Allowed::Allow, "y") => answer(state, &many, None),
        (Allowed::Deny, "enter") => {
            let reason = Some(many.input.text.trim().to_owned()).filter(|it| !it.is_empty());
            answer(state, &many, reason.as_deref());
        }
        (Allowed::Allow, _) | (Allowed::Deny, "esc") => state.say("nothing was decided"),
        (Allowed::Deny, other) => {
            many.input.press(other);
            state.over = Over::Many(many);
        }
    }
}

fn answer(state: &mut State, many: &Many, reason: Option<&str>) {
    for row in rows(state, many) {
        decide(state, row, many.decision, reason.map(str::to_owned));
    }
    let marked = std::mem::take(&mut state.marked);
    remember(state, Undo::Marks(marked));
}

/// Requests that were answered elsewhere meanwhile are no longer asked about.
pub(crate) fn keep_open(state: &mut State) {
    let Over::Many(many) = &state.over else { return };
    let mut many = many.clone();
    many.requests.retain(|id| state.approvals.iter().any(|it| it.id == *id));
    state.over = if many.requests.is_empty() { Over::Nothing } else { Over::Many(many) };
    if state.over == Over::Nothing {
        state.complain("they were answered elsewhere");
    }
}

fn rows(state: &State, many: &Many) -> Vec<ApprovalRow> {
    let open = state.approvals.iter().filter(|it| it.state == Standing::Pending);
    open.filter(|it| many.requests.contains(&it.id)).cloned().collect()
}

/// What is asked for, each in full, with who asks.
fn commands(state: &State, many: &Many) -> Vec<Line<'static>> {
    let theme = state.theme;
    let width = usize::from(COLUMNS.min(state.size.0)).saturating_sub(6);
    let mut out = Vec::new();
    for row in rows(state, many) {
        let name = state.fleet.get(row.session_id).map_or("?".to_owned(), table::project);
        let mut head = vec![span(name, theme.style(Ink::Plain))];
        if row.risk == "high" {
            head.push(span(" risky", theme.style(Ink::Approval)));
        }
        out.push(Line::from(head));
        for (number, text) in wrapped(&row.command, width, usize::MAX).into_iter().enumerate() {
            let mark = if number == 0 { "$ " } else { "  " };
            out.push(Line::from(vec![
                span(mark, theme.style(Ink::Dim)),
                span(text, theme.style(Ink::Bold)),
            ]));
        }
    }
    out
}

/// Draws the box.
pub(crate) fn draw(state: &State, pen: &mut Pen<'_>, screen: Rect, many: &Many) {
    let dim = state.theme.style(Ink::Dim);
    let lines = commands(state, many);
    let count = many.requests.len();
    let (title, more) = match many.decision {
        Allowed::Allow => (format!("Approve {count}"), 2),
        Allowed::Deny => (format!("Deny {count}"), 5),
    };
    let high = u16::try_from(lines.len() + more + 2).unwrap_or(screen.height);
    let inside = pen.frame(middle(screen, COLUMNS, high), &title);
    pen.lines(inside, &lines);
    let below = inside.y + u16::try_from(lines.len()).unwrap_or(0) + 1;
    let at = |y: u16| Rect { y, height: 1, ..inside };
    match many.decision {
        Allowed::Allow => {
            let keys = format!("y approves all {count}   any other key decides nothing");
            pen.line(at(below), &Line::from(span(keys, dim)));
        }
        Allowed::Deny => {
            let told = "What the agents are told; it may stay empty:";
            pen.line(at(below), &Line::from(span(told, dim)));
            prompt(pen, at(below + 1), "› ", &many.input.text);
            let keys = format!("⏎ denies all {count}   Esc decides nothing");
            pen.line(at(below + 3), &Line::from(span(keys, dim)));
        }
    }
}
