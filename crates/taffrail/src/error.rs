//! One error for people: what happened, the next step, and an exit code.

use taffrail_api::client::ClientError;
use taffrail_api::{Envelope, ErrorBody, ErrorKind};
use taffrail_config::ConfigError;
use taffrail_conformance::KitError;
use taffrail_daemon::DaemonError;
use taffrail_env::EnvError;
use taffrail_server::http::error_body;
use taffrail_setup::SetupError;
use taffrail_workspace::WorkError;

/// An error of a command.
#[derive(Debug)]
pub(crate) struct CliError {
    pub(crate) kind: ErrorKind,
    pub(crate) message: String,
    pub(crate) hint: Option<String>,
}

impl CliError {
    /// The command line is invalid.
    pub(crate) fn usage(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { kind: ErrorKind::Usage, message: message.into(), hint: Some(hint.into()) }
    }

    /// A contract, a policy or the current state forbids it.
    pub(crate) fn refused(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { kind: ErrorKind::Refused, ..Self::usage(message, hint) }
    }

    /// The named thing does not exist.
    pub(crate) fn not_found(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { kind: ErrorKind::NotFound, ..Self::usage(message, hint) }
    }

    /// The command needs a daemon, and none runs.
    pub(crate) fn no_daemon(message: impl Into<String>) -> Self {
        Self { kind: ErrorKind::DaemonUnreachable, ..Self::usage(message, "taffrail daemon start") }
    }

    /// The command failed, and no hint helps.
    pub(crate) fn failure(message: impl Into<String>) -> Self {
        Self { kind: ErrorKind::Failure, message: message.into(), hint: None }
    }

    /// Everything was printed already; only the exit code remains.
    pub(crate) fn silent(kind: ErrorKind) -> Self {
        Self { kind, message: String::new(), hint: None }
    }

    /// The JSON document of the error.
    pub(crate) fn envelope(&self) -> Envelope {
        Envelope {
            error: ErrorBody {
                code: self.kind.exit_code(),
                kind: self.kind,
                message: self.message.clone(),
                hint: self.hint.clone(),
                retryable: matches!(self.kind, ErrorKind::TimedOut | ErrorKind::DaemonUnreachable),
                candidates: Vec::new(),
            },
        }
    }
}

impl From<ClientError> for CliError {
    fn from(error: ClientError) -> Self {
        if let ClientError::Refused(body) = error {
            return Self { kind: body.kind, message: body.message, hint: body.hint };
        }
        let (message, hint) = (error.to_string(), Some("taffrail daemon status".to_owned()));
        Self { kind: ErrorKind::DaemonUnreachable, message, hint }
    }
}

/// The errors of single crates convert through the daemon's error, which joins them.
macro_rules! from_parts {
    ($($part:ty),*) => {
        $(impl From<$part> for CliError {
            fn from(error: $part) -> Self {
                DaemonError::from(error).into()
            }
        })*
    };
}

from_parts!(
    taffrail_approvals::rules::RulesError,
    taffrail_context::Error,
    taffrail_devices::DevicesError,
    taffrail_devices::HubFault,
    taffrail_hooks::HooksError,
    taffrail_team::DeviceError
);

impl From<DaemonError> for CliError {
    fn from(error: DaemonError) -> Self {
        let ErrorBody { kind, message, hint, .. } = error_body(&error);
        Self { kind, message, hint }
    }
}

impl From<ConfigError> for CliError {
    fn from(error: ConfigError) -> Self {
        match error {
            ConfigError::Invalid { message, hint } => Self::usage(message, hint),
            ConfigError::Unreadable { .. } => Self::failure(error.to_string()),
        }
    }
}

impl From<WorkError> for CliError {
    fn from(error: WorkError) -> Self {
        let (kind, hint) = match &error {
            WorkError::NoDirectory(_) => (ErrorKind::NotFound, Some("taffrail work new NAME")),
            WorkError::NoFeature(_) => (ErrorKind::NotFound, Some("taffrail work ls")),
            WorkError::Several(_) => (ErrorKind::Usage, Some("name one with --feature ID")),
            WorkError::Refused(_) => (ErrorKind::Refused, None),
            WorkError::Unsound(_) => (ErrorKind::Refused, Some("taffrail work check")),
            WorkError::Busy(_) => (ErrorKind::TimedOut, None),
            WorkError::Disk { .. } => (ErrorKind::Failure, None),
        };
        Self { kind, message: error.to_string(), hint: hint.map(str::to_owned) }
    }
}

impl From<KitError> for CliError {
    fn from(error: KitError) -> Self {
        match error {
            KitError::Work(error) => error.into(),
            KitError::Command { example, .. } => Self::usage(error.to_string(), example),
            KitError::NotFound(message) => Self { kind: ErrorKind::NotFound, message, hint: None },
            _ => Self::failure(error.to_string()),
        }
    }
}

impl From<SetupError> for CliError {
    fn from(error: SetupError) -> Self {
        let message = error.to_string();
        match error {
            SetupError::Link(_) => {
                Self::usage(message, "`taffrail completions --help` shows how to do it by hand")
            }
            SetupError::Foreign(_) => Self::refused(message, "move that file away first"),
            SetupError::Disk { .. } => Self::failure(message),
        }
    }
}

impl From<EnvError> for CliError {
    fn from(error: EnvError) -> Self {
        Self::failure(error.to_string())
    }
}

impl From<anyhow::Error> for CliError {
    fn from(error: anyhow::Error) -> Self {
        Self::failure(format!("{error:#}"))
    }
}

impl From<std::io::Error> for CliError {
    fn from(error: std::io::Error) -> Self {
        Self::failure(error.to_string())
    }
}
