//! `taffrail work log`

use super::known_model;
use crate::error::CliError;
use clap::Args as ClapArgs;
use taffrail_contracts::ai_session::{HistoryLine, Outcome};
use taffrail_model::Timestamp;

#[derive(Debug, ClapArgs)]
pub(super) struct Log {
    /// Command that was run; appends a line
    #[arg(long, value_name = "TEXT", requires_all = ["model", "agent", "status", "duration_ms"])]
    command: Option<String>,
    /// Arguments of the command
    #[arg(long, value_name = "TEXT", default_value = "", requires = "command")]
    arguments: String,
    /// Model that ran it
    #[arg(long, value_name = "MODEL", requires = "command")]
    model: Option<String>,
    /// Agent that ran it
    #[arg(long, value_name = "AGENT", requires = "command")]
    agent: Option<String>,
    /// Task id [default: the active task]
    #[arg(long, value_name = "ID", requires = "command")]
    pub(super) task: Option<String>,
    /// Result: success or failure
    #[arg(long, value_name = "STATUS", requires = "command")]
    status: Option<String>,
    /// Duration in milliseconds
    #[arg(long, value_name = "N", requires = "command")]
    duration_ms: Option<u64>,
    /// Error message of a failure
    #[arg(long, value_name = "TEXT", requires = "command")]
    error: Option<String>,
    /// Show at most N lines
    #[arg(long, short = 'n', value_name = "N", default_value_t = 20, conflicts_with = "command")]
    pub(super) limit: usize,
    /// Show the history of an archived feature
    #[arg(long, conflicts_with = "command")]
    pub(super) archived: bool,
}

impl Log {
    /// Whether a line is to be appended.
    pub(super) fn appends(&self) -> bool {
        self.command.is_some()
    }

    /// The command that was run, if there is one.
    pub(super) fn command(&self) -> &str {
        self.command.as_deref().unwrap_or_default()
    }

    /// The line that is to be appended; none where none is.
    pub(super) fn line(&self) -> Result<Option<HistoryLine>, CliError> {
        let Some(command) = &self.command else { return Ok(None) };
        let status = match self.status.as_deref() {
            Some("success") => Outcome::Success,
            Some("failure") => Outcome::Failure,
            _ => {
                return Err(CliError::refused(
                    "a status is success or failure",
                    "taffrail work log --help",
                ));
            }
        };
        match (status, &self.error) {
            (Outcome::Failure, None) => {
                return Err(CliError::refused("a failure says what went wrong", "--error TEXT"));
            }
            (Outcome::Success, Some(_)) => {
                return Err(CliError::refused("a success has no error", "--status failure"));
            }
            (Outcome::Success, None) | (Outcome::Failure, Some(_)) => {}
        }
        Ok(Some(HistoryLine {
            timestamp: Timestamp::UNIX_EPOCH,
            command: command.clone(),
            arguments: self.arguments.clone(),
            model: known_model(self.model.as_deref().unwrap_or_default())?,
            agent: self.agent.clone().unwrap_or_default(),
            task_id: None,
            status,
            duration_ms: self.duration_ms.unwrap_or_default(),
            error: self.error.clone(),
            change: None,
        }))
    }
}
