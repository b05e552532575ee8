//! Telling a person without being asked: on the desktop, in terminals, to a webhook, to a command.
//!
//! The loop only notes which sessions stand differently. A thread of its own works out what there is
//! to be told, and each channel has a thread and a short queue, so that none holds up anything else.

mod channels;
mod looked;
mod sender;
mod settings;
mod teller;
mod told;
mod trying;

pub use channels::{Channel, Osc, WebhookUrl};
pub use settings::NoticeSettings;
pub use trying::{Tried, try_channels};

use crate::live::Handle;
use sender::{Counted, Counts};
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use taffrail_model::SessionId;

/// How long the daemon's end waits for what is being sent.
const ENDING: Duration = Duration::from_secs(2);

/// What the loop shares with who tells.
#[derive(Debug, Clone, Default)]
pub(crate) struct Notices(Arc<Shared>);

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
    /// Threads that are under way.
    running: usize,
}

impl Notices {
    /// These sessions may stand differently.
    pub(crate) fn changed(&self, sessions: impl IntoIterator<Item = SessionId>) {
        let mut news = self.news();
        news.sessions.extend(sessions);
        if !news.sessions.is_empty() {
            self.0.woken.notify_all();
        }
    }

    /// All sessions were looked up.
    pub(crate) fn looked_up(&self) {
        self.news().everything = true;
        self.0.woken.notify_all();
    }

    /// Begins to tell, if there is anywhere to tell it.
    pub(crate) fn open(&self, handle: &Handle, state: Option<PathBuf>) {
        let settings = handle.settings();
        let channels = settings.notices.channels(settings);
        if !channels.is_empty() {
            teller::open(self, handle.clone(), channels, state);
        }
    }

    /// Sends nothing more, and ends what is being sent.
    pub(crate) fn stop(&self) {
        self.0.ending.store(true, Ordering::Relaxed);
        self.0.woken.notify_all();
        let news = self.news();
        // Who is not gone by then goes with the process.
        drop(self.0.woken.wait_timeout_while(news, ENDING, |it| it.running > 0));
    }

    /// What each channel sent, failed to send, and had no room for.
    pub(crate) fn counts(&self) -> Vec<(Channel, Counted)> {
        self.channels().iter().map(|(channel, counts)| (*channel, counts.read())).collect()
    }

    /// Channels whose latest message could not be sent, and why.
    pub(crate) fn trouble(&self) -> Vec<String> {
        let all = self.counts().into_iter();
        let told = |(channel, it): (Channel, Counted)| {
            Some(format!("notifications by {}: {}", channel.as_str(), it.trouble?))
        };
        all.filter_map(told).collect()
    }

    fn is_ending(&self) -> bool {
        self.0.ending.load(Ordering::Relaxed)
    }

    fn news(&self) -> MutexGuard<'_, News> {
        self.0.news.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn channels(&self) -> MutexGuard<'_, Vec<(Channel, Arc<Counts>)>> {
        self.0.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs something in a thread that `stop` waits for. Without the thread it is not done.
    fn spawn(&self, name: &str, what: impl FnOnce() + Send + 'static) -> std::io::Result<()> {
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
    fn wait(&self, limit: Duration, is_first: bool) -> Option<(BTreeSet<SessionId>, bool)> {
        let news = self.news();
        let idle = |it: &mut News| {
            let nothing = !it.everything && (is_first || it.sessions.is_empty());
            nothing && !self.is_ending()
        };
        let waited = self.0.woken.wait_timeout_while(news, limit, idle);
        let (mut news, _) = waited.unwrap_or_else(PoisonError::into_inner);
        if self.is_ending() {
            return None;
        }
        let everything = std::mem::take(&mut news.everything);
        Some((std::mem::take(&mut news.sessions), everything))
    }
}
