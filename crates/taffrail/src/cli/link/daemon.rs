//! The daemon of a device that just joined: it has to use the hub and to know the other device.

use super::super::{Context, daemon};
use crate::error::CliError;
use crate::output::{is_terminal, is_watched, say};

/// What became of the daemon.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Daemon {
    /// It was restarted.
    Restarted,
    /// None ran, and one was started.
    Started,
    /// None runs.
    None,
}

impl Daemon {
    /// The word in JSON.
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Restarted => "restarted",
            Self::Started => "started",
            Self::None => "none",
        }
    }

    pub(super) fn said(self) -> &'static str {
        match self {
            Self::Restarted => "The daemon was restarted and uses the hub.",
            Self::Started => "A daemon was started and uses the hub.",
            Self::None => "A daemon exchanges sessions with the hub: taffrail daemon start",
        }
    }
}

/// Restarts the daemon if one runs; else starts one, if a person sees it.
pub(super) fn renew(context: &Context) -> Result<Daemon, CliError> {
    let is_seen = !context.json && is_terminal() && is_watched();
    // Settings that were written since count for the daemon, not for this process.
    match (&context.client, is_seen) {
        (Some(_), _) => daemon::renew(context).map(|()| Daemon::Restarted),
        (None, true) => daemon::ensured(context).map(|_| Daemon::Started),
        (None, false) => Ok(Daemon::None),
    }
}

/// The same, where the device is in already: a daemon that does not start is said and no failure.
pub(super) fn renewed(context: &Context) -> Daemon {
    renew(context).unwrap_or_else(|error| {
        say(&format!("The daemon was not restarted: {}", error.message));
        Daemon::None
    })
}
