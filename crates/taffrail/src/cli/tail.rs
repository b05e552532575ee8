//! `taffrail tail`

use super::completions::session_ids;
use super::daemon::ensured;
use super::events::{print, readable, refresh};
use super::{Context, TEMPLATE};
use crate::error::CliError;
use crate::output::Out;
use taffrail_api::client::{escaped, path};
use taffrail_api::{EventLine, EventsRequest};

/// Print the latest events of a session
#[derive(Debug, clap::Args)]
#[command(help_template = TEMPLATE, before_help = "\
Examples:
  taffrail tail            the latest events of the latest session
  taffrail tail . -n 50    of the latest session in this folder
  taffrail tail -f 3f2a    and every one that comes, as it comes
")]
pub(super) struct Args {
    /// The beginning of its id, its agent's own id, @last, or . for this folder
    #[arg(value_name = "ID", default_value = "@last", add = session_ids())]
    id: String,
    /// How many
    #[arg(long, short = 'n', value_name = "N", default_value_t = 20)]
    lines: usize,
    /// Go on with every event that comes; starts the daemon if none runs
    #[arg(long, short)]
    follow: bool,
    /// Print one JSON object a line
    #[arg(long)]
    pub(super) json: bool,
}

pub(super) fn run(args: &Args, context: &Context) -> Result<(), CliError> {
    if args.follow {
        return follow(args, context);
    }
    let target = context.target(&args.id)?;
    refresh(context, &target)?;
    let request = EventsRequest { after: None, limit: Some(args.lines), from_end: true };
    print(context, &target, &request, args.json)
}

fn follow(args: &Args, context: &Context) -> Result<(), CliError> {
    let client = ensured(context)?;
    let id = context.id(&client, &args.id)?;
    let lines = args.lines.to_string();
    let stream = path(&format!("/api/sessions/{}/stream", escaped(&id)), &[("limit", &lines)]);
    let mut out = Out::new();
    for told in client.follow(&stream)? {
        let told = told?;
        // How it stands is told by others; here only events are.
        if !told.name.is_empty() {
            continue;
        }
        let goes_on = if args.json { out.line(&told.data)? } else { out.line(&read(&told.data)?)? };
        if !goes_on || !out.flush()? {
            return Ok(());
        }
    }
    out.end()
}

fn read(data: &str) -> Result<String, CliError> {
    let line: EventLine = serde_json::from_str(data).map_err(anyhow::Error::from)?;
    Ok(readable(&line))
}
