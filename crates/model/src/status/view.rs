//! The input of the rules, and the readings they share.

use super::fold::Fold;
use super::mark::{LAG_MS, Mark, ms};
use super::order::{trust, weaker};
use super::pending::Pending;
use super::turn::{How, Over, Turn};
use super::{Given, Reading, Status, StatusRule, WaitingKind, Worker};
use crate::evidence::Life;
use crate::{Confidence, Timestamp};
use jiff::SignedDuration;

/// The evidence of a session at an instant, as the rules see it.
pub(super) struct View<'g> {
    pub(super) given: &'g Given<'g>,
    pub(super) fold: Fold,
    /// Whether a source other than the transcript reported since the latest turn began.
    pub(super) heard: bool,
}

impl<'g> View<'g> {
    pub(super) fn of(given: &'g Given<'g>) -> Self {
        let fold = Fold::of(given.evidence, given.life);
        let heard = match (fold.live, fold.turn_began()) {
            (Some(live), Some(began)) => ms(live.at, began) <= LAG_MS,
            (live, _) => live.is_some(),
        };
        Self { given, fold, heard }
    }
}

impl View<'_> {
    /// Seconds since an instant.
    pub(super) fn age(&self, at: Timestamp) -> i64 {
        ms(at, self.given.now).div_euclid(1000)
    }

    /// The first of these instants that is in the future.
    pub(super) fn next(&self, after: &[(Timestamp, i64)]) -> Option<Timestamp> {
        let instants = after
            .iter()
            .filter_map(|(at, seconds)| at.checked_add(SignedDuration::from_secs(*seconds)).ok());
        instants.filter(|at| *at > self.given.now).min()
    }

    /// Whether the process is gone and no other process resumed the session.
    pub(super) fn is_gone(&self) -> bool {
        let was_taken_up = !self.heard && self.fold.live.is_some();
        self.given.life == Life::Dead && !was_taken_up
    }

    /// Whether only a transcript reports and no process is known.
    pub(super) fn is_guess(&self) -> bool {
        self.given.life != Life::Alive && !self.heard
    }

    pub(super) fn first_pending(&self, kind: WaitingKind) -> Option<&Pending> {
        self.fold.pending.iter().find(|it| it.kind == kind)
    }

    pub(super) fn worker(&self, is_it: impl Fn(&Worker) -> bool) -> Option<&Worker> {
        let workers = self.given.workers.iter().filter(|it| is_it(it));
        workers.min_by_key(|it| (std::cmp::Reverse(trust(&it.confidence)), it.since))
    }

    pub(super) fn of_worker(&self, status: Status, worker: &Worker, rule: StatusRule) -> Reading {
        let place = self.fold.moved.map_or(0, |it| it.place);
        let mark = Mark { at: worker.since, place };
        let mut out = reading(status, mark, worker.confidence.clone(), rule);
        if self.fold.moved.is_none() {
            out.rests_on.clear();
        }
        out.waiting_for.clone_from(&worker.waiting_for);
        out
    }

    /// A sub-agent is running, unless the agent reported after its start that none is.
    pub(super) fn worker_at_work(&self) -> Option<Reading> {
        let denied = match self.fold.turn {
            Turn::Over(over) => over.confirmed.map(|_| over.by.at),
            Turn::None | Turn::Fresh(_) | Turn::Open { .. } => None,
        };
        let worker = self.worker(|it| {
            let is_doubtful = it.confidence == Confidence::Low;
            let is_denied = is_doubtful && denied.is_some_and(|at| at >= it.since);
            it.status == Status::Running && !is_denied
        })?;
        let mut out = self.of_worker(Status::Running, worker, StatusRule::WorkerRunning);
        out.since = self.fold.turn_began().map_or(worker.since, |at| at.min(worker.since));
        out.waiting_for = None;
        Some(out)
    }

    /// Whether only the transcript shows the end of the turn while the agent's own list reports it
    /// busy.
    pub(super) fn is_listed_busy(&self, over: Over) -> bool {
        let is_told_only = over.confirmed.is_none() && over.how == How::Stopped;
        is_told_only && self.given.life == Life::Alive && self.fold.listed_busy.is_some()
    }

    /// A question or a request that is open until it is settled.
    pub(super) fn asking(&self, status: Status, pending: &Pending, rule: StatusRule) -> Reading {
        let mut out = reading(status, pending.by, pending.confidence.clone(), rule);
        out.rests_on.extend(&pending.also);
        let called = self.fold.calls.iter().filter(|it| pending.calls.contains(&it.call));
        out.rests_on.extend(called.map(|it| it.at.place));
        out.waiting_for = Some(pending.waiting_for());
        if self.is_guess() {
            out.confidence = Confidence::Low;
        }
        self.standing(out)
    }

    /// Keeps a reading; without a living process, its confidence declines over time.
    pub(super) fn standing(&self, mut out: Reading) -> Reading {
        if self.given.life == Life::Alive {
            return out;
        }
        let thresholds = self.given.thresholds;
        if self.age(out.since) >= thresholds.idle {
            out.confidence = weaker(out.confidence, Confidence::Medium);
        }
        let moved = self.fold.moved.map_or(out.since, |it| it.at);
        out.until = self.next(&[(out.since, thresholds.idle), (moved, thresholds.over)]);
        out
    }

    pub(super) fn turn_over(&self, over: Over) -> Reading {
        let sure = if over.confirmed.is_some() { Confidence::High } else { Confidence::Medium };
        let mut out = reading(Status::Waiting, over.by, sure, of_end(over.how));
        out.rests_on.extend(over.confirmed.filter(|place| *place != over.by.place));
        self.standing(out)
    }

    /// Work that only the transcript reports, by a living process.
    pub(super) fn told(&self, since: Timestamp, by: Mark, rule: StatusRule) -> Reading {
        let call = self.fold.calls.iter().find(|it| !it.live);
        let mut out = match call {
            Some(call) => self.running(since, call.at, StatusRule::OpenCall),
            None => self.running(since, by, rule),
        };
        let most = if call.is_some() { Confidence::Low } else { Confidence::Medium };
        out.confidence = weaker(out.confidence, most);
        out
    }

    /// Work continues; the longer it is silent, the lower the confidence.
    pub(super) fn running(&self, since: Timestamp, by: Mark, rule: StatusRule) -> Reading {
        let heard_of = self.fold.output.unwrap_or(by);
        let (age, thresholds) = (self.age(heard_of.at), self.given.thresholds);
        let is_listed = self.given.life == Life::Alive && self.fold.listed_busy.is_some();
        let sure = if self.fold.is_doubted {
            Confidence::Low
        } else if age <= thresholds.doubt {
            Confidence::High
        } else if age <= thresholds.idle || is_listed {
            Confidence::Medium
        } else {
            Confidence::Low
        };
        let mut steps =
            vec![(heard_of.at, thresholds.doubt + 1), (heard_of.at, thresholds.idle + 1)];
        if self.given.life != Life::Alive {
            steps.extend(self.fold.moved.map(|it| (it.at, thresholds.over)));
        }
        let mut out = reading(Status::Running, by, sure, rule);
        out.since = since;
        out.rests_on.extend(Some(heard_of.place).filter(|place| *place != by.place));
        out.until = self.next(&steps);
        out
    }

    /// Recent records without any other source: the agent may be running.
    pub(super) fn guessed(&self, since: Timestamp, by: Mark) -> Option<Reading> {
        let moved = self.fold.moved.unwrap_or(by);
        let doubt = self.given.thresholds.doubt;
        let open = self.fold.calls.iter().find(|it| !it.live);
        let rule = open.map_or(StatusRule::RecentRecords, |_| StatusRule::OpenCall);
        let mut out = reading(Status::Running, moved, Confidence::Low, rule);
        out.since = since;
        out.rests_on.extend(Some(by.place).filter(|place| *place != moved.place));
        out.until = self.next(&[(moved.at, doubt + 1)]);
        (self.age(moved.at) <= doubt).then_some(out)
    }

    /// The last record of the transcript, while it is recent and no other source reports.
    pub(super) fn last_word(&self, by: Mark, rule: StatusRule) -> Option<Reading> {
        let idle = self.given.thresholds.idle;
        let until = self.next(&[(by.at, idle)]);
        let out = reading(Status::Waiting, by, Confidence::Low, rule);
        (self.age(by.at) < idle).then_some(Reading { until, ..out })
    }
}

pub(super) fn of_end(how: How) -> StatusRule {
    match how {
        How::Stopped => StatusRule::TurnOver,
        How::Interrupted => StatusRule::Interrupted,
        How::Failed => StatusRule::TurnFailed,
        How::Quiet => StatusRule::AgentQuiet,
    }
}

pub(super) fn reading(
    status: Status,
    by: Mark,
    confidence: Confidence,
    rule: StatusRule,
) -> Reading {
    Reading {
        status,
        since: by.at,
        confidence,
        waiting_for: None,
        rule,
        rests_on: vec![by.place],
        until: None,
        failure: None,
    }
}
