//! The status of a session: a pure function of evidence and an instant.
//!
//! Evidence is sorted by its own times and folded; then the rules apply, the strongest first. The
//! order of arrival and repetition make no difference.

mod failure;
mod fold;
mod imported;
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

/// The status of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// The session is over.
    Exited,
    /// It waits for an approval.
    WaitingApproval,
    /// The agent is working.
    Running,
    /// It waits for a person: for a prompt, or for an answer to a question.
    Waiting,
    /// It is present and idle.
    Idle,
    /// The evidence is inconclusive.
    Unknown,
}

/// The place of a session on every board and list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Group {
    /// A person must decide or answer.
    NeedsYou,
    /// The agent is working.
    Working,
    /// The turn is over.
    YourTurn,
    /// It failed: killed in the middle of a turn, lost, or stopped by an error.
    Failed,
    /// The session is idle.
    Idle,
    /// The session is over.
    Done,
}

/// How a session failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Failure {
    /// Its process was seen to end before the agent was done.
    Crashed,
    /// Its process is gone; its end was not observed.
    Lost,
    /// An error ended its last turn.
    GaveUp,
}

impl Failure {
    /// The stored form.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Crashed => "crashed",
            Self::Lost => "lost",
            Self::GaveUp => "gave_up",
        }
    }

    /// Parses the stored form.
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
    /// The command or the question; empty if unknown.
    pub text: String,
    /// The answers a question offers; empty if the answer is free or unknown.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<String>,
}

impl WaitingFor {
    /// A wait without offered answers.
    #[must_use]
    pub fn new(kind: WaitingKind, text: String) -> Self {
        Self { kind, text, options: Vec::new() }
    }
}

/// The kind of wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WaitingKind {
    /// An approval.
    Approval,
    /// An answer.
    Question,
    /// The next prompt.
    Prompt,
}

impl WaitingKind {
    /// The word used in JSON, storage and messages.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Approval => "approval",
            Self::Question => "question",
            Self::Prompt => "prompt",
        }
    }
}

/// How long a silence lasts before it changes the status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Thresholds {
    /// Seconds without output after which an open turn becomes doubtful.
    pub doubt: i64,
    /// Seconds after which a session without an open turn is idle.
    pub idle: i64,
    /// Seconds after which a session without a process is over.
    pub over: i64,
}

impl Default for Thresholds {
    fn default() -> Self {
        Self { doubt: 30, idle: 120, over: 86_400 }
    }
}

/// The status of a sub-agent: its parent is running while it runs, and waits while it waits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Worker {
    /// The status.
    pub status: Status,
    /// When it began.
    pub since: Timestamp,
    /// The confidence.
    pub confidence: Confidence,
    /// What it waits for.
    pub waiting_for: Option<WaitingFor>,
}

/// The inputs of a status.
#[derive(Debug, Clone, Copy)]
pub struct Given<'a> {
    /// The evidence, in any order: its own times order it.
    pub evidence: &'a [Evidence],
    /// Whether the process is alive.
    pub life: Life,
    /// The sub-agents.
    pub workers: &'a [Worker],
    /// The instant of the reading.
    pub now: Timestamp,
    /// How long a silence may last.
    pub thresholds: Thresholds,
}

/// A status with its reasons.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reading {
    /// The status.
    pub status: Status,
    /// When it began.
    pub since: Timestamp,
    /// The confidence.
    pub confidence: Confidence,
    /// What it waits for.
    pub waiting_for: Option<WaitingFor>,
    /// The rule that won.
    pub rule: StatusRule,
    /// The supporting evidence, by index, the most important first.
    pub rests_on: Vec<usize>,
    /// When time alone would change it.
    pub until: Option<Timestamp>,
    /// How the session failed, if it did and was not resumed since.
    pub failure: Option<Failure>,
}

impl Reading {
    /// Whether the session lost its process without an end: by a reboot, a crash or a kill. A
    /// session at rest is restored too, though only an interrupted one failed.
    #[must_use]
    pub fn is_lost(&self) -> bool {
        let was_cut_off = matches!(self.failure, Some(Failure::Crashed | Failure::Lost));
        let ended = [StatusRule::ProcessEnded, StatusRule::TurnOverProcessGone];
        was_cut_off || ended.contains(&self.rule)
    }
}

impl Status {
    /// The word used in JSON, storage and messages.
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

    /// Parses the stored form.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        let all = [
            Self::Exited,
            Self::WaitingApproval,
            Self::Running,
            Self::Waiting,
            Self::Idle,
            Self::Unknown,
        ];
        all.into_iter().find(|it| it.as_str() == word)
    }
}

/// Computes the status of a session.
#[must_use]
pub fn read(given: &Given<'_>) -> Reading {
    rules::read(given)
}

/// Whether a failure is recent enough for status bars and boards: less than a day old.
#[must_use]
pub fn is_recent(since: Timestamp, now: Timestamp) -> bool {
    now.as_second() - since.as_second() < Thresholds::default().over
}

/// The place of a session on every board and list.
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
        Status::Unknown if young || reading.rule == StatusRule::ImportedDocument => Group::Idle,
        Status::Unknown | Status::Exited => Group::Done,
    }
}
