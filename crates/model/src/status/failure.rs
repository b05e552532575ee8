//! Whether a session broke down, and how. The one answer for boards and findings.

use super::mark::{LAG_MS, ms};
use super::turn::{How, Turn};
use super::view::View;
use super::{Failure, Status};

/// How it broke down, if it did. Whoever works, or waits for a person to decide, did not.
pub(super) fn failure(view: &View<'_>, status: Status) -> Option<Failure> {
    match status {
        Status::Running | Status::WaitingApproval | Status::Idle => None,
        Status::Waiting | Status::Exited | Status::Unknown => lost(view).or_else(|| gave_up(view)),
    }
}

/// It lost its process before it was done. An agent whose hooks speak says so when a person ends it.
pub(super) fn lost(view: &View<'_>) -> Option<Failure> {
    let how = match view.fold.end {
        Some(end) if end.died => Failure::Crashed,
        Some(_) => return None,
        None if view.is_gone() => Failure::Lost,
        None => return None,
    };
    (is_mid_turn(view) || hooks_speak(view)).then_some(how)
}

/// Its last turn ended with an error, and nobody asked for another since.
fn gave_up(view: &View<'_>) -> Option<Failure> {
    let Turn::Over(over) = view.fold.turn else { return None };
    (over.how == How::Failed).then_some(Failure::GaveUp)
}

fn is_mid_turn(view: &View<'_>) -> bool {
    let fold = &view.fold;
    let goes_on = fold.background.is_some() || fold.compacting.is_some();
    goes_on || matches!(fold.turn, Turn::Open { .. })
}

/// Hooks spoke since the latest turn began.
fn hooks_speak(view: &View<'_>) -> bool {
    match (view.fold.hooked, view.fold.turn_began()) {
        (Some(hooked), Some(began)) => ms(hooked.at, began) <= LAG_MS,
        (hooked, _) => hooked.is_some(),
    }
}
