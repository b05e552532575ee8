//! `taffrail telemetry`

use super::{Context, TEMPLATE};
use crate::error::CliError;
use crate::output::{Out, is_terminal, say};
use serde_json::{Value, json};
use std::fs;
use taffrail_api::{DAEMON_FILE, DaemonPlace};
use taffrail_daemon::DaemonError;
use taffrail_env as env;
use taffrail_server::http::token;
use taffrail_server::process::OTEL_TOKEN_FILE;
use taffrail_server::{OtelSettings, otel_settings};

/// Where telemetry is sent to by most programs.
const USUAL: &str = "127.0.0.1:4318";
/// Stands for the token where others may look.
const HIDDEN: &str = "TOKEN";

/// Print the settings that send agents' telemetry to the daemon
#[derive(Debug, clap::Args)]
#[command(help_template = TEMPLATE, before_help = "\
Examples:
  taffrail config set otel.listen 127.0.0.1:4318
      receive telemetry after the next start of the daemon
  taffrail telemetry                                the settings of every agent
  taffrail telemetry codex >> ~/.codex/config.toml
  taffrail telemetry claude-code --show
      include the token on a terminal
")]
pub(super) struct Args {
    /// Only this agent, by its id
    #[arg(value_name = "AGENT")]
    agent: Option<String>,
    /// Print the token on a terminal, too
    #[arg(long)]
    show: bool,
}

pub(super) fn run(args: &Args, context: &Context) -> Result<(), CliError> {
    let is_shown = args.show || !is_terminal();
    let path = context.state_file(OTEL_TOKEN_FILE)?;
    let token = match is_shown {
        true => token(&path, env::secret()?).map_err(DaemonError::from)?,
        false => HIDDEN.to_owned(),
    };
    let received = received_at(context);
    let endpoint = received.clone().unwrap_or_else(|| format!("http://{USUAL}"));
    let all = otel_settings(args.agent.as_deref(), &endpoint, &token)?;
    let mut out = Out::new();
    if context.json {
        return out.json(&document(&all, (&endpoint, received.is_some())));
    }
    for it in &all {
        out.line(&format!("# {}: for {}", it.label, it.place))?;
        out.line(&it.text)?;
    }
    out.end()?;
    if received.is_none() {
        say(&format!(
            "the daemon does not receive telemetry: run `taffrail config set otel.listen {USUAL}` and restart it"
        ));
    }
    if !is_shown {
        say("--show prints the token");
    }
    Ok(())
}

fn document(all: &[OtelSettings], (endpoint, received): (&str, bool)) -> Value {
    let row = |it: &OtelSettings| json!({"agent": it.label, "place": it.place, "text": it.text});
    let agents: Vec<_> = all.iter().map(row).collect();
    json!({"schema_version": 1, "endpoint": endpoint, "received": received, "agents": agents})
}

/// Where the daemon receives telemetry, or would.
fn received_at(context: &Context) -> Option<String> {
    let place = fs::read(context.env.state_folder().join(DAEMON_FILE)).ok();
    let place = place.filter(|_| context.client.is_some());
    let place = place.and_then(|it| serde_json::from_slice::<DaemonPlace>(&it).ok());
    let configured = context.otel.map(|it| format!("http://{it}"));
    place.and_then(|it| it.otel).or(configured)
}
