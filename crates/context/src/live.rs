//! The state that the daemon's loop shares with every other part.

use crate::live_status::{LiveStatus, LiveStatuses};
use crate::loop_request::{Exclusive, LoopRequest};
use crate::problems::{Part, Problems};
use crate::settings::Settings;
use crate::update::{BACKLOG, Update};
use crate::watcher::{ScanReport, WatcherHealth, WatcherNumber};
use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;
use taffrail_api::HistoryProgress;
use taffrail_capture::is_spooled;
use taffrail_model::findings::Finding;
use taffrail_model::{DeviceId, SessionId, Timestamp};
use tokio::sync::{broadcast, oneshot, watch};

/// The findings of every recent session.
pub type FindingsBySession = HashMap<SessionId, Arc<[Finding]>>;

/// Hands a request to the loop.
type ToLoop = Box<dyn Fn(LoopRequest) + Send + Sync>;

/// The state that the daemon's loop shares with every other part.
#[derive(Clone)]
pub struct Live(Arc<Shared>);

struct Shared {
    settings: Settings,
    started_at: Timestamp,
    to_loop: ToLoop,
    statuses: RwLock<LiveStatuses>,
    findings: RwLock<FindingsBySession>,
    updates: broadcast::Sender<Arc<Update>>,
    watchers: RwLock<BTreeMap<WatcherNumber, WatcherHealth>>,
    problems: RwLock<Problems>,
    /// History was read, and there is a status of every recent session.
    is_complete: AtomicBool,
    ending: AtomicBool,
    /// This process reads what hooks write.
    reads_hooks: AtomicBool,
    /// The first pass took entries from the spool that are not in the index yet.
    moves_hooks: AtomicBool,
    progress: watch::Sender<Option<HistoryProgress>>,
    /// Wakes those who wait for the delivery of a message.
    messages: watch::Sender<()>,
}

impl std::fmt::Debug for Live {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Live")
    }
}

impl Live {
    /// The state of a daemon that has read nothing yet.
    #[must_use]
    pub fn new(settings: Settings, to_loop: ToLoop) -> Self {
        let started_at = (settings.now)();
        Self(Arc::new(Shared {
            settings,
            started_at,
            to_loop,
            statuses: RwLock::default(),
            findings: RwLock::default(),
            updates: broadcast::channel(BACKLOG).0,
            watchers: RwLock::default(),
            problems: RwLock::default(),
            is_complete: AtomicBool::new(true),
            ending: AtomicBool::new(false),
            reads_hooks: AtomicBool::new(false),
            moves_hooks: AtomicBool::new(false),
            progress: watch::Sender::new(None),
            messages: watch::Sender::new(()),
        }))
    }

    /// The daemon's settings; queries with these find the index up to date.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        &self.0.settings
    }

    /// When the daemon was started.
    #[must_use]
    pub fn started_at(&self) -> Timestamp {
        self.0.started_at
    }

    /// Asks the daemon to end. The first read of history stops at its next piece.
    pub fn stop(&self) {
        self.0.ending.store(true, Ordering::Relaxed);
        self.ask(LoopRequest::Stop);
    }

    /// Set once the daemon was asked to end.
    #[must_use]
    pub fn ending(&self) -> &AtomicBool {
        &self.0.ending
    }

    fn ask(&self, request: LoopRequest) {
        (self.0.to_loop)(request);
    }
}

/// Statuses and findings.
impl Live {
    /// The live status of one session; `None` for a session without recent activity.
    #[must_use]
    pub fn status(&self, session: SessionId) -> Option<Arc<LiveStatus>> {
        self.0.statuses.read().unwrap_or_else(PoisonError::into_inner).get(&session).cloned()
    }

    /// The live status of every recent session.
    #[must_use]
    pub fn statuses(&self) -> LiveStatuses {
        self.0.statuses.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// How many recent sessions there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.0.statuses.read().unwrap_or_else(PoisonError::into_inner).len()
    }

    /// The executors of recent sessions.
    #[must_use]
    pub fn executors(&self) -> Vec<String> {
        let statuses = self.0.statuses.read().unwrap_or_else(PoisonError::into_inner);
        statuses.values().filter_map(|it| it.executor.clone()).collect()
    }

