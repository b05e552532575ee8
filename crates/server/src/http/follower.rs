//! Decides which messages a subscriber already has, and which it lacks.

use super::fanout::{EventFrame, FindingFrame, Frame, StatusFrame};
use std::collections::HashMap;
use taffrail_model::{ResumeCursor, SessionId};

/// Which messages a subscriber wants, and its position.
#[derive(Debug, Default)]
pub(super) struct Follower {
    /// The sessions it follows, with its position in each.
    pub(super) sessions: HashMap<SessionId, At>,
    /// What it wants of all other sessions.
    pub(super) others: Others,
}

/// A position in a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct At {
    /// Its beginning contained every change up to here.
    pub(super) begun: ResumeCursor,
    /// The last change it received.
    pub(super) last: u64,
}

impl At {
    pub(super) fn new(begun: ResumeCursor) -> Self {
        let last = begun.sequence;
        Self { begun, last }
    }

    /// Where it would resume.
    pub(super) fn cursor(&self) -> ResumeCursor {
        ResumeCursor { generation: self.begun.generation.clone(), sequence: self.last }
    }
}

/// What a subscriber wants of sessions it did not name.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Others {
    /// Nothing.
    #[default]
    Nothing,
    /// Their status.
    Statuses,
    /// Everything.
    Everything,
}

/// What to do with a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fate {
    /// Forward it.
    Give,
    /// The subscriber has it, or does not want it.
    Skip,
    /// The subscriber must start over from a snapshot.
    Begin,
}

impl Follower {
    /// A subscriber to one session, from a position.
    pub(super) fn of(session: SessionId, cursor: ResumeCursor) -> Self {
        Self { sessions: HashMap::from([(session, At::new(cursor))]), others: Others::Nothing }
    }

    /// Decides what to do with a message, and records one that is forwarded.
    pub(super) fn judge(&mut self, frame: &Frame) -> Fate {
        match frame {
            Frame::Event(event) => self.judge_event(event),
            Frame::Status(StatusFrame { session, .. })
            | Frame::Finding(FindingFrame { session, .. }) => {
                let named = self.sessions.contains_key(session);
                if named || self.others != Others::Nothing { Fate::Give } else { Fate::Skip }
            }
            Frame::Approval(approval) => {
                let named = self.sessions.contains_key(&approval.session);
                if named || self.others == Others::Everything { Fate::Give } else { Fate::Skip }
            }
            Frame::Reading(_) if self.others != Others::Nothing => Fate::Give,
            Frame::Read if self.others != Others::Nothing => Fate::Begin,
            Frame::Reading(_) | Frame::Read => Fate::Skip,
            Frame::Gap => Fate::Begin,
        }
    }

    fn judge_event(&mut self, event: &EventFrame) -> Fate {
        let Some(at) = self.sessions.get_mut(&event.session) else {
            return if self.others == Others::Everything { Fate::Give } else { Fate::Skip };
        };
        let Some(cursor) = &event.cursor else { return Fate::Give };
        if cursor.generation != at.begun.generation {
            return Fate::Begin;
        }
        if cursor.sequence <= at.begun.sequence {
            return Fate::Skip;
        }
        at.last = at.last.max(cursor.sequence);
        Fate::Give
    }
}
