//! Findings of all recent sessions, updated as events arrive. Only changed sessions are checked.

use super::accounts::Accounts;
use super::event_views::{EventReader, read_change};
use super::{LOOK, Whose, context, difference, is_recent, standing};
use crate::session_change::SessionChange;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;
use taffrail_api::Gauge;
use taffrail_context::FindingsBySession;
use taffrail_context::LiveStatus;
use taffrail_context::{Error, Settings};
use taffrail_model::findings::{
    Blocked, Context, Finding, Fold, Thresholds, together, together_until,
};
use taffrail_model::status::{self, Group};
use taffrail_model::{SessionId, Timestamp};
use taffrail_store::{IndexReader, SessionRow};

/// Looks up the live status of a session.
type LiveStatuses<'a> = &'a dyn Fn(SessionId) -> Option<Arc<LiveStatus>>;

/// The state of a recent session.
#[derive(Debug)]
struct Watched {
    row: SessionRow,
    fold: Fold,
    context: Option<Context>,
    own: Vec<Finding>,
    until: Option<Timestamp>,
}

/// The findings of all recent sessions.
#[derive(Debug, Default)]
pub struct Monitor {
    known: HashMap<SessionId, Watched>,
    /// When the findings of each session may change by time alone.
    due: BTreeSet<(Timestamp, SessionId)>,
    /// Sessions that wait for a person.
    blocked: BTreeMap<SessionId, Blocked>,
    together: Option<Finding>,
    together_due: Option<Timestamp>,
    /// Limits and budgets.
    accounts: Accounts,
    thresholds: Thresholds,
}

/// Findings that appeared, and findings that ended.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct FindingsChange {
    pub appeared: Vec<Finding>,
    pub withdrawn: Vec<Finding>,
}

impl FindingsChange {
    fn add(&mut self, (appeared, withdrawn): (Vec<Finding>, Vec<Finding>)) {
        self.appeared.extend(appeared);
        self.withdrawn.extend(withdrawn);
    }
}

impl Monitor {
    /// Reads all recent sessions.
    pub fn load(
        &mut self,
        settings: &Settings,
        index: &IndexReader,
        cards: &HashMap<SessionId, Arc<LiveStatus>>,
    ) -> Result<(), Error> {
        let thresholds = self.thresholds;
        *self = Self { thresholds, ..Self::default() };
        let mut reader = EventReader::new(settings);
        for id in cards.keys() {
            if let Some(row) = index.session_by_id(*id)?.filter(|it| it.captured) {
                self.read_again(&mut reader, index, row)?;
            }
        }
        self.accounts.read(settings, index)?;
        let all: Vec<SessionId> = self.known.keys().copied().collect();
        self.look(&all, &|id| cards.get(&id).cloned(), (settings.now)());
        Ok(())
    }

