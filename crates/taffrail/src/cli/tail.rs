//! `taffrail tail`

use super::completions::session_ids;
use super::events::{print, refresh};
use super::{Context, TEMPLATE};
use crate::error::CliError;
use taffrail_api::EventsRequest;

/// Print the latest events of a session
#[derive(Debug, clap::Args)]
#[command(help_template = TEMPLATE, before_help = "\
Examples:
  taffrail tail            the latest events of the latest session
  taffrail tail . -n 50    of the latest session in this folder
")]
pub(super) struct Args {
    /// The beginning of its id, its agent's own id, @last, or . for this folder
    #[arg(value_name = "ID", default_value = "@last", add = session_ids())]
    id: String,
    /// How many
    #[arg(long, short = 'n', value_name = "N", default_value_t = 20)]
    lines: usize,
    /// Print one JSON object a line
    #[arg(long)]
    pub(super) json: bool,
}

pub(super) fn run(args: &Args, context: &Context) -> Result<(), CliError> {
    let target = context.target(&args.id)?;
    refresh(context, &target)?;
    let request = EventsRequest { after: None, limit: Some(args.lines), from_end: true };
    print(context, &target, &request, args.json)
}
