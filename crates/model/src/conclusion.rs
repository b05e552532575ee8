//! What the daemon concludes from all evidence about a session, as entries of the journal.
//!
//! A status also follows from the clock and from processes, which no source records. The daemon
//! therefore writes its conclusions down once, and a rebuild reads them again like other evidence.

use crate::findings::FindingKind;
use crate::status::{Reading, Status, WaitingKind};
use crate::turn::{Turn, TurnStatus};
use crate::{Confidence, Timestamp};
use serde::{Deserialize, Serialize};

/// A prompt that two sources report within this many milliseconds opens one turn.
const SAME_MS: i64 = 5_000;

/// The payload of an entry of the daemon (`via` is `derived`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Concluded {
    /// The runtime session.
    pub session: String,
    /// Its scope; empty where ids are unique everywhere.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub scope: String,
    /// What was concluded, in order.
    pub conclusions: Vec<Conclusion>,
}

/// One conclusion about a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Conclusion {
    /// A turn began.
    TurnStarted {
        /// When.
        at: Timestamp,
    },
    /// A turn ended.
    TurnCompleted {
        /// When.
        at: Timestamp,
        /// When it began.
        started_at: Timestamp,
        /// How it ended.
        status: TurnStatus,
    },
    /// The status changed.
    Status {
        /// Since when.
        at: Timestamp,
        /// The status.
        status: Status,
        /// The status before, if the daemon knew one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        before: Option<Status>,
        /// The confidence.
        confidence: Confidence,
        /// The rule that decided, as a sentence.
        rule: String,
        /// What the session waits for.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        waiting_for: Option<WaitingKind>,
    },
    /// A finding began to hold, or no longer holds.
    Finding {
        /// When.
        at: Timestamp,
        /// The finding.
        finding: FindingKind,
        /// Whether it holds now.
        holds: Holds,
        /// Its words.
        says: String,
    },
}

/// Whether a finding holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Holds {
    /// It began to hold.
    Raised,
    /// It no longer holds.
    Withdrawn,
}

/// What the daemon has concluded about a session so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Concluding {
    /// The last status, and since when.
    pub status: Option<(Status, Timestamp)>,
    /// When the last turn began.
    pub started: Option<Timestamp>,
    /// When the last turn ended.
    pub completed: Option<Timestamp>,
}

impl Concluding {
    /// The status, if it is another one than before. A status that goes back to an earlier state of
    /// the turn began with the latest evidence (`moved`), not with the turn.
    pub fn status(&mut self, reading: &Reading, moved: Option<Timestamp>) -> Option<Conclusion> {
        let before = self.status.map(|(status, _)| status);
        if before == Some(reading.status) {
            return None;
        }
        let at = match self.status {
            Some((_, last)) if reading.since <= last => moved.unwrap_or(last).max(last),
            _ => reading.since,
        };
        self.status = Some((reading.status, at));
        Some(Conclusion::Status {
            at,
            status: reading.status,
            before,
            confidence: reading.confidence.clone(),
            rule: reading.rule.sentence().to_owned(),
            waiting_for: reading.waiting_for.as_ref().map(|it| it.kind),
        })
    }

    /// The beginning and the end of the last turn, as far as they are new. A turn that two sources
    /// report a moment apart is one turn.
    pub fn turn(&mut self, turn: &Turn) -> Vec<Conclusion> {
        let mut out = Vec::new();
        if self.started.is_some_and(|known| is_new(Some(turn.started_at), known)) {
            // An earlier turn than the one last seen.
            return out;
        }
        if is_new(self.started, turn.started_at) {
            self.started = Some(turn.started_at);
            out.push(Conclusion::TurnStarted { at: turn.started_at });
        }
        let (started_at, status) = (turn.started_at, turn.status);
        if let Some(at) = turn.ended_at.filter(|at| is_new(self.completed, *at)) {
            self.completed = Some(at);
            out.push(Conclusion::TurnCompleted { at, started_at, status });
        }
        out
    }
}

fn is_new(known: Option<Timestamp>, at: Timestamp) -> bool {
    known.is_none_or(|known| at.as_millisecond() - known.as_millisecond() > SAME_MS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Tokens;
    use crate::status::StatusRule;
    use crate::{AgentId, RuntimeIdentity, TurnId};

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    fn turn(started: i64, ended: Option<i64>) -> Turn {
        let session = RuntimeIdentity::new(AgentId::new("a"), "", "s").session();
        Turn {
            number: 1,
            id: TurnId::of(session, &started.to_string()),
            prompt: String::new(),
            text: String::new(),
            tools: Default::default(),
            failed_calls: 0,
            approvals: Default::default(),
            errors: 0,
            status: if ended.is_some() { TurnStatus::Completed } else { TurnStatus::Open },
            started_at: at(started),
            last_at: at(started),
            usage: Tokens::default(),
            cost_microdollars: None,
            context_tokens: None,
            ended_at: ended.map(at),
        }
    }

    fn said(all: &[Conclusion]) -> Vec<(&str, i64)> {
        let word = |it: &Conclusion| match it {
            Conclusion::TurnStarted { at } => ("started", at.as_second()),
            Conclusion::TurnCompleted { at, .. } => ("completed", at.as_second()),
            Conclusion::Status { at, status, .. } => (status.as_str(), at.as_second()),
            Conclusion::Finding { at, .. } => ("finding", at.as_second()),
        };
        all.iter().map(word).collect()
    }

    #[test]
    fn a_turn_that_two_sources_report_is_one_turn() {
        let mut known = Concluding::default();
        let mut check = |turn: Turn, expected: &[(&str, i64)]| {
            assert_eq!(said(&known.turn(&turn)), expected);
        };
        check(turn(100, None), &[("started", 100)]);
        check(turn(101, None), &[]);
        check(turn(101, Some(130)), &[("completed", 130)]);
        check(turn(101, Some(132)), &[]);
        check(turn(140, Some(150)), &[("started", 140), ("completed", 150)]);
        check(turn(101, Some(160)), &[]);
    }

    #[test]
    fn a_status_is_told_when_it_changes_and_never_before_the_last_one() {
        let mut known = Concluding::default();
        let mut check = |status: Status, since: i64, moved: i64, expected: &[(&str, i64)]| {
            let reading = Reading {
                status,
                since: at(since),
                confidence: Confidence::High,
                waiting_for: None,
                rule: StatusRule::TurnOpen,
                rests_on: Vec::new(),
                until: None,
                failure: None,
            };
            let told: Vec<_> = known.status(&reading, Some(at(moved))).into_iter().collect();
            assert_eq!(said(&told), expected);
        };
        check(Status::Running, 100, 100, &[("running", 100)]);
        check(Status::Running, 100, 110, &[]);
        check(Status::WaitingApproval, 120, 120, &[("waiting_approval", 120)]);
        check(Status::Running, 100, 125, &[("running", 125)]);
        check(Status::Waiting, 130, 131, &[("waiting", 130)]);
    }
}
