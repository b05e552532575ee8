//! `taffrail daemon`

use super::{Context, TEMPLATE};
use crate::error::CliError;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use std::net::SocketAddr;
use taffrail_daemon::serving::{Listening, serve};

/// Run the daemon that sees changes as they happen
#[derive(Debug, clap::Args)]
#[command(help_template = TEMPLATE, before_help = "\
Examples:
  taffrail daemon start            in the background
  taffrail daemon status           whether it runs, and where it listens
  taffrail daemon run --http 127.0.0.1:7717
")]
pub(super) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Run it in this terminal, until Ctrl-C
    Run(RunArgs),
}

#[derive(Debug, clap::Args)]
struct RunArgs {
    /// Also answer browsers at this loopback address; port 0 takes a free one
    #[arg(long, value_name = "ADDR")]
    http: Option<SocketAddr>,
}

impl Args {
    pub(super) fn wants_json(&self) -> bool {
        false
    }
}

pub(super) fn run(args: Args, context: &Context) -> Result<(), CliError> {
    match args.command {
        Command::Run(args) => here(&args, context),
    }
}

fn here(args: &RunArgs, context: &Context) -> Result<(), CliError> {
    let mut signals = Signals::new([SIGINT, SIGTERM]).map_err(anyhow::Error::from)?;
    let listening = Listening {
        state: context.rim.state_folder(),
        runtime: context.rim.runtime_folder(),
        http: args.http,
    };
    serve(&context.settings, &listening, |handle| {
        std::thread::spawn(move || {
            for _ in signals.forever() {
                handle.stop();
            }
        });
    })?;
    Ok(())
}
