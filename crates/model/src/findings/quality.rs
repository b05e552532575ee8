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
    requests: Vec<OpenRequest>,
    /// Calls that hooks announced and that did not return: the input and the call.
    calls: Vec<(String, String)>,
}

/// A request for approval that nobody decided so far.
#[derive(Debug)]
struct OpenRequest {
    at: Timestamp,
    /// The input hash; empty if unknown.
    input: String,
    /// The call it is about, once a hook named it.
    call: Option<String>,
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
            Some(Signal::AskedApproval { input }) => self.asked(event.at, input),
            Some(Signal::Called { call, input }) if !input.is_empty() => self.called(call, input),
            Some(Signal::Settled { call, input }) => self.decided(event.at, |it| {
                let is_any = call.is_empty() && input.is_empty();
                is_any || it.is_about(&call) || (!input.is_empty() && it.input == input)
            }),
            Some(Signal::Answered { call }) => {
                self.calls.retain(|(_, known)| *known != call);
                self.decided(event.at, |it| it.is_about(&call));
            }
            Some(Signal::Interrupted) => self.decided(event.at, |_| true),
            _ => {}
        }
    }

    /// Another report about an open request is not another request.
    fn asked(&mut self, at: Timestamp, input: String) {
        let is_same = |it: &OpenRequest| it.input == input || input.is_empty();
        if !self.requests.iter().any(is_same) {
            let call = self.calls.iter().rev().find(|(known, _)| *known == input);
            let call = call.map(|(_, call)| call.clone());
            self.requests.push(OpenRequest { at, input, call });
        }
    }

    fn called(&mut self, call: String, input: String) {
        let open = self.requests.iter_mut().find(|it| it.call.is_none() && it.input == input);
        if let Some(open) = open {
            open.call = Some(call.clone());
        }
        self.calls.push((input, call));
    }

    fn decided(&mut self, at: Timestamp, is_it: impl Fn(&OpenRequest) -> bool) {
        for request in self.requests.extract_if(.., |it| is_it(it)) {
            self.out.approvals.push(between(request.at, at));
        }
    }

    fn told(self) -> SessionQuality {
        let done = self.over.is_some_and(|(_, how)| how == How::Done) && self.turns > 0;
        SessionQuality { turns: done.then_some(self.turns), ..self.out }
    }
}

impl OpenRequest {
    fn is_about(&self, call: &str) -> bool {
        !call.is_empty() && self.call.as_deref() == Some(call)
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
