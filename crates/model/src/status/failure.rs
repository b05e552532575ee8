//! Whether and how a session failed. Boards and findings share this answer.

use super::mark::{LAG_MS, ms};
use super::turn::{How, Turn};
use super::view::View;
use super::{Failure, Status};

/// How the session failed, if it did. A session that runs or waits for a decision did not fail.
pub(super) fn failure(view: &View<'_>, status: Status) -> Option<Failure> {
    match status {
        Status::Running | Status::WaitingApproval | Status::Idle => None,
        Status::Waiting | Status::Exited | Status::Unknown => lost(view).or_else(|| gave_up(view)),
    }
}

/// The session lost its process before it was done. An agent with active hooks reports it when a
/// person ends the session.
pub(super) fn lost(view: &View<'_>) -> Option<Failure> {
    let how = match view.fold.end {
        Some(end) if end.died => Failure::Crashed,
        Some(_) => return None,
        None if view.is_gone() => Failure::Lost,
        None => return None,
    };
    (is_mid_turn(view) || hooks_speak(view)).then_some(how)
}

/// The last turn ended with an error, and no prompt followed.
fn gave_up(view: &View<'_>) -> Option<Failure> {
    let Turn::Over(over) = view.fold.turn else { return None };
    (over.how == How::Failed).then_some(Failure::GaveUp)
}

fn is_mid_turn(view: &View<'_>) -> bool {
    let fold = &view.fold;
    let goes_on = fold.background.is_some() || fold.compacting.is_some();
    goes_on || matches!(fold.turn, Turn::Open { .. })
}

/// Whether hooks reported since the latest turn began.
fn hooks_speak(view: &View<'_>) -> bool {
    match (view.fold.hooked, view.fold.turn_began()) {
        (Some(hooked), Some(began)) => ms(hooked.at, began) <= LAG_MS,
        (hooked, _) => hooked.is_some(),
    }
}
