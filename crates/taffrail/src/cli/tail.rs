//! `taffrail tail`

use super::completions::session_ids;
use super::daemon::ensured;
use super::events::{Which, is_told, print, readable};
use super::{Context, TEMPLATE};
use crate::error::CliError;
use crate::output::Out;
use taffrail_api::client::{escaped, path};
use taffrail_api::{EventLine, EventsRequest};

/// So many events are read for each line that is printed.
const PAST: usize = 6;

/// Print the last events of a session, or follow them
#[derive(Debug, clap::Args)]
#[command(help_template = TEMPLATE, before_help = "\
Examples:
  taffrail tail            the last events of the latest session
  taffrail tail . -n 50    of the latest session in this folder
  taffrail tail -f 3f2a    also follow new events
")]
pub(super) struct Args {
    /// Session id or a prefix of it, the agent's own id, @last, @waiting, or . for this folder
    #[arg(value_name = "ID", default_value = "@last", add = session_ids())]
    id: String,
    /// Print at most N events
    #[arg(long, alias = "lines", short = 'n', value_name = "N", default_value_t = 20)]
    limit: usize,
    /// Follow new events; starts the daemon if none is running
    #[arg(long, short)]
    follow: bool,
}

pub(super) fn run(args: &Args, context: &Context) -> Result<(), CliError> {
    if args.follow {
        return follow(args, context);
    }
    let target = context.found(&args.id)?;
    let which = if context.json { Which::All } else { Which::Told };
    // Reads more events than requested, because some of them are not printed.
    let read = if context.json { args.limit } else { args.limit.saturating_mul(PAST) };
    let request = EventsRequest { after: None, limit: Some(read), from_end: true };
    print(context, &target, &request, (which, args.limit))
}

fn follow(args: &Args, context: &Context) -> Result<(), CliError> {
    let client = ensured(context)?;
    let id = context.id(&client, &args.id)?;
    let lines = args.limit.to_string();
    let stream = path(&format!("/api/sessions/{}/stream", escaped(&id)), &[("limit", &lines)]);
    let mut out = Out::new();
    for told in client.follow(&stream)? {
        let told = told?;
        // Only events are printed here; other messages carry the status.
        if !told.name.is_empty() {
            continue;
        }
        let goes_on = match (context.json, read(&told.data)?) {
            (true, _) => out.line(&told.data)?,
            (false, line) if !is_told(&line) => continue,
            (false, line) => out.line(&readable(&line, &context.clock()))?,
        };
        if !goes_on || !out.flush()? {
            return Ok(());
        }
    }
    out.end()
}

fn read(data: &str) -> Result<EventLine, CliError> {
    Ok(serde_json::from_str(data).map_err(anyhow::Error::from)?)
}
