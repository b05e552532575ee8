//! Controls of a session.

use crate::schema;
use serde::{Deserialize, Serialize};
use taffrail_model::{SessionId, Timestamp};
use utoipa::ToSchema;

/// Asks for a session to be resumed, or whether it could be.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ResumeBody {
    /// Only say what would be done; the default.
    #[serde(default = "yes")]
    pub dry_run: bool,
}

fn yes() -> bool {
    true
}

/// Asks for a session's agent to be ended, or which process that would be.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct StopBody {
    /// Only say which process would end; the default.
    #[serde(default = "yes")]
    pub dry_run: bool,
}

/// The process that was asked to end, or would be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct StopReply {
    /// The version of this document.
    pub schema_version: u32,
    /// The session.
    pub session_id: String,
    /// The process.
    pub pid: u32,
    /// Whether it was asked.
    pub stopped: bool,
}

/// The answer that a person chose from those an agent's question offers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AnswerBody {
    /// Its number, 1 to 9.
    #[schema(minimum = 1, maximum = 9)]
    pub option: u8,
    /// Its text as it was shown: another one means that the question has changed.
    pub text: String,
}

/// Asks for an agent to be started in tmux, or how it would be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct StartBody {
    /// The agent, by its id or its short name.
    pub agent: String,
    /// The first prompt.
    #[serde(default)]
    pub prompt: Option<String>,
    /// The folder it works in, from the root.
    pub folder: String,
    /// The name of a new git worktree and its branch, to work there.
    #[serde(default)]
    pub worktree: Option<String>,
    /// Only say what would be run; the default.
    #[serde(default = "yes")]
    pub dry_run: bool,
}

/// What is run to start an agent, in this order, and what came of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct StartReply {
    /// The version of this document.
    pub schema_version: u32,
    /// The agent's own command.
    pub command: Vec<String>,
    /// The folder it runs in.
    pub cwd: String,
    /// The worktree that is made first.
    pub worktree: Option<NewWorktree>,
    /// The tmux session it runs in.
    pub tmux: Option<NewTmuxSession>,
    /// Whether it was started.
    pub started: bool,
}

/// A worktree for a new agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct NewWorktree {
    /// Its branch.
    pub branch: String,
    /// The command that makes it.
    pub command: Vec<String>,
}

/// A tmux session for a new agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct NewTmuxSession {
    /// Its name.
    pub name: String,
    /// The command that makes it.
    pub command: Vec<String>,
    /// Where the agent runs, once it does.
    pub executor: Option<String>,
}

/// Whether and how a session can be resumed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ResumeReply {
    /// The version of this document.
    pub schema_version: u32,
    /// The session.
    pub session_id: String,
    /// What can be done.
    pub state: ResumeState,
    /// How far resuming is supported: `native` by the agent's own command, or `unsupported`.
    #[serde(default)]
    pub support: String,
    /// The words of the command, where there is one.
    pub command: Option<Vec<String>>,
    /// The folder it runs in.
    pub cwd: Option<String>,
    /// Why, in words.
    pub reason: String,
    /// Who runs it now.
    pub executor: Option<String>,
    /// Whether text can be typed into the executor from here; none without an executor.
    #[serde(default)]
    pub can_receive: Option<bool>,
    /// The command line it was started with under `taffrail run`, while that is kept.
    #[serde(default)]
    pub started_as: Option<Vec<String>>,
    /// The options of `started_as` that the command does not repeat.
    #[serde(default)]
    pub not_repeated: Vec<String>,
    /// The model that answered last.
    #[serde(default)]
    pub model: Option<String>,
    /// The linked git worktree that the folder is in.
    #[serde(default)]
    pub worktree: Option<String>,
    /// The latest turns and a summary; only where the session is resumed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recap: Option<Recap>,
}

/// What a session was about, for who resumes it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Recap {
    /// The summary, in a few lines.
    pub summary: String,
    /// The latest turns, the oldest first; as many as a summary looks at.
    pub turns: Vec<RecapTurn>,
}

/// A turn of a recap.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RecapTurn {
    /// The prompt.
    pub prompt: String,
    /// The answer, truncated.
    pub text: String,
    /// When the prompt came.
    #[schema(value_type = schema::Instant)]
    pub started_at: Timestamp,
}

/// What can be done with a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ResumeState {
    /// It runs; `can_receive` says whether commands can be given to it.
    ActiveExecutor,
    /// Its agent can go on with it.
    ResumeAvailable,
    /// It cannot be resumed.
    Unsupported,
}

/// The attempts to get an executor for a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Operations {
    /// The version of this document.
    pub schema_version: u32,
    /// The session.
    pub session_id: String,
    /// The attempts, the oldest first.
    pub operations: Vec<OperationRow>,
}

/// An attempt to get an executor for a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct OperationRow {
    /// Its number.
    pub id: i64,
    /// What was tried: `session.acquire_executor`.
    pub kind: String,
    /// How: `native_resume`, `live_executor` where one ran already, or `none` where nothing was
    /// possible.
    pub strategy: String,
    /// Where the agent was started: `tmux` or `terminal`.
    pub via: Option<String>,
    /// `running`, `done`, `failed`, or `unknown` where nothing recorded how it ended.
    pub state: String,
    /// The executor that it came to.
    pub result: Option<String>,
    /// Why it failed.
    pub failure: Option<OperationFailure>,
    /// When it began.
    #[schema(value_type = schema::Instant)]
    pub began_at: Timestamp,
    /// The process that it started.
    pub pid: Option<u32>,
    /// The session, by the binding contract's name for it.
    #[schema(value_type = schema::SessionId)]
    pub repowire_session_id: SessionId,
    /// The agent's own session id that was passed on.
    pub runtime_session_id: String,
    /// The locator of the history that was resumed; none where it is not known.
    pub runtime_source_uri: Option<String>,
    /// The executor, where the attempt came to one.
    pub peer_id: Option<String>,
}

/// Why an attempt failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct OperationFailure {
    /// `already_running`, `unsupported` or `start_failed`.
    pub kind: String,
    /// In words.
    pub message: String,
}
