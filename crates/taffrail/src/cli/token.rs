//! `taffrail token`

use super::{Context, TEMPLATE};
use crate::error::CliError;
use crate::output::{Out, is_terminal};
use crate::rim;
use taffrail_api::ErrorKind;
use taffrail_daemon::server::{renew_token, token};
use taffrail_daemon::serving::TOKEN_FILE;

/// Print the token that programs need to ask the daemon over HTTP
#[derive(Debug, clap::Args)]
#[command(help_template = TEMPLATE, before_help = "\
Examples:
  curl -H \"Authorization: Bearer $(taffrail token)\" http://127.0.0.1:7717/api/stream/status
  taffrail token --show     on a terminal, where others may look
  taffrail token --renew    the old one counts no more
")]
pub(super) struct Args {
    /// Print it also on a terminal
    #[arg(long)]
    show: bool,
    /// Make a new one
    #[arg(long)]
    renew: bool,
}

pub(super) fn run(args: &Args, context: &Context) -> Result<(), CliError> {
    let path = context.rim.state_folder().join(TOKEN_FILE);
    let told = match args.renew {
        true => renew_token(&path, rim::secret()?),
        false => token(&path, rim::secret()?),
    };
    let token = told.map_err(taffrail_daemon::DaemonError::from)?;
    if args.renew && !args.show {
        return Ok(());
    }
    if is_terminal() && !args.show {
        return Err(CliError {
            kind: ErrorKind::Refused,
            message: "a token on a terminal can be seen by others".to_owned(),
            hint: Some("taffrail token --show".to_owned()),
        });
    }
    let mut out = Out::new();
    out.line(&token)?;
    out.end()
}
