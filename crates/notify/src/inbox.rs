//! The queue from the loop to the notifying thread.

use crate::channel::Channel;
use crate::counts::{ChannelCounts, Counts};
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use taffrail_model::SessionId;
use taffrail_model::notices::Notice;

/// How long shutdown waits for messages that are being sent.
const ENDING: Duration = Duration::from_secs(2);

/// The most queued notices that belong to no session.
const MOST_WHOLE: usize = 16;

/// The state that the loop shares with the notifying thread.
#[derive(Debug, Clone, Default)]
pub struct Notices(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    news: Mutex<News>,
    woken: Condvar,
    ending: AtomicBool,
    counts: Mutex<Vec<(Channel, Arc<Counts>)>>,
}

/// What the loop queued since the last call.
#[derive(Debug, Default)]
struct News {
    sessions: BTreeSet<SessionId>,
    /// Check all sessions; nothing is checked before this was set once.
    everything: bool,
    /// Notices to send unchanged.
    whole: Vec<Notice>,
    /// The number of running threads.
    running: usize,
}

/// The work of the notifying thread.
pub(crate) struct Waited {
    pub(crate) sessions: BTreeSet<SessionId>,
    pub(crate) everything: bool,
    pub(crate) whole: Vec<Notice>,
}

impl Notices {
    /// Queues sessions whose status may have changed.
    pub fn changed(&self, sessions: impl IntoIterator<Item = SessionId>) {
        let mut news = self.news();
        news.sessions.extend(sessions);
        if !news.sessions.is_empty() {
            self.0.woken.notify_all();
        }
    }

    /// Queues a notice that belongs to no session; quiet hours do not apply.
    pub fn tell(&self, notice: Notice) {
        let mut news = self.news();
        if news.whole.len() < MOST_WHOLE {
            news.whole.push(notice);
            self.0.woken.notify_all();
        }
    }

    /// Records that all sessions were loaded.
    pub fn looked_up(&self) {
        self.news().everything = true;
        self.0.woken.notify_all();
    }

    /// Sends nothing more, and cancels what is being sent.
    pub fn stop(&self) {
        self.0.ending.store(true, Ordering::Relaxed);
        self.0.woken.notify_all();
        let news = self.news();
        // A thread that has not ended by then ends with the process.
        drop(self.0.woken.wait_timeout_while(news, ENDING, |it| it.running > 0));
    }

    /// How many messages each channel sent, failed to send, and dropped.
    #[must_use]
    pub fn counts(&self) -> Vec<(Channel, ChannelCounts)> {
        self.channels().iter().map(|(channel, counts)| (*channel, counts.read())).collect()
    }

    /// Channels whose latest message could not be sent, and why.
    #[must_use]
    pub fn trouble(&self) -> Vec<String> {
        let all = self.counts().into_iter();
        let told = |(channel, it): (Channel, ChannelCounts)| {
            Some(format!("notifications by {}: {}", channel.as_str(), it.trouble?))
        };
        all.filter_map(told).collect()
    }

    pub(crate) fn is_ending(&self) -> bool {
        self.0.ending.load(Ordering::Relaxed)
    }

    fn news(&self) -> MutexGuard<'_, News> {
        self.0.news.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn channels(&self) -> MutexGuard<'_, Vec<(Channel, Arc<Counts>)>> {
        self.0.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs work on a thread that `stop` waits for. If the thread cannot start, the work is not
    /// done.
    pub(crate) fn spawn(
        &self,
        name: &str,
        what: impl FnOnce() + Send + 'static,
    ) -> std::io::Result<()> {
        self.news().running += 1;
        let it = self.clone();
        let thread = std::thread::Builder::new().name(name.to_owned());
        let begun = thread.spawn(move || {
            what();
            it.ended();
        });
        begun.map(|_| ()).inspect_err(|_| self.ended())
    }

    fn ended(&self) {
        let mut news = self.news();
        news.running = news.running.saturating_sub(1);
        self.0.woken.notify_all();
    }

    /// Waits for work, at most this long; `None` when the daemon ends. The first work is always all
    /// sessions.
    pub(crate) fn wait(&self, limit: Duration, is_first: bool) -> Option<Waited> {
        let news = self.news();
        let idle = |it: &mut News| {
            let is_empty = it.sessions.is_empty() && it.whole.is_empty();
            let nothing = !it.everything && (is_first || is_empty);
            nothing && !self.is_ending()
        };
        let waited = self.0.woken.wait_timeout_while(news, limit, idle);
        let (mut news, _) = waited.unwrap_or_else(PoisonError::into_inner);
        if self.is_ending() {
            return None;
        }
        Some(Waited {
            sessions: std::mem::take(&mut news.sessions),
            everything: std::mem::take(&mut news.everything),
            whole: std::mem::take(&mut news.whole),
        })
    }
}
