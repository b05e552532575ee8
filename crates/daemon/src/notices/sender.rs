//! One channel: a short queue, a thread that sends, and counts of what became of it.

use super::Notices;
use super::channels::{Message, Route, Sending};
use crate::Settings;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Messages that wait to be sent; more are dropped and counted.
const QUEUE: usize = 32;
/// How long is waited before the daemon's end is looked at again.
const LOOK: Duration = Duration::from_millis(100);

/// What became of a channel's messages since the daemon was started.
#[derive(Debug, Default)]
pub(super) struct Counts {
    sent: AtomicU64,
    failed: AtomicU64,
    dropped: AtomicU64,
    trouble: Mutex<Option<String>>,
}

/// The same as plain values.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Counted {
    pub(crate) sent: u64,
    pub(crate) failed: u64,
    pub(crate) dropped: u64,
    /// Why the latest was not sent.
    pub(crate) trouble: Option<String>,
}

impl Counts {
    pub(super) fn read(&self) -> Counted {
        let number = |it: &AtomicU64| it.load(Ordering::Relaxed);
        let trouble = self.trouble.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let (sent, failed) = (number(&self.sent), number(&self.failed));
        Counted { sent, failed, dropped: number(&self.dropped), trouble }
    }

    fn count(&self, came: Result<(), String>) {
        let count = if came.is_ok() { &self.sent } else { &self.failed };
        count.fetch_add(1, Ordering::Relaxed);
        self.note(came.err());
    }

    fn note(&self, trouble: Option<String>) {
        *self.trouble.lock().unwrap_or_else(PoisonError::into_inner) = trouble;
    }
}

/// A way to a channel's thread.
pub(super) struct Sender {
    queue: SyncSender<Message>,
    counts: Arc<Counts>,
}

impl Sender {
    /// Begins to send; without a thread nothing is, and that is counted.
    pub(super) fn open(notices: &Notices, settings: Settings, route: Route) -> (Self, Arc<Counts>) {
        let (queue, messages) = sync_channel(QUEUE);
        let counts = Arc::new(Counts::default());
        let (own, it) = (counts.clone(), notices.clone());
        let begun =
            notices.spawn("notices", move || send_all(&it, &settings, route, (&messages, &own)));
        counts.note(begun.err().map(|it| it.to_string()));
        (Self { queue, counts: counts.clone() }, counts)
    }

    /// Hands a message over, if there is room. Never waits.
    pub(super) fn send(&self, message: &Message) {
        let why = match self.queue.try_send(message.clone()) {
            Ok(()) => return,
            Err(TrySendError::Full(_)) => "too much waits to be sent",
            Err(TrySendError::Disconnected(_)) => "nobody sends any more",
        };
        self.counts.dropped.fetch_add(1, Ordering::Relaxed);
        self.counts.note(Some(why.to_owned()));
    }
}

fn send_all(
    notices: &Notices,
    settings: &Settings,
    mut route: Route,
    (messages, counts): (&Receiver<Message>, &Counts),
) {
    let ending = || notices.is_ending();
    let sending = Sending { settings, ending: &ending };
    while !ending() {
        match messages.recv_timeout(LOOK) {
            Ok(message) => {
                let came = route.send(&message, &sending);
                counts.count(came.map(|_| ()).map_err(|it| it.to_string()));
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return,
        }
    }
}
