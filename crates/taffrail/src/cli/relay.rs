//! `taffrail relay`: the far end of `taffrail link ssh://HOST`, which `ssh` runs on that host.

use super::{Context, TEMPLATE, daemon};
use crate::error::CliError;
use rustix::termios::{OptionalActions, isatty, tcgetattr, tcsetattr};
use std::io;
use std::os::unix::net::UnixStream;
use taffrail_api::client::Client;
use taffrail_devices::ssh::{Access, hello, relay};

/// Pass requests of `taffrail link ssh://` to the daemon, from stdin to stdout
#[derive(Debug, clap::Args)]
#[command(hide = true, help_template = TEMPLATE, before_help = "\
Examples:
  taffrail link ssh://HOST           runs this on HOST, through ssh
  taffrail relay < requests          refuses everything that does more than read
")]
pub(super) struct Args {
    /// Also pass answers to requests for approval; the daemon lets a person at a terminal decide, as everywhere
    #[arg(long)]
    pub(super) answer: bool,
}

pub(super) fn run(args: &Args, context: &Context) -> Result<(), CliError> {
    let access = if args.answer { Access::Answer } else { Access::Read };
    daemon::ensured(context)?;
    pass_bytes_unchanged()?;
    let (from, mut to) = (io::stdin(), io::stdout());
    io::Write::write_all(&mut to, hello(env!("CARGO_PKG_VERSION"), access).as_bytes())?;
    io::Write::flush(&mut to)?;
    // Looked up for each request: a daemon that was restarted listens elsewhere.
    let state = context.env.state_folder();
    let open = || -> io::Result<UnixStream> {
        Client::connect(&state).map_err(io::Error::other)?.stream()
    };
    Ok(relay(from.lock(), to, access, &open)?)
}

/// A terminal would change bytes on their way; this one shows nothing to anybody.
fn pass_bytes_unchanged() -> Result<(), CliError> {
    for (is_terminal, side) in [(isatty(io::stdin()), Side::In), (isatty(io::stdout()), Side::Out)]
    {
        if is_terminal {
            side.make_raw()?;
        }
    }
    Ok(())
}

/// An end of the terminal.
#[derive(Debug, Clone, Copy)]
enum Side {
    In,
    Out,
}

impl Side {
    fn make_raw(self) -> io::Result<()> {
        match self {
            Self::In => raw(io::stdin()),
            Self::Out => raw(io::stdout()),
        }
    }
}

fn raw(terminal: impl std::os::fd::AsFd) -> io::Result<()> {
    let mut modes = tcgetattr(&terminal)?;
    modes.make_raw();
    Ok(tcsetattr(&terminal, OptionalActions::Now, &modes)?)
}
