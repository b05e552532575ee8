//! Why an agent is not started or ended.

use taffrail_run::WorktreeError;

/// Why an agent is not started.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The folder does not exist.
    #[error("{0} is not a folder")]
    NoFolder(String),
    /// The prompt could be read as an option.
    #[error("a prompt that starts with `-` would be an option")]
    Option,
    /// The agent takes no prompt on its command line.
    #[error("this agent takes no prompt on its command line")]
    NoPrompt,
    /// There can be no such worktree.
    #[error(transparent)]
    Worktree(#[from] WorktreeError),
    /// tmux cannot be started, or refused.
    #[error("{0}")]
    Tmux(String),
}

/// Why an agent is not ended.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotStopped {
    /// It is not running.
    #[error("it is not running")]
    NotRunning,
    /// It runs on another device.
    #[error("it runs on another device")]
    Remote,
    /// It is a sub-agent: its process is that of another session.
    #[error("it is a sub-agent, and runs in the process of its session")]
    SubAgent,
    /// It runs neither in tmux nor under `taffrail run`; its process may do other things, too.
    #[error("it runs as process {0}, neither in tmux nor under `taffrail run`")]
    Elsewhere(u32),
    /// The process is not this agent, or is gone.
    #[error("process {0} is not its agent any more")]
    NotTheAgent(u32),
}
