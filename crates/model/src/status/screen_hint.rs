//! What our terminal shows, where no other source is sure.

use super::order::trust;
use super::view::{View, reading};
use super::{Reading, Status, StatusRule, WaitingFor, WaitingKind};
use crate::evidence::Life;
use crate::{Confidence, Signal};

/// The reported status, unless only the screen shows more.
pub(super) fn on_screen(view: &View<'_>, told: Reading) -> Reading {
    let is_over = told.status == Status::Exited || view.given.life == Life::Dead;
    let is_sure = trust(&told.confidence) > 0 && told.status != Status::Unknown;
    if is_over || (view.fold.is_told && is_sure) {
        return told;
    }
    // Time alone may make the reported status sure, or end it.
    let until = told.until;
    match (shown(view), view.fold.is_told) {
        (Some(shown), _) => Reading { until: shown.until.into_iter().chain(until).min(), ..shown },
        (None, true) => told,
        (None, false) => Reading { until, ..unclear(view, told) },
    }
}

fn shown(view: &View<'_>) -> Option<Reading> {
    let screen = view.fold.screen.as_ref()?;
    let (status, kind, rule) = match screen.says {
        Signal::Busy => (Status::Running, None, StatusRule::ScreenBusy),
        Signal::Quiet => {
            let rule = StatusRule::ScreenPrompt;
            (Status::Waiting, Some(WaitingKind::Prompt), rule)
        }
        Signal::AskedApproval { .. } => {
            let rule = StatusRule::ScreenApproval;
            (Status::WaitingApproval, Some(WaitingKind::Approval), rule)
        }
        Signal::Asked { .. } => {
            (Status::Waiting, Some(WaitingKind::Question), StatusRule::ScreenDialog)
        }
        _ => return None,
    };
    let waiting_for = kind.map(|kind| WaitingFor::new(kind, screen.text.clone()));
    let until = match view.given.life {
        Life::Alive => None,
        Life::Unknown | Life::Dead => view.next(&[(screen.by.at, view.given.thresholds.over)]),
    };
    Some(Reading { waiting_for, until, ..reading(status, screen.by, Confidence::Low, rule) })
}

/// Only the screen reports, and its content is not recognized.
fn unclear(view: &View<'_>, told: Reading) -> Reading {
    let Some(screen) = &view.fold.screen else { return told };
    let rule = StatusRule::ScreenUnclear;
    reading(Status::Unknown, screen.by, Confidence::Low, rule)
}
