//! `taffrail rebuild`

use super::index::{Bar, told};
use super::{Context, TEMPLATE};
use crate::error::CliError;
use taffrail_api::YesBody;
use taffrail_ingest::{Indexed, rebuild};

/// Rebuild the index from the agents' files and the archive
#[derive(Debug, clap::Args)]
#[command(help_template = TEMPLATE, before_help = "\
Examples:
  taffrail rebuild --yes   delete and rebuild the index; the ledger stays
")]
pub(super) struct Args {
    /// Delete the index and rebuild it
    #[arg(long, short)]
    yes: bool,
}

pub(super) fn run(args: &Args, context: &Context) -> Result<(), CliError> {
    if !args.yes {
        return Err(CliError::usage(
            "this deletes index.db and reads every source again; sources that are gone come back only \
             as far as the archive has them",
            "taffrail rebuild --yes",
        ));
    }
    if let Some(client) = &context.client {
        let report = client.with_timeout(None).post("/api/rebuild", &YesBody { yes: true })?;
        return told(&Indexed { report, problems: Vec::new(), complete: true }, context);
    }
    let bar = Bar::new();
    let indexed = rebuild(&context.settings, &mut |it| bar.show(it))?;
    bar.end();
    told(&indexed, context)
}
