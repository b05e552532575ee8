//! The sessions of a host without any hub, through one SSH connection.
//!
//! `taffrail` runs on both ends of `ssh`. The far end passes requests to its own daemon, and refuses what its
//! caller may not do before the daemon sees it; the near end only shows what comes. No socket is opened here: only
//! this process reaches the other host's daemon.

mod connection;
mod frame;
mod host;
mod line;
mod process;
mod relay;
mod request;
#[cfg(test)]
mod tests;

pub use connection::Connection;
pub use host::SshHost;
pub use relay::{hello, relay};

use std::io;

/// The version of what the two ends say to each other.
const PROTOCOL: u32 = 1;
/// The first word of the far end.
const HELLO: &str = "taffrail-relay";

/// What the near end may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Read.
    Read,
    /// Also answer requests for approval.
    Answer,
}

impl Access {
    /// The word for it in the greeting.
    const fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Answer => "answer",
        }
    }
}

/// Why a host is not reached, or no longer.
#[derive(Debug, thiserror::Error)]
pub enum SshError {
    /// The address has another form.
    #[error("`{0}` is not an address of the form ssh://[USER@]HOST[:PORT]")]
    Address(String),
    /// The program `ssh` does not start.
    #[error("the program `ssh` did not start: {0}")]
    NoProgram(#[source] io::Error),
    /// `ssh` itself failed.
    #[error("ssh does not reach {host}: {said}")]
    Unreachable { host: String, said: String },
    /// The host has no program of that name.
    #[error("{host} does not find `taffrail`: {said}")]
    NotInstalled { host: String, said: String },
    /// The program there does not know the far end's command.
    #[error("the Taffrail on {host} is too old to be shown through SSH: {said}")]
    TooOld { host: String, said: String },
    /// The program there says something else than this one understands.
    #[error("the Taffrail on {host} (version {version}) speaks another protocol than this one")]
    OtherProtocol { host: String, version: String },
    /// The far end did not begin.
    #[error("taffrail on {host} ended with {code}: {said}")]
    Refused { host: String, code: i32, said: String },
    /// What came first was no greeting.
    #[error("{host} answers, but not as Taffrail does: {said}")]
    Garbled { host: String, said: String },
}
