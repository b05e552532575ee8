//! What the loop notes for the thread that notifies.

use crate::channels::Channel;
use crate::counts::{ChannelCounts, Counts};
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use taffrail_model::SessionId;
use taffrail_model::notices::Notice;

/// How long the daemon's end waits for what is being sent.
const ENDING: Duration = Duration::from_secs(2);

/// The most notices of no session that wait to be told.
const MOST_WHOLE: usize = 16;

/// What the loop shares with who tells.
#[derive(Debug, Clone, Default)]
pub struct Notices(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    news: Mutex<News>,
    woken: Condvar,
    ending: AtomicBool,
    counts: Mutex<Vec<(Channel, Arc<Counts>)>>,
}

/// What the loop noted since it was last asked.
#[derive(Debug, Default)]
struct News {
    sessions: BTreeSet<SessionId>,
    /// Everything is to be looked at; nothing is before this was said once.
    everything: bool,
    /// What is to be told as it is.
    whole: Vec<Notice>,
    /// Threads that are under way.
    running: usize,
}

/// What there is to be looked at and told.
pub(crate) struct Waited {
    pub(crate) sessions: BTreeSet<SessionId>,
    pub(crate) everything: bool,
    pub(crate) whole: Vec<Notice>,
}

impl Notices {
    /// These sessions may stand differently.
    pub fn changed(&self, sessions: impl IntoIterator<Item = SessionId>) {
        let mut news = self.news();
        news.sessions.extend(sessions);
        if !news.sessions.is_empty() {
            self.0.woken.notify_all();
        }
    }

    /// Tells something that is of no session, quiet hours or not.
    pub fn tell(&self, notice: Notice) {
        let mut news = self.news();
        if news.whole.len() < MOST_WHOLE {
            news.whole.push(notice);
            self.0.woken.notify_all();
        }
    }

    /// All sessions were looked up.
    pub fn looked_up(&self) {
        self.news().everything = true;
        self.0.woken.notify_all();
    }

    /// Sends nothing more, and ends what is being sent.
    pub fn stop(&self) {
        self.0.ending.store(true, Ordering::Relaxed);
        self.0.woken.notify_all();
        let news = self.news();
        // Who is not gone by then goes with the process.
        drop(self.0.woken.wait_timeout_while(news, ENDING, |it| it.running > 0));
    }

    /// What each channel sent, failed to send, and had no room for.
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

    /// Runs something in a thread that `stop` waits for. Without the thread it is not done.
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

    /// Waits for news, for so long at most; `None` when the daemon ends. The first news are those of
    /// all sessions.
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
