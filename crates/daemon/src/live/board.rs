//! How every session of late stands, kept as events come.

use super::handle::{Card, Handle};
use crate::relay::{Devices, card_of};
use crate::standing::{EVIDENCE, card, is_run, life_of};
use crate::{DaemonError, Settings};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::PathBuf;
use std::sync::Arc;
use taffrail_model::evidence::{Evidence, Life};
use taffrail_model::relay::{device_of, is_locator, told_as};
use taffrail_model::status::{Reading, Status, Thresholds, Worker};
use taffrail_model::{Cursor, DeviceId, EventId, Origin, Process, SessionId, Timestamp};
use taffrail_store::{EventRow, Filter, IndexReader, SessionRow};

/// Orders evidence by its own time; what was said at once, by where it stands.
type Place = (Timestamp, bool, u64, u32, EventId);

/// What is known of a session of late.
#[derive(Debug, Default)]
struct Known {
    row: i64,
    process: Option<Process>,
    executor: Option<String>,
    /// Who runs it as the ledger has it.
    noted: Option<String>,
    parent: Option<SessionId>,
    workers: HashSet<SessionId>,
    evidence: Vec<(Place, Evidence)>,
    until: Option<Timestamp>,
    /// It is on another device, which says how it stands.
    remote: Option<Box<SessionRow>>,
}

/// All sessions of late.
#[derive(Debug, Default)]
pub(crate) struct Board {
    known: HashMap<SessionId, Known>,
    /// When each would stand differently by time alone.
    due: BTreeSet<(Timestamp, SessionId)>,
    /// Where it is kept what other devices say, and what they are called.
    data: PathBuf,
    devices: Devices,
}

impl Board {
    /// Looks sessions up that moved within a day, and those whose process may live.
    pub(crate) fn load(
        settings: &Settings,
        index: &IndexReader,
        handle: &Handle,
    ) -> Result<Self, DaemonError> {
        let now = (settings.now)();
        let (data, devices) = (settings.data.clone(), settings.devices.clone());
        let mut board = Self { data, devices, ..Self::default() };
        for row in recent(index, now)? {
            board.add(index, &row)?;
        }
        let all: Vec<_> = board.known.keys().copied().collect();
        board.link(&all);
        // Workers first: a parent stands as they do.
        let (workers, others): (Vec<_>, Vec<_>) = all
            .into_iter()
            .partition(|it| board.known.get(it).is_some_and(|it| it.parent.is_some()));
        for session in workers.into_iter().chain(others) {
            board.settle(session, handle, now);
        }
        Ok(board)
    }

    /// Takes what changed in a session; gives the sessions that stand differently now.
    pub(crate) fn take(
        &mut self,
        (index, handle): (&IndexReader, &Handle),
        row: &SessionRow,
        changed: &[EventRow],
        now: Timestamp,
    ) -> Result<Vec<SessionId>, DaemonError> {
        if !row.captured {
            self.known.remove(&row.id);
            handle.put(row.id, None);
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
            known.remote = remote(row);
        }
        Ok(self.settle_with_parent(row.id, handle, now))
    }

    /// Another device was heard, and said how these sessions stand; gives those that stand differently now.
    /// What was unknown because the device was silent is looked at, too.
    pub(crate) fn hear(
        &mut self,
        (device, said): (&DeviceId, &[SessionId]),
        handle: &Handle,
        now: Timestamp,
    ) -> Vec<SessionId> {
        let moved = |id: SessionId, row: &SessionRow| {
            let told = told_as(&row.source_uri).unwrap_or(id);
            let is_said = said.contains(&told) || handle.card(id).is_some_and(|it| it.is_silent());
            is_said && device_of(&row.source_uri).as_ref() == Some(device)
        };
        let moved = |(id, it): (&SessionId, &Known)| {
            it.remote.as_deref().is_some_and(|row| moved(*id, row)).then_some(*id)
        };
        let moved: Vec<_> = self.known.iter().filter_map(moved).collect();
        moved.into_iter().filter(|it| self.settle(*it, handle, now)).collect()
    }

    /// It is on another device.
    pub(crate) fn is_remote(&self, session: SessionId) -> bool {
        self.known.get(&session).is_some_and(|it| it.remote.is_some())
    }

    /// Sessions that may stand differently because time went by.
    pub(crate) fn pass(&mut self, handle: &Handle, now: Timestamp) -> Vec<SessionId> {
        let mut changed = Vec::new();
        while let Some((at, session)) = self.due.first().copied().filter(|(at, _)| *at <= now) {
            self.due.remove(&(at, session));
            if let Some(known) = self.known.get_mut(&session) {
                known.until = None;
            }
            if self.is_past(session, handle, now) {
                self.drop_past(session, handle);
                continue;
            }
            changed.extend(self.settle_with_parent(session, handle, now));
        }
        changed
    }

