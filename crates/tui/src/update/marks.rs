//! Marked sessions: their requests are answered together, after all of them were shown. Also undoes
//! marks and filters.

use crate::state::input::Input;
use crate::state::marks::Many;
use crate::state::marks::Undo;
use crate::state::{Overlay, State};
use crate::update::actions::decide;
use crate::update::movement::{Step, step};
use crate::view::marks::commands;
use crate::view::marks::rows;
use taffrail_api::{Allowed, ApprovalRow};
use taffrail_model::approval::State as ApprovalState;

/// The most undo steps.
const STEPS: usize = 50;

/// Lines of the dialog that are not commands.
const AROUND: usize = 8;

/// Marks or unmarks the chosen session, and moves to the next.
pub(crate) fn toggle(state: &mut State) {
    let Some(id) = state.chosen else { return };
    remember(state, Undo::Marks(state.marked.clone()));
    if !state.marked.remove(&id) {
        state.marked.insert(id);
    }
    step(state, Step::By(1));
}

/// Records the previous filter for undo.
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

/// Undoes one step.
pub(crate) fn undo(state: &mut State) {
    match state.undo.pop() {
        Some(Undo::Marks(before)) => {
            state.marked = before;
            state.say("marks are as they were before");
        }
        Some(Undo::Filter(before)) => {
            state.filter = before;
            state.sessions.disturb();
            state.say("the filter is as it was before");
        }
        None => state.complain("nothing to undo; what was decided stays decided"),
    }
}

/// Shows the requests of the marked sessions, to answer them together.
pub(crate) fn ask(state: &mut State, decision: Allowed) {
    let pending: Vec<ApprovalRow> = state
        .marked
        .iter()
        .filter_map(|id| state.request_of(*id))
        .filter(|it| it.state == ApprovalState::Pending && state.is_readable(&it.id))
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
    // No request is answered that was not on the screen.
    match commands(state, &many).len() + AROUND > usize::from(state.size.1) {
        true => state.complain("these are too many to be shown at once; mark fewer"),
        false => state.overlay = Overlay::Many(many),
    }
}

/// Handles a key while the dialog is open.
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
            state.overlay = Overlay::Many(many);
        }
    }
}

fn answer(state: &mut State, many: &Many, reason: Option<&str>) {
    if !many.requests.iter().all(|it| state.is_on_screen(it)) {
        return state.complain("nothing was decided: the question was not shown yet");
    }
    for row in rows(state, many) {
        decide(state, row, many.decision, reason.map(str::to_owned));
    }
    let marked = std::mem::take(&mut state.marked);
    remember(state, Undo::Marks(marked));
}

/// Drops requests that were answered elsewhere in the meantime.
pub(crate) fn keep_open(state: &mut State) {
    let Overlay::Many(many) = &state.overlay else { return };
    let mut many = many.clone();
    many.requests.retain(|id| state.approvals.iter().any(|it| it.id == *id));
    state.overlay = if many.requests.is_empty() { Overlay::Nothing } else { Overlay::Many(many) };
    if state.overlay == Overlay::Nothing {
        state.complain("they were answered elsewhere");
    }
}
