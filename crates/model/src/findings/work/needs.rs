//! What blocks the work: a missing dependency, a merge conflict, denied access.

use super::{Done, Over};
use crate::findings::commands::Purpose;
use crate::findings::outputs::Sign;
use crate::findings::{FindingDraft, FindingKind, Thresholds, quoted};
use crate::{EventId, Timestamp};

const CONFLICT: &str = "There is a merge conflict. Say which files are in conflict and how you would resolve each, before you go on.";

/// What blocks the work.
#[derive(Debug, Default)]
pub(super) struct Needs<'n> {
    missing: Vec<Missing<'n>>,
    conflict: Option<Done<'n>>,
    refused: Option<Done<'n>>,
}

/// A missing dependency.
#[derive(Debug)]
struct Missing<'n> {
    name: &'n str,
    by: Done<'n>,
    met: Vec<(EventId, Timestamp)>,
    /// No command succeeded since.
    is_last: bool,
}

impl<'n> Needs<'n> {
    pub(super) fn take(&mut self, done: Done<'n>) {
        self.take_missing(done);
        let call = done.call;
        if call.about.contains("git ") && done.signs.contains(&Sign::Conflict) {
            self.conflict.get_or_insert(done);
        } else if !done.failed && settles(done) {
            self.conflict = None;
        }
        if done.failed && done.signs.contains(&Sign::Refused) {
            self.refused.get_or_insert(done);
        } else if !done.failed {
            self.refused.take_if(|it| it.call.verb == call.verb);
        }
    }

    fn take_missing(&mut self, done: Done<'n>) {
        let call = done.call;
        if !done.failed {
            let installs = call.purpose == Purpose::Install;
            self.missing.retain(|it| !installs && it.by.call.verb != call.verb);
            let goes_well = |it: &&mut Missing<'_>| it.is_past(call.purpose);
            self.missing.iter_mut().filter(goes_well).for_each(|it| it.is_last = false);
            return;
        }
        for sign in done.signs {
            let Sign::Missing(name) = sign else { continue };
            match self.missing.iter_mut().find(|it| it.name == name.as_str()) {
                Some(known) => {
                    known.met.drain(..if known.is_last { 0 } else { known.met.len() });
                    known.met.push((done.id, done.at));
                    (known.by, known.is_last) = (done, true);
                }
                None => {
                    let met = vec![(done.id, done.at)];
                    self.missing.push(Missing { name, by: done, met, is_last: true });
                }
            }
        }
    }

    /// A person is present. A Git conflict remains.
    pub(super) fn prompted(&mut self) {
        self.missing.clear();
        self.refused = None;
    }

    pub(super) fn found(&self, over: Option<Over>, thresholds: &Thresholds) -> Vec<FindingDraft> {
        let missing = self.missing.iter().filter_map(|it| it.found(over, thresholds));
        let conflict = self.conflict.map(|it| {
            let says = format!("`{}` ended in a merge conflict.", quoted(&it.call.about));
            FindingDraft::new(FindingKind::MergeConflict, it.at, &[it.id], says).proposing(CONFLICT)
        });
        let refused = self.refused.map(|it| {
            let says = format!("Authentication failed for `{}`.", quoted(&it.call.about));
            FindingDraft::new(FindingKind::AuthFailure, it.at, &[it.id], says).likely()
        });
        missing.chain(conflict).chain(refused).collect()
    }
}

/// Whether the call completes or aborts a Git merge.
fn settles(done: Done<'_>) -> bool {
    let call = done.call;
    call.purpose == Purpose::Merge || matches!(call.verb.as_str(), "git reset" | "git switch")
}

impl Missing<'_> {
    /// Whether the work went on without the dependency: for a program, after any successful
    /// command; for a library, after a command that might have needed it.
    fn is_past(&self, ran: Purpose) -> bool {
        let is_program = self.by.call.verb.split(' ').next() == Some(self.name);
        match ran {
            Purpose::Run | Purpose::Test | Purpose::Check => true,
            Purpose::Look | Purpose::Merge | Purpose::Install => is_program,
            Purpose::Change | Purpose::Wait | Purpose::Other => false,
        }
    }

    /// The finding, if the dependency was missing again without a success since, or the agent
    /// stopped at it.
    fn found(&self, over: Option<Over>, thresholds: &Thresholds) -> Option<FindingDraft> {
        if !self.is_last {
            return None;
        }
        let again = thresholds.missing.checked_sub(1).and_then(|it| self.met.get(it));
        let since = again.map(|(_, at)| *at).or_else(|| over.map(|it| it.at))?;
        let ids: Vec<EventId> = self.met.iter().map(|(id, _)| *id).collect();
        let (name, about) = (quoted(self.name), quoted(&self.by.call.about));
        let says = format!("`{name}` is not installed, and `{about}` needs it.");
        let proposal = "Something this needs is not installed. Say what it is and how you would install it, or do without it.";
        let found = FindingDraft::new(FindingKind::MissingDependency, since, &ids, says);
        let found = found.proposing(proposal);
        Some(if again.is_some() { found } else { found.likely() })
    }
}
