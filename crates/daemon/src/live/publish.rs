//! Publishes what the loop wrote: events, and the status of sessions.

use super::approval_watch::watch_approvals;
use super::delivery_watch::watch_delivery;
use super::event_loop::Loop;
use super::live_fields::add_live_fields;
use crate::DaemonError;
use taffrail_api::Session;
use taffrail_capture::lives;
use taffrail_context::write_gone;
use taffrail_context::{Live, Update, UpdateKind};
use taffrail_model::journal::{Gone, Loss};
use taffrail_model::replication::is_locator;
use taffrail_model::{DeviceId, Lifecycle, Process, SessionId, Signal};
use taffrail_query::filter::add_marks;
use taffrail_query::status::apply_status;
use taffrail_query::{SessionChange, session};
use taffrail_store::{StoreError, Touched};

/// The most rows that are remembered, so that an equal one is not published again.
const PUBLISHED: usize = 4096;

/// Publishes every event of a change.
fn publish_lines(live: &Live, change: &SessionChange<'_>) {
    let (generation, row) = (change.index().generation(), change.row());
    let is_remote = is_locator(&row.source_uri);
    for line in change.lines() {
        let cursor = format!("{generation}.{}", line.sequence());
        let what = UpdateKind::Event { line, cursor };
        live.publish(Update { session: row.id, is_remote, what });
    }
}

/// Whether two rows of a session show the same status: no prompt and no request is in between.
fn is_same_status(one: &Session, other: &Session) -> bool {
    let of = |it: &Session| (it.status, it.waiting_for.clone(), it.prompts);
    of(one) == of(other) && one.pending_approval_id == other.pending_approval_id
}

impl Loop {
    /// Publishes what a batch changed in a session, and its current status.
    pub(super) fn publish(&mut self, touched: Touched) -> Result<(), DaemonError> {
        let Some(index) = &self.index else { return Ok(()) };
        let Some(row) = index.session(touched.row)? else { return Ok(()) };
        let changed = index.changes_after(touched.row, touched.before)?;
        let takes_over = changed.iter().any(|it| it.signal == Some(Signal::TookOver));
        let now = (self.settings.now)();
        let stands = self.board.take(index, &row, &changed, now)?;
        if row.lifecycle == Lifecycle::PromptsOnly {
            // Nothing is known to happen in it. Its transcript may only be late.
            return Ok(());
        }
        let change = SessionChange::new((&self.settings, index, &self.device), row, changed);
        let row = change.row();
        // A session of another device is handled on that device.
        if !is_locator(&row.source_uri) {
            watch_approvals(self.handle.broker(), &change)?;
            watch_delivery(self.handle.delivery(), &change)?;
            self.monitor.take(&change)?;
        }
        // Events after its end belong to its final summary, too.
        self.finish(row.id);
        if let Some(process) = row.process.filter(|it| lives(*it)) {
            self.probe.watch(std::iter::once(process));
        }
        if self.handle.live().has_subscribers() {
            publish_lines(self.handle.live(), &change);
        }
        let (row, changed) = change.into_parts();
        self.conclude_turn(&row, &changed)?;
        if let Some(process) = row.process.filter(|_| takes_over && row.parent.is_none()) {
            self.note_loss(process, Loss::Left, Some(row.id))?;
        }
        self.tell_statuses(&stands)?;
        if !stands.contains(&row.id) {
            self.remark_on(&[row.id]);
        }
        // A process that was located with another session is not looked up again.
        let process = row.process.filter(|_| self.board.lacks_executor(row.id));
        let known = process.and_then(|it| Some((it.pid, self.probe.executor(it.pid)?)));
        match known {
            Some((pid, executor)) => self.look_again_at(pid, Some(&executor)),
            None => Ok(()),
        }
    }

    pub(super) fn tell_statuses(&mut self, sessions: &[SessionId]) -> Result<(), DaemonError> {
        self.stands_new |= !sessions.is_empty();
        let ours = sessions.iter().copied().filter(|it| !self.board.is_remote(*it));
        self.handle.notices().changed(ours);
        self.note_executors(sessions)?;
        self.conclude_statuses(sessions)?;
        self.follow_up(sessions);
        self.approvals_after_status(sessions)?;
        sessions.iter().for_each(|it| self.handle.delivery().look(*it));
        self.remark_on(sessions);
        if !self.handle.live().has_subscribers() {
            // The next subscriber begins with a snapshot.
            sessions.iter().for_each(|it| drop(self.published.remove(it)));
            return Ok(());
        }
        self.publish_rows(sessions.iter().copied())
    }

