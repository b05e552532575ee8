//! Leaves a prompt for the reset of a limit, in the projects for which the user wants that.

use super::event_loop::Loop;
use crate::DaemonError;
use crate::delivery::SendTime;
use std::collections::BTreeMap;
use taffrail_context::Error;
use taffrail_model::findings::{Finding, FindingKind};
use taffrail_model::message::Sender;
use taffrail_model::status::Failure;
use taffrail_model::{EventId, SessionId};
use taffrail_query::reset::used_up_reset;
use taffrail_store::SessionRow;

/// What the session gets as its prompt.
const GO_ON: &str = "Go on where you left off.";
/// The sender that a receipt names.
const SENDER: &str = "queue.at_reset";

/// The latest stop of each session that was answered. A stop is answered once: a prompt that the
/// user took back does not return.
#[derive(Debug, Default)]
pub(super) struct Stops(BTreeMap<SessionId, EventId>);

impl Stops {
    /// Notes the stops from before this daemon as answered.
    pub(super) fn note_old(&mut self, findings: &[Finding]) {
        self.0 = findings.iter().filter_map(|it| Some((it.session_id, stop_of(it)?))).collect();
    }

    /// The stop of a session that was not answered. Forgets a session that goes on.
    fn open(&mut self, session: SessionId, findings: &[Finding]) -> Option<EventId> {
        match findings.iter().find_map(stop_of) {
            Some(stop) => Some(stop).filter(|it| self.0.get(&session) != Some(it)),
            None => {
                self.0.remove(&session);
                None
            }
        }
    }

    fn answered(&mut self, session: SessionId, stop: EventId) {
        self.0.insert(session, stop);
    }
}

/// The event with which a limit stopped a session.
fn stop_of(finding: &Finding) -> Option<EventId> {
    (finding.kind == FindingKind::RateLimit).then(|| finding.evidence.first().copied()).flatten()
}

impl Loop {
    /// Leaves a prompt in those of the sessions that a limit has just stopped.
    pub(super) fn go_on_at_reset(&mut self, sessions: &[SessionId]) {
        if self.settings.go_on_at_reset.is_empty() {
            return;
        }
        for (session, findings) in self.monitor.by_session(sessions.iter().copied()) {
            let Some(stop) = self.stops.open(session, &findings) else { continue };
            match self.leave_prompt(session) {
                Ok(true) => self.stops.answered(session, stop),
                Ok(false) => {}
                // The next change of the session tries again.
                Err(error) => tracing::warn!(%session, %error, "cannot queue a prompt for a reset"),
            }
        }
    }

    /// Whether the stop is answered: a prompt waits for the reset.
    fn leave_prompt(&self, session: SessionId) -> Result<bool, DaemonError> {
        let Some(index) = &self.index else { return Ok(false) };
        let Some(row) = index.session_by_id(session)? else { return Ok(false) };
        if !self.is_wanted(&row) || used_up_reset(&self.settings, &row)?.is_none() {
            return Ok(false);
        }
        let from = Sender { session_id: None, peer_id: Some(SENDER.to_owned()) };
        let said = (from, GO_ON.to_owned());
        match self.handle.delivery().accept_scheduled(session, said, &SendTime::Reset) {
            // The user left one already.
            Ok(_) | Err(Error::Scheduled(..)) => Ok(true),
            Err(error) => Err(error.into()),
        }
    }

    /// Whether a session of a chosen project gave up. Whether it is still there, and still waits, is
    /// decided when the prompt is due.
    fn is_wanted(&self, row: &SessionRow) -> bool {
        let folder = std::path::Path::new(row.project_path.as_deref().unwrap_or_default());
        let is_chosen = self.settings.go_on_at_reset.iter().any(|it| folder.starts_with(it));
        let card = self.handle.live().status(row.id);
        let gave_up = card.is_some_and(|it| it.reading.failure == Some(Failure::GaveUp));
        is_chosen && gave_up && row.parent.is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use taffrail_model::{AgentId, Confidence, RecordKey, RuntimeIdentity, Timestamp};

    fn session() -> SessionId {
        RuntimeIdentity::new(AgentId::new("toy"), "", "s").session()
    }

    fn event(name: &str) -> EventId {
        EventId::of(session(), &RecordKey::Provider(name.into()), 0)
    }

    fn finding(kind: FindingKind, name: &str) -> Finding {
        Finding {
            kind,
            session_id: session(),
            since: Timestamp::UNIX_EPOCH,
            confidence: Confidence::High,
            evidence: vec![event(name)],
            says: String::new(),
            proposes: None,
        }
    }

    #[test]
    fn a_stop_is_answered_once_and_the_next_one_again() {
        let mut stops = Stops::default();
        let limit = |name| [finding(FindingKind::RateLimit, name)];
        assert_eq!(stops.open(session(), &[finding(FindingKind::Finished, "a")]), None);
        assert_eq!(stops.open(session(), &limit("a")), Some(event("a")));
        // Nothing was left for it yet.
        assert_eq!(stops.open(session(), &limit("a")), Some(event("a")));
        stops.answered(session(), event("a"));
        assert_eq!(stops.open(session(), &limit("a")), None);
        assert_eq!(stops.open(session(), &limit("b")), Some(event("b")));
        assert_eq!(stops.open(session(), &[]), None);
        assert_eq!(stops.open(session(), &limit("a")), Some(event("a")));
    }

    #[test]
    fn a_stop_from_before_the_daemon_is_not_answered() {
        let mut stops = Stops::default();
        let old = [finding(FindingKind::RateLimit, "a"), finding(FindingKind::Finished, "b")];
        stops.note_old(&old);
        assert_eq!(stops.open(session(), &old), None);
    }
}
