//! Repetition: a call with the same result, and a change that is made and undone.

use super::Done;
use crate::findings::commands::Purpose;
use crate::findings::edits::Edit;
use crate::findings::{FindingDraft, FindingKind, Thresholds, quoted};
use crate::{EventId, Timestamp};

const PROPOSAL: &str = "You seem to be repeating yourself. Stop, say what you have learned so far, and try another way.";

/// The repetitions of a turn.
#[derive(Debug, Default)]
pub(super) struct Repeats<'n> {
    run: Vec<Done<'n>>,
    edits: Vec<(Edit, EventId)>,
    undone: Vec<Undone<'n>>,
}

/// A change that was made and undone.
#[derive(Debug)]
struct Undone<'n> {
    edit: Edit,
    about: &'n str,
    ids: Vec<EventId>,
    at: Vec<Timestamp>,
}

impl<'n> Repeats<'n> {
    pub(super) fn take(&mut self, done: Done<'n>) {
        for edit in done.call.edits.iter().filter(|_| !done.failed) {
            self.edited(*edit, done);
        }
        let last = self.run.last().copied();
        let is_same = |it: Done<'_>| {
            (it.call.mark, it.failed, it.mark) == (done.call.mark, done.failed, done.mark)
        };
        match last {
            Some(last) if is_same(last) => self.run.push(done),
            // Reading, and waiting for work that runs by itself, changes nothing.
            Some(_) if done.call.purpose == Purpose::Wait && !done.failed => {}
            Some(last) if is_failure(last) && done.call.purpose == Purpose::Look => {}
            _ => self.run = vec![done],
        }
    }

    fn edited(&mut self, edit: Edit, done: Done<'n>) {
        if let Some((_, first)) = self.edits.iter().find(|(known, _)| edit.undoes(known)) {
            let first = *first;
            let is_it = |it: &&mut Undone<'_>| it.edit == edit || it.edit.undoes(&edit);
            match self.undone.iter_mut().find(is_it) {
                Some(known) => {
                    known.ids.push(done.id);
                    known.at.push(done.at);
                }
                None => self.undone.push(Undone {
                    edit,
                    about: &done.call.about,
                    ids: vec![first, done.id],
                    at: vec![done.at],
                }),
            }
        }
        self.edits.push((edit, done.id));
    }

    pub(super) fn found(&self, thresholds: &Thresholds) -> Vec<FindingDraft> {
        let undone = self.undone.iter().filter_map(|it| {
            let since = it.at.get(thresholds.reversals.checked_sub(1)?)?;
            let (times, about) = (it.at.len(), quoted(it.about));
            let says = format!("A change in {about} was undone or made again {times} times.");
            Some(FindingDraft::new(FindingKind::Loop, *since, &it.ids, says).proposing(PROPOSAL))
        });
        self.repeated(thresholds).into_iter().chain(undone).collect()
    }

    fn repeated(&self, thresholds: &Thresholds) -> Option<FindingDraft> {
        let first = self.run.first()?;
        let least = match (is_failure(*first), first.call.purpose) {
            (true, _) => thresholds.same_failing,
            (false, Purpose::Run | Purpose::Look) => thresholds.same_call,
            (false, _) => return None,
        };
        let since = self.run.get(least.checked_sub(1)?)?.at;
        let ids: Vec<EventId> = self.run.iter().map(|it| it.id).collect();
        let (times, about) = (self.run.len(), quoted(&first.call.about));
        let how = if is_failure(*first) { "failed the same way" } else { "gave the same answer" };
        let says = format!("`{about}` {how} {times} times with nothing changed in between.");
        let found = FindingDraft::new(FindingKind::Loop, since, &ids, says).proposing(PROPOSAL);
        Some(if is_failure(*first) { found } else { found.likely() })
    }
}

/// Whether the call failed at its purpose; a failed read or search does not count.
fn is_failure(done: Done<'_>) -> bool {
    done.failed && done.call.purpose != Purpose::Look
}
