//! `taffrail rebuild`

use super::index::{Bar, told};
use super::{Context, TEMPLATE};
use crate::error::CliError;
use taffrail_api::YesBody;
use taffrail_daemon::{Indexed, rebuild};

/// Throw the index away and make it anew from the agents' own files and the archive
#[derive(Debug, clap::Args)]
#[command(help_template = TEMPLATE, before_help = "\
Examples:
  taffrail rebuild --yes   what only Taffrail knows (the ledger) is kept
")]
pub(super) struct Args {
    /// Do it
    #[arg(long, short)]
    yes: bool,
    /// Print the counts as JSON
    #[arg(long)]
    pub(super) json: bool,
}

pub(super) fn run(args: &Args, context: &Context) -> Result<(), CliError> {
    if !args.yes {
        return Err(CliError::usage(
            "this deletes index.db and reads every source again; of sources that are gone only what \
             the archive holds comes back",
            "taffrail rebuild --yes",
        ));
    }
    if let Some(client) = &context.client {
        let report = client.with_patience(None).post("/api/rebuild", &YesBody { yes: true })?;
        return told(&Indexed { report, problems: Vec::new(), complete: true }, args.json);
    }
    let bar = Bar::new();
    let indexed = rebuild(&context.settings, &mut |it| bar.show(it))?;
    bar.end();
    told(&indexed, args.json)
}
