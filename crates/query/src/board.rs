//! The status of every recent session, updated as events arrive.

mod recent_session;

use crate::imported::{imported_reading, imported_status};
use crate::status::{EVIDENCE, is_run, life_of, live_status_of_life};
use recent_session::RecentSession;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;
use taffrail_context::remote_status::card_of;
use taffrail_context::{Error, Settings};
use taffrail_context::{Live, LiveStatus, LiveStatuses};
use taffrail_model::evidence::Life;
use taffrail_model::replication::{device_of, is_locator, told_as};
use taffrail_model::status::{Reading, Status, Thresholds, Worker};
use taffrail_model::{DeviceId, Lifecycle, Process, SessionId, Timestamp};
use taffrail_store::{EventRow, Filter, IndexReader, SessionRow};

/// All recent sessions.
pub struct Board {
    /// The state shared with the other parts.
    live: Live,
    /// Whether a hook of a session waits for an answer.
    is_held: IsHeld,
    known: HashMap<SessionId, RecentSession>,
    /// When the status of each session changes by time alone.
    due: BTreeSet<(Timestamp, SessionId)>,
}

/// Whether a hook of a session waits for an answer.
pub type IsHeld = Box<dyn Fn(SessionId) -> bool + Send>;

impl Board {
    /// An empty board.
    pub fn new(live: Live, is_held: IsHeld) -> Self {
        Self { live, is_held, known: HashMap::new(), due: BTreeSet::new() }
    }

    /// Loads the sessions that were active within a day, and those whose process may be alive.
    pub fn load(live: Live, is_held: IsHeld, index: &IndexReader) -> Result<Self, Error> {
        let now = (live.settings().now)();
        let mut board = Self::new(live, is_held);
        for row in recent(index, now)? {
            board.add(index, &row)?;
        }
        let all: Vec<_> = board.known.keys().copied().collect();
        board.link(&all);
        // Sub-agents first: the status of a parent depends on them.
        let (workers, others): (Vec<_>, Vec<_>) = all
            .into_iter()
            .partition(|it| board.known.get(it).is_some_and(|it| it.parent.is_some()));
        for session in workers.into_iter().chain(others) {
            board.settle(session, now);
        }
        Ok(board)
    }

    /// Applies a change of a session; returns the sessions whose status changed.
    pub fn take(
        &mut self,
        index: &IndexReader,
        row: &SessionRow,
        changed: &[EventRow],
        now: Timestamp,
    ) -> Result<Vec<SessionId>, Error> {
        if !has_status(row) {
            self.known.remove(&row.id);
            self.live.put_status(row.id, None);
            return Ok(Vec::new());
        }
        let only_new = changed.iter().all(|it| !it.removed && it.revision == 1);
        match self.known.get_mut(&row.id) {
            Some(known) if only_new => known.extend(changed),
            _ => {
                self.add(index, row)?;
                self.link(&[row.id]);
            }
        }
        if let Some(known) = self.known.get_mut(&row.id) {
            (known.process, known.row) = (row.process.or(known.process), row.row);
            (known.remote, known.imported) = (remote(row), imported_reading(row));
        }
        Ok(self.settle_with_parent(row.id, now))
    }

    /// Applies statuses from another device; returns the sessions whose status changed. Also checks
    /// sessions that were unknown because the device was silent.
    pub fn apply_remote(
        &mut self,
        (device, said): (&DeviceId, &[SessionId]),
        now: Timestamp,
    ) -> Vec<SessionId> {
        let moved = |id: SessionId, row: &SessionRow| {
            let told = told_as(&row.source_uri).unwrap_or(id);
            let is_said =
                said.contains(&told) || self.live.status(id).is_some_and(|it| it.is_silent());
            is_said && device_of(&row.source_uri).as_ref() == Some(device)
        };
        let moved = |(id, it): (&SessionId, &RecentSession)| {
            it.remote.as_deref().is_some_and(|row| moved(*id, row)).then_some(*id)
        };
        let moved: Vec<_> = self.known.iter().filter_map(moved).collect();
        moved.into_iter().filter(|it| self.settle(*it, now)).collect()
    }

