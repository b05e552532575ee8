//! A hook that the broker holds open.

use super::Broker;
use std::time::Duration;
use taffrail_adapters::Answer;
use taffrail_context::is_away;
use taffrail_model::Timestamp;
use taffrail_model::approval::{ApprovalId, Happening};
use tokio::sync::oneshot;

/// How often the broker checks whether the user is still away, while it holds a request for that
/// reason.
const LOOK: Duration = Duration::from_millis(250);

/// How long a hook is held at most, besides its own timeout.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HeldWhile {
    /// While the request is open: the agent shows its own dialog beside it.
    Open,
    /// While the user is away: the agent shows its own dialog when the hook is gone.
    Away,
}

/// A request whose hook waits. Dropping it unanswered means that the hook disconnected.
#[derive(Debug)]
pub struct WaitingHook {
    broker: Broker,
    which: (ApprovalId, u64),
    answer: Option<oneshot::Receiver<Answer>>,
    until: Timestamp,
    held: HeldWhile,
}

impl WaitingHook {
    pub(super) fn new(
        broker: Broker,
        which: (ApprovalId, u64),
        answer: oneshot::Receiver<Answer>,
        (until, held): (Timestamp, HeldWhile),
    ) -> Self {
        Self { broker, which, answer: Some(answer), until, held }
    }

    /// Waits for an answer. `None` when the time is up, the user is back, or the request was closed
    /// otherwise.
    pub async fn answered(mut self) -> Option<Answer> {
        let now = (self.broker.settings().now)();
        let left = self.until.as_millisecond().saturating_sub(now.as_millisecond());
        let left = Duration::from_millis(u64::try_from(left).unwrap_or(0));
        let back = back(self.broker.clone(), self.held);
        let answer = self.answer.as_mut()?;
        let (happening, answer) = tokio::select! {
            biased;
            answered = answer => (None, answered.ok()),
            () = back => (Some(Happening::HookLost), None),
            () = tokio::time::sleep(left) => (Some(Happening::TimedOut), None),
        };
        self.answer = None;
        if let Some(happening) = happening {
            self.happens(happening);
        }
        answer
    }

    /// Runs on a thread that may block on the disk.
    fn happens(&self, happening: Happening) {
        let (broker, (id, connection)) = (self.broker.clone(), self.which.clone());
        tokio::task::spawn_blocking(move || {
            // A failed write is made up for the next time the request is looked at.
            if let Err(error) = broker.hook_ended((&id, connection), &happening) {
                tracing::warn!(%error, request = %id, "cannot note that a hook ended");
            }
        });
    }
}

/// Resolves when the user is back and the agent's own dialog should appear.
async fn back(broker: Broker, held: HeldWhile) {
    if held == HeldWhile::Open {
        return std::future::pending().await;
    }
    while is_away(broker.settings()) {
        tokio::time::sleep(LOOK).await;
    }
}

impl Drop for WaitingHook {
    fn drop(&mut self) {
        if self.answer.is_some() {
            self.happens(Happening::HookLost);
        }
    }
}
