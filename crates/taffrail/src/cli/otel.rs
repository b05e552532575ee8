//! `taffrail otel`

use super::{Context, TEMPLATE};
use crate::error::CliError;
use crate::output::{Out, is_terminal, say};
use crate::rim;
use std::fs;
use taffrail_api::{DAEMON_FILE, DaemonPlace};
use taffrail_daemon::server::token;
use taffrail_daemon::serving::OTEL_TOKEN_FILE;
use taffrail_daemon::{DaemonError, otel_settings};

/// Where telemetry is sent to by most programs.
const USUAL: &str = "127.0.0.1:4318";
/// Stands for the token where others may look.
const HIDDEN: &str = "TOKEN";

/// Print the settings with which agents send their telemetry to the daemon
#[derive(Debug, clap::Args)]
#[command(help_template = TEMPLATE, before_help = "\
Examples:
  taffrail config set otel.listen 127.0.0.1:4318    receive it, from the next start on
  taffrail otel                                     what to set, for every agent
  taffrail otel codex >> ~/.codex/config.toml
  taffrail otel claude-code --show                  with the token, on a terminal
")]
pub(super) struct Args {
    /// Only for this agent
    #[arg(value_name = "AGENT")]
    agent: Option<String>,
    /// Put the token in also on a terminal
    #[arg(long)]
    show: bool,
}

pub(super) fn run(args: &Args, context: &Context) -> Result<(), CliError> {
    let is_shown = args.show || !is_terminal();
    let path = context.rim.state_folder().join(OTEL_TOKEN_FILE);
    let token = match is_shown {
        true => token(&path, rim::secret()?).map_err(DaemonError::from)?,
        false => HIDDEN.to_owned(),
    };
    let received = received_at(context);
    let endpoint = received.clone().unwrap_or_else(|| format!("http://{USUAL}"));
    let all = otel_settings(args.agent.as_deref(), &endpoint, &token)?;
    let mut out = Out::new();
    for it in &all {
        out.line(&format!("# {}: for {}", it.label, it.place))?;
        out.line(&it.text)?;
    }
    out.end()?;
    if received.is_none() {
        say(&format!(
            "nothing is received yet: taffrail config set otel.listen {USUAL}, and start the daemon"
        ));
    }
    if !is_shown {
        say("--show puts the token in");
    }
    Ok(())
}

/// Where the daemon receives telemetry, or would.
fn received_at(context: &Context) -> Option<String> {
    let place = fs::read(context.rim.state_folder().join(DAEMON_FILE)).ok();
    let place = place.filter(|_| context.client.is_some());
    let place = place.and_then(|it| serde_json::from_slice::<DaemonPlace>(&it).ok());
    let configured = context.otel.map(|it| format!("http://{it}"));
    place.and_then(|it| it.otel).or(configured)
}
