//! The rules, the strongest first: from the folded evidence and an instant to a status.

use super::failure::{failure, lost};
use super::mark::{LAG_MS, Mark, ms};
use super::pending::Pending;
use super::screen_hint::on_screen;
use super::turn::{How, Turn};
use super::view::{View, of_end, reading};
use super::{Given, Reading, Status, StatusRule, WaitingFor, WaitingKind, Worker};
use crate::Confidence;
use crate::evidence::Life;

/// A rule and its reading, if it applies.
type Rule = fn(&View<'_>) -> Option<Reading>;

const RULES: &[Rule] =
    &[ended, gone, forgotten, approval, question, working, almost_over, your_turn, left, idle];

/// The reading of the first rule that applies.
pub(super) fn read(given: &Given<'_>) -> Reading {
    let view = View::of(given);
    let mut told = RULES.iter().find_map(|rule| rule(&view)).unwrap_or_else(|| unknown(&view));
    told.failure = failure(&view, told.status);
    on_screen(&view, told)
}

fn ended(view: &View<'_>) -> Option<Reading> {
    let end = view.fold.end?;
    let rule = if end.died { StatusRule::ProcessEnded } else { StatusRule::AgentEnded };
    Some(reading(Status::Exited, end.by, Confidence::High, rule))
}

/// The process is gone, its end was not observed, and no other process resumed the session.
fn gone(view: &View<'_>) -> Option<Reading> {
    let moved = view.fold.moved.filter(|_| view.is_gone())?;
    let over = view.given.thresholds.over;
    if view.age(moved.at) >= over {
        let rule = StatusRule::ProcessGoneForADay;
        return Some(reading(Status::Exited, moved, Confidence::Medium, rule));
    }
    let until = view.next(&[(moved.at, over)]);
    if let Turn::Over(over) = view.fold.turn
        && lost(view).is_none()
    {
        let told =
            reading(Status::Exited, over.by, Confidence::Medium, StatusRule::TurnOverProcessGone);
        return Some(Reading { until, ..told });
    }
    let rule = StatusRule::ProcessGoneUnseen;
    Some(Reading { until, ..reading(Status::Unknown, moved, Confidence::Medium, rule) })
}

fn forgotten(view: &View<'_>) -> Option<Reading> {
    let moved = view.fold.moved?;
    let is_old = view.age(moved.at) >= view.given.thresholds.over;
    let is_at_work = view.given.workers.iter().any(|it| it.status == Status::Running);
    let rule = StatusRule::NoProcessForADay;
    (view.given.life != Life::Alive && is_old && !is_at_work)
        .then(|| reading(Status::Exited, moved, Confidence::Low, rule))
}

fn approval(view: &View<'_>) -> Option<Reading> {
    let own = view.first_pending(WaitingKind::Approval);
    if let Some(pending) = own {
        let rule = StatusRule::ApprovalOpen;
        return Some(view.asking(Status::WaitingApproval, pending, rule));
    }
    let worker = view.worker(|it| it.status == Status::WaitingApproval)?;
    let rule = StatusRule::WorkerApprovalOpen;
    Some(view.of_worker(Status::WaitingApproval, worker, rule))
}

fn question(view: &View<'_>) -> Option<Reading> {
    let rule = StatusRule::QuestionOpen;
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
    Some(view.of_worker(Status::Waiting, worker, StatusRule::WorkerQuestionOpen))
}

fn working(view: &View<'_>) -> Option<Reading> {
    let fold = &view.fold;
    let (since, by, rule) = match (fold.compacting, fold.turn, fold.background) {
        (Some(mark), _, _) => (mark.at, mark, StatusRule::Compacting),
        (None, Turn::Open { since, by, .. }, _) => (since, by, StatusRule::TurnOpen),
        (None, Turn::Over(over), Some(mark)) => {
            let rule = StatusRule::BackgroundWork;
            (over.opened.unwrap_or(over.by.at), mark, rule)
        }
        (None, Turn::Over(over), None) if view.is_listed_busy(over) => {
            let mark = fold.listed_busy.unwrap_or(over.by);
            let rule = StatusRule::ListedBusy;
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

/// The transcript shows a stop before the hook reports whether background work continues.
fn almost_over(view: &View<'_>) -> Option<Reading> {
    let Turn::Over(over) = view.fold.turn else { return None };
    let since = over.opened?;
    let hooks_speak = view.fold.hooked.is_some_and(|it| ms(it.at, since) <= LAG_MS);
    let is_due = hooks_speak && over.confirmed.is_none() && over.how == How::Stopped;
    let is_soon = ms(over.by.at, view.given.now) <= LAG_MS;
    let rule = StatusRule::StopUnconfirmed;
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
            let rule = StatusRule::NoPrompt;
            let is_young = view.age(mark.at) < idle;
            is_young.then(|| Reading {
                until: view.next(&[(mark.at, idle)]),
                ..reading(Status::Waiting, mark, Confidence::Medium, rule)
            })?
        }
        Turn::Fresh(mark) if view.heard => {
            let rule = StatusRule::NoPrompt;
            view.standing(reading(Status::Waiting, mark, Confidence::Medium, rule))
        }
        Turn::None | Turn::Fresh(_) | Turn::Open { .. } => return None,
    };
    out.waiting_for = Some(WaitingFor::new(WaitingKind::Prompt, String::new()));
    Some(out)
}

/// The transcript shows the end of a turn some time ago, and no other source reports. An agent that
/// waits at its prompt without a known process ends up here, and runs again with its first record.
fn left(view: &View<'_>) -> Option<Reading> {
    let Turn::Over(over) = view.fold.turn else { return None };
    let rule = StatusRule::TurnOverNoProcess;
    let moved = view.fold.moved.unwrap_or(over.by);
    view.is_guess().then(|| Reading {
        until: view.next(&[(moved.at, view.given.thresholds.over)]),
        ..reading(Status::Exited, over.by, Confidence::Low, rule)
    })
}

fn idle(view: &View<'_>) -> Option<Reading> {
    let moved = view.fold.moved.filter(|_| view.given.life == Life::Alive)?;
    let idle = view.given.thresholds.idle;
    let rule = StatusRule::Idle;
    let since = match view.fold.turn {
        Turn::Fresh(mark) => mark,
        Turn::None | Turn::Open { .. } | Turn::Over(_) => moved,
    };
    (view.age(since.at) >= idle).then(|| reading(Status::Idle, since, Confidence::High, rule))
}

fn unknown(view: &View<'_>) -> Reading {
    let Some(moved) = view.fold.moved else {
        let mark = Mark { at: view.given.now, place: 0 };
        let nothing = reading(Status::Unknown, mark, Confidence::Low, StatusRule::NothingKnown);
        return Reading { rests_on: Vec::new(), ..nothing };
    };
    let rule = StatusRule::NoProcessFound;
    let thresholds = view.given.thresholds;
    let until = match view.given.life {
        Life::Alive => view.next(&[(moved.at, thresholds.idle)]),
        Life::Unknown | Life::Dead => view.next(&[(moved.at, thresholds.over)]),
    };
    let rule = if view.given.life == Life::Alive { StatusRule::NoTurnSeen } else { rule };
    Reading { until, ..reading(Status::Unknown, moved, Confidence::Low, rule) }
}

fn with_question(mut out: Reading, pending: &Pending) -> Reading {
    out.waiting_for = Some(pending.waiting_for());
    out
}