    /// Sets or removes the status of a session.
    pub fn put_status(&self, session: SessionId, status: Option<Arc<LiveStatus>>) {
        let mut statuses = self.0.statuses.write().unwrap_or_else(PoisonError::into_inner);
        match status {
            Some(status) => statuses.insert(session, status),
            None => statuses.remove(&session),
        };
    }

    /// Drops the statuses of all other sessions.
    pub fn retain_statuses(&self, is_kept: impl Fn(SessionId) -> bool) {
        let mut statuses = self.0.statuses.write().unwrap_or_else(PoisonError::into_inner);
        statuses.retain(|session, _| is_kept(*session));
    }

    /// Whether there is a status of every recent session.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.0.is_complete.load(Ordering::Acquire)
    }

    /// Records whether there is a status of every recent session.
    pub fn set_complete(&self, is_complete: bool) {
        self.0.is_complete.store(is_complete, Ordering::Release);
    }

    /// The findings of one recent session.
    #[must_use]
    pub fn findings_of(&self, session: SessionId) -> Vec<Finding> {
        let findings = self.0.findings.read().unwrap_or_else(PoisonError::into_inner);
        findings.get(&session).map(|it| it.to_vec()).unwrap_or_default()
    }

    /// The findings of all recent sessions.
    #[must_use]
    pub fn findings(&self) -> Vec<Finding> {
        let findings = self.0.findings.read().unwrap_or_else(PoisonError::into_inner);
        findings.values().flat_map(|it| it.iter().cloned()).collect()
    }

    /// Replaces all findings.
    pub fn replace_findings(&self, all: Vec<Finding>) {
        let mut by_session: HashMap<SessionId, Vec<Finding>> = HashMap::new();
        for finding in all {
            by_session.entry(finding.session_id).or_default().push(finding);
        }
        let new = by_session.into_iter().map(|(id, found)| (id, found.into())).collect();
        *self.0.findings.write().unwrap_or_else(PoisonError::into_inner) = new;
    }

    /// Replaces the findings of some sessions.
    pub fn put_findings(&self, new: FindingsBySession) {
        let mut findings = self.0.findings.write().unwrap_or_else(PoisonError::into_inner);
        for (session, found) in new {
            match found.is_empty() {
                true => findings.remove(&session),
                false => findings.insert(session, found),
            };
        }
    }
}

/// Subscribers and watchers.
impl Live {
    /// Subscribes to updates from now on. A receiver that falls behind continues from a snapshot.
    #[must_use]
    pub fn subscribe(&self) -> broadcast::Receiver<Arc<Update>> {
        self.0.updates.subscribe()
    }

    /// Whether there are subscribers.
    #[must_use]
    pub fn has_subscribers(&self) -> bool {
        self.0.updates.receiver_count() > 0
    }

    /// Sends an update to all subscribers.
    pub fn publish(&self, update: Update) {
        // Having no subscribers is fine.
        self.0.updates.send(Arc::new(update)).ok();
    }

    /// Notes that the state of a message to a session changed.
    pub fn note_message(&self) {
        self.0.messages.send_replace(());
    }

    /// Follows changes of messages to sessions.
    #[must_use]
    pub fn follow_messages(&self) -> watch::Receiver<()> {
        self.0.messages.subscribe()
    }

    /// The health of every watcher.
    #[must_use]
    pub fn watchers(&self) -> Vec<WatcherHealth> {
        let watchers = self.0.watchers.read().unwrap_or_else(PoisonError::into_inner);
        watchers.values().cloned().collect()
    }

    /// Notes that this process reads what hooks write, from now on.
    pub fn set_reads_hooks(&self) {
        self.0.reads_hooks.store(true, Ordering::Relaxed);
    }

    /// Notes whether the first pass has entries of hooks that are not in the index yet.
    pub fn set_moves_hooks(&self, moves: bool) {
        self.0.moves_hooks.store(moves, Ordering::SeqCst);
    }

