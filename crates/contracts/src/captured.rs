//! A captured session, from which every document is made.
//!
//! The caller provides every value, including time and host name. [`crate::derived`] interprets the
//! events, and [`crate::status_table`] maps the status.

use serde_json::Value;
use std::collections::BTreeMap;
use taffrail_model::status::{Status, WaitingFor, WaitingKind};
use taffrail_model::text::holds;
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
    /// What the disk says of the files that the session changed.
    pub disk: Disk,
}

/// Files on disk, by absolute path. Empty for a session of another device.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Disk {
    /// The files and folders that are there now.
    pub files: BTreeMap<String, OnDisk>,
}

/// A file or a folder on disk.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OnDisk {
    /// When it was made, where the file system keeps that.
    pub born_at: Option<Timestamp>,
    /// When its content changed last.
    pub changed_at: Option<Timestamp>,
    /// Whether it is a folder.
    pub is_folder: bool,
    /// The content of a text file that nobody changed after the session.
    pub content: Option<String>,
}

/// How far the clocks of an agent and of a file system may differ, in milliseconds.
const CLOCKS_DIFFER: i64 = 2_000;

impl Disk {
    /// Whether a file was there before a call that wrote it, by the time of its birth; `None` if
    /// that does not show it.
    #[must_use]
    pub fn was_there(&self, path: &str, (since, until): (Timestamp, Timestamp)) -> Option<bool> {
        let born = self.files.get(path).filter(|it| !it.is_folder)?.born_at?.as_millisecond();
        let (began, ended) = (since.as_millisecond(), until.as_millisecond());
        match born {
            born if born < began - CLOCKS_DIFFER => Some(true),
            // A later birth is that of a file that replaced this one.
            born if born >= began && born <= ended => Some(false),
            _ => None,
        }
    }

    /// Whether a change that began at this time may have made the file that is there now.
    #[must_use]
    pub fn may_be_made_since(&self, path: &str, began: Timestamp) -> bool {
        let born = self.files.get(path).and_then(|it| it.born_at);
        born.is_some_and(|born| born >= began)
    }

    /// Whether the path is a folder now.
    #[must_use]
    pub fn is_folder(&self, path: &str) -> bool {
        self.files.get(path).is_some_and(|it| it.is_folder)
    }

    /// The content of a file that nothing changed after a call that ended at this time.
    #[must_use]
    pub fn content_after(&self, path: &str, ended: Timestamp) -> Option<&str> {
        let file = self.files.get(path)?;
        file.changed_at.filter(|it| *it <= ended)?;
        file.content.as_deref()
    }

    /// The content of a file that nobody changed after the session.
    #[must_use]
    pub fn content(&self, path: &str) -> Option<&str> {
        self.files.get(path)?.content.as_deref()
    }
}

/// The context of an export.
#[derive(Debug, Clone)]
pub struct Here {
    /// The current time.
    pub now: Timestamp,
    /// The name of the device that the session is on; the host name until a device has one.
    pub device: String,
    /// The root of the project's repository, if it is on this device.
    pub repo_root: Option<String>,
    /// The commit that was checked out there at the session's last event.
    pub git_commit: Option<String>,
    /// The project's folder on the device that the session was imported from.
    pub former_project: Option<String>,
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
    /// The title in lists, which may be the beginning of the first prompt.
    pub listed_as: Option<String>,
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
    /// The tokens of its latest request and answer: the size of its context.
    pub context: Option<Tokens>,
    /// The command line of its process.
    pub command: Option<String>,
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

/// What an agent calls an error that is a timeout.
const TIMEOUTS: [&str; 4] = ["timed out", "timeout", "time limit", "deadline exceeded"];

/// Whether an event is part of the work of a turn.
fn is_work(event: &&Event) -> bool {
    matches!(
        event.kind,
        Kind::UserPrompt
            | Kind::AssistantMessage
            | Kind::AssistantThinking
            | Kind::ToolCall
            | Kind::ToolResult
            | Kind::Error
    )
}

/// The events of an agent's own history.
pub(crate) fn spoken(events: &[Event]) -> impl DoubleEndedIterator<Item = &Event> {
    events.iter().filter(|event| match event.source {
        Origin::Hook => event.kind.is_carried(),
        Origin::Registry | Origin::Process | Origin::Pty | Origin::Derived => false,
        Origin::Transcript
        | Origin::PromptHistory
        | Origin::Input
        | Origin::Telemetry
        | Origin::Unknown(_) => true,
    })
}

impl AgentSession {
    /// The events of the agent's own history. Events from hooks and probes only repeat them.
    pub fn spoken(&self) -> impl DoubleEndedIterator<Item = &Event> {
        spoken(&self.events)
    }

    /// The first prompt.
    #[must_use]
    pub fn first_prompt(&self) -> Option<&str> {
        self.texts(&Kind::UserPrompt).next()
    }

    /// The prompts, in order.
    pub fn prompts(&self) -> impl DoubleEndedIterator<Item = &str> {
        self.texts(&Kind::UserPrompt)
    }

    /// The summaries that replaced the context, in order.
    pub fn compactions(&self) -> impl DoubleEndedIterator<Item = &str> {
        self.texts(&Kind::ContextCompacted)
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

    /// Whether its last turn stopped at an error, and the error is a timeout.
    #[must_use]
    pub fn stopped_at_timeout(&self) -> bool {
        let is_timeout = |event: &Event| {
            let code = event.data.get("code").and_then(Value::as_str).unwrap_or_default();
            let text = format!("{code} {}", event.text.as_deref().unwrap_or_default());
            let text = text.to_lowercase();
            TIMEOUTS.iter().any(|word| holds(&text, word))
        };
        let last = self.spoken().rev().find(is_work);
        last.is_some_and(|event| event.kind == Kind::Error && is_timeout(event))
    }

    /// Whether the last thing that the agent recorded of its turn is an error.
    fn stopped_at_error(&self) -> bool {
        self.spoken().rev().find(is_work).is_some_and(|event| event.kind == Kind::Error)
    }

    /// How its last turn ended.
    #[must_use]
    pub fn ending(&self) -> Ending {
        let Some(turn) = self.turns.last() else { return Ending::Nothing };
        match turn.status {
            TurnStatus::Open | TurnStatus::Superseded | TurnStatus::Exited
                if self.stopped_at_error() =>
            {
                Ending::Failed
            }
            TurnStatus::Open | TurnStatus::Superseded => Ending::Open,
            TurnStatus::Completed => Ending::Done,
            TurnStatus::Interrupted if turn.errors > 0 => Ending::Failed,
            TurnStatus::Interrupted | TurnStatus::Exited | TurnStatus::Lost => Ending::BrokenOff,
            TurnStatus::TimedOut => Ending::TimedOut,
        }
    }
}
