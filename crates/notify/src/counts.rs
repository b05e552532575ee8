//! Counts the messages of a channel by their result.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// The counters of a channel since the daemon was started.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    sent: AtomicU64,
    failed: AtomicU64,
    dropped: AtomicU64,
    trouble: Mutex<Option<String>>,
}

/// The counters as plain values.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ChannelCounts {
    /// Messages that were sent.
    pub sent: u64,
    /// Messages that could not be sent.
    pub failed: u64,
    /// Messages that were dropped because the queue was full.
    pub dropped: u64,
    /// Why the latest message was not sent.
    pub trouble: Option<String>,
}

impl Counts {
    pub(crate) fn read(&self) -> ChannelCounts {
        let number = |it: &AtomicU64| it.load(Ordering::Relaxed);
        let trouble = self.trouble.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let (sent, failed) = (number(&self.sent), number(&self.failed));
        ChannelCounts { sent, failed, dropped: number(&self.dropped), trouble }
    }

    pub(crate) fn count(&self, came: Result<(), String>) {
        let count = if came.is_ok() { &self.sent } else { &self.failed };
        count.fetch_add(1, Ordering::Relaxed);
        self.note(came.err());
    }

    pub(crate) fn note(&self, trouble: Option<String>) {
        *self.trouble.lock().unwrap_or_else(PoisonError::into_inner) = trouble;
    }

    pub(crate) fn drop_one(&self, why: &str) {
        self.dropped.fetch_add(1, Ordering::Relaxed);
        self.note(Some(why.to_owned()));
    }
}
