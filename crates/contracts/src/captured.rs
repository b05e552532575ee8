//! A session as it was captured: what every document of ours is made from.
//!
//! Everything here is handed in, time and host name included; what it means is worked out by
//! [`crate::deeds`] and told by [`crate::states`].

use crate::states::Ending;
use taffrail_model::status::{Status, WaitingFor, WaitingKind};
use taffrail_model::turn::{Turn, TurnStatus};
use taffrail_model::{
    AgentId, Event, Kind, Lifecycle, Origin, Process, RuntimeSessionId, SessionId, Timestamp,
    Tokens,
};

/// A session, its workers, and where and when it is told of.
#[derive(Debug, Clone)]
pub struct Captured {
    /// The session itself.
    pub main: Seen,
    /// Its workers, those of its workers included.
    pub workers: Vec<Seen>,
    /// What was asked for, as `(type, value)` of a snapshot's source target.
    pub target: Option<(String, String)>,
    /// Where it is told of.
    pub here: Here,
    /// What a person said about it.
    pub remarks: Remarks,
    /// How it gets to other devices.
    pub carried: Carried,
}

/// Where and when a session is told of.
#[derive(Debug, Clone)]
pub struct Here {
    /// The instant.
    pub now: Timestamp,
    /// The device's name, or the host's until it has one.
    pub device: String,
    /// The root of the project's repository, where there is one.
    pub repo_root: Option<String>,
    /// The commit checked out there.
    pub git_commit: Option<String>,
    /// This program's version.
    pub version: String,
}

/// What a person said about a session.
#[derive(Debug, Clone, Default)]
pub struct Remarks {
    /// Tags.
    pub tags: Vec<String>,
    /// A note.
    pub notes: Option<String>,
}

/// How a session gets to other devices.
#[derive(Debug, Clone, Default)]
pub struct Carried {
    /// It does.
    pub enabled: bool,
    /// When it last did.
    pub last_sync: Option<Timestamp>,
    /// Something of it is still on its way.
    pub waiting: bool,
    /// What went wrong then.
    pub error: Option<String>,
    /// Other devices it was on.
    pub devices: Vec<String>,
    /// The kind of store: `directory`, `nats`, `s3`, `gcs`, ...
    pub store: Option<String>,
    /// It is sealed there.
    pub sealed: bool,
    /// Users it was given to.
    pub shared_with: Vec<String>,
}

/// One agent's part of a session.
#[derive(Debug, Clone)]
pub struct Seen {
    /// The durable session.
    pub id: SessionId,
    /// The agent.
    pub agent: AgentId,
    /// The agent's own id for it.
    pub runtime_id: RuntimeSessionId,
    /// The session it works for.
    pub parent: Option<SessionId>,
    /// A title someone gave or made up; the beginning of the first prompt is none.
    pub title: Option<String>,
    /// Where it works.
    pub project_path: Option<String>,
    /// The branch last seen.
    pub git_branch: Option<String>,
    /// The model last seen.
    pub model: Option<String>,
    /// When it began.
    pub started_at: Option<Timestamp>,
    /// Its latest event.
    pub last_event_at: Option<Timestamp>,
    /// How it stands.
    pub status: Status,
    /// What it waits for.
    pub waiting_for: Option<WaitingFor>,
    /// Where it is in its life.
    pub lifecycle: Lifecycle,
    /// The process that runs it.
    pub process: Option<Process>,
    /// The executor it has, by name.
    pub executor: Option<String>,
    /// What it spent itself.
    pub tokens: Tokens,
    /// Where its history is.
    pub source_uri: String,
    /// Its turns.
    pub turns: Vec<Turn>,
    /// Its events, whole, in canonical order.
    pub events: Vec<Event>,
}

impl Captured {
    /// The session and its workers, the session first and the workers as they began.
    #[must_use]
    pub fn all(&self) -> Vec<&Seen> {
        let mut workers: Vec<&Seen> = self.workers.iter().collect();
        workers.sort_by_key(|it| (it.began(), it.runtime_id.as_str().to_owned()));
        std::iter::once(&self.main).chain(workers).collect()
    }
}

impl Seen {
    /// What the agent's own history says; what only hooks and probes said repeats it.
    pub fn spoken(&self) -> impl DoubleEndedIterator<Item = &Event> {
        self.events.iter().filter(|event| match event.source {
            Origin::Hook | Origin::Registry | Origin::Process | Origin::Pty => false,
            Origin::Transcript | Origin::Input | Origin::Telemetry | Origin::Unknown(_) => true,
        })
    }

    /// What was asked first.
    #[must_use]
    pub fn first_prompt(&self) -> Option<&str> {
        self.texts(&Kind::UserPrompt).next()
    }

    /// What was answered last.
    #[must_use]
    pub fn last_answer(&self) -> Option<&str> {
        self.texts(&Kind::AssistantMessage).next_back()
    }

    fn texts(&self, kind: &Kind) -> impl DoubleEndedIterator<Item = &str> {
        let of_kind = self.spoken().filter(move |event| event.kind == *kind);
        of_kind.filter_map(|event| event.text.as_deref()).filter(|text| !text.trim().is_empty())
    }

    /// When it began, as far as that is known.
    #[must_use]
    pub fn began(&self) -> Option<Timestamp> {
        self.started_at.or_else(|| self.events.first().map(|event| event.created_at))
    }

    /// When something last happened in it.
    #[must_use]
    pub fn moved(&self) -> Option<Timestamp> {
        self.last_event_at.or_else(|| self.events.last().map(|event| event.created_at))
    }

    /// It waits for an answer, not for a prompt.
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
            TurnStatus::Interrupted | TurnStatus::Exited => Ending::BrokenOff,
            TurnStatus::TimedOut => Ending::TimedOut,
        }
    }
}
