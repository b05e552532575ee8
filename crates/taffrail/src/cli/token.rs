//! `taffrail token`

use super::{Context, TEMPLATE};
use crate::error::CliError;
use crate::output::{Out, is_terminal, say};
use serde_json::{Value, json};
use std::path::Path;
use taffrail_api::SCHEMA_VERSION;
use taffrail_env as env;
use taffrail_notify::push::remove_all;
use taffrail_server::http::{renew_token, token};
use taffrail_server::process::TOKEN_FILE;

/// Print the token for the daemon's HTTP API
#[derive(Debug, clap::Args)]
#[command(help_template = TEMPLATE, before_help = "\
Examples:
  curl -H \"Authorization: Bearer $(taffrail token)\" \\
      http://127.0.0.1:7717/api/stream/status
  taffrail token --show     print it on a terminal
  taffrail token --renew    replace it; the old token stops working
")]
pub(super) struct Args {
    /// Print the token on a terminal, too
    #[arg(long)]
    show: bool,
    /// Replace the token
    #[arg(long)]
    renew: bool,
}

pub(super) fn run(args: &Args, context: &Context) -> Result<(), CliError> {
    let path = context.state_file(TOKEN_FILE)?;
    let told = match args.renew {
        true => renew_token(&path, env::secret()?),
        false => token(&path, env::secret()?),
    };
    let token = told.map_err(taffrail_daemon::DaemonError::from)?;
    if args.renew {
        sign_out(&path);
    }
    if args.renew && !args.show {
        return if context.json { Out::new().json(&document(None)) } else { Ok(()) };
    }
    if is_terminal() && !args.show {
        return Err(CliError::refused(
            "others can see a token on a terminal",
            "taffrail token --show",
        ));
    }
    let mut out = Out::new();
    if context.json {
        return out.json(&document(Some(&token)));
    }
    out.line(&token)?;
    out.end()
}

/// A browser that is signed out is not notified, either.
fn sign_out(token: &Path) {
    let removed = token.parent().map(remove_all);
    if let Some(Err(error)) = removed {
        say(&format!("browsers are still notified: {error}"));
    }
}

/// The token, or null where it was only renewed.
fn document(token: Option<&str>) -> Value {
    json!({"schema_version": SCHEMA_VERSION, "token": token})
}
