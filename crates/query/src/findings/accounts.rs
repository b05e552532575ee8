//! Findings about accounts instead of sessions: limits that are nearly used up, and spent budgets.

use super::difference;
use super::throttle::Throttle;
use crate::budgets::{SpentBudget, spent_budgets};
use crate::limits::{Changed, Limits};
use crate::quota::quota_list;
use taffrail_api::Gauge;
use taffrail_context::{Error, Settings};
use taffrail_model::Timestamp;
use taffrail_model::findings::{Finding, nearly_used_up, used_up_until};
use taffrail_store::IndexReader;

/// Findings that appeared, and findings that ended.
type Difference = (Vec<Finding>, Vec<Finding>);

/// What is known of limits and budgets.
#[derive(Debug)]
pub(super) struct Accounts {
    pub(super) limits: Limits,
    /// Agents' own files are looked at seldom: most change with every prompt, and rarely in a limit.
    files: Throttle,
    gauges: Vec<Gauge>,
    nearly_used_up: Vec<Finding>,
    /// When to look at limits again: at once if they changed, else at a reset.
    pub(super) limits_due: Option<Timestamp>,
    /// Budgets are read at most once in a while: each takes a query.
    budgets: Throttle,
    spent: Vec<SpentBudget>,
    change: Difference,
}

impl Default for Accounts {
    fn default() -> Self {
        Self {
            limits: Limits::default(),
            files: Throttle::every(30),
            gauges: Vec::new(),
            nearly_used_up: Vec::new(),
            limits_due: None,
            budgets: Throttle::every(5),
            spent: Vec::new(),
            change: Difference::default(),
        }
    }
}

impl Accounts {
    /// Reads what changed with a session.
    pub(super) fn read(&mut self, settings: &Settings, index: &IndexReader) -> Result<(), Error> {
        let now = (settings.now)();
        let mut changed = self.limits.read_index(index)?;
        if self.files.admits(now) && self.limits.read_files(settings) == Changed::Yes {
            changed = Changed::Yes;
        }
        if changed == Changed::Yes {
            self.limits_due = Some(Timestamp::MIN);
            let list = quota_list(self.limits.until(now), now);
            self.gauges = list.quotas.iter().map(|it| Gauge::of(it, now)).collect();
        }
        if !settings.budgets.is_empty() && self.budgets.admits(now) {
            self.read_budgets(settings, index)?;
        }
        Ok(())
    }

    /// Reads what the last change of a burst left unread, when that is due.
    pub(super) fn read_owed(
        &mut self,
        settings: &Settings,
        index: &IndexReader,
    ) -> Result<(), Error> {
        let now = (settings.now)();
        match self.owed() {
            Some(due) if due <= now => self.read(settings, index),
            Some(_) | None => Ok(()),
        }
    }

    /// The findings that appeared or ended.
    pub(super) fn look(&mut self, now: Timestamp) -> Difference {
        let mut change = std::mem::take(&mut self.change);
        if self.limits_due.is_some_and(|at| at <= now) {
            let limits = self.limits.until(now);
            self.limits_due = used_up_until(&limits, now);
            let after = nearly_used_up(limits, now);
            let (appeared, withdrawn) = difference(&self.nearly_used_up, &after);
            change.0.extend(appeared);
            change.1.extend(withdrawn);
            self.nearly_used_up = after;
        }
        change
    }

    /// When to look again by time alone.
    pub(super) fn next(&self) -> Option<Timestamp> {
        self.limits_due.into_iter().chain(self.owed()).min()
    }

    /// The current findings.
    pub(super) fn findings(&self) -> impl Iterator<Item = &Finding> {
        self.nearly_used_up.iter().chain(self.spent.iter().map(|it| &it.finding))
    }

    /// How full the limits are.
    pub(super) fn gauges(&self) -> &[Gauge] {
        &self.gauges
    }

    fn owed(&self) -> Option<Timestamp> {
        self.files.due().into_iter().chain(self.budgets.due()).min()
    }

    fn read_budgets(&mut self, settings: &Settings, index: &IndexReader) -> Result<(), Error> {
        let mut before = std::mem::take(&mut self.spent);
        for it in spent_budgets(settings, index)? {
            match before.iter().position(|known| known.is_same(&it)) {
                Some(known) => self.spent.push(before.swap_remove(known)),
                None => {
                    self.change.0.push(it.finding.clone());
                    self.spent.push(it);
                }
            }
        }
        self.change.1.extend(before.into_iter().map(|it| it.finding));
        Ok(())
    }
}
