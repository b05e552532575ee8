//! A name for a session whose agent gives it none: what it was last asked, and what it does.

use super::activity::{asked, open_call};
use super::line::{fitted, plain};
use crate::evidence::Evidence;
use crate::status::{Reading, Status, WaitingFor, WaitingKind};

/// The longest name, in characters.
const NAME_CHARS: usize = 100;
/// The longest part of the prompt in it, in characters.
const INTENT_CHARS: usize = 60;

/// The name of a living session: its last prompt and its current activity; `None` for one that is
/// over, or about which nothing is known.
#[must_use]
pub fn auto_title(prompt: &str, reading: &Reading, evidence: &[Evidence]) -> Option<String> {
    let activity = match reading.status {
        Status::Running => open_call(evidence),
        Status::WaitingApproval => Some(asked("waits for approval", reading.waiting_for.as_ref())),
        Status::Waiting => question(reading.waiting_for.as_ref()),
        Status::Idle => None,
        Status::Exited | Status::Unknown => return None,
    };
    let intent = Some(fitted(&plain(prompt), INTENT_CHARS)).filter(|it| !it.is_empty());
    let parts: Vec<String> = intent.into_iter().chain(activity).collect();
    (!parts.is_empty()).then(|| fitted(&parts.join(" · "), NAME_CHARS))
}

fn question(what: Option<&WaitingFor>) -> Option<String> {
    let what = what.filter(|it| it.kind == WaitingKind::Question)?;
    Some(asked("asks", Some(what)))
}
