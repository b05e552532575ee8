//! The bounded, ordered notes of a session's events, and the findings in them.

use super::event_view::EventView;
use super::note::{Note, Place, Says, note};
use super::work::Work;
use super::{Finding, FindingKind, Standing, Thresholds, from_status, provider_errors};
use crate::status::Status;
use crate::{EventId, Signal, Timestamp};

/// The most notes kept per session.
pub const NOTES: usize = 256;

/// The notes of a session's events. The order of arrival and repetition make no difference as long
/// as no more than [`NOTES`] events matter.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Fold {
    notes: Vec<(Place, Note)>,
    /// The agent's last sign of activity.
    moved: Option<Timestamp>,
}

impl Fold {
    /// Adds one event.
    pub fn take(&mut self, event: &EventView<'_>) {
        let is_work = |it: &Signal| {
            !matches!(it, Signal::Alive | Signal::Quiet | Signal::Died | Signal::Unknown(_))
        };
        if event.says().as_ref().is_some_and(is_work) {
            self.moved = self.moved.max(Some(event.at));
        }
        let Some((place, note)) = note(event) else { return };
        if matches!(note.says, Says::Context { .. }) && !self.is_latest_context(&place) {
            return;
        }
        // The new note nearly always comes last.
        let at = self.notes.partition_point(|(known, _)| *known < place);
        match self.notes.get_mut(at).filter(|(known, _)| *known == place) {
            Some(known) => known.1 = note,
            None => self.notes.insert(at, (place, note)),
        }
        let over = self.notes.len().saturating_sub(NOTES);
        self.notes.drain(..over);
    }

    /// Keeps only the latest report of context use; such reports are frequent.
    fn is_latest_context(&mut self, place: &Place) -> bool {
        let is_context = |it: &Note| matches!(it.says, Says::Context { .. });
        self.notes.retain(|(known, note)| !is_context(note) || known >= place);
        !self.notes.iter().any(|(known, note)| is_context(note) && known > place)
    }

    /// Removes an event.
    pub fn remove(&mut self, id: EventId) {
        self.notes.retain(|(_, note)| note.id != id);
    }

    /// The findings at an instant, the earliest first.
    #[must_use]
    pub fn findings(
        &self,
        standing: &Standing<'_>,
        now: Timestamp,
        thresholds: &Thresholds,
    ) -> Vec<Finding> {
        let work = self.work();
        let mut found = work.found(thresholds);
        found.extend(provider_errors::found(self.notes(), standing, thresholds));
        found.extend(from_status::found(&work, self.moved, standing, (now, thresholds)));
        // For a session that is over, only findings about its end remain.
        let is_over = standing.reading.status == Status::Exited;
        found.retain(|it| !is_over || outlives(&it.kind));
        let mut out: Vec<Finding> = found.into_iter().map(|it| it.of(standing.session)).collect();
        out.sort_by(|a, b| (a.since, a.kind.as_str()).cmp(&(b.since, b.kind.as_str())));
        out.dedup_by(|a, b| (&a.kind, &a.says) == (&b.kind, &b.says));
        out
    }

    /// When time alone would change the findings.
    #[must_use]
    pub fn until(
        &self,
        standing: &Standing<'_>,
        now: Timestamp,
        thresholds: &Thresholds,
    ) -> Option<Timestamp> {
        from_status::until(&self.work(), self.moved, standing, (now, thresholds))
    }

    /// The latest event that asks a person a question or for an approval.
    #[must_use]
    pub fn asked(&self) -> Option<EventId> {
        self.work().asked
    }

    /// Whether the agent compacted its context automatically, which shows the limit.
    #[must_use]
    pub fn has_folded(&self) -> bool {
        self.notes().any(|it| matches!(it.says, Says::Folded(Some(_))))
    }

    fn work(&self) -> Work<'_> {
        Work::of(self.notes())
    }

    fn notes(&self) -> impl Iterator<Item = &Note> {
        self.notes.iter().map(|(_, note)| note)
    }
}

/// Whether a finding remains when its session is over.
fn outlives(kind: &FindingKind) -> bool {
    matches!(
        kind,
        FindingKind::Finished
            | FindingKind::AgentActed
            | FindingKind::ProviderCrash
            | FindingKind::RateLimit
            | FindingKind::AuthFailure
            | FindingKind::NetworkFailure
    )
}
