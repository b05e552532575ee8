//! How a session stands: a pure function of evidence and an instant.
//!
//! Evidence is put in the order of its own times and added up; then the rules are asked, the
//! strongest first. Neither the order of arrival nor what was said twice makes a difference.

mod failure;
mod fold;
mod mark;
mod order;
mod pending;
mod rule;
mod rules;
mod screen_hint;
mod turn;
mod view;

pub use rule::StatusRule;

use crate::evidence::{Evidence, Life};
use crate::{Confidence, Timestamp};
use serde::{Deserialize, Serialize};

/// How a session stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// It is over.
    Exited,
    /// It waits to be allowed something.
    WaitingApproval,
    /// It works.
    Running,
    /// It waits for a person: for a prompt, or for an answer to a question.
    Waiting,
    /// It is there and nothing happens.
    Idle,
    /// The evidence does not tell.
    Unknown,
}

/// Where a session stands on every face.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Group {
    /// A person must decide or answer.
    NeedsYou,
    /// It works.
    Working,
    /// The turn is over.
    YourTurn,
    /// It broke down: killed in the middle of a turn, lost, or given up after an error.
    Failed,
    /// Nothing happens.
    Idle,
    /// It is over.
    Done,
}

/// How a session broke down.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Failure {
    /// Its process was seen to end before the agent was done.
    Crashed,
    /// Its process is gone, and nobody saw how it ended.
    Lost,
    /// An error ended its last turn.
    GaveUp,
}

impl Failure {
    /// The word as it is stored.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Crashed => "crashed",
            Self::Lost => "lost",
            Self::GaveUp => "gave_up",
        }
    }

    /// Reads what was stored.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        [Self::Crashed, Self::Lost, Self::GaveUp].into_iter().find(|it| it.as_str() == word)
    }
}

/// What a session waits for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WaitingFor {
    /// `approval`, `question` or `prompt`.
    pub kind: WaitingKind,
    /// The command, the question; empty where it is not known.
    pub text: String,
    /// The answers a question offers; none where it is free or not known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<String>,
}

impl WaitingFor {
    /// Something that offers no answers of its own.
    #[must_use]
    pub fn new(kind: WaitingKind, text: String) -> Self {
        Self { kind, text, options: Vec::new() }
    }
}

/// What kind of thing a session waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WaitingKind {
    /// To be allowed something.
    Approval,
    /// An answer.
    Question,
    /// The next prompt.
    Prompt,
}

/// How long things may be silent before they mean something else.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Thresholds {
    /// An open turn without output is believed less after so many seconds.
    pub doubt: i64,
    /// Without an open turn it is idle after so many seconds.
    pub idle: i64,
    /// Without a process it is over after so many seconds.
    pub over: i64,
}

impl Default for Thresholds {
    fn default() -> Self {
        Self { doubt: 30, idle: 120, over: 86_400 }
    }
}

/// How a worker of a session stands: its parent works while it does, and waits where it does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Worker {
    /// How it stands.
    pub status: Status,
    /// Since when.
    pub since: Timestamp,
    /// How sure that is.
    pub confidence: Confidence,
    /// What it waits for.
    pub waiting_for: Option<WaitingFor>,
}

/// What a status is read from.
#[derive(Debug, Clone, Copy)]
pub struct Given<'a> {
    /// What was said, in any order: its own times order it.
    pub evidence: &'a [Evidence],
    /// Whether its process lives.
    pub life: Life,
    /// Its workers.
    pub workers: &'a [Worker],
    /// The instant it is read for.
    pub now: Timestamp,
    /// How long things may be silent.
    pub thresholds: Thresholds,
}

/// A status with its reasons.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reading {
    /// How it stands.
    pub status: Status,
    /// Since when.
    pub since: Timestamp,
    /// How sure that is.
    pub confidence: Confidence,
    /// What it waits for.
    pub waiting_for: Option<WaitingFor>,
    /// The rule that won.
    pub rule: StatusRule,
    /// The evidence it rests on, by its place, the weightiest first.
    pub rests_on: Vec<usize>,
    /// When it would change by time alone.
    pub until: Option<Timestamp>,
    /// How it broke down, where it did and nobody took it up since.
    pub failure: Option<Failure>,
}

impl Reading {
    /// It lost its process without being ended: by a reboot, a crash, a kill. What was at rest comes back
    /// too, though only what was cut off has failed.
    #[must_use]
    pub fn is_lost(&self) -> bool {
        let was_cut_off = matches!(self.failure, Some(Failure::Crashed | Failure::Lost));
        let ended = [StatusRule::ProcessEnded, StatusRule::TurnOverProcessGone];
        was_cut_off || ended.contains(&self.rule)
    }
}

impl Status {
    /// The word as it is written everywhere.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Exited => "exited",
            Self::WaitingApproval => "waiting_approval",
            Self::Running => "running",
            Self::Waiting => "waiting",
            Self::Idle => "idle",
            Self::Unknown => "unknown",
        }
    }
}

/// Reads how a session stands.
#[must_use]
pub fn read(given: &Given<'_>) -> Reading {
    rules::read(given)
}

/// A failure counts on status bars and boards for a day.
#[must_use]
pub fn is_recent(since: Timestamp, now: Timestamp) -> bool {
    now.as_second() - since.as_second() < Thresholds::default().over
}

/// Where a session stands on every face.
#[must_use]
pub fn group(reading: &Reading, now: Timestamp) -> Group {
    let asked = reading.waiting_for.as_ref().is_some_and(|it| it.kind == WaitingKind::Question);
    let young = is_recent(reading.since, now);
    match reading.status {
        _ if reading.failure.is_some() => Group::Failed,
        Status::WaitingApproval => Group::NeedsYou,
        Status::Waiting if asked => Group::NeedsYou,
        Status::Running => Group::Working,
        Status::Waiting => Group::YourTurn,
        Status::Idle => Group::Idle,
        Status::Unknown if young => Group::Idle,
        Status::Unknown | Status::Exited => Group::Done,
    }
}