    /// Whether a session belongs to another device.
    pub fn is_remote(&self, session: SessionId) -> bool {
        self.known.get(&session).is_some_and(|it| it.remote.is_some())
    }

    /// Updates statuses that change by time alone; returns the sessions whose status changed.
    pub fn pass(&mut self, now: Timestamp) -> Vec<SessionId> {
        let mut changed = Vec::new();
        while let Some((at, session)) = self.due.first().copied().filter(|(at, _)| *at <= now) {
            self.due.remove(&(at, session));
            if let Some(known) = self.known.get_mut(&session) {
                known.until = None;
            }
            if self.is_past(session, now) {
                self.drop_past(session);
                continue;
            }
            changed.extend(self.settle_with_parent(session, now));
        }
        changed
    }

    /// When the next status changes by time alone.
    pub fn next(&self) -> Option<Timestamp> {
        self.due.first().map(|(at, _)| *at)
    }

    /// Computes the status of a session again, because its process changed.
    pub fn look_again(&mut self, session: SessionId, now: Timestamp) -> Vec<SessionId> {
        self.settle_with_parent(session, now)
    }

    /// The row of a session in the index.
    pub fn row(&self, session: SessionId) -> Option<i64> {
        self.known.get(&session).map(|it| it.row)
    }

    /// The sub-agents of a session.
    pub fn workers_of(&self, session: SessionId) -> Vec<SessionId> {
        self.known.get(&session).map_or_else(Vec::new, |it| it.workers.iter().copied().collect())
    }

    /// Whether a session is a sub-agent.
    pub fn is_worker(&self, session: SessionId) -> bool {
        self.known.get(&session).is_some_and(|it| it.parent.is_some())
    }

    /// Sets the executor of a session.
    pub fn run_at(&mut self, session: SessionId, executor: Option<String>) {
        if let Some(known) = self.known.get_mut(&session) {
            known.executor = executor;
        }
    }

    /// Whether a session has a process and no known executor.
    pub fn lacks_executor(&self, session: SessionId) -> bool {
        self.known.get(&session).is_some_and(|it| it.process.is_some() && it.executor.is_none())
    }

    /// The executor of a session, if the ledger has another one; `None` for a sub-agent, which
    /// runs in its parent's executor.
    pub fn new_executor(&mut self, session: SessionId) -> Option<Option<String>> {
        let known = self.known.get_mut(&session).filter(|it| it.parent.is_none())?;
        let card = self.live.status(session).filter(|it| is_run(it));
        let now = card.and_then(|it| it.executor.clone());
        (now != known.noted).then(|| {
            known.noted.clone_from(&now);
            now
        })
    }

    /// The sessions that a process runs.
    pub fn run_by(&self, pid: u32) -> Vec<SessionId> {
        let runs = |it: &RecentSession| it.process.is_some_and(|process| process.pid == pid);
        self.known.iter().filter(|(_, it)| runs(it)).map(|(id, _)| *id).collect()
    }

    /// The processes that run sessions.
    pub fn processes(&self) -> impl Iterator<Item = Process> {
        self.known.values().filter_map(|it| it.process)
    }

    fn add(&mut self, index: &IndexReader, row: &SessionRow) -> Result<(), Error> {
        let known = self.known.entry(row.id).or_default();
        (known.row, known.parent, known.process) = (row.row, row.parent, row.process);
        (known.remote, known.imported) = (remote(row), imported_reading(row));
        known.evidence.clear();
        known.extend(&index.last_events(row.row, 2 * EVIDENCE)?);
        Ok(())
    }

    fn link(&mut self, sessions: &[SessionId]) {
        for session in sessions {
            let parent = self.known.get(session).and_then(|it| it.parent);
            if let Some(parent) = parent.and_then(|it| self.known.get_mut(&it)) {
                parent.workers.insert(*session);
            }
        }
    }

