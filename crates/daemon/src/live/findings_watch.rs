//! Monitors sessions for findings, and publishes them.

use super::event_loop::Loop;
use crate::DaemonError;
use std::collections::BTreeSet;
use taffrail_api::{FindingChange, FindingMessage};
use taffrail_context::{Update, UpdateKind};
use taffrail_model::SessionId;
use taffrail_model::findings::Finding;
use taffrail_query::findings::{FindingsChange, Whose};

impl Loop {
    /// Loads all recent sessions from the index.
    pub(super) fn watch(&mut self) -> Result<(), DaemonError> {
        let Some(index) = &self.index else { return Ok(()) };
        self.monitor.load(&self.settings, index, &self.handle.live().statuses())?;
        let all = self.monitor.all(Whose::All);
        self.stops.note_old(&all);
        self.handle.live().replace_findings(all);
        Ok(())
    }

    /// Checks sessions whose events or status changed.
    pub(super) fn remark_on(&mut self, sessions: &[SessionId]) {
        let now = (self.settings.now)();
        let handle = self.handle.clone();
        let change = self.monitor.look(sessions, &|id| handle.live().status(id), now);
        self.tell_findings(change);
        self.go_on_at_reset(sessions);
    }

    /// Checks sessions whose time has come, and drops those that are no longer recent.
    pub(super) fn pass_findings(&mut self) {
        let now = (self.settings.now)();
        let handle = self.handle.clone();
        if self.monitor.count() > handle.live().count() {
            let withdrawn = self.monitor.keep_only(|id| handle.live().status(id).is_some());
            self.tell_findings(FindingsChange { withdrawn, ..FindingsChange::default() });
        }
        if self.monitor.next().is_some_and(|at| at <= now) {
            let owed = self.index.as_ref().map(|it| self.monitor.read_owed(&self.settings, it));
            // The next change of a session reads them again.
            if let Some(Err(error)) = owed {
                tracing::warn!(%error, "cannot read limits and budgets");
            }
            let change = self.monitor.pass(&|id| handle.live().status(id), now);
            self.tell_findings(change);
        }
    }

    fn tell_findings(&mut self, change: FindingsChange) {
        // Without the entry the finding itself still holds; only its history lacks it.
        if let Err(error) = self.conclude_findings(&change) {
            tracing::warn!(%error, "cannot record findings");
        }
        let both = change.appeared.iter().chain(&change.withdrawn);
        let sessions: BTreeSet<SessionId> = both.map(|it| it.session_id).collect();
        self.handle.live().put_findings(self.monitor.by_session(sessions.iter().copied()));
        self.handle.notices().changed(sessions.iter().copied());
        if !self.handle.live().has_subscribers() {
            return;
        }
        for (how, findings) in [
            (FindingChange::Withdrawn, change.withdrawn),
            (FindingChange::Appeared, change.appeared),
        ] {
            findings.into_iter().for_each(|it| self.tell_finding(how, it));
        }
        // The rows name their findings. If one cannot be read, its next change publishes it.
        if let Err(error) = self.publish_rows(sessions.into_iter()) {
            tracing::warn!(%error, "cannot publish the rows of findings");
        }
    }

    fn tell_finding(&self, change: FindingChange, finding: Finding) {
        let session = finding.session_id;
        let message = Box::new(FindingMessage { change, finding });
        let what = UpdateKind::Finding { message };
        self.handle.live().publish(Update { session, is_remote: false, what });
    }
}