    /// Applies a change of a session; its findings are checked later.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn take(&mut self, change: &SessionChange<'_>) -> Result<(), Error> {
        self.accounts.read(change.settings(), change.index())?;
        let row = change.row();
        // Old history that arrives now is checked on request.
        if !row.captured || !is_recent(row, (change.settings().now)()) {
            return Ok(());
        }
        let only_new = change.events().iter().all(|it| !it.removed && it.revision == 1);
        match self.known.get_mut(&row.id) {
            Some(known) if only_new => {
                read_change(change, &mut known.fold);
                known.context = context(change.index(), row.row, &known.fold)?;
                known.row = row.clone();
                Ok(())
            }
            _ => {
                let mut reader = EventReader::new(change.settings());
                self.read_again(&mut reader, change.index(), row.clone())
            }
        }
    }

    fn read_again(
        &mut self,
        reader: &mut EventReader<'_>,
        index: &IndexReader,
        row: SessionRow,
    ) -> Result<(), Error> {
        let mut fold = Fold::default();
        reader.read_into(&row, &index.last_events(row.row, LOOK)?, &mut fold);
        let context = context(index, row.row, &fold)?;
        let before = self.known.remove(&row.id);
        let (own, until) = before.map(|it| (it.own, it.until)).unwrap_or_default();
        self.known.insert(row.id, Watched { row, fold, context, own, until });
        Ok(())
    }

    /// Checks sessions again, and returns the findings that appeared or ended.
    pub fn look(
        &mut self,
        ids: &[SessionId],
        cards: LiveStatuses<'_>,
        now: Timestamp,
    ) -> FindingsChange {
        let mut change = FindingsChange::default();
        for id in ids {
            match cards(*id) {
                Some(card) => change.add(self.look_at(*id, &card, now)),
                None => change.add((Vec::new(), self.forget(*id))),
            }
        }
        change.add(self.look_at_all_together(now));
        change.add(self.accounts.look(now));
        change
    }

    /// Checks the sessions that are due.
    pub fn pass(&mut self, cards: LiveStatuses<'_>, now: Timestamp) -> FindingsChange {
        let due: Vec<SessionId> =
            self.due.iter().take_while(|(at, _)| *at <= now).map(|(_, id)| *id).collect();
        self.look(&due, cards, now)
    }

    /// Reads limits and budgets that changed in a burst, when that is due.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn read_owed(&mut self, settings: &Settings, index: &IndexReader) -> Result<(), Error> {
        self.accounts.read_owed(settings, index)
    }

    /// How full the limits of accounts are.
    pub fn gauges(&self) -> &[Gauge] {
        self.accounts.gauges()
    }

    /// When findings may next change by time alone.
    pub fn next(&self) -> Option<Timestamp> {
        let first = self.due.first().map(|(at, _)| *at);
        first.into_iter().chain(self.together_due).chain(self.accounts.next()).min()
    }

    /// The number of watched sessions.
    pub fn count(&self) -> usize {
        self.known.len()
    }

    /// Drops sessions that are no longer recent.
    pub fn keep_only(&mut self, is_kept: impl Fn(SessionId) -> bool) -> Vec<Finding> {
        let gone: Vec<_> = self.known.keys().copied().filter(|it| !is_kept(*it)).collect();
        gone.into_iter().flat_map(|it| self.forget(it)).collect()
    }

    /// The current findings, by session.
    pub fn by_session(&self, ids: impl Iterator<Item = SessionId>) -> FindingsBySession {
        ids.map(|id| (id, self.of(id).into())).collect()
    }

    /// All current findings.
    pub fn all(&self, whose: Whose) -> Vec<Finding> {
        let wanted = |it: &&Watched| whose == Whose::All || it.row.parent.is_none();
        let own = self.known.values().filter(wanted).flat_map(|it| it.own.iter());
        own.chain(self.shared()).cloned().collect()
    }

    fn of(&self, id: SessionId) -> Vec<Finding> {
        let own = self.known.get(&id).into_iter().flat_map(|it| &it.own);
        own.chain(self.shared().filter(|it| it.session_id == id)).cloned().collect()
    }

    /// Findings that are not about one session alone.
    fn shared(&self) -> impl Iterator<Item = &Finding> {
        self.together.iter().chain(self.accounts.findings())
    }

    fn look_at(
        &mut self,
        id: SessionId,
        card: &LiveStatus,
        now: Timestamp,
    ) -> (Vec<Finding>, Vec<Finding>) {
        let Some(known) = self.known.get_mut(&id) else { return Default::default() };
        let standing = standing(&known.row, card, known.context);
        let after = known.fold.findings(&standing, now, &self.thresholds);
        let until = known.fold.until(&standing, now, &self.thresholds);
        if let Some(before) = std::mem::replace(&mut known.until, until) {
            self.due.remove(&(before, id));
        }
        self.due.extend(until.map(|at| (at, id)));
        let needs_you = status::group(&card.reading, now) == Group::NeedsYou;
        if needs_you && known.row.parent.is_none() {
            let (since, asked) = (card.reading.since, known.fold.asked());
            self.blocked.insert(id, Blocked { session: id, since, asked });
        } else {
            self.blocked.remove(&id);
        }
        let change = difference(&known.own, &after);
        known.own = after;
        change
    }

    fn look_at_all_together(&mut self, now: Timestamp) -> (Vec<Finding>, Vec<Finding>) {
        let blocked: Vec<Blocked> = self.blocked.values().copied().collect();
        let after = together(&blocked, now, &self.thresholds);
        self.together_due = together_until(&blocked, now, &self.thresholds);
        let change = difference(self.together.as_slice(), after.as_slice());
        self.together = after;
        change
    }

    fn forget(&mut self, id: SessionId) -> Vec<Finding> {
        self.blocked.remove(&id);
        let Some(known) = self.known.remove(&id) else { return Vec::new() };
        if let Some(until) = known.until {
            self.due.remove(&(until, id));
        }
        known.own
    }
}

#[cfg(test)]
#[path = "monitor_tests.rs"]
mod tests;
