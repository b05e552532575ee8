//! Pending requests to a person: the call they are about, and what settles them.

use super::mark::{Mark, is_live, ms};
use super::{WaitingFor, WaitingKind};
use crate::evidence::Evidence;
use crate::{Confidence, Origin, Timestamp};

/// Two reports of an open dialog mean the same dialog if they are at most this far apart.
const SAME_DIALOG_MS: i64 = 15_000;

/// A call without a result.
#[derive(Debug)]
pub(super) struct Call {
    pub(super) call: String,
    pub(super) input: String,
    pub(super) detail: String,
    /// Reported by a hook, not a transcript.
    pub(super) live: bool,
    pub(super) at: Mark,
}

/// Something a person must decide or answer.
#[derive(Debug)]
pub(super) struct Pending {
    pub(super) kind: WaitingKind,
    /// The command or the question; empty if unknown.
    pub(super) text: String,
    /// The answers a question offers.
    pub(super) options: Vec<String>,
    pub(super) confidence: Confidence,
    pub(super) by: Mark,
    /// Other evidence of the same request.
    pub(super) also: Vec<usize>,
    /// The input hash; empty if unknown.
    pub(super) input: String,
    /// The calls it may be about, as hooks and transcripts name them.
    pub(super) calls: Vec<String>,
}

impl Pending {
    pub(super) fn new(
        kind: WaitingKind,
        (it, by): (&Evidence, Mark),
        input: &str,
        calls: &[Call],
    ) -> Self {
        let mut pending = Self {
            kind,
            text: String::new(),
            options: Vec::new(),
            confidence: it.confidence.clone(),
            by,
            also: Vec::new(),
            input: String::new(),
            calls: Vec::new(),
        };
        pending.learn(it, input, calls);
        pending
    }

    pub(super) fn question((it, by): (&Evidence, Mark), asks: (&str, &[String])) -> Self {
        let mut pending = Self::new(WaitingKind::Question, (it, by), "", &[]);
        pending.note_question(it, asks);
        pending
    }

    /// Whether this is the same request again, with or without its input.
    pub(super) fn is_same_request(&self, input: &str, at: Timestamp) -> bool {
        let is_same = if input.is_empty() || self.input.is_empty() {
            input.is_empty() || ms(self.by.at, at) <= SAME_DIALOG_MS
        } else {
            self.input == input
        };
        self.kind == WaitingKind::Approval && is_same
    }

    /// What the session waits for.
    pub(super) fn waiting_for(&self) -> WaitingFor {
        WaitingFor { kind: self.kind, text: self.text.clone(), options: self.options.clone() }
    }

    /// Merges another report of the same request.
    pub(super) fn again(&mut self, it: &Evidence, mark: Mark, input: &str, calls: &[Call]) {
        self.also.push(mark.place);
        if self.input.is_empty() && !input.is_empty() {
            self.learn(it, input, calls);
        }
        if self.confidence == Confidence::Low {
            self.confidence = it.confidence.clone();
        }
    }

    pub(super) fn asked_again(&mut self, it: &Evidence, mark: Mark, asks: (&str, &[String])) {
        self.also.push(mark.place);
        self.note_question(it, asks);
    }

    fn note_question(&mut self, it: &Evidence, (call, options): (&str, &[String])) {
        if self.options.is_empty() {
            self.options = options.to_vec();
        }
        if !call.is_empty() && !linked(&self.calls, call) {
            self.calls.push(call.to_owned());
        }
        // The agent's list does not name the question.
        if self.text.is_empty() && it.source != Origin::Registry {
            it.detail.clone_into(&mut self.text);
        }
    }

    /// Finds the call: a hook names it by its input, a transcript by the same text.
    fn learn(&mut self, it: &Evidence, input: &str, calls: &[Call]) {
        input.clone_into(&mut self.input);
        if input.is_empty() {
            let last = calls.iter().max_by_key(|it| it.at.at);
            if is_live(it) && self.kind == WaitingKind::Approval {
                self.text = last.map(|it| it.detail.clone()).unwrap_or_default();
            } else {
                it.detail.clone_into(&mut self.text);
            }
            return;
        }
        it.detail.clone_into(&mut self.text);
        let by_input = calls.iter().rev().find(|call| call.live && call.input == input);
        let told = |call: &&Call| !call.live && is_told_as(&it.detail, &call.detail);
        let by_words = calls.iter().filter(told).max_by_key(|it| it.detail.len());
        self.calls = [by_input, by_words].into_iter().flatten().map(|it| it.call.clone()).collect();
    }

    /// Whether a returned call settles this request: it is the request's call, or no call is left
    /// that could be.
    pub(super) fn is_settled_by(&self, call: &str, none_left: bool, open: &[Call]) -> bool {
        let is_open = open.iter().any(|it| linked(&self.calls, &it.call));
        linked(&self.calls, call) || (none_left && !is_open)
    }
}

/// Whether the call is one of these.
pub(super) fn linked(calls: &[String], call: &str) -> bool {
    !call.is_empty() && calls.iter().any(|it| it == call)
}

/// Whether both texts mean the same call. A transcript may hold a shorter text than the request,
/// and the request may begin with the tool.
fn is_told_as(asked: &str, told: &str) -> bool {
    let without_tool = asked.split_once(' ').map_or("", |(_, rest)| rest);
    !told.is_empty() && (asked.starts_with(told) || without_tool.starts_with(told))
}
