//! A hook that is held open.

use crate::live::Handle;
use std::time::Duration;
use taffrail_adapters::Answer;
use taffrail_model::Timestamp;
use taffrail_model::approval::{ApprovalId, Happening};
use tokio::sync::oneshot;

/// A request whose hook waits. When this is dropped unanswered, the hook is gone.
#[derive(Debug)]
pub(crate) struct Held {
    handle: Handle,
    which: (ApprovalId, u64),
    answer: Option<oneshot::Receiver<Answer>>,
    until: Timestamp,
}

impl Held {
    pub(super) fn new(
        handle: Handle,
        which: (ApprovalId, u64),
        answer: oneshot::Receiver<Answer>,
        until: Timestamp,
    ) -> Self {
        Self { handle, which, answer: Some(answer), until }
    }

    /// Waits for an answer; `None` when the time is up or the request was closed otherwise.
    pub(crate) async fn answered(mut self) -> Option<Answer> {
        let now = (self.handle.settings().now)();
        let left = self.until.as_millisecond().saturating_sub(now.as_millisecond());
        let left = Duration::from_millis(u64::try_from(left).unwrap_or(0));
        let answer = self.answer.as_mut()?;
        let answered = tokio::time::timeout(left, answer).await;
        let (happening, answer) = match answered {
            Ok(Ok(answer)) => (None, Some(answer)),
            Ok(Err(_)) => (None, None),
            Err(_) => (Some(Happening::TimedOut), None),
        };
        self.answer = None;
        if let Some(happening) = happening {
            self.happens(happening);
        }
        answer
    }

    /// On a thread that may wait for the disk.
    fn happens(&self, happening: Happening) {
        let (handle, (id, connection)) = (self.handle.clone(), self.which.clone());
        tokio::task::spawn_blocking(move || {
            // What cannot be written now is found when the request is looked at next.
            handle.desk().hook_ended(&handle, (&id, connection), &happening).ok();
        });
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        if self.answer.is_some() {
            self.happens(Happening::HookLost);
        }
    }
}
