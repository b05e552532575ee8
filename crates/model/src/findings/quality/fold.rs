//! Measures a session step by step, so that one more event does not read the others again.

use super::SessionQuality;
use super::step::{Act, Place, Step};
use crate::EventId;
use crate::findings::note::How;
use crate::findings::outcome::{Effect, Outcome};
use serde::{Deserialize, Serialize};

/// How many of the latest steps may still change places: hooks and transcripts report the same work
/// at slightly different times.
const TAIL: usize = 16;
/// The most waiting times of a session that are kept, the latest.
const TIMES: usize = 1_000;
/// The most open calls, checks and requests of a session that are kept, the latest.
const OPEN: usize = 64;

/// The measures of one session so far, and what they need to go on.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct QualityFold {
    settled: Reckoning,
    /// The place of the last settled step.
    until: Option<Place>,
    /// The latest steps, in order.
    tail: Vec<Step>,
}

/// A step belongs before those that are settled, so all steps must be folded again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooLate;

impl QualityFold {
    /// Adds steps in any order.
    ///
    /// # Errors
    /// When a step comes too late; then nothing is added.
    pub fn add(&mut self, steps: impl IntoIterator<Item = Step>) -> Result<(), TooLate> {
        let known = self.tail.len();
        self.tail.extend(steps);
        let new = self.tail.iter().skip(known);
        if new.map(|it| Some(it.place)).min().is_some_and(|first| first < self.until) {
            self.tail.truncate(known);
            return Err(TooLate);
        }
        self.tail.sort_by_key(|it| it.place);
        let settled = self.tail.len().saturating_sub(TAIL);
        for step in self.tail.drain(..settled) {
            self.until = Some(step.place);
            self.settled.take(step);
        }
        Ok(())
    }

    /// The measures so far.
    #[must_use]
    pub fn quality(self) -> SessionQuality {
        let mut all = self.settled;
        self.tail.into_iter().for_each(|step| all.take(step));
        all.measures()
    }
}

/// Measures one session by all its steps.
#[must_use]
pub fn quality(steps: impl IntoIterator<Item = Step>) -> SessionQuality {
    let mut fold = QualityFold::default();
    // Nothing is settled before the first steps, so they cannot come too late.
    fold.add(steps).unwrap_or_default();
    fold.quality()
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Reckoning {
    turns: u64,
    fixed: Option<u64>,
    approvals: Vec<u64>,
    idle: Vec<u64>,
    /// When the last turn was over, in microseconds, and how.
    over: Option<(i64, How)>,
    /// Checks that did not return.
    checks: Vec<(EventId, String)>,
    failing: Vec<String>,
    requests: Vec<OpenRequest>,
    outcome: Outcome,
    /// Calls that did not return, with what they do.
    effects: Vec<(EventId, Effect)>,
    /// Calls that hooks announced and that did not return: the input and the call.
    calls: Vec<(String, String)>,
}

/// A request for approval that nobody decided so far.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct OpenRequest {
    at: i64,
    /// The input hash; empty if unknown.
    input: String,
    /// The call it is about, once a hook named it.
    call: Option<String>,
}

impl Reckoning {
    fn take(&mut self, step: Step) {
        let (at, ..) = step.place;
        for act in step.acts {
            self.act(at, act);
        }
    }

    fn act(&mut self, at: i64, act: Act) {
        match act {
            Act::Prompt => self.prompted(at),
            Act::Work => self.over = None,
            Act::Check(id, key) => {
                self.over = None;
                keep(&mut self.checks, (id, key), OPEN);
            }
            Act::Effect(id, effect) => keep(&mut self.effects, (id, effect), OPEN),
            Act::Result(call, failed) => self.returned(call, failed),
            Act::Spoke => self.outcome.is_unanswered = false,
            Act::Over(how) => self.ended(at, how),
            Act::Asked(input) => self.asked(at, input),
            Act::Called { call, input } => self.called(call, input),
            Act::Settled { call, input } => self.decided(at, |it| {
                let is_any = call.is_empty() && input.is_empty();
                is_any || it.is_about(&call) || (!input.is_empty() && it.input == input)
            }),
            Act::Answered(call) => {
                self.calls.retain(|(_, known)| *known != call);
                self.decided(at, |it| it.is_about(&call));
            }
            Act::Interrupted => self.decided(at, |_| true),
        }
    }

    fn ended(&mut self, at: i64, how: How) {
        self.over.get_or_insert((at, how));
        self.outcome.is_unanswered &= how != How::Done;
    }

    fn prompted(&mut self, at: i64) {
        self.outcome.is_unanswered = true;
        if let Some((over, _)) = self.over.take() {
            keep(&mut self.idle, between(over, at), TIMES);
            self.turns += 1;
        } else if self.turns == 0 {
            self.turns = 1;
        }
    }

    fn returned(&mut self, call: EventId, failed: bool) {
        let done: Vec<_> = self.effects.extract_if(.., |(id, _)| *id == call).collect();
        done.iter().filter(|_| !failed).for_each(|(_, effect)| self.outcome.add(*effect));
        let Some(at) = self.checks.iter().position(|(id, _)| *id == call) else { return };
        let (_, key) = self.checks.remove(at);
        let fixed = self.fixed.get_or_insert(0);
        match (failed, self.failing.iter().position(|it| *it == key)) {
            (true, None) => keep(&mut self.failing, key, OPEN),
            (false, Some(at)) => {
                self.failing.remove(at);
                *fixed += 1;
            }
            (true, Some(_)) | (false, None) => {}
        }
    }

    /// Another report about an open request is not another request.
    fn asked(&mut self, at: i64, input: String) {
        let is_same = |it: &OpenRequest| it.input == input || input.is_empty();
        if !self.requests.iter().any(is_same) {
            let call = self.calls.iter().rev().find(|(known, _)| *known == input);
            let call = call.map(|(_, call)| call.clone());
            keep(&mut self.requests, OpenRequest { at, input, call }, OPEN);
        }
    }

    fn called(&mut self, call: String, input: String) {
        let open = self.requests.iter_mut().find(|it| it.call.is_none() && it.input == input);
        if let Some(open) = open {
            open.call = Some(call.clone());
        }
        keep(&mut self.calls, (input, call), OPEN);
    }

    fn decided(&mut self, at: i64, is_it: impl Fn(&OpenRequest) -> bool) {
        for request in self.requests.extract_if(.., |it| is_it(it)) {
            keep(&mut self.approvals, between(request.at, at), TIMES);
        }
    }

    fn measures(self) -> SessionQuality {
        let done = self.over.is_some_and(|(_, how)| how == How::Done) && self.turns > 0;
        let turns = done.then_some(self.turns);
        let Self { fixed, approvals, idle, outcome, .. } = self;
        SessionQuality { turns, fixed, approvals, idle, outcome }
    }
}

impl OpenRequest {
    fn is_about(&self, call: &str) -> bool {
        !call.is_empty() && self.call.as_deref() == Some(call)
    }
}

/// Adds an item, and drops the oldest beyond a number.
fn keep<T>(all: &mut Vec<T>, item: T, most: usize) {
    if all.len() >= most {
        all.remove(0);
    }
    all.push(item);
}

/// The milliseconds between two times in microseconds.
fn between(from: i64, to: i64) -> u64 {
    u64::try_from(to.div_euclid(1000) - from.div_euclid(1000)).unwrap_or(0)
}
