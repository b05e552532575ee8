//! The rules, the strongest first: what evidence adds up to, at a given instant.

use super::fold::{Fold, How, LAG_MS, Mark, Over, Turn, ms};
use super::onscreen::on_screen;
use super::order::{trust, weaker};
use super::pending::Pending;
use super::{Given, Reading, Status, WaitingFor, WaitingKind, Worker};
use crate::evidence::Life;
use crate::{Confidence, Timestamp};
use jiff::SignedDuration;

/// What the rules look at.
pub(super) struct View<'g> {
    pub(super) given: &'g Given<'g>,
    pub(super) fold: Fold,
    /// Since the latest turn began, someone but the transcript spoke.
    heard: bool,
}

/// A rule and what it says, if it applies.
/// The rules by which a session lost its process without being ended.
pub(super) const DIED: &str = "its process ended";
pub(super) const GONE: &str = "its process is gone and its end was not seen";

type Rule = fn(&View<'_>) -> Option<Reading>;

const RULES: &[Rule] =
    &[ended, gone, forgotten, approval, question, working, almost_over, your_turn, idle];

/// The reading of the first rule that applies.
pub(super) fn read(given: &Given<'_>) -> Reading {
    let fold = Fold::of(given.evidence, given.life);
    let heard = match (fold.live, fold.turn_began()) {
        (Some(live), Some(began)) => ms(live.at, began) <= LAG_MS,
        (live, _) => live.is_some(),
    };
    let view = View { given, fold, heard };
    let told = RULES.iter().find_map(|rule| rule(&view)).unwrap_or_else(|| unknown(&view));
    on_screen(&view, told)
}

fn ended(view: &View<'_>) -> Option<Reading> {
    let end = view.fold.end?;
    let rule = if end.died { DIED } else { "the agent ended the session" };
    Some(reading(Status::Exited, end.by, Confidence::High, rule))
}

/// Its process is gone and nobody saw how, unless another took the session up since.
fn gone(view: &View<'_>) -> Option<Reading> {
    let was_taken_up = !view.heard && view.fold.live.is_some();
    let moved = view.fold.moved.filter(|_| view.given.life == Life::Dead && !was_taken_up)?;
    let over = view.given.thresholds.over;
    if view.age(moved.at) >= over {
        let rule = "its process is gone and nothing moved for a day";
        return Some(reading(Status::Exited, moved, Confidence::Medium, rule));
    }
    let rule = GONE;
    let until = view.next(&[(moved.at, over)]);
    Some(Reading { until, ..reading(Status::Unknown, moved, Confidence::Medium, rule) })
}

fn forgotten(view: &View<'_>) -> Option<Reading> {
    let moved = view.fold.moved?;
    let is_old = view.age(moved.at) >= view.given.thresholds.over;
    let is_at_work = view.given.workers.iter().any(|it| it.status == Status::Running);
    let rule = "no process is known and nothing moved for a day";
    (view.given.life != Life::Alive && is_old && !is_at_work)
        .then(|| reading(Status::Exited, moved, Confidence::Low, rule))
}

fn approval(view: &View<'_>) -> Option<Reading> {
    let own = view.first_pending(WaitingKind::Approval);
    if let Some(pending) = own {
        let rule = "a request for approval is open";
        return Some(view.asking(Status::WaitingApproval, pending, rule));
    }
    let worker = view.worker(|it| it.status == Status::WaitingApproval)?;
    let rule = "a worker waits to be allowed something";
    Some(view.of_worker(Status::WaitingApproval, worker, rule))
}

fn question(view: &View<'_>) -> Option<Reading> {
    let rule = "a question is open";
    if let Some(pending) = view.first_pending(WaitingKind::Question) {
        return match view.is_guess() {
            true => view.last_word(pending.by, rule).map(|it| with_question(it, pending)),
            false => Some(view.asking(Status::Waiting, pending, rule)),
        };
    }
    let asks = |it: &Worker| {
        let kind = it.waiting_for.as_ref().map(|it| it.kind);
        it.status == Status::Waiting && kind == Some(WaitingKind::Question)
    };
    let worker = view.worker(asks)?;
    Some(view.of_worker(Status::Waiting, worker, "a worker asks a question"))
}

fn working(view: &View<'_>) -> Option<Reading> {
    let fold = &view.fold;
    let (since, by, rule) = match (fold.compacting, fold.turn, fold.background) {
        (Some(mark), _, _) => (mark.at, mark, "the context is being folded"),
        (None, Turn::Open { since, by, .. }, _) => (since, by, "a turn is open"),
        (None, Turn::Over(over), Some(mark)) => {
            let rule = "the agent stopped, and work it began goes on";
            (over.opened.unwrap_or(over.by.at), mark, rule)
        }
        (None, Turn::Over(over), None) if view.is_listed_busy(over) => {
            let mark = fold.listed_busy.unwrap_or(over.by);
            let rule = "the answer is written and the agent's own list says that it works";
            (over.opened.unwrap_or(over.by.at), mark, rule)
        }
        (None, Turn::Fresh(mark), _) if view.is_guess() => return view.guessed(mark.at, mark),
        (None, Turn::None | Turn::Fresh(_) | Turn::Over(_), _) => return view.worker_at_work(),
    };
    match (view.is_guess(), view.heard) {
        (true, _) => view.guessed(since, by),
        (false, true) => Some(view.running(since, by, rule)),
        (false, false) => Some(view.told(since, by, rule)),
    }
}

/// The transcript is ahead of the hook that says whether work goes on.
fn almost_over(view: &View<'_>) -> Option<Reading> {
    let Turn::Over(over) = view.fold.turn else { return None };
    let since = over.opened?;
    let hooks_speak = view.fold.hooked.is_some_and(|it| ms(it.at, since) <= LAG_MS);
    let is_due = hooks_speak && over.confirmed.is_none() && over.how == How::Stopped;
    let is_soon = ms(over.by.at, view.given.now) <= LAG_MS;
    let rule = "the answer is written and the agent has not said that it stopped";
    (is_due && is_soon).then(|| Reading {
        since,
        until: view.next(&[(over.by.at, LAG_MS / 1000 + 1)]),
        ..reading(Status::Running, over.by, Confidence::Medium, rule)
    })
}

fn your_turn(view: &View<'_>) -> Option<Reading> {
    let mut out = match view.fold.turn {
        Turn::Over(over) if view.is_guess() => view.last_word(over.by, of_end(over.how))?,
        Turn::Over(over) => view.turn_over(over),
        Turn::Fresh(mark) if view.given.life == Life::Alive => {
            let idle = view.given.thresholds.idle;
            let rule = "the agent started and nothing was asked";
            let is_young = view.age(mark.at) < idle;
            is_young.then(|| Reading {
                until: view.next(&[(mark.at, idle)]),
                ..reading(Status::Waiting, mark, Confidence::Medium, rule)
            })?
        }
        Turn::Fresh(mark) if view.heard => {
            let rule = "the agent started and nothing was asked";
            view.standing(reading(Status::Waiting, mark, Confidence::Medium, rule))
        }
        Turn::None | Turn::Fresh(_) | Turn::Open { .. } => return None,
    };
    out.waiting_for = Some(WaitingFor { kind: WaitingKind::Prompt, text: String::new() });
    Some(out)
}

fn idle(view: &View<'_>) -> Option<Reading> {
    let moved = view.fold.moved.filter(|_| view.given.life == Life::Alive)?;
    let idle = view.given.thresholds.idle;
    let rule = "its process lives, no turn is open and nothing moves";
    let since = match view.fold.turn {
        Turn::Fresh(mark) => mark,
        Turn::None | Turn::Open { .. } | Turn::Over(_) => moved,
    };
    (view.age(since.at) >= idle).then(|| reading(Status::Idle, since, Confidence::High, rule))
}

fn unknown(view: &View<'_>) -> Reading {
    let Some(moved) = view.fold.moved else {
        let mark = Mark { at: view.given.now, place: 0 };
        let nothing = reading(Status::Unknown, mark, Confidence::Low, "nothing is known");
        return Reading { rests_on: Vec::new(), ..nothing };
    };
    let rule = "no process is known and the transcript is silent";
    let thresholds = view.given.thresholds;
    let until = match view.given.life {
        Life::Alive => view.next(&[(moved.at, thresholds.idle)]),
        Life::Unknown | Life::Dead => view.next(&[(moved.at, thresholds.over)]),
    };
    let rule =
        if view.given.life == Life::Alive { "its process lives; no turn was seen" } else { rule };
    Reading { until, ..reading(Status::Unknown, moved, Confidence::Low, rule) }
}

impl View<'_> {
    /// Seconds since an instant.
    fn age(&self, at: Timestamp) -> i64 {
        ms(at, self.given.now).div_euclid(1000)
    }

    /// The first of these instants that is still to come.
    pub(super) fn next(&self, after: &[(Timestamp, i64)]) -> Option<Timestamp> {
        let instants = after
            .iter()
            .filter_map(|(at, seconds)| at.checked_add(SignedDuration::from_secs(*seconds)).ok());
        instants.filter(|at| *at > self.given.now).min()
    }

    /// Only a transcript speaks, and no process is known.
    fn is_guess(&self) -> bool {
        self.given.life != Life::Alive && !self.heard
    }

    fn first_pending(&self, kind: WaitingKind) -> Option<&Pending> {
        self.fold.pending.iter().find(|it| it.kind == kind)
    }

    fn worker(&self, is_it: impl Fn(&Worker) -> bool) -> Option<&Worker> {
        let workers = self.given.workers.iter().filter(|it| is_it(it));
        workers.min_by_key(|it| (std::cmp::Reverse(trust(&it.confidence)), it.since))
    }

    fn of_worker(&self, status: Status, worker: &Worker, rule: &'static str) -> Reading {
        let place = self.fold.moved.map_or(0, |it| it.place);
        let mark = Mark { at: worker.since, place };
        let mut out = reading(status, mark, worker.confidence.clone(), rule);
        if self.fold.moved.is_none() {
            out.rests_on.clear();
        }
        out.waiting_for.clone_from(&worker.waiting_for);
        out
    }

    /// A worker works, unless the agent said after it began that none does.
    fn worker_at_work(&self) -> Option<Reading> {
        let denied = match self.fold.turn {
            Turn::Over(over) => over.confirmed.map(|_| over.by.at),
            Turn::None | Turn::Fresh(_) | Turn::Open { .. } => None,
        };
        let worker = self.worker(|it| {
            let is_doubtful = it.confidence == Confidence::Low;
            let is_denied = is_doubtful && denied.is_some_and(|at| at >= it.since);
            it.status == Status::Running && !is_denied
        })?;
        let mut out = self.of_worker(Status::Running, worker, "a worker works");
        out.since = self.fold.turn_began().map_or(worker.since, |at| at.min(worker.since));
        out.waiting_for = None;
        Some(out)
    }

    /// Only the transcript says that the turn is over; the agent's own list says that it works.
    fn is_listed_busy(&self, over: Over) -> bool {
        let is_told_only = over.confirmed.is_none() && over.how == How::Stopped;
        is_told_only && self.given.life == Life::Alive && self.fold.listed_busy.is_some()
    }

    /// A question or a request that stands until it is settled.
    fn asking(&self, status: Status, pending: &Pending, rule: &'static str) -> Reading {
        let mut out = reading(status, pending.by, pending.confidence.clone(), rule);
        out.rests_on.extend(&pending.also);
        let called = self.fold.calls.iter().filter(|it| pending.calls.contains(&it.call));
        out.rests_on.extend(called.map(|it| it.at.place));
        let text = pending.text.clone();
        out.waiting_for = Some(WaitingFor { kind: pending.kind, text });
        if self.is_guess() {
            out.confidence = Confidence::Low;
        }
        self.standing(out)
    }

    /// What was said stands; without a living process it is believed less by and by.
    fn standing(&self, mut out: Reading) -> Reading {
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

    fn turn_over(&self, over: Over) -> Reading {
        let sure = if over.confirmed.is_some() { Confidence::High } else { Confidence::Medium };
        let mut out = reading(Status::Waiting, over.by, sure, of_end(over.how));
        out.rests_on.extend(over.confirmed.filter(|place| *place != over.by.place));
        self.standing(out)
    }

    /// Work of which only the transcript tells, by a process that lives.
    fn told(&self, since: Timestamp, by: Mark, rule: &'static str) -> Reading {
        let call = self.fold.calls.iter().find(|it| !it.live);
        let mut out = match call {
            Some(call) => self.running(since, call.at, OPEN_CALL),
            None => self.running(since, by, rule),
        };
        let most = if call.is_some() { Confidence::Low } else { Confidence::Medium };
        out.confidence = weaker(out.confidence, most);
        out
    }

    /// Work goes on; the longer nothing is heard of it, the less it is believed.
    fn running(&self, since: Timestamp, by: Mark, rule: &'static str) -> Reading {
        let heard_of = self.fold.output.unwrap_or(by);
        let (age, thresholds) = (self.age(heard_of.at), self.given.thresholds);
        let is_listed = self.given.life == Life::Alive && self.fold.listed_busy.is_some();
        let sure = if age <= thresholds.doubt {
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

    /// Records of the last moments, and nobody else speaks: it may be at work.
    fn guessed(&self, since: Timestamp, by: Mark) -> Option<Reading> {
        let moved = self.fold.moved.unwrap_or(by);
        let doubt = self.given.thresholds.doubt;
        let open = self.fold.calls.iter().find(|it| !it.live);
        let rule =
            open.map_or("records of the last moments, and nobody else speaks", |_| OPEN_CALL);
        let mut out = reading(Status::Running, moved, Confidence::Low, rule);
        out.since = since;
        out.rests_on.extend(Some(by.place).filter(|place| *place != moved.place));
        out.until = self.next(&[(moved.at, doubt + 1)]);
        (self.age(moved.at) <= doubt).then_some(out)
    }

    /// The transcript's last word, while it is fresh; nobody else speaks.
    fn last_word(&self, by: Mark, rule: &'static str) -> Option<Reading> {
        let idle = self.given.thresholds.idle;
        let until = self.next(&[(by.at, idle)]);
        let out = reading(Status::Waiting, by, Confidence::Low, rule);
        (self.age(by.at) < idle).then_some(Reading { until, ..out })
    }
}

const OPEN_CALL: &str = "a call without a result; it runs, or it waits to be allowed";

fn of_end(how: How) -> &'static str {
    match how {
        How::Stopped => "the turn is over",
        How::Interrupted => "a person broke the turn off",
        How::Failed => "the turn ended with an error",
        How::Quiet => "the agent says that it does nothing",
    }
}

fn with_question(mut out: Reading, pending: &Pending) -> Reading {
    let text = pending.text.clone();
    out.waiting_for = Some(WaitingFor { kind: WaitingKind::Question, text });
    out
}

pub(super) fn reading(
    status: Status,
    by: Mark,
    confidence: Confidence,
    rule: &'static str,
) -> Reading {
    Reading {
        status,
        since: by.at,
        confidence,
        waiting_for: None,
        rule,
        rests_on: vec![by.place],
        until: None,
    }
}