    /// Whether a hook has returned whose entry is not in the index yet. The spool is looked at
    /// first: whoever empties it has said so before. Entries that arrive during the first pass stay
    /// in the spool until it is over. Without a daemon, a command reads the spool before it asks.
    #[must_use]
    pub fn is_behind_hooks(&self) -> bool {
        self.0.reads_hooks.load(Ordering::Relaxed)
            && (is_spooled(&self.settings().data)
                || self.0.moves_hooks.load(Ordering::SeqCst)
                || self.watchers().iter().any(|it| it.counters.moves_hooks()))
    }

    /// Records a new watcher.
    pub fn note_watcher(&self, number: WatcherNumber, watcher: WatcherHealth) {
        let mut watchers = self.0.watchers.write().unwrap_or_else(PoisonError::into_inner);
        let known = watchers.entry(number).or_default();
        (known.root, known.agents, known.counters) =
            (watcher.root, watcher.agents, watcher.counters);
    }

    /// Records a watcher's report.
    pub fn note_scan(&self, number: WatcherNumber, report: &ScanReport) {
        let mut watchers = self.0.watchers.write().unwrap_or_else(PoisonError::into_inner);
        watchers.entry(number).or_default().note(report);
    }

    /// Records a problem of a part that no watcher reports on.
    pub fn note_problem(&self, part: Part, problem: String) {
        self.0.problems.write().unwrap_or_else(PoisonError::into_inner).note(part, problem);
    }

    /// Records that a part works again.
    pub fn resolve_problems(&self, part: Part) {
        self.0.problems.write().unwrap_or_else(PoisonError::into_inner).resolve(part);
    }

    /// The problems of parts that no watcher reports on.
    #[must_use]
    pub fn problems(&self) -> Vec<String> {
        self.0.problems.read().unwrap_or_else(PoisonError::into_inner).all()
    }
}

/// Requests to the loop.
impl Live {
    /// Another device sent statuses of these sessions.
    pub fn note_remote_status(&self, device: &DeviceId, sessions: &[SessionId]) {
        self.ask(LoopRequest::RemoteStatus(device.clone(), sessions.to_vec()));
    }

    /// Waits until everything on disk is indexed; `false` when the daemon is ending.
    pub async fn settle(&self) -> bool {
        let (done, answer) = oneshot::channel();
        self.ask(LoopRequest::Settle(done));
        answer.await.is_ok()
    }

    /// Waits until search is up to date with the index; `true` if it is.
    pub async fn searchable(&self) -> bool {
        let (done, answer) = oneshot::channel();
        self.ask(LoopRequest::Search(done));
        answer.await.unwrap_or(false)
    }

    /// Runs work that opens the writer itself; `None` when the daemon is ending.
    pub async fn alone<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Settings) -> T + Send + 'static,
    ) -> Option<T> {
        let (done, answer) = oneshot::channel();
        let exclusive: Exclusive = Box::new(move |settings| {
            // The caller may have gone away.
            done.send(work(settings)).ok();
        });
        self.ask(LoopRequest::Exclusive(exclusive));
        answer.await.ok()
    }
}

/// The first read of history.
impl Live {
    /// The progress of the first read of history; `None` once everything was read.
    #[must_use]
    pub fn progress(&self) -> Option<HistoryProgress> {
        *self.0.progress.borrow()
    }

    /// Follows the first read of history.
    #[must_use]
    pub fn follow_progress(&self) -> watch::Receiver<Option<HistoryProgress>> {
        self.0.progress.subscribe()
    }

    /// Sets the progress of the first read of history; `None` once it is over.
    pub fn set_progress(&self, progress: Option<HistoryProgress>) {
        self.0.progress.send_replace(progress);
    }

    /// Whether the first read of history since the start is running: an unknown session may still
    /// appear.
    #[must_use]
    pub fn is_reading(&self) -> bool {
        self.progress().is_some()
    }

    /// Waits until history was read once, at most for `limit`.
    pub async fn wait_for_history(&self, limit: Duration) {
        let mut progress = self.0.progress.subscribe();
        // The sender lives as long as `self`; after the limit the caller uses what is known.
        tokio::time::timeout(limit, progress.wait_for(Option::is_none)).await.ok();
    }
}
