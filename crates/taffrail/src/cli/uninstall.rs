//! `taffrail uninstall`

use super::{Context, TEMPLATE, daemon, hooks, service};
use crate::error::CliError;
use crate::output::say;
use anyhow::Context as _;
use std::fs;
use taffrail_api::ErrorKind;

/// Take hooks and service away, stop the daemon and, asked, remove all data
#[derive(Debug, clap::Args)]
#[command(help_template = TEMPLATE, before_help = "\
Examples:
  taffrail uninstall --yes          hooks, service and daemon; what was kept stays
  taffrail uninstall --data --yes   also the archive, the index and the ledger, for good
")]
pub(super) struct Args {
    /// Also remove what was kept: archive, index, ledger, journal and settings
    #[arg(long)]
    data: bool,
    /// Do it
    #[arg(long, short)]
    yes: bool,
}

pub(super) fn run(args: &Args, context: &Context) -> Result<(), CliError> {
    let folders = [
        context.rim.data_folder(),
        context.rim.state_folder(),
        context.rim.runtime_folder(),
        context.rim.config_folder(),
    ];
    if !args.yes {
        let all: Vec<_> = folders.iter().map(|it| it.display().to_string()).collect();
        let data =
            if args.data { format!(", and removes {}", all.join(", ")) } else { String::new() };
        return Err(CliError {
            kind: ErrorKind::Usage,
            message: format!(
                "this takes our hooks out of agents' settings, the service and the daemon away{data}"
            ),
            hint: Some("add --yes; the program itself is removed as it was installed".to_owned()),
        });
    }
    hooks::remove_all(context)?;
    service::remove(context)?;
    daemon::stop(context)?;
    for folder in folders.iter().filter(|it| args.data && it.exists()) {
        fs::remove_dir_all(folder).with_context(|| format!("{} stays", folder.display()))?;
        say(&format!("removed {}", folder.display()));
    }
    Ok(())
}
