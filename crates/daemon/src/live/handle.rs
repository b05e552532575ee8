//! What the loop shares with those who answer questions.

use super::counts::{Counted, Counts};
use super::eye::Eye;
use super::feed::{BEHIND, Told, What};
use super::wake::{Alone, EyeNumber, Looked, Wake};
use crate::Settings;
use crate::between::Between;
use crate::desk::Desk;
use crate::findings::BySession;
use crate::notices::Notices;
use crate::sending::Sending;
use crate::summary::Retelling;
use serde_json::to_string;
use std::collections::BTreeMap;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::mpsc::Sender;
use std::sync::{Arc, PoisonError, RwLock};
use taffrail_api::ApprovalRow;
use taffrail_model::approval::Approval;
use taffrail_model::evidence::{Evidence, Life};
use taffrail_model::findings::Finding;
use taffrail_model::relay::SILENT;
use taffrail_model::status::Reading;
use taffrail_model::{DeviceId, Process, SessionId, Timestamp};
use tokio::sync::{broadcast, oneshot};

/// Problems that are remembered of each eye.
const PROBLEMS: usize = 100;

/// How a session of late stands, and why.
#[derive(Debug, Clone, PartialEq)]
pub struct Card {
    /// How it stands.
    pub reading: Reading,
    /// What that was read from, the earliest first.
    pub evidence: Vec<Evidence>,
    /// The process that runs it.
    pub process: Option<Process>,
    /// Whether that lives.
    pub life: Life,
    /// Where commands for it could go, as `tmux:%3` or `process:417`.
    pub executor: Option<String>,
}

impl Card {
    /// It stands as it does because its device was not heard.
    pub(crate) fn is_silent(&self) -> bool {
        self.reading.rule == SILENT
    }
}

/// A way to the loop, for as many as want one.
#[derive(Clone)]
pub struct Handle(Arc<Shared>);

struct Shared {
    settings: Settings,
    started_at: Timestamp,
    wakes: Sender<Wake>,
    cards: RwLock<HashMap<SessionId, Arc<Card>>>,
    findings: RwLock<BySession>,
    feed: broadcast::Sender<Arc<Told>>,
    looks: RwLock<BTreeMap<EyeNumber, Look>>,
    retelling: Retelling,
    desk: Desk,
    sending: Sending,
    notices: Notices,
    between: Between,
}

/// What an eye found when it last looked.
#[derive(Debug, Clone, Default)]
pub struct Look {
    /// The place it looks at.
    pub root: PathBuf,
    /// The agents it looks for.
    pub agents: Vec<String>,
    counts: Arc<Counts>,
    /// Sources there are.
    pub sources: usize,
    /// What could not be read, and why.
    pub problems: Vec<String>,
}

impl Look {
    /// What it counted since the daemon was started.
    #[must_use]
    pub fn counted(&self) -> Counted {
        self.counts.read()
    }
}

impl std::fmt::Debug for Handle {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Handle")
    }
}

impl Handle {
    pub(crate) fn new(settings: Settings, wakes: Sender<Wake>) -> Self {
        let (feed, _) = broadcast::channel(BEHIND);
        let started_at = (settings.now)();
        let (cards, looks, findings) = (RwLock::default(), RwLock::default(), RwLock::default());
        let retelling = Retelling::new(&settings);
        let (desk, sending, notices) = (Desk::default(), Sending::default(), Notices::default());
        Self(Arc::new(Shared {
            settings,
            started_at,
            wakes,
            cards,
            findings,
            feed,
            looks,
            retelling,
            desk,
            sending,
            notices,
            between: Between::default(),
        }))
    }

