//! Findings that follow from a session's status: no activity, a request to a person, a finished
//! job.

use super::note::How;
use super::work::{Over, Work};
use super::{FindingDraft, FindingKind, Role, Standing, Thresholds, later, quoted};
use crate::evidence::Life;
use crate::rules::{Request, Risk, RiskLevel, risk};
use crate::status::{Reading, Status, WaitingKind};
use crate::{Confidence, EventId, Timestamp};

pub(super) fn found(
    work: &Work<'_>,
    moved: Option<Timestamp>,
    standing: &Standing<'_>,
    (now, thresholds): (Timestamp, &Thresholds),
) -> Vec<FindingDraft> {
    let (reading, is_guess) = (standing.reading, standing.reading.confidence == Confidence::Low);
    let stuck = stuck_at(work, moved, standing, thresholds).filter(|at| *at <= now);
    // Silence lowers the confidence in a status. Only a hook would have reported the end of a turn.
    let stuck = stuck.filter(|_| work.is_hooked || !is_guess);
    let mut out: Vec<FindingDraft> = stuck.map(|at| stuck_since(moved, at)).into_iter().collect();
    // A guess does not justify alerting a person.
    if is_guess {
        return out;
    }
    let ids: Vec<EventId> = work.asked.into_iter().collect();
    if standing.role == Role::Main {
        out.extend(question(reading, &ids));
        out.extend(finished(work, reading, thresholds));
    }
    out.extend(risky(reading, &ids));
    out.extend(
        backlog_at(reading, thresholds)
            .filter(|at| *at <= now)
            .map(|at| backlog(at, reading, &ids)),
    );
    out
}

/// When time alone would cause a finding.
pub(super) fn until(
    work: &Work<'_>,
    moved: Option<Timestamp>,
    standing: &Standing<'_>,
    (now, thresholds): (Timestamp, &Thresholds),
) -> Option<Timestamp> {
    let stuck = stuck_at(work, moved, standing, thresholds);
    let backlog = backlog_at(standing.reading, thresholds);
    [stuck, backlog].into_iter().flatten().filter(|at| *at > now).min()
}

/// When an open turn without a running call counts as stuck, if nothing happens until then.
fn stuck_at(
    work: &Work<'_>,
    moved: Option<Timestamp>,
    standing: &Standing<'_>,
    thresholds: &Thresholds,
) -> Option<Timestamp> {
    let works = standing.reading.status == Status::Running && standing.life == Life::Alive;
    let is_open = work.open.is_some() && work.rests();
    later(moved.filter(|_| works && is_open)?, thresholds.stuck)
}

fn stuck_since(moved: Option<Timestamp>, at: Timestamp) -> FindingDraft {
    let minutes = moved.map_or(0, |it| (at.as_second() - it.as_second()) / 60);
    let says = format!("Its turn is open, nothing runs, and nothing moved for {minutes} minutes.");
    let proposal = "Are you still working on it? Say where you are.";
    FindingDraft::new(FindingKind::Stuck, at, &[], says).likely().proposing(proposal)
}

fn question(reading: &Reading, ids: &[EventId]) -> Option<FindingDraft> {
    let asks = reading.waiting_for.as_ref().filter(|it| it.kind == WaitingKind::Question)?;
    let asks = Some(asks).filter(|_| reading.status == Status::Waiting)?;
    let says = match asks.text.trim() {
        "" => "It asks a question.".to_owned(),
        text => format!("It asks: {}", quoted(text)),
    };
    let found = FindingDraft::new(FindingKind::QuestionAsked, reading.since, ids, says);
    Some(FindingDraft { confidence: reading.confidence.clone(), ..found })
}

fn asked(reading: &Reading) -> Option<&str> {
    let asks = reading.waiting_for.as_ref().filter(|it| it.kind == WaitingKind::Approval)?;
    Some(asks.text.as_str()).filter(|_| reading.status == Status::WaitingApproval)
}

fn risky(reading: &Reading, ids: &[EventId]) -> Option<FindingDraft> {
    let command = asked(reading)?;
    let Risk { level: RiskLevel::High, why } = risk_of(command) else { return None };
    let says = format!("It asks to run `{}`: {why}.", quoted(command));
    let found = FindingDraft::new(FindingKind::RiskyApproval, reading.since, ids, says);
    Some(FindingDraft { confidence: reading.confidence.clone(), ..found })
}

/// The risk of a request, read as a command.
fn risk_of(command: &str) -> Risk {
    let request = Request {
        tool: "",
        command: Some(command),
        agent: None,
        project: None,
        files: &[],
        beside: &[],
    };
    risk(&request)
}

fn backlog_at(reading: &Reading, thresholds: &Thresholds) -> Option<Timestamp> {
    asked(reading)?;
    later(reading.since, thresholds.approval)
}

fn backlog(at: Timestamp, reading: &Reading, ids: &[EventId]) -> FindingDraft {
    let minutes = (at.as_second() - reading.since.as_second()) / 60;
    let says = match asked(reading).unwrap_or_default().trim() {
        "" => format!("An approval has waited for {minutes} minutes."),
        text => format!("An approval has waited for {minutes} minutes: {}", quoted(text)),
    };
    let found = FindingDraft::new(FindingKind::ApprovalBacklog, at, ids, says);
    FindingDraft { confidence: reading.confidence.clone(), ..found }
}

/// A finished job: the agent stopped by itself after a long turn, and nothing runs any more.
fn finished(work: &Work<'_>, reading: &Reading, thresholds: &Thresholds) -> Option<FindingDraft> {
    let rests = match reading.status {
        Status::Waiting => {
            reading.waiting_for.as_ref().is_none_or(|it| it.kind == WaitingKind::Prompt)
        }
        Status::Idle | Status::Exited | Status::Unknown => true,
        Status::Running | Status::WaitingApproval => false,
    };
    let over = work.over.filter(|it| rests && it.how == How::Done)?;
    // A person who has just answered needs no notice.
    let alone = over.at.as_second() - over.attended?.as_second();
    let took = over.at.as_second() - over.began?.as_second();
    (alone >= thresholds.job).then(|| told(work, over, took))
}

fn told(work: &Work<'_>, over: Over, took: i64) -> FindingDraft {
    let took =
        if took < 120 { format!("{took} seconds") } else { format!("{} minutes", took / 60) };
    let mut ids = vec![over.by];
    let (says, proposal) = match work.streaks.last {
        None => (format!("Done after {took}."), None),
        Some(it) if it.failed => {
            ids.insert(0, it.id);
            let says = format!("Stopped after {took}; `{}` failed last.", quoted(&it.call.about));
            (says, Some("Your last check failed. Run it again and fix what it names."))
        }
        Some(it) => {
            ids.insert(0, it.id);
            (format!("Done after {took}; `{}` passed last.", quoted(&it.call.about)), None)
        }
    };
    let found = FindingDraft::new(FindingKind::Finished, over.at, &ids, says);
    match proposal {
        Some(proposal) => found.proposing(proposal),
        None => found,
    }
}
