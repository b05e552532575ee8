//! `taffrail away`

use super::{Context, TEMPLATE};
use crate::error::CliError;
use crate::output::Out;
use serde::Serialize;
use taffrail_api::SCHEMA_VERSION;
use taffrail_context::{is_away, set_away};

/// Hold approval requests while you are away from your terminals
#[derive(Debug, clap::Args)]
#[command(help_template = TEMPLATE, before_help = "\
Examples:
  taffrail away           hold every request until you answer it here
  taffrail away --off
      release held requests: agents show their own dialogs at once
  taffrail away --show    print whether away mode is on
")]
pub(super) struct Args {
    /// Turn away mode off
    #[arg(long, conflicts_with = "show")]
    off: bool,
    /// Only print whether away mode is on
    #[arg(long)]
    show: bool,
}

#[derive(Debug, Serialize)]
struct AwayDocument {
    schema_version: u32,
    away: bool,
}

pub(super) fn run(args: &Args, context: &Context) -> Result<(), CliError> {
    if !args.show {
        set_away(&context.settings, !args.off)?;
    }
    let away = is_away(&context.settings);
    if context.json {
        return Out::new().json(&AwayDocument { schema_version: SCHEMA_VERSION, away });
    }
    Out::print(match away {
        true => {
            "Away mode is on: requests for approval are held for you here. End it with `taffrail away --off`."
        }
        false => "Away mode is off: every agent shows its own dialog.",
    })
}
