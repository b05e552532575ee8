//! Which notices were sent, which are due, and when.

use super::quiet::Quiet;
use super::{GAP_MS, Notice, Occasion, SHOWN_KEPT, TOLD_KEPT, WINDOW_MS, after, words};
use crate::{SessionId, Timestamp};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// An action for the caller.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Act {
    /// Send this notice.
    Tell(Notice),
    /// This notice is obsolete: withdraw it where possible.
    Withdraw(Notice),
}

/// The state that survives a restart: sent occasions, and the notices that can be withdrawn.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NoticeState {
    /// When each occasion was announced, by name.
    pub told: BTreeMap<String, Timestamp>,
    /// Notices that can be withdrawn, the oldest first.
    pub shown: Vec<Shown>,
}

/// A notice that can be withdrawn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shown {
    /// The notice as sent.
    pub notice: Notice,
    /// The names of its occasions.
    pub names: BTreeSet<String>,
    /// Since when all its occasions are over.
    #[serde(skip)]
    pub over: Option<Timestamp>,
}

/// The notices of all sessions. A pure function of its inputs in order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Fold {
    kept: NoticeState,
    open: BTreeMap<SessionId, Vec<Occasion>>,
    /// When each unannounced occasion was first seen, by name.
    seen: BTreeMap<String, Timestamp>,
    latest: Option<Timestamp>,
    is_quiet: bool,
    is_changed: bool,
}

impl Fold {
    /// Restores the state after a restart.
    #[must_use]
    pub fn after(kept: NoticeState) -> Self {
        Self { kept, ..Self::default() }
    }

    /// The state that must survive a restart.
    #[must_use]
    pub fn kept(&self) -> &NoticeState {
        &self.kept
    }

    /// Whether that state changed since the last call.
    pub fn take_changed(&mut self) -> bool {
        std::mem::take(&mut self.is_changed)
    }

    /// The sessions with open occasions.
    pub fn sessions(&self) -> impl Iterator<Item = SessionId> {
        self.open.keys().copied()
    }

    /// Replaces the occasions of a session.
    pub fn take(&mut self, session: SessionId, occasions: Vec<Occasion>, now: Timestamp) {
        for it in &occasions {
            match self.is_told(it) {
                // An occasion announced under one name counts as announced under all.
                true => self.note_told(&it.names, now),
                false => self.note_seen(&it.names, now),
            }
        }
        match occasions.is_empty() {
            true => self.open.remove(&session),
            false => self.open.insert(session, occasions),
        };
        let names = self.names();
        self.seen.retain(|name, _| names.contains(name));
    }

    /// The actions that are due now. An occasion that a person is looking at counts as announced.
    pub fn step(
        &mut self,
        now: Timestamp,
        quiet: Quiet,
        is_looked_at: &dyn Fn(&Occasion) -> bool,
    ) -> Vec<Act> {
        self.is_quiet = quiet == Quiet::Yes;
        let mut out = self.withdraw(now);
        if self.is_quiet || self.due().is_none_or(|at| at > now) {
            return out;
        }
        let due = self.untold(now);
        for it in &due {
            self.note_told(&it.names, now);
        }
        let unseen: Vec<Occasion> = due.into_iter().filter(|it| !is_looked_at(it)).collect();
        if let Some(notice) = words::notice(&unseen, now) {
            self.latest = Some(now);
            self.note_shown(&notice, &unseen);
            out.push(Act::Tell(notice));
        }
        self.forget_old();
        out
    }

    /// When the next action is due.
    #[must_use]
    pub fn next(&self) -> Option<Timestamp> {
        let over = self.kept.shown.iter().filter_map(|it| it.over);
        let over = over.map(|at| after(at, WINDOW_MS));
        over.chain(self.due().filter(|_| !self.is_quiet)).min()
    }

    /// When the unannounced occasions are due, quiet hours aside.
    fn due(&self) -> Option<Timestamp> {
        let first = after(*self.seen.values().min()?, WINDOW_MS);
        Some(self.latest.map_or(first, |it| first.max(after(it, GAP_MS))))
    }

    /// Open, current and unannounced occasions. An outdated occasion is not announced later,
    /// either.
    fn untold(&mut self, now: Timestamp) -> Vec<Occasion> {
        let all = self.open.values().flatten().filter(|it| !self.is_told(it));
        let (due, old): (Vec<Occasion>, Vec<Occasion>) =
            all.cloned().partition(|it| it.until.is_none_or(|until| now < until));
        for it in old {
            self.note_told(&it.names, now);
        }
        due
    }

    fn withdraw(&mut self, now: Timestamp) -> Vec<Act> {
        let names = self.names();
        for it in &mut self.kept.shown {
            match it.names.is_disjoint(&names) {
                true => it.over.get_or_insert(now),
                false => {
                    it.over = None;
                    continue;
                }
            };
        }
        // A status may change for a moment only.
        let is_over = |it: &mut Shown| it.over.is_some_and(|at| after(at, WINDOW_MS) <= now);
        let over: Vec<Shown> = self.kept.shown.extract_if(.., is_over).collect();
        self.is_changed |= !over.is_empty();
        over.into_iter().map(|it| Act::Withdraw(it.notice)).collect()
    }

    fn names(&self) -> BTreeSet<String> {
        self.open.values().flatten().flat_map(|it| it.names.iter().cloned()).collect()
    }

    fn is_told(&self, it: &Occasion) -> bool {
        it.names.iter().any(|name| self.kept.told.contains_key(name))
    }

    fn note_told(&mut self, names: &[String], now: Timestamp) {
        for name in names {
            self.is_changed |= self.kept.told.insert(name.clone(), now).is_none();
            self.seen.remove(name);
        }
    }

    fn note_seen(&mut self, names: &[String], now: Timestamp) {
        for name in names {
            self.seen.entry(name.clone()).or_insert(now);
        }
    }

    fn note_shown(&mut self, notice: &Notice, of: &[Occasion]) {
        let names = of.iter().flat_map(|it| it.names.iter().cloned()).collect();
        self.kept.shown.push(Shown { notice: notice.clone(), names, over: None });
        let many = self.kept.shown.len().saturating_sub(SHOWN_KEPT);
        self.kept.shown.drain(..many);
    }

    /// Forgets the oldest occasions that are over.
    fn forget_old(&mut self) {
        let many = self.kept.told.len().saturating_sub(TOLD_KEPT);
        if many == 0 {
            return;
        }
        let names = self.names();
        let over = self.kept.told.iter().filter(|(name, _)| !names.contains(*name));
        let mut over: Vec<(Timestamp, String)> =
            over.map(|(name, at)| (*at, name.clone())).collect();
        over.sort();
        for (_, name) in over.into_iter().take(many) {
            self.kept.told.remove(&name);
        }
    }
}
