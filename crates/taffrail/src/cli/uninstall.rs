//! `taffrail uninstall`

use super::{Context, TEMPLATE, daemon, hooks, service, setup};
use crate::error::CliError;
use crate::output::{Out, say};
use anyhow::Context as _;
use serde_json::json;
use std::fs;
use taffrail_api::SCHEMA_VERSION;

/// Remove hooks, service and completions, and stop the daemon
#[derive(Debug, clap::Args)]
#[command(help_template = TEMPLATE, before_help = "\
Examples:
  taffrail uninstall --yes
      undo `taffrail setup` and stop the daemon; all data stays
  taffrail uninstall --data --yes
      also delete the archive, the index and the ledger, for good
")]
pub(super) struct Args {
    /// Also delete all data: archive, index, ledger, journal and settings
    #[arg(long)]
    data: bool,
    /// Remove them
    #[arg(long, short)]
    yes: bool,
}

pub(super) fn run(args: &Args, context: &Context) -> Result<(), CliError> {
    let folders = [
        context.env.data_folder(),
        context.env.state_folder(),
        context.env.runtime_folder(),
        context.env.config_folder(),
    ];
    if !args.yes {
        let all: Vec<_> = folders.iter().map(|it| it.display().to_string()).collect();
        let data =
            if args.data { format!(", and deletes {}", all.join(", ")) } else { String::new() };
        return Err(CliError::usage(
            format!(
                "this removes Taffrail's hooks from agents' settings, the service and the \
                 completions, and stops the daemon{data}"
            ),
            "add --yes; remove the program itself with the tool that installed it",
        ));
    }
    hooks::remove_all(context, context.json)?;
    service::remove(context)?;
    setup::take_back(context)?;
    daemon::stop(context)?;
    let mut removed = Vec::new();
    for folder in folders.iter().filter(|it| args.data && it.exists()) {
        fs::remove_dir_all(folder).with_context(|| format!("{} stays", folder.display()))?;
        say(&format!("removed {}", folder.display()));
        removed.push(folder);
    }
    match context.json {
        true => Out::new().json(&json!({"schema_version": SCHEMA_VERSION, "removed": removed})),
        false => Ok(()),
    }
}