    fn settle_with_parent(&mut self, session: SessionId, now: Timestamp) -> Vec<SessionId> {
        let mut changed = Vec::new();
        let mut next = Some(session);
        while let Some(session) = next {
            if self.settle(session, now) {
                changed.push(session);
            }
            next = self.known.get(&session).and_then(|it| it.parent);
            next = next.filter(|parent| self.known.contains_key(parent) && *parent != session);
        }
        changed
    }

    /// Computes the status of a session; `true` when it changed.
    fn settle(&mut self, session: SessionId, now: Timestamp) -> bool {
        let Some(known) = self.known.get(&session) else { return false };
        let workers: Vec<Worker> = known
            .workers
            .iter()
            .filter_map(|it| self.live.status(*it))
            .map(|it| worker(&it))
            .collect();
        let evidence: Vec<_> = known.evidence.iter().map(|(_, it)| it.clone()).collect();
        let before = self.live.status(session);
        let held = (self.is_held)(session);
        let life = life(known.process, held);
        let said = known.remote.as_deref();
        let said = said.and_then(|row| self.remote_status(row, now));
        let thresholds = self.live.settings().status.thresholds;
        let said = known.imported.clone().map(imported_status).or(said);
        let mut card = said.unwrap_or_else(|| LiveStatus {
            executor: known.executor.clone(),
            ..live_status_of_life(evidence, (known.process, life), &workers, (now, thresholds))
        });
        if let Some(before) = before.as_ref().filter(|_| known.evidence.len() >= EVIDENCE) {
            keep_since(&before.reading, &mut card.reading);
        }
        let until = card.reading.until.or_else(|| past_at(&card.reading, known.moved()));
        let until = until.or_else(|| held.then(|| later(now)).flatten());
        let same = before.as_ref().is_some_and(|it| looks_same(it, &card));
        self.live.put_status(session, Some(Arc::new(card)));
        self.remind(session, until);
        !same
    }

    /// Whether a session is over and was inactive for a day: then the index suffices.
    fn is_past(&self, session: SessionId, now: Timestamp) -> bool {
        let (Some(known), Some(card)) = (self.known.get(&session), self.live.status(session))
        else {
            return false;
        };
        past_at(&card.reading, known.moved()).is_some_and(|at| at <= now)
    }

    fn drop_past(&mut self, session: SessionId) {
        let parent = self.known.remove(&session).and_then(|it| it.parent);
        if let Some(parent) = parent.and_then(|it| self.known.get_mut(&it)) {
            parent.workers.remove(&session);
        }
        self.live.put_status(session, None);
    }

    fn remote_status(&self, row: &SessionRow, now: Timestamp) -> Option<LiveStatus> {
        let settings = self.live.settings();
        card_of(&settings.data, &settings.devices, row, now)
    }

    fn remind(&mut self, session: SessionId, until: Option<Timestamp>) {
        let Some(known) = self.known.get_mut(&session) else { return };
        if let Some(before) = known.until.take() {
            self.due.remove(&(before, session));
        }
        if let Some(until) = until {
            known.until = Some(until);
            self.due.insert((until, session));
        }
    }
}

/// When to check again for a hook that waits.
fn later(now: Timestamp) -> Option<Timestamp> {
    Timestamp::from_second(now.as_second().saturating_add(Thresholds::default().idle)).ok()
}

/// When a session that is over stops counting as recent.
fn past_at(reading: &Reading, moved: Option<Timestamp>) -> Option<Timestamp> {
    let moved = moved.filter(|_| reading.status == Status::Exited)?;
    Timestamp::from_second(moved.as_second().saturating_add(Thresholds::default().over)).ok()
}

/// The row of a remote session; `None` for sessions of this device.
fn remote(row: &SessionRow) -> Option<Box<SessionRow>> {
    is_locator(&row.source_uri).then(|| Box::new(row.clone()))
}

