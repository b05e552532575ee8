//! Checks that keep failing the same way whatever changes, and the result of the latest check.

use super::{Done, Over};
use crate::findings::commands::Purpose;
use crate::findings::outputs::Sign;
use crate::findings::{FindingDraft, FindingKind, Thresholds, quoted};
use crate::{EventId, Timestamp};

const TESTS: &str = "The same test keeps failing. Say what you think the cause is and how you would prove it, before you change anything else.";
const TYPES: &str = "Type errors remain. Run the check again and fix the first error it names.";

/// The most checks tracked at once.
const MOST: usize = 16;

/// The results of checks since the last prompt.
#[derive(Debug, Default)]
pub(in crate::findings) struct Streaks<'n> {
    failing: Vec<Streak<'n>>,
    /// The latest check.
    pub(in crate::findings) last: Option<Done<'n>>,
}

/// A check that keeps failing the same way.
#[derive(Debug)]
struct Streak<'n> {
    last: Done<'n>,
    types: bool,
    /// Runs of the check, each after a change since the run before.
    runs: Vec<(EventId, Timestamp)>,
    changed: bool,
}

impl<'n> Streaks<'n> {
    pub(super) fn take(&mut self, done: Done<'n>) {
        match done.call.purpose {
            Purpose::Test | Purpose::Check => self.checked(done),
            Purpose::Look | Purpose::Wait | Purpose::Other => {}
            Purpose::Change | Purpose::Run | Purpose::Install | Purpose::Merge => {
                self.failing.iter_mut().filter(|_| !done.failed).for_each(|it| it.changed = true);
            }
        }
    }

    fn checked(&mut self, done: Done<'n>) {
        self.last = Some(done);
        let key = done.call.key.as_str();
        if !done.failed {
            // A check that passes also covers its parts.
            self.failing.retain(|it| !it.last.call.key.starts_with(key));
            return;
        }
        let known = self.failing.iter_mut().find(|it| it.last.call.key == key);
        match known {
            Some(known) if known.last.mark == done.mark => {
                if std::mem::take(&mut known.changed) {
                    known.runs.push((done.id, done.at));
                }
                known.last = done;
            }
            Some(known) => *known = Streak::new(done),
            None => self.failing.push(Streak::new(done)),
        }
        let over = self.failing.len().saturating_sub(MOST);
        self.failing.drain(..over);
    }

    pub(super) fn found(&self, over: Option<Over>, thresholds: &Thresholds) -> Vec<FindingDraft> {
        let again = self.failing.iter().filter_map(|it| it.found(thresholds));
        again.chain(over.and_then(|it| self.left(it))).collect()
    }

    /// The agent stopped although its last check had type errors.
    fn left(&self, over: Over) -> Option<FindingDraft> {
        let last = self.last.filter(|it| it.failed && it.signs.contains(&Sign::Types))?;
        let says =
            format!("It stopped while `{}` still failed on types.", quoted(&last.call.about));
        let kind = FindingKind::TypeError;
        Some(FindingDraft::new(kind, over.at, &[last.id, over.by], says).likely().proposing(TYPES))
    }
}

impl<'n> Streak<'n> {
    fn new(done: Done<'n>) -> Self {
        let types = done.signs.contains(&Sign::Types);
        Self { last: done, types, runs: vec![(done.id, done.at)], changed: false }
    }

    fn found(&self, thresholds: &Thresholds) -> Option<FindingDraft> {
        let (kind, least, proposal) = match (self.types, self.last.call.purpose) {
            (true, _) => (FindingKind::TypeError, thresholds.same_types, TYPES),
            (false, Purpose::Test) => {
                (FindingKind::RepeatedTestFailure, thresholds.same_test, TESTS)
            }
            (false, _) => return None,
        };
        let since = self.runs.get(least.checked_sub(1)?)?.1;
        let ids: Vec<EventId> = self.runs.iter().map(|(id, _)| *id).collect();
        let (about, times) = (quoted(&self.last.call.key), self.runs.len());
        let says = format!("`{about}` failed the same way {times} times, whatever was changed.");
        Some(FindingDraft::new(kind, since, &ids, says).proposing(proposal))
    }
}
