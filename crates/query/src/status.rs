//! The status of one session, computed from evidence, and its form in a list.

use std::sync::Arc;
use taffrail_api::Session;
use taffrail_context::{LiveStatus, Settings};
use taffrail_model::evidence::{Evidence, Life};
use taffrail_model::status::{self, Given, Status, Thresholds, WaitingKind, Worker};
use taffrail_model::turn::PromptReady;
use taffrail_model::{Lifecycle, Process, SessionId, Timestamp};

/// Looks up the live status of a session; a daemon has one for every recent session.
pub type StatusLookup<'a> = &'a dyn Fn(SessionId) -> Option<Arc<LiveStatus>>;

/// The instant of a reading, and how long silences may last.
pub type When = (Timestamp, Thresholds);

/// The current instant, and how long silences may last.
pub fn when(settings: &Settings) -> When {
    ((settings.now)(), settings.status.thresholds)
}

/// When the agent is known to wait for a prompt, for the turn it left open.
pub fn prompt_ready(card: &LiveStatus, settings: &Settings) -> Option<PromptReady> {
    let reading = &card.reading;
    let for_prompt = reading.waiting_for.as_ref().is_some_and(|it| it.kind == WaitingKind::Prompt);
    let waits = reading.status == Status::Waiting && for_prompt;
    let (at, timeout) = ((settings.now)(), settings.status.turn_timeout);
    waits.then_some(PromptReady { at, timeout })
}

/// How many of the latest pieces of evidence a status is computed from.
pub const EVIDENCE: usize = 200;

/// The status of a session, from the given evidence.
pub fn live_status(
    evidence: Vec<Evidence>,
    process: Option<Process>,
    workers: &[Worker],
    when: When,
) -> LiveStatus {
    live_status_of_life(evidence, (process, process.map_or(Life::Unknown, life_of)), workers, when)
}

/// The status of a session, with other proof of whether it is alive.
pub fn live_status_of_life(
    evidence: Vec<Evidence>,
    (process, life): (Option<Process>, Life),
    workers: &[Worker],
    (now, thresholds): When,
) -> LiveStatus {
    let reading = status::read(&Given { evidence: &evidence, life, workers, now, thresholds });
    LiveStatus { reading, evidence, process, life, executor: None }
}

/// Whether a process is alive.
pub fn life_of(process: Process) -> Life {
    if taffrail_capture::lives(process) { Life::Alive } else { Life::Dead }
}

/// Writes a live status into a session's row.
pub fn apply_status(session: &mut Session, card: &LiveStatus, now: Timestamp) {
    let reading = &card.reading;
    session.group = status::group(reading, now);
    session.failed = reading.failure.is_some();
    session.status = reading.status;
    session.status_since = Some(reading.since);
    session.waiting_for = reading.waiting_for.clone();
    session.confidence = reading.confidence.clone();
    session.pid = card.process.filter(|_| card.life == Life::Alive).map(|it| it.pid);
    session.executor = executor_of(card);
    let follows = [Lifecycle::Resumable, Lifecycle::Detached, Lifecycle::Lost];
    if follows.contains(&session.lifecycle) && session.parent_id.is_none() && is_run(card) {
        session.lifecycle = Lifecycle::Active;
    }
}

/// The executor: the process if nothing better is known, so that every client shows both or
/// neither.
pub fn executor_of(card: &LiveStatus) -> Option<String> {
    let process = || card.process.filter(|_| card.life == Life::Alive);
    card.executor.clone().or_else(|| Some(format!("process:{}", process()?.pid)))
}

/// Whether a live process runs the session, and has not ended it.
pub fn is_run(card: &LiveStatus) -> bool {
    card.life == Life::Alive && card.reading.status != Status::Exited
}