fn recent(index: &IndexReader, now: Timestamp) -> Result<Vec<SessionRow>, Error> {
    let day = now.as_second().saturating_sub(Thresholds::default().over);
    let since = Timestamp::from_second(day).ok();
    let mut rows = index.sessions(&Filter { workers: true, since, ..Filter::default() })?;
    let known: HashSet<_> = rows.iter().map(|it| it.id).collect();
    let run = index.sessions_with_process()?;
    rows.extend(run.into_iter().filter(|it| {
        !known.contains(&it.id) && it.process.is_some_and(|it| life_of(it) == Life::Alive)
    }));
    rows.retain(has_status);
    Ok(rows)
}

/// Whether a session has a status: not if it is not captured, or if only its prompts are left.
fn has_status(row: &SessionRow) -> bool {
    row.captured && row.lifecycle != Lifecycle::PromptsOnly
}

/// Keeps the start of a status, which is lost when old evidence is dropped.
fn keep_since(before: &Reading, now: &mut Reading) {
    if (before.status, &before.waiting_for) == (now.status, &now.waiting_for) {
        now.since = now.since.min(before.since);
    }
}

fn worker(card: &LiveStatus) -> Worker {
    let reading = &card.reading;
    Worker {
        status: reading.status,
        since: reading.since,
        confidence: reading.confidence.clone(),
        waiting_for: reading.waiting_for.clone(),
    }
}

fn looks_same(one: &LiveStatus, other: &LiveStatus) -> bool {
    let (a, b) = (&one.reading, &other.reading);
    (a.status, a.since, &a.confidence, &a.waiting_for, one.life, &one.executor)
        == (b.status, b.since, &b.confidence, &b.waiting_for, other.life, &other.executor)
}

/// The status of every recent session, also while history is still being read: the same answer for
/// every client.
pub fn current_statuses(live: &Live) -> Result<LiveStatuses, Error> {
    if live.is_complete() {
        return Ok(live.statuses());
    }
    let index = IndexReader::open(&live.settings().data)?;
    index.map_or_else(|| Ok(LiveStatuses::new()), |index| recent_statuses(live.settings(), &index))
}

/// The status of every recent session, computed once without a daemon.
pub fn recent_statuses(settings: &Settings, index: &IndexReader) -> Result<LiveStatuses, Error> {
    let live = Live::new(settings.clone(), Box::new(|_| {}));
    Board::load(live.clone(), Box::new(|_| false), index)?;
    Ok(live.statuses())
}

/// Whether the process of a session is alive. Without a known process, a hook that waits for an
/// answer proves that its sender is alive.
fn life(process: Option<Process>, held: bool) -> Life {
    process.map_or(if held { Life::Alive } else { Life::Unknown }, life_of)
}

#[cfg(test)]
mod tests {
    use super::*;
    use taffrail_model::Confidence;

    #[test]
    fn a_held_request_stays_sure_while_its_hook_waits() {
        assert_eq!((life(None, true), life(None, false)), (Life::Alive, Life::Unknown));
        // A process that is known to be gone outranks its hook.
        let gone = Process { pid: u32::MAX, start: 1 };
        assert_eq!(life(Some(gone), true), life_of(gone));
        assert_ne!(life_of(gone), Life::Alive);
    }

    #[test]
    fn what_is_over_is_past_a_day_after_it_moved() {
        let at = |second| Timestamp::from_second(second).unwrap();
        let check = |status, moved, expected| {
            let reading = Reading {
                status,
                since: at(0),
                confidence: Confidence::High,
                waiting_for: None,
                rule: taffrail_model::status::StatusRule::NothingKnown,
                rests_on: Vec::new(),
                until: None,
                failure: None,
            };
            assert_eq!(past_at(&reading, moved), expected, "{status:?}");
        };
        check(Status::Exited, Some(at(5)), Some(at(86_405)));
        check(Status::Exited, None, None);
        check(Status::Waiting, Some(at(5)), None);
    }
}
