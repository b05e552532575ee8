//! Measures of a session's work: turns to completion, fixed tests, and waiting times for people.

use super::commands::Purpose;
use super::event_view::EventView;
use super::note::{How, Note, Says};
use crate::{Signal, Timestamp};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// The measures of one session. Unknown values are absent.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SessionQuality {
    /// Turns to completion; only if the last turn completed.
    pub turns: Option<u64>,
    /// Checks that failed and then passed; only if checks were run.
    pub fixed: Option<u64>,
    /// The waiting time of each approval, in milliseconds.
    pub approvals: Vec<u64>,
    /// The waiting time for each prompt after the first, in milliseconds.
    pub idle: Vec<u64>,
}

/// The measures of several sessions together.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Quality {
    /// The number of sessions.
    pub sessions: u64,
    /// The median of turns to completion.
    pub turns_to_completion: Option<u64>,
    /// The total of checks that failed and then passed.
    pub test_fix_loops: Option<u64>,
    /// The median waiting time of approvals, in milliseconds.
    pub approval_latency_ms: Option<u64>,
    /// The median waiting time for the next prompt, in milliseconds.
    pub idle_ms: Option<u64>,
}

/// Measures one session; its events must be in canonical order.
#[must_use]
pub fn quality<'a>(events: impl IntoIterator<Item = EventView<'a>>) -> SessionQuality {
    let mut out = Reckoning::default();
    for event in events {
        out.live(&event);
        if let Some((_, note)) = super::note::note(&event) {
            out.take(note);
        }
    }
    out.told()
}

#[derive(Debug, Default)]
struct Reckoning {
    out: SessionQuality,
    turns: u64,
    over: Option<(Timestamp, How)>,
    checks: HashMap<crate::EventId, String>,
    failing: Vec<String>,
    asked: Option<Timestamp>,
}

impl Reckoning {
    fn take(&mut self, note: Note) {
        match note.says {
            Says::Prompt => self.prompted(note.at),
            Says::Call(call) => {
                self.over = None;
                if matches!(call.purpose, Purpose::Test | Purpose::Check) {
                    self.checks.insert(note.id, call.key);
                }
            }
            Says::Answer(answer) => {
                let key = answer.call.and_then(|it| self.checks.remove(&it));
                key.into_iter().for_each(|key| self.checked(key, answer.failed));
            }
            Says::Over(how) => {
                self.over.get_or_insert((note.at, how));
            }
            Says::Failure(failure) if !failure.retrying => {
                self.over.get_or_insert((note.at, How::Failed));
            }
            Says::Failure(_)
            | Says::Spoke
            | Says::Folded(_)
            | Says::Tried(_)
            | Says::Began
            | Says::Ended
            | Says::Died
            | Says::AskedApproval
            | Says::Asked
            | Says::Context { .. } => {}
        }
    }

    fn prompted(&mut self, at: Timestamp) {
        if let Some((over, _)) = self.over.take() {
            self.out.idle.push(between(over, at));
            self.turns += 1;
        } else if self.turns == 0 {
            self.turns = 1;
        }
    }

    fn checked(&mut self, key: String, failed: bool) {
        let fixed = self.out.fixed.get_or_insert(0);
        match (failed, self.failing.iter().position(|it| *it == key)) {
            (true, None) => self.failing.push(key),
            (false, Some(at)) => {
                self.failing.swap_remove(at);
                *fixed += 1;
            }
            (true, Some(_)) | (false, None) => {}
        }
    }

    /// Only live sources show how long a person took.
    fn live(&mut self, event: &EventView<'_>) {
        match event.says() {
            Some(Signal::AskedApproval { .. }) => {
                self.asked.get_or_insert(event.at);
            }
            Some(Signal::Settled { .. } | Signal::Answered { .. } | Signal::Interrupted) => {
                if let Some(asked) = self.asked.take() {
                    self.out.approvals.push(between(asked, event.at));
                }
            }
            _ => {}
        }
    }

    fn told(self) -> SessionQuality {
        let done = self.over.is_some_and(|(_, how)| how == How::Done) && self.turns > 0;
        SessionQuality { turns: done.then_some(self.turns), ..self.out }
    }
}

fn between(from: Timestamp, to: Timestamp) -> u64 {
    u64::try_from(to.as_millisecond() - from.as_millisecond()).unwrap_or(0)
}

/// Combines the measures of several sessions.
#[must_use]
pub fn total(all: &[SessionQuality]) -> Quality {
    let fixed: Vec<u64> = all.iter().filter_map(|it| it.fixed).collect();
    Quality {
        sessions: all.len() as u64,
        turns_to_completion: median(all.iter().filter_map(|it| it.turns).collect()),
        test_fix_loops: (!fixed.is_empty()).then(|| fixed.iter().sum()),
        approval_latency_ms: median(all.iter().flat_map(|it| it.approvals.clone()).collect()),
        idle_ms: median(all.iter().flat_map(|it| it.idle.clone()).collect()),
    }
}

/// The median; with an even count, the smaller of the two middle values.
fn median(mut all: Vec<u64>) -> Option<u64> {
    all.sort_unstable();
    all.get(all.len().saturating_sub(1) / 2).copied()
}
