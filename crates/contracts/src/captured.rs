//! A captured session, from which every document is made.
//!
//! The caller provides every value, including time and host name. [`crate::derived`] interprets the
//! events, and [`crate::status_table`] maps the status.

use taffrail_model::status::{Status, WaitingFor, WaitingKind};
use taffrail_model::turn::{Turn, TurnStatus};
use taffrail_model::{
    AgentId, Event, Kind, Lifecycle, Origin, Process, RuntimeSessionId, SessionId, Timestamp,
    Tokens,
};

/// A session with its sub-agents, and the context of the export.
#[derive(Debug, Clone)]
pub struct Captured {
    /// The session itself.
    pub main: AgentSession,
    /// Its sub-agents, nested ones included.
    pub workers: Vec<AgentSession>,
    /// The request, as `(type, value)` of a snapshot's source target.
    pub target: Option<(String, String)>,
    /// The context of the export.
    pub here: Here,
    /// The user's annotations.
    pub remarks: Remarks,
    /// Its synchronization with other devices.
    pub carried: Carried,
}

/// The context of an export.
#[derive(Debug, Clone)]
pub struct Here {
    /// The current time.
    pub now: Timestamp,
    /// The device's name, or the host name until the device has one.
    pub device: String,
    /// The root of the project's repository, if there is one.
    pub repo_root: Option<String>,
    /// The commit checked out there.
    pub git_commit: Option<String>,
    /// This program's version.
    pub version: String,
}

/// The user's annotations of a session.
#[derive(Debug, Clone, Default)]
pub struct Remarks {
    /// Tags.
    pub tags: Vec<String>,
    /// A note.
    pub notes: Option<String>,
}

/// The synchronization of a session with other devices.
#[derive(Debug, Clone, Default)]
pub struct Carried {
    /// Whether synchronization is on.
    pub enabled: bool,
    /// The time of the last synchronization.
    pub last_sync: Option<Timestamp>,
    /// Whether parts of the session are not sent yet.
    pub waiting: bool,
    /// The error of the last synchronization.
    pub error: Option<String>,
    /// Other devices that have the session.
    pub devices: Vec<String>,
    /// The kind of store: `directory`, `nats`, `s3`, `gcs`, ...
    pub store: Option<String>,
    /// Whether the stored data is encrypted.
    pub sealed: bool,
    /// Users that the session is shared with.
    pub shared_with: Vec<String>,
}

/// The part of one agent in a session.
#[derive(Debug, Clone)]
pub struct AgentSession {
    /// The durable session.
    pub id: SessionId,
    /// The agent.
    pub agent: AgentId,
    /// The agent's own id of the session.
    pub runtime_id: RuntimeSessionId,
    /// The session that it works for.
    pub parent: Option<SessionId>,
    /// A title that a person or an agent gave. The beginning of the first prompt does not count.
    pub title: Option<String>,
    /// The working directory.
    pub project_path: Option<String>,
    /// The last known branch.
    pub git_branch: Option<String>,
    /// The last known model.
    pub model: Option<String>,
    /// The start time.
    pub started_at: Option<Timestamp>,
    /// The time of the latest event.
    pub last_event_at: Option<Timestamp>,
    /// The status.
    pub status: Status,
    /// What it waits for.
    pub waiting_for: Option<WaitingFor>,
    /// The lifecycle state.
    pub lifecycle: Lifecycle,
    /// The process that runs it.
    pub process: Option<Process>,
    /// The name of its executor.
    pub executor: Option<String>,
    /// The tokens it used itself.
    pub tokens: Tokens,
    /// The locator of its history.
    pub source_uri: String,
    /// Its turns.
    pub turns: Vec<Turn>,
    /// Its events with their full texts, in canonical order.
    pub events: Vec<Event>,
}

/// How the last turn of a session ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// There was no turn.
    Nothing,
    /// The turn has not ended.
    Open,
    /// The agent finished.
    Done,
    /// The turn failed.
    Failed,
    /// The user interrupted it, or the session ended.
    BrokenOff,
    /// Nothing more arrived.
    TimedOut,
}

impl Captured {
    /// The session first, then the sub-agents by start time.
    #[must_use]
    pub fn all(&self) -> Vec<&AgentSession> {
        let mut workers: Vec<&AgentSession> = self.workers.iter().collect();
        workers.sort_by_key(|it| (it.began(), it.runtime_id.as_str().to_owned()));
        std::iter::once(&self.main).chain(workers).collect()
    }
}

impl AgentSession {
    /// The events of the agent's own history. Events from hooks and probes only repeat them.
    pub fn spoken(&self) -> impl DoubleEndedIterator<Item = &Event> {
        self.events.iter().filter(|event| match event.source {
            Origin::Hook => event.kind.is_carried(),
            Origin::Registry | Origin::Process | Origin::Pty | Origin::Derived => false,
            Origin::Transcript | Origin::Input | Origin::Telemetry | Origin::Unknown(_) => true,
        })
    }

    /// The first prompt.
    #[must_use]
    pub fn first_prompt(&self) -> Option<&str> {
        self.texts(&Kind::UserPrompt).next()
    }

    /// The last answer.
    #[must_use]
    pub fn last_answer(&self) -> Option<&str> {
        self.texts(&Kind::AssistantMessage).next_back()
    }

    fn texts(&self, kind: &Kind) -> impl DoubleEndedIterator<Item = &str> {
        let of_kind = self.spoken().filter(move |event| event.kind == *kind);
        of_kind.filter_map(|event| event.text.as_deref()).filter(|text| !text.trim().is_empty())
    }

    /// The start time, as far as it is known.
    #[must_use]
    pub fn began(&self) -> Option<Timestamp> {
        self.started_at.or_else(|| self.events.first().map(|event| event.created_at))
    }

    /// The time of the latest activity.
    #[must_use]
    pub fn moved(&self) -> Option<Timestamp> {
        self.last_event_at.or_else(|| self.events.last().map(|event| event.created_at))
    }

    /// Whether it waits for an answer, not for a prompt.
    #[must_use]
    pub fn is_asking(&self) -> bool {
        self.waiting_for.as_ref().is_some_and(|it| it.kind == WaitingKind::Question)
    }

    /// How its last turn ended.
    #[must_use]
    pub fn ending(&self) -> Ending {
        let Some(turn) = self.turns.last() else { return Ending::Nothing };
        match turn.status {
            TurnStatus::Open | TurnStatus::Superseded => Ending::Open,
            TurnStatus::Completed => Ending::Done,
            TurnStatus::Interrupted if turn.errors > 0 => Ending::Failed,
            TurnStatus::Interrupted | TurnStatus::Exited | TurnStatus::Lost => Ending::BrokenOff,
            TurnStatus::TimedOut => Ending::TimedOut,
        }
    }
}
