//! Passes changes of sessions to the approval broker.

use super::event_loop::Loop;
use crate::DaemonError;
use taffrail_approvals::Broker;
use taffrail_approvals::broker::of_lines;
use taffrail_context::Error;
use taffrail_model::SessionId;
use taffrail_model::status::Status;
use taffrail_query::SessionChange;

/// Passes a session's new events to the broker, if it follows a request of that session.
pub(super) fn watch_approvals(broker: &Broker, change: &SessionChange<'_>) -> Result<(), Error> {
    let session = change.row().id;
    if !broker.follows(session) {
        return Ok(());
    }
    let lines: Vec<_> = change.lines().collect();
    let signals: Vec<_> = change.events().iter().map(|it| it.signal.clone()).collect();
    broker.apply_events(session, &of_lines(&lines, &signals))
}

impl Loop {
    /// Passes the status of sessions to the broker; sub-agents end with their session.
    pub(super) fn approvals_after_status(&self, sessions: &[SessionId]) -> Result<(), DaemonError> {
        let broker = self.handle.broker();
        for id in sessions {
            let Some(card) = self.handle.live().status(*id) else { continue };
            broker.apply_status(*id, &card.reading)?;
            if card.reading.status == Status::Exited {
                for worker in self.board.workers_of(*id) {
                    broker.apply_status(worker, &card.reading)?;
                }
            }
        }
        Ok(())
    }
}
