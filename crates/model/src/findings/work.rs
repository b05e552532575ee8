//! Tracks a session's work: the state of its turn, and what repeats, fails or is missing in it.

mod needs;
mod repeats;
mod streaks;

use super::note::{Answer, Call, How, Note, Says};
use super::outputs::Sign;
use super::{FindingDraft, Thresholds};
use crate::hash::Digest16;
use crate::{EventId, Timestamp};
use needs::Needs;
use repeats::Repeats;
use std::collections::HashMap;
use streaks::Streaks;

/// A call with its result.
#[derive(Debug, Clone, Copy)]
pub(super) struct Done<'n> {
    pub(super) id: EventId,
    pub(super) at: Timestamp,
    pub(super) call: &'n Call,
    pub(super) failed: bool,
    pub(super) mark: Digest16,
    pub(super) signs: &'n [Sign],
}

/// The end of a turn.
#[derive(Debug, Clone, Copy)]
pub(super) struct Over {
    pub(super) at: Timestamp,
    pub(super) by: EventId,
    pub(super) how: How,
    /// When the turn began, if known.
    pub(super) began: Option<Timestamp>,
    /// When a person last acted in it.
    pub(super) attended: Option<Timestamp>,
}

/// The state that a session's notes add up to.
#[derive(Debug, Default)]
pub(super) struct Work<'n> {
    /// When the open turn began.
    pub(super) open: Option<Timestamp>,
    /// A hook reported the prompt of the open turn, so a hook would also report its end.
    pub(super) is_hooked: bool,
    pub(super) over: Option<Over>,
    /// Calls, and whether they have results.
    calls: HashMap<EventId, (&'n Call, bool)>,
    pub(super) asked: Option<EventId>,
    /// When a person last answered, and whether the agent waits for one.
    attended: Option<Timestamp>,
    waits: bool,
    repeats: Repeats<'n>,
    pub(super) streaks: Streaks<'n>,
    needs: Needs<'n>,
}

impl<'n> Work<'n> {
    pub(super) fn of(notes: impl Iterator<Item = &'n Note>) -> Self {
        let mut work = Self::default();
        for note in notes {
            work.take(note);
        }
        work
    }

    fn take(&mut self, note: &'n Note) {
        let goes_on = matches!(note.says, Says::Call(_) | Says::Answer(_) | Says::Spoke);
        if goes_on && std::mem::take(&mut self.waits) {
            self.attended = Some(note.at);
        }
        match &note.says {
            Says::Prompt => self.prompted(note),
            Says::Call(call) => {
                self.goes_on(note.at);
                self.calls.insert(note.id, (call, false));
            }
            Says::Answer(answer) => self.answered(note, answer),
            Says::Failure(failure) if !failure.retrying => self.end(note, How::Failed),
            Says::Over(how) => self.end(note, *how),
            Says::Began | Says::Ended | Says::Died => self.calls.clear(),
            Says::AskedApproval | Says::Asked => {
                self.goes_on(note.at);
                (self.asked, self.waits) = (Some(note.id), true);
            }
            Says::Spoke
            | Says::Failure(_)
            | Says::Folded(_)
            | Says::Tried(_)
            | Says::Context { .. } => {}
        }
        if matches!(note.says, Says::Ended | Says::Died | Says::Began) {
            self.open = None;
        }
        let begins = note.is_hooked && matches!(note.says, Says::Prompt);
        self.is_hooked = self.open.is_some() && (self.is_hooked || begins);
    }

    /// Work after an end reopens the turn; its start stays known.
    fn goes_on(&mut self, at: Timestamp) {
        if self.open.is_none() {
            let began = self.over.and_then(|it| it.began);
            self.open = Some(began.unwrap_or(at));
        }
        self.over = None;
    }

    /// A person is present: earlier problems are theirs to judge.
    fn prompted(&mut self, note: &Note) {
        if self.over.take().is_some() {
            self.open = None;
        }
        self.open.get_or_insert(note.at);
        (self.asked, self.waits, self.attended) = (None, false, None);
        self.repeats = Repeats::default();
        self.streaks = Streaks::default();
        self.needs.prompted();
    }

    fn answered(&mut self, note: &'n Note, answer: &'n Answer) {
        let Some((call, answered)) = answer.call.and_then(|it| self.calls.get_mut(&it)) else {
            return;
        };
        let again = std::mem::replace(answered, true);
        let done = Done {
            id: note.id,
            at: note.at,
            call,
            failed: answer.failed,
            mark: answer.mark,
            signs: &answer.signs,
        };
        if !again {
            self.repeats.take(done);
            self.streaks.take(done);
            self.needs.take(done);
        }
    }

    fn end(&mut self, note: &Note, how: How) {
        let began = self.open.take().or(self.over.and_then(|it| it.began));
        // The first report of the end counts; an interruption by the user overrides it.
        let attended = self.attended.max(began);
        let over = Over { at: note.at, by: note.id, how, began, attended };
        self.over = match (self.over, how) {
            (Some(known), How::Done | How::Failed) => Some(known),
            (_, How::Done | How::Failed | How::Interrupted) => Some(over),
        };
        self.calls.clear();
        self.repeats = Repeats::default();
        if how == How::Interrupted {
            self.streaks = Streaks::default();
            self.needs.prompted();
        }
    }

    /// Whether no call is waiting for its result.
    pub(super) fn rests(&self) -> bool {
        self.calls.values().all(|(_, answered)| *answered)
    }

    pub(super) fn found(&self, thresholds: &Thresholds) -> Vec<FindingDraft> {
        let over = self.over.filter(|it| it.how == How::Done);
        let mut out = self.repeats.found(thresholds);
        out.extend(self.streaks.found(over, thresholds));
        out.extend(self.needs.found(over, thresholds));
        out
    }
}
