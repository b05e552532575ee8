//! What was told, what is to be told, and when.

use super::quiet::Quiet;
use super::{GAP_MS, Notice, Occasion, SHOWN_KEPT, TOLD_KEPT, WINDOW_MS, after, words};
use crate::{SessionId, Timestamp};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Something to be done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Act {
    /// Tell this.
    Tell(Notice),
    /// This is over: take it back where that can be done.
    Withdraw(Notice),
}

/// What outlives a restart: what was told, and what of it can be withdrawn.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NoticeState {
    /// When each was told, by name.
    pub told: BTreeMap<String, Timestamp>,
    /// Notices that can be withdrawn, the oldest first.
    pub shown: Vec<Shown>,
}

/// A notice that can be withdrawn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shown {
    /// As it was told.
    pub notice: Notice,
    /// What its occasions are known by.
    pub names: BTreeSet<String>,
    /// Since when all of it is over.
    #[serde(skip)]
    pub over: Option<Timestamp>,
}

/// Notices of all sessions. A pure function of what it was given, in that order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Fold {
    kept: NoticeState,
    open: BTreeMap<SessionId, Vec<Occasion>>,
    /// When what is untold was first seen, by name.
    seen: BTreeMap<String, Timestamp>,
    latest: Option<Timestamp>,
    is_quiet: bool,
    is_changed: bool,
}

impl Fold {
    /// Goes on after a restart.
    #[must_use]
    pub fn after(kept: NoticeState) -> Self {
        Self { kept, ..Self::default() }
    }

    /// What has to outlive a restart.
    #[must_use]
    pub fn kept(&self) -> &NoticeState {
        &self.kept
    }

    /// Whether that changed since this was last asked.
    pub fn take_changed(&mut self) -> bool {
        std::mem::take(&mut self.is_changed)
    }

    /// The sessions there is something to be told of, or was.
    pub fn sessions(&self) -> impl Iterator<Item = SessionId> {
        self.open.keys().copied()
    }

    /// Takes all there is to be told of a session now, in place of what there was.
    pub fn take(&mut self, session: SessionId, occasions: Vec<Occasion>, now: Timestamp) {
        for it in &occasions {
            match self.is_told(it) {
                // Told under one name is told under all.
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

    /// What is to be done now. What a person looks at counts as told.
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

    /// When there is something to be done next.
    #[must_use]
    pub fn next(&self) -> Option<Timestamp> {
        let over = self.kept.shown.iter().filter_map(|it| it.over);
        let over = over.map(|at| after(at, WINDOW_MS));
        over.chain(self.due().filter(|_| !self.is_quiet)).min()
    }

    /// When what is untold is told, if it is not quiet then.
    fn due(&self) -> Option<Timestamp> {
        let first = after(*self.seen.values().min()?, WINDOW_MS);
        Some(self.latest.map_or(first, |it| first.max(after(it, GAP_MS))))
    }

    /// What is open, news and untold. What is no longer news is not told later, either.
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
        // For a moment a status may say something else.
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

    /// The oldest that are over make room.
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
