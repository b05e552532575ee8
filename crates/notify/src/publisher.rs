//! Decides what to notify about, and hands messages to the channels.

use crate::channels::{Message, Route};
use crate::focus::looked_at;
use crate::inbox::Notices;
use crate::phone::Phone;
use crate::presses::Presses;
use crate::routes::{quiet, routes};
use crate::sender::Sender;
use crate::sent_file;
use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use taffrail_context::Live;
use taffrail_context::{Error, Settings};
use taffrail_model::approval::{Approval, ApprovalId};
use taffrail_model::findings::{Finding, FindingKind};
use taffrail_model::notices::{Act, Fold, Occasion, SessionView, Wanted, occasions};
use taffrail_model::replication::is_locator;
use taffrail_model::status::{Group, Status, group};
use taffrail_model::{Kind, SessionId, Timestamp, TurnId};
use taffrail_store::{IndexReader, SessionRow};

/// The longest pause between checks when nothing is due: quiet hours may end.
const REST: Duration = Duration::from_secs(20);
/// The deepest nesting of sub-agents.
const DEPTH: usize = 16;

struct Publisher {
    notices: Notices,
    live: Live,
    senders: Vec<Sender>,
    fold: Fold,
    requests: OpenRequests,
    /// The file that records what was sent.
    file: Option<PathBuf>,
}

/// Returns the approvals that can still be answered.
pub type OpenRequests = Box<dyn Fn() -> Vec<Approval> + Send>;

/// Starts the thread that notifies, if the user configured a channel.
pub fn open(
    notices: &Notices,
    live: Live,
    (requests, phone): (OpenRequests, Option<Phone>),
    state: Option<PathBuf>,
) {
    let channels = routes(live.settings());
    if channels.is_empty() {
        return;
    }
    let file = state.map(|it| sent_file::file(&it));
    let fold = Fold::after(file.as_deref().map(sent_file::load).unwrap_or_default());
    let (mut senders, phone) = (Vec::new(), phone.map(Arc::new));
    for (channel, route) in channels {
        let bot = if let Route::Telegram(it) = &route { Some(it.bot()) } else { None };
        let (sender, counts) = Sender::open(notices, live.clone(), (channel, route), phone.clone());
        if let Some((bot, phone)) = bot.zip(phone.clone()) {
            let (settings, counts) = (live.settings().clone(), counts.clone());
            listen(notices, Presses { bot, phone, settings, counts, next: 0 });
        }
        notices.channels().push((channel, counts));
        senders.push(sender);
    }
    let mut it = Publisher { notices: notices.clone(), live, senders, fold, requests, file };
    // Without the thread no notifications are sent; `health` shows counts of zero.
    if let Err(error) = notices.spawn("notify", move || it.work()) {
        tracing::warn!(%error, "cannot start the thread that notifies");
    }
}

/// Starts the thread that listens for presses; without it, the buttons of messages do nothing.
fn listen(notices: &Notices, presses: Presses) {
    let it = notices.clone();
    if let Err(error) = notices.spawn("presses", move || presses.listen(&it)) {
        tracing::warn!(%error, "cannot start the thread that listens for presses");
    }
}

impl Publisher {
    fn work(&mut self) {
        let mut is_first = true;
        while let Some(news) = self.notices.wait(self.rest(), is_first) {
            for notice in news.whole {
                let message = Message::Told(notice);
                self.senders.iter().for_each(|it| it.send(&message));
            }
            if is_first && !news.everything {
                continue;
            }
            is_first = false;
            self.look(news.sessions, news.everything);
            self.act();
        }
    }

    /// How long until something is due.
    fn rest(&self) -> Duration {
        let now = (self.live.settings().now)();
        let left = self.fold.next().map(|at| at.as_millisecond() - now.as_millisecond());
        let left = left.map(|it| Duration::from_millis(u64::try_from(it).unwrap_or(0)));
        left.map_or(REST, |it| it.min(REST))
    }

    fn look(&mut self, mut sessions: BTreeSet<SessionId>, everything: bool) {
        if everything {
            sessions.extend(self.live.statuses().into_keys());
            sessions.extend(self.fold.sessions());
        }
        let now = (self.live.settings().now)();
        let (worth, rest): (Vec<_>, Vec<_>) =
            sessions.into_iter().partition(|it| self.is_worth_a_look(*it));
        rest.into_iter().for_each(|it| self.fold.take(it, Vec::new(), now));
        if worth.is_empty() {
            return;
        }
        // If the index cannot be opened now, the next change retries.
        let index = IndexReader::open(&self.live.settings().data);
        let index = index.unwrap_or_else(|error| {
            tracing::warn!(%error, "cannot open the index for notifications");
            None
        });
        for session in worth.into_iter().filter(|_| index.is_some()) {
            let found = index.as_ref().map(|it| self.occasions(it, session)).transpose();
            match found.map(Option::flatten) {
                Ok(Some((session, found))) => self.fold.take(session, found, now),
                Ok(None) => {}
                Err(error) => tracing::warn!(%error, %session, "cannot look up what to notify of"),
            }
        }
    }

