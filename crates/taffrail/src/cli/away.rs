//! `taffrail away`

use super::{Context, TEMPLATE};
use crate::error::CliError;
use crate::output::Out;
use serde::Serialize;
use taffrail_api::SCHEMA_VERSION;
use taffrail_daemon::{is_away, set_away};

/// Say that you are away from your terminals, or back
#[derive(Debug, clap::Args)]
#[command(help_template = TEMPLATE, before_help = "\
Examples:
  taffrail away           requests for approval wait for an answer from here
  taffrail away --off     you are back: agents show their own dialogs at once
  taffrail away --show    which of the two
")]
pub(super) struct Args {
    /// You are back
    #[arg(long, conflicts_with = "show")]
    off: bool,
    /// Change nothing
    #[arg(long)]
    show: bool,
    /// Print JSON
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Debug, Serialize)]
struct Told {
    schema_version: u32,
    away: bool,
}

pub(super) fn run(args: &Args, context: &Context) -> Result<(), CliError> {
    if !args.show {
        set_away(&context.settings, !args.off)?;
    }
    let away = is_away(&context.settings);
    if args.json {
        return Out::new().json(&Told { schema_version: SCHEMA_VERSION, away });
    }
    let mut out = Out::new();
    out.line(match away {
        true => "You are away: agents that hide their dialog behind a hook wait for an answer from here.",
        false => "You are here: every agent shows its own dialog at once.",
    })?;
    out.end()
}
