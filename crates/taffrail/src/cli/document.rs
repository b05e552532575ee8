//! `taffrail document`

use super::{Context, TEMPLATE, schema, snapshot, state, validate};
use crate::error::CliError;

/// Export, import and check documents of open contracts
#[derive(Debug, clap::Args)]
#[command(help_template = TEMPLATE, before_help = "\
Examples:
  taffrail document export @last > session.json      a session state 1.0.0
  taffrail document import session.json
  taffrail document resume session.json --project . --agent codex
  taffrail document snapshot @last                   an ecc.session.v1
  taffrail document validate --contract ecc snapshot.json
  taffrail document schema                           list the schemas
")]
pub(super) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    Export(state::ExportArgs),
    Import(state::ImportArgs),
    Resume(state::ResumeArgs),
    Validate(validate::Args),
    Schema(schema::Args),
    Snapshot(snapshot::Args),
}

pub(super) fn run(args: &Args, json: bool) -> Result<(), CliError> {
    match &args.command {
        Command::Export(args) => state::export(args, &Context::new(json)?),
        Command::Import(args) => state::import(args, &Context::new(json)?),
        Command::Resume(args) => state::resume(args, &Context::new(json)?),
        Command::Validate(args) => validate::run(args, json),
        Command::Schema(args) => schema::run(args, json),
        Command::Snapshot(args) => snapshot::run(args, &Context::new(json)?),
    }
}