    /// When time alone changes something next.
    pub(crate) fn next(&self) -> Option<Timestamp> {
        self.due.first().map(|(at, _)| *at)
    }

    /// Reads again how a session stands, because its process changed.
    pub(crate) fn look_again(
        &mut self,
        session: SessionId,
        handle: &Handle,
        now: Timestamp,
    ) -> Vec<SessionId> {
        self.settle_with_parent(session, handle, now)
    }

    /// The row of a session in the index.
    pub(crate) fn row(&self, session: SessionId) -> Option<i64> {
        self.known.get(&session).map(|it| it.row)
    }

    /// The sessions that work for one.
    pub(crate) fn workers_of(&self, session: SessionId) -> Vec<SessionId> {
        self.known.get(&session).map_or_else(Vec::new, |it| it.workers.iter().copied().collect())
    }

    /// It works for another session.
    pub(crate) fn is_worker(&self, session: SessionId) -> bool {
        self.known.get(&session).is_some_and(|it| it.parent.is_some())
    }

    /// Where commands for a process could go is known now.
    pub(crate) fn run_at(&mut self, session: SessionId, executor: Option<String>) {
        if let Some(known) = self.known.get_mut(&session) {
            known.executor = executor;
        }
    }

    /// It has a process, and it is not known where commands for that could go.
    pub(crate) fn lacks_executor(&self, session: SessionId) -> bool {
        self.known.get(&session).is_some_and(|it| it.process.is_some() && it.executor.is_none())
    }

    /// Who runs a session now, if the ledger does not have it so. A worker is run by its parent's.
    pub(crate) fn new_executor(
        &mut self,
        session: SessionId,
        handle: &Handle,
    ) -> Option<Option<String>> {
        let known = self.known.get_mut(&session).filter(|it| it.parent.is_none())?;
        let card = handle.card(session).filter(|it| is_run(it));
        let now = card.and_then(|it| it.executor.clone());
        (now != known.noted).then(|| {
            known.noted.clone_from(&now);
            now
        })
    }

    /// The sessions a process runs.
    pub(crate) fn run_by(&self, pid: u32) -> Vec<SessionId> {
        let runs = |it: &Known| it.process.is_some_and(|process| process.pid == pid);
        self.known.iter().filter(|(_, it)| runs(it)).map(|(id, _)| *id).collect()
    }

    /// Processes that run something.
    pub(crate) fn processes(&self) -> impl Iterator<Item = Process> {
        self.known.values().filter_map(|it| it.process)
    }