    /// Publishes the rows of sessions that changed.
    pub(super) fn publish_rows(
        &mut self,
        sessions: impl Iterator<Item = SessionId>,
    ) -> Result<(), DaemonError> {
        for id in sessions {
            let Some(row) = self.current_row(id)? else { continue };
            self.publish_row(id, row);
        }
        Ok(())
    }

    /// The row of a session with its live status.
    fn current_row(&self, id: SessionId) -> Result<Option<Session>, DaemonError> {
        let (Some(row), Some(card)) = (self.board.row(id), self.handle.live().status(id)) else {
            return Ok(None);
        };
        let Some(index) = &self.index else { return Ok(None) };
        let Some(row) = index.session(row)? else { return Ok(None) };
        let mut row = session(&self.settings.devices, row);
        apply_status(&mut row, &card, (self.settings.now)());
        add_live_fields(&self.handle, index, std::slice::from_mut(&mut row))?;
        add_marks(&self.settings, std::slice::from_mut(&mut row))?;
        Ok(Some(row))
    }

    /// Publishes a row, unless an equal one was published.
    fn publish_row(&mut self, id: SessionId, row: Session) {
        let before = self.published.get(&id);
        if before == Some(&row) {
            // The board learned something that no row shows, such as an executor's place.
            return;
        }
        let is_same = before.is_some_and(|it| is_same_status(it, &row));
        if self.published.len() >= PUBLISHED {
            self.published.clear();
        }
        self.published.insert(id, row.clone());
        let (is_remote, row) = (self.board.is_remote(id), Box::new(row));
        let what = if is_same { UpdateKind::Row { row } } else { UpdateKind::Status { row } };
        self.handle.live().publish(Update { session: id, is_remote, what });
    }

    /// Applies a report of another device: the status of its sessions may have changed.
    pub(super) fn heard(
        &mut self,
        device: &DeviceId,
        sessions: &[SessionId],
    ) -> Result<(), DaemonError> {
        let now = (self.settings.now)();
        let changed = self.board.apply_remote((device, sessions), now);
        self.tell_statuses(&changed)
    }

    /// Restores the executors after the board was reloaded.
    pub(super) fn executors_again(&mut self) -> Result<(), DaemonError> {
        for (pid, executor) in self.probe.executors() {
            self.look_again_at(pid, Some(&executor))?;
        }
        Ok(())
    }

    /// Saves new executors of sessions in the ledger.
    fn note_executors(&mut self, sessions: &[SessionId]) -> Result<(), DaemonError> {
        for session in sessions {
            if let Some(executor) = self.board.new_executor(*session) {
                self.writer()?.attach(&[*session], executor.as_deref())?;
            }
        }
        Ok(())
    }

    /// Records that the sessions of a process lost it, except the one it runs now.
    pub(super) fn note_loss(
        &self,
        process: Process,
        how: Loss,
        kept: Option<SessionId>,
    ) -> Result<(), DaemonError> {
        let Some(index) = &self.index else { return Ok(()) };
        for session in self.board.run_by(process.pid).into_iter().filter(|it| Some(*it) != kept) {
            let row = self.board.row(session).map(|row| index.session(row)).transpose()?.flatten();
            let Some(row) = row.filter(|it| it.parent.is_none()) else { continue };
            if row.process != Some(process) {
                continue;
            }
            let (session, scope) = (row.runtime_id.as_str().to_owned(), String::new());
            let gone = Gone { gone: how, session, scope, process };
            write_gone(&self.settings, &row.agent, &gone).map_err(StoreError::from)?;
        }
        Ok(())
    }

    /// Updates the status of the sessions that a process runs.
    pub(super) fn look_again_at(
        &mut self,
        pid: u32,
        executor: Option<&str>,
    ) -> Result<(), DaemonError> {
        let now = (self.settings.now)();
        let mut changed = Vec::new();
        for session in self.board.run_by(pid) {
            self.board.run_at(session, executor.map(str::to_owned));
            changed.extend(self.board.look_again(session, now));
        }
        self.tell_statuses(&changed)
    }
}
