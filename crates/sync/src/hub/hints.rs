//! A stream of hints from any source.

use super::{Hint, Watched};
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::broadcast::{Receiver, Sender, channel};
use tokio::task::JoinHandle;

/// How many hints are buffered for a reader before they become [`Hint::Anything`].
pub(crate) const HINTS_LIMIT: usize = 256;

/// A stream of hints. Dropping it ends the watch.
#[derive(Debug)]
pub struct Hints {
    receiver: Receiver<Hint>,
    watched: Watched,
    giver: Option<JoinHandle<()>>,
}

impl Hints {
    /// Hints from a channel that another task feeds.
    pub(crate) fn of(receiver: Receiver<Hint>, watched: Watched) -> Self {
        Self { receiver, watched, giver: None }
    }

    /// Hints from a task that ends with the watch.
    #[cfg(any(feature = "hub-nats", feature = "hub-object"))]
    pub(crate) fn fed<F>(watched: Watched, give: impl FnOnce(Sender<Hint>) -> F) -> Self
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let (sender, receiver) = channel(HINTS_LIMIT);
        let giver = Some(tokio::spawn(give(sender)));
        Self { receiver, watched, giver }
    }

    /// The next hint; `None` after the last one.
    pub async fn next(&mut self) -> Option<Hint> {
        loop {
            match self.receiver.recv().await {
                Ok(hint) if hint.is_among(&self.watched) => return Some(hint),
                Ok(_) => {}
                Err(RecvError::Lagged(_)) => return Some(Hint::Anything),
                Err(RecvError::Closed) => return None,
            }
        }
    }
}

impl Drop for Hints {
    fn drop(&mut self) {
        if let Some(giver) = &self.giver {
            giver.abort();
        }
    }
}

/// A channel for hints.
pub(crate) fn hint_channel() -> Sender<Hint> {
    channel(HINTS_LIMIT).0
}