    /// What the daemon was started with; questions asked with it find the index kept up.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        &self.0.settings
    }

    /// Summaries in the words of the user's own command.
    pub(crate) fn retelling(&self) -> &Retelling {
        &self.0.retelling
    }

    /// The approvals desk.
    pub(crate) fn desk(&self) -> &Desk {
        &self.0.desk
    }

    /// Who delivers messages.
    pub(crate) fn sending(&self) -> &Sending {
        &self.0.sending
    }

    /// Who tells people without being asked.
    pub(crate) fn notices(&self) -> &Notices {
        &self.0.notices
    }

    /// What goes between devices.
    pub(crate) fn between(&self) -> &Between {
        &self.0.between
    }

    /// Tells who listens how a request stands.
    pub(crate) fn tell_approval(&self, it: &Approval) {
        self.0.notices.changed([it.session_id]);
        let (session, verdict) = (it.session_id, it.verdict.clone());
        let row = ApprovalRow::from(it.clone());
        // What we made can be written.
        if let (Ok(row), Ok(verdict)) = (to_string(&row), to_string(&verdict)) {
            let what = What::Approval { row: row.into(), verdict: verdict.into() };
            self.tell(Told { session, is_remote: false, what });
        }
    }

    /// Tells who listens how a request of another device stands.
    pub(crate) fn show_approval(&self, row: &ApprovalRow) {
        // What we made can be written.
        if let Ok(text) = to_string(row) {
            let what = What::Approval { row: text.into(), verdict: "null".into() };
            self.tell(Told { session: row.session_id, is_remote: true, what });
        }
    }

    /// When the daemon was started.
    #[must_use]
    pub fn started_at(&self) -> Timestamp {
        self.0.started_at
    }

    /// How one session stands; `None` for those nothing moved in for long.
    #[must_use]
    pub fn card(&self, session: SessionId) -> Option<Arc<Card>> {
        self.0.cards.read().unwrap_or_else(PoisonError::into_inner).get(&session).cloned()
    }

    /// How all sessions of late stand.
    #[must_use]
    pub fn cards(&self) -> HashMap<SessionId, Arc<Card>> {
        self.0.cards.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// How many sessions of late there are.
    pub(crate) fn count(&self) -> usize {
        self.0.cards.read().unwrap_or_else(PoisonError::into_inner).len()
    }

    /// What is found in one session of late.
    #[must_use]
    pub fn findings_of(&self, session: SessionId) -> Vec<Finding> {
        let findings = self.0.findings.read().unwrap_or_else(PoisonError::into_inner);
        findings.get(&session).map(|it| it.to_vec()).unwrap_or_default()
    }

    /// What is found in all sessions of late.
    #[must_use]
    pub fn findings(&self) -> Vec<Finding> {
        let findings = self.0.findings.read().unwrap_or_else(PoisonError::into_inner);
        findings.values().flat_map(|it| it.iter().cloned()).collect()
    }

    pub(crate) fn replace_findings(&self, all: Vec<Finding>) {
        let mut by_session: HashMap<SessionId, Vec<Finding>> = HashMap::new();
        for finding in all {
            by_session.entry(finding.session_id).or_default().push(finding);
        }
        let new = by_session.into_iter().map(|(id, found)| (id, found.into())).collect();
        *self.0.findings.write().unwrap_or_else(PoisonError::into_inner) = new;
    }

    pub(crate) fn put_findings(&self, new: BySession) {
        let mut findings = self.0.findings.write().unwrap_or_else(PoisonError::into_inner);
        for (session, found) in new {
            match found.is_empty() {
                true => findings.remove(&session),
                false => findings.insert(session, found),
            };
        }
    }

    /// What every eye found when it last looked.
    #[must_use]
    pub fn looks(&self) -> Vec<Look> {
        let looks = self.0.looks.read().unwrap_or_else(PoisonError::into_inner);
        looks.values().cloned().collect()
    }

    pub(crate) fn note_eye(&self, number: EyeNumber, eye: &Eye) {
        let mut looks = self.0.looks.write().unwrap_or_else(PoisonError::into_inner);
        let look = looks.entry(number).or_default();
        (look.root, look.agents, look.counts) =
            (eye.root.clone(), eye.agents.clone(), eye.counts.clone());
    }

    pub(crate) fn note_look(&self, eye: EyeNumber, looked: &Looked) {
        let mut looks = self.0.looks.write().unwrap_or_else(PoisonError::into_inner);
        let look = looks.entry(eye).or_default();
        if looked.whole {
            look.sources = looked.sources;
            look.problems.clear();
        }
        look.problems.extend(looked.problems.iter().cloned());
        look.problems.truncate(PROBLEMS);
    }

    pub(crate) fn put(&self, session: SessionId, card: Option<Arc<Card>>) {
        let mut cards = self.0.cards.write().unwrap_or_else(PoisonError::into_inner);
        match card {
            Some(card) => cards.insert(session, card),
            None => cards.remove(&session),
        };
    }

    /// Drops the cards of all others.
    pub(crate) fn keep_only(&self, is_kept: impl Fn(SessionId) -> bool) {
        let mut cards = self.0.cards.write().unwrap_or_else(PoisonError::into_inner);
        cards.retain(|session, _| is_kept(*session));
    }

    /// Listens from now on. Who falls behind is told so, and goes on from a snapshot.
    #[must_use]
    pub fn follow(&self) -> broadcast::Receiver<Arc<Told>> {
        self.0.feed.subscribe()
    }

    /// Somebody listens.
    pub(crate) fn has_followers(&self) -> bool {
        self.0.feed.receiver_count() > 0
    }

    pub(crate) fn tell(&self, told: Told) {
        // Nobody listening is no fault.
        self.0.feed.send(Arc::new(told)).ok();
    }

    pub(crate) fn wake(&self, wake: Wake) {
        // A loop that ended wakes no more; who waits for its answer is told by its going away.
        self.0.wakes.send(wake).ok();
    }

    /// Another device was heard: how these sessions of it stand is looked at again.
    pub(crate) fn heard(&self, device: &DeviceId, sessions: &[SessionId]) {
        self.wake(Wake::Heard(device.clone(), sessions.to_vec()));
    }

    /// Waits until everything on disk is indexed; `false` when the daemon is ending.
    pub async fn settle(&self) -> bool {
        let (done, told) = oneshot::channel();
        self.wake(Wake::Settle(done));
        told.await.is_ok()
    }

    /// Waits until search has all that is indexed, and says whether it does.
    pub async fn searchable(&self) -> bool {
        let (done, told) = oneshot::channel();
        self.wake(Wake::Search(done));
        told.await.unwrap_or(false)
    }

    /// Runs something that opens the writer itself, and gives what it came to; `None` when the
    /// daemon is ending.
    pub async fn alone<T: Send + 'static>(
        &self,
        what: impl FnOnce(&Settings) -> T + Send + 'static,
    ) -> Option<T> {
        let (done, told) = oneshot::channel();
        let alone: Alone = Box::new(move |settings| {
            // Who asked may have gone away.
            done.send(what(settings)).ok();
        });
        self.wake(Wake::Alone(alone));
        told.await.ok()
    }

    /// Asks the daemon to end.
    pub fn stop(&self) {
        self.wake(Wake::Stop);
    }
}