    fn add(&mut self, index: &IndexReader, row: &SessionRow) -> Result<(), DaemonError> {
        let known = self.known.entry(row.id).or_default();
        (known.row, known.parent, known.process) = (row.row, row.parent, row.process);
        known.remote = remote(row);
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

    fn settle_with_parent(
        &mut self,
        session: SessionId,
        handle: &Handle,
        now: Timestamp,
    ) -> Vec<SessionId> {
        let mut changed = Vec::new();
        let mut next = Some(session);
        while let Some(session) = next {
            if self.settle(session, handle, now) {
                changed.push(session);
            }
            next = self.known.get(&session).and_then(|it| it.parent);
            next = next.filter(|parent| self.known.contains_key(parent) && *parent != session);
        }
        changed
    }

    /// Reads how a session stands; `true` when that is new.
    fn settle(&mut self, session: SessionId, handle: &Handle, now: Timestamp) -> bool {
        let Some(known) = self.known.get(&session) else { return false };
        let workers: Vec<Worker> =
            known.workers.iter().filter_map(|it| handle.card(*it)).map(|it| worker(&it)).collect();
        let evidence: Vec<_> = known.evidence.iter().map(|(_, it)| it.clone()).collect();
        let before = handle.card(session);
        let said = known.remote.as_deref();
        let said = said.and_then(|row| card_of(&self.data, &self.devices, row, now));
        let mut card = said.unwrap_or_else(|| Card {
            executor: known.executor.clone(),
            ..card(evidence, known.process, &workers, now)
        });
        if let Some(before) = before.as_ref().filter(|_| known.evidence.len() >= EVIDENCE) {
            keep_since(&before.reading, &mut card.reading);
        }
        let until = card.reading.until.or_else(|| past_at(&card.reading, known.moved()));
        let same = before.as_ref().is_some_and(|it| looks_same(it, &card));
        handle.put(session, Some(Arc::new(card)));
        self.remind(session, until);
        !same
    }

    /// It is over and nothing moved in it for a day: the index knows all of it.
    fn is_past(&self, session: SessionId, handle: &Handle, now: Timestamp) -> bool {
        let (Some(known), Some(card)) = (self.known.get(&session), handle.card(session)) else {
            return false;
        };
        past_at(&card.reading, known.moved()).is_some_and(|at| at <= now)
    }

    fn drop_past(&mut self, session: SessionId, handle: &Handle) {
        let parent = self.known.remove(&session).and_then(|it| it.parent);
        if let Some(parent) = parent.and_then(|it| self.known.get_mut(&it)) {
            parent.workers.remove(&session);
        }
        handle.put(session, None);
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

impl Known {
    /// When anything was last said of it.
    fn moved(&self) -> Option<Timestamp> {
        let said = self.evidence.last().map(|((at, ..), _)| *at);
        said.or_else(|| self.remote.as_ref().and_then(|it| it.last_event_at))
    }

    fn extend(&mut self, rows: &[EventRow]) {
        for row in rows {
            let Some(evidence) = crate::standing::of_row(row) else { continue };
            let place = place(row);
            // It nearly always comes last.
            let at = self.evidence.partition_point(|(known, _)| *known <= place);
            self.evidence.insert(at, (place, evidence));
        }
        let over = self.evidence.len().saturating_sub(EVIDENCE);
        self.evidence.drain(..over);
    }
}

/// When a session that is over is no longer one of late.
fn past_at(reading: &Reading, moved: Option<Timestamp>) -> Option<Timestamp> {
    let moved = moved.filter(|_| reading.status == Status::Exited)?;
    Timestamp::from_second(moved.as_second().saturating_add(Thresholds::default().over)).ok()
}

/// The session as its device told it; nothing for sessions of this device.
fn remote(row: &SessionRow) -> Option<Box<SessionRow>> {
    is_locator(&row.source_uri).then(|| Box::new(row.clone()))
}

fn place(row: &EventRow) -> Place {
    let offset = match row.cursor {
        Cursor::Bytes { byte_offset, .. } => byte_offset,
        Cursor::Row { rowid, .. } => rowid.unsigned_abs(),
        Cursor::Pointer { .. } => 0,
    };
    (row.at, row.origin != Origin::Transcript, offset, row.part, row.id)
}

fn recent(index: &IndexReader, now: Timestamp) -> Result<Vec<SessionRow>, DaemonError> {
    let day = now.as_second().saturating_sub(Thresholds::default().over);
    let since = Timestamp::from_second(day).ok();
    let mut rows = index.sessions(&Filter { workers: true, since, ..Filter::default() })?;
    let known: HashSet<_> = rows.iter().map(|it| it.id).collect();
    let run = index.sessions_with_process()?;
    rows.extend(run.into_iter().filter(|it| {
        !known.contains(&it.id) && it.process.is_some_and(|it| life_of(it) == Life::Alive)
    }));
    // Of what is not captured nothing is known.
    rows.retain(|it| it.captured);
    Ok(rows)
}

/// Where evidence is dropped for its number, the beginning of a status may be lost; it is remembered.
fn keep_since(before: &Reading, now: &mut Reading) {
    if (before.status, &before.waiting_for) == (now.status, &now.waiting_for) {
        now.since = now.since.min(before.since);
    }
}

fn worker(card: &Card) -> Worker {
    let reading = &card.reading;
    Worker {
        status: reading.status,
        since: reading.since,
        confidence: reading.confidence.clone(),
        waiting_for: reading.waiting_for.clone(),
    }
}

fn looks_same(one: &Card, other: &Card) -> bool {
    let (a, b) = (&one.reading, &other.reading);
    (a.status, a.since, &a.confidence, &a.waiting_for, one.life, &one.executor)
        == (b.status, b.since, &b.confidence, &b.waiting_for, other.life, &other.executor)
}

/// How sessions stand without a daemon: those that may be alive, looked up once.
pub(crate) fn glance(
    settings: &Settings,
    index: &IndexReader,
) -> Result<HashMap<SessionId, Arc<Card>>, DaemonError> {
    let (wakes, _) = std::sync::mpsc::channel();
    let handle = Handle::new(settings.clone(), wakes);
    Board::load(settings, index, &handle)?;
    Ok(handle.cards())
}

#[cfg(test)]
mod tests {
    use super::*;
    use taffrail_model::Confidence;

    #[test]
    fn what_is_over_is_past_a_day_after_it_moved() {
        let at = |second| Timestamp::from_second(second).unwrap();
        let check = |status, moved, expected| {
            let reading = Reading {
                status,
                since: at(0),
                confidence: Confidence::High,
                waiting_for: None,
                rule: "",
                rests_on: Vec::new(),
                until: None,
            };
            assert_eq!(past_at(&reading, moved), expected, "{status:?}");
        };
        check(Status::Exited, Some(at(5)), Some(at(86_405)));
        check(Status::Exited, None, None);
        check(Status::Waiting, Some(at(5)), None);
    }
}