    fn act(&mut self) {
        let settings = self.live.settings();
        let (now, panes) = ((settings.now)(), OnceCell::new());
        let is_looked_at = |it: &Occasion| {
            let executor = self.live.status(it.session).and_then(|it| it.executor.clone());
            let panes: &Vec<String> =
                panes.get_or_init(|| looked_at(settings, self.live.executors()));
            executor.is_some_and(|it| panes.contains(&it))
        };
        let acts = self.fold.step(now, quiet(settings, now), &is_looked_at);
        self.keep();
        for act in acts {
            let message = match act {
                Act::Tell(notice) => Message::Told(notice),
                Act::Withdraw(notice) => Message::Withdrawn(notice),
            };
            self.senders.iter().for_each(|it| it.send(&message));
        }
    }

    /// Saves before sending: a daemon that is killed in between misses one notice, but never sends
    /// it twice.
    fn keep(&mut self) {
        let changed = self.fold.take_changed();
        if let Some(file) = self.file.as_deref().filter(|_| changed) {
            // If this fails, notices that are still open are sent again after a restart.
            if let Err(error) = sent_file::save(file, self.fold.kept()) {
                tracing::warn!(%error, "cannot keep what was notified");
            }
        }
    }

    /// What to notify about in a session, or in the main session above it.
    fn occasions(
        &self,
        index: &IndexReader,
        session: SessionId,
    ) -> Result<Option<(SessionId, Vec<Occasion>)>, Error> {
        let Some(row) = top(index, session)? else { return Ok(None) };
        // Another device sends the notifications for its own sessions.
        let card = self.live.status(row.id).filter(|_| !is_locator(&row.source_uri));
        let Some(card) = card else { return Ok(Some((row.id, Vec::new()))) };
        let findings = self.live.findings_of(row.id);
        let requests = self.requests(index, row.id)?;
        let seen = SessionView {
            session: row.id,
            label: label(&row),
            reading: &card.reading,
            requests: &requests,
            findings: &findings,
            turn: turn(index, &row, &findings)?,
        };
        Ok(Some((row.id, occasions(&seen, &self.live.settings().notices.wishes))))
    }

    /// Whether a session may need a notification; most changes need none.
    fn is_worth_a_look(&self, session: SessionId) -> bool {
        let now = (self.live.settings().now)();
        let wants_input = self.live.settings().notices.wishes.input == Wanted::Yes;
        let is_for_you = self.live.status(session).is_some_and(|it| {
            group(&it.reading, now) == Group::NeedsYou
                || wants_input && it.reading.status == Status::Waiting
        });
        is_for_you || !self.live.findings_of(session).is_empty()
    }

    /// The open approvals of a session and its sub-agents.
    fn requests(
        &self,
        index: &IndexReader,
        session: SessionId,
    ) -> Result<Vec<(ApprovalId, String, String)>, Error> {
        let mut out = Vec::new();
        for Approval { id, session_id, risk, command, .. } in (self.requests)() {
            if top(index, session_id)?.is_some_and(|it| it.id == session) {
                out.push((id, risk, command));
            }
        }
        Ok(out)
    }
}

/// A session, or the main session above it.
fn top(index: &IndexReader, session: SessionId) -> Result<Option<SessionRow>, Error> {
    let mut row = index.session_by_id(session)?;
    for _ in 0..DEPTH {
        let Some(parent) = row.as_ref().and_then(|it| it.parent) else { break };
        row = index.session_by_id(parent)?;
    }
    Ok(row)
}

/// The display name of a session: its project, or else its agent.
fn label(row: &SessionRow) -> &str {
    let project = row.project_path.as_deref().and_then(|it| it.rsplit('/').next());
    project.filter(|it| !it.is_empty()).unwrap_or(&row.agent)
}

/// The turn that ended, from the evidence of a finding, else the latest one.
fn turn(
    index: &IndexReader,
    row: &SessionRow,
    findings: &[Finding],
) -> Result<Option<TurnId>, Error> {
    let finished = findings.iter().find(|it| it.kind == FindingKind::Finished);
    for id in finished.into_iter().flat_map(|it| &it.evidence) {
        if let Some(turn) = index.event_by_id(row.row, *id)?.and_then(|it| it.turn) {
            return Ok(Some(turn));
        }
    }
    let prompt = index.last_of_kind(row.row, &Kind::UserPrompt, Timestamp::MAX)?;
    Ok(prompt.and_then(|it| it.turn))
}

/// Whether quiet hours apply now, for clients that show what would be sent.
pub(crate) fn is_quiet(settings: &Settings) -> bool {
    let now = (settings.now)();
    quiet(settings, now) == taffrail_model::notices::Quiet::Yes
}
