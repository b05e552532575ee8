//! One error for people: what happened, what to do, and an exit code.

use taffrail_api::client::ClientError;
use taffrail_api::{Envelope, ErrorBody, ErrorKind};
use taffrail_daemon::{DaemonError, HooksError, TargetError};

/// A failure as it is told.
#[derive(Debug)]
pub(crate) struct CliError {
    pub(crate) kind: ErrorKind,
    pub(crate) message: String,
    pub(crate) hint: Option<String>,
}

impl CliError {
    /// The question was not understood.
    pub(crate) fn usage(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { kind: ErrorKind::Usage, message: message.into(), hint: Some(hint.into()) }
    }

    /// The document programs read.
    pub(crate) fn envelope(&self) -> Envelope {
        Envelope {
            error: ErrorBody {
                code: self.kind.exit_code(),
                kind: self.kind,
                message: self.message.clone(),
                hint: self.hint.clone(),
                retryable: matches!(self.kind, ErrorKind::TimedOut | ErrorKind::DaemonUnreachable),
            },
        }
    }
}

impl From<ClientError> for CliError {
    fn from(error: ClientError) -> Self {
        if let ClientError::Told(body) = error {
            return Self { kind: body.kind, message: body.message, hint: body.hint };
        }
        let (message, hint) = (error.to_string(), Some("taffrail daemon status".to_owned()));
        Self { kind: ErrorKind::DaemonUnreachable, message, hint }
    }
}

impl From<DaemonError> for CliError {
    fn from(error: DaemonError) -> Self {
        let message = error.to_string();
        let (kind, hint) = match &error {
            DaemonError::Target(TargetError::NotFound(_)) => {
                (ErrorKind::NotFound, Some("see `taffrail ls --all` for every session's id"))
            }
            DaemonError::Target(TargetError::NotArchived(_)) => {
                (ErrorKind::NotFound, Some("see `taffrail archive ls` for what is kept"))
            }
            DaemonError::Target(TargetError::Ambiguous(..)) => {
                (ErrorKind::Usage, Some("type more of the id"))
            }
            DaemonError::Target(TargetError::WaitingUnknown) => {
                (ErrorKind::Refused, Some("name a session by the beginning of its id, or `@last`"))
            }
            DaemonError::Hooks(error) => of_hooks(error),
            DaemonError::Exists(_) => {
                (ErrorKind::Refused, Some("give a file that is not there yet"))
            }
            DaemonError::UnknownKind(_) => (
                ErrorKind::Usage,
                Some("write prompt, message, thinking, call, result, tool, error or a whole kind"),
            ),
            DaemonError::NoTime(_) => (ErrorKind::Usage, Some("write 7d, 12h, 30m or 2026-11-01")),
            DaemonError::UnknownAgent(_) => {
                (ErrorKind::Usage, Some("see `taffrail agents` for the ids"))
            }
            DaemonError::Running => {
                (ErrorKind::Failure, Some("taffrail daemon status says where it listens"))
            }
            DaemonError::Ending => (ErrorKind::DaemonUnreachable, Some("taffrail daemon start")),
            DaemonError::Serve(_) => (ErrorKind::Refused, None),
            DaemonError::Store(_) if error.is_busy() => {
                (ErrorKind::Failure, Some("wait for it to end; reading commands work meanwhile"))
            }
            DaemonError::Store(_) | DaemonError::Archive(_) => {
                (ErrorKind::Failure, Some("see `taffrail doctor`"))
            }
        };
        Self { kind, message, hint: hint.map(str::to_owned) }
    }
}

fn of_hooks(error: &HooksError) -> (ErrorKind, Option<&'static str>) {
    match error {
        HooksError::Refused { .. } => (
            ErrorKind::Refused,
            Some("nothing was written; see docs/hooks.md for doing it by hand"),
        ),
        HooksError::Changed(_) => (ErrorKind::Failure, Some("run it again")),
        HooksError::Io { .. } => (ErrorKind::Failure, None),
        HooksError::NoHooks(_) => {
            (ErrorKind::Refused, Some("see `taffrail hooks status` for the agents that have them"))
        }
        HooksError::NoHome(_) => (
            ErrorKind::NotFound,
            Some("start the agent once, or name its home in the configuration"),
        ),
        HooksError::Program(_) => {
            (ErrorKind::Refused, Some("put the program where its path has no special characters"))
        }
        HooksError::NotEmpty(_) => {
            (ErrorKind::Refused, Some("give a folder that is not there yet"))
        }
    }
}

impl From<anyhow::Error> for CliError {
    fn from(error: anyhow::Error) -> Self {
        Self { kind: ErrorKind::Failure, message: format!("{error:#}"), hint: None }
    }
}

impl From<std::io::Error> for CliError {
    fn from(error: std::io::Error) -> Self {
        Self { kind: ErrorKind::Failure, message: error.to_string(), hint: None }
    }
}
