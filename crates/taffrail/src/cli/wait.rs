//! `taffrail wait`

use super::completions::session_ids;
use super::daemon::ensured;
use super::{Context, TEMPLATE};
use crate::error::CliError;
use crate::output::Out;
use crate::{rim, table};
use std::time::{Duration, Instant};
use taffrail_api::client::path;
use taffrail_api::{ErrorKind, Session, WaitReply};

/// The daemon is asked for so many seconds at a time.
const STEP: f64 = 300.0;

/// Wait until a session stands as you want it
#[derive(Debug, clap::Args)]
#[command(help_template = TEMPLATE, before_help = "\
Examples:
  taffrail wait 3f2a                        until it waits for you
  taffrail wait --any --for waiting_approval
  taffrail wait 3f2a --for exited --timeout 600 && notify-send done
")]
pub(super) struct Args {
    /// The beginning of its id, its agent's own id, @last, or . for this folder
    #[arg(value_name = "ID", add = session_ids(), required_unless_present = "any")]
    id: Option<String>,
    /// Any session
    #[arg(long, conflicts_with = "id")]
    any: bool,
    /// running, waiting, waiting_approval, idle, exited or unknown; several with commas
    #[arg(long = "for", value_name = "STATUS", default_value = "waiting,waiting_approval")]
    statuses: String,
    /// Give up after so many seconds
    #[arg(long, value_name = "S")]
    timeout: Option<f64>,
    /// Print JSON
    #[arg(long)]
    pub(super) json: bool,
}

pub(super) fn run(args: &Args, context: &Context) -> Result<(), CliError> {
    let client = ensured(context)?.with_patience(None);
    let id = args.id.as_deref().map(|it| context.id(&client, it)).transpose()?;
    let end = args.timeout.map(|it| Instant::now() + Duration::from_secs_f64(it.clamp(0.0, 1e9)));
    loop {
        let left =
            end.map_or(STEP, |end| end.saturating_duration_since(Instant::now()).as_secs_f64());
        let timeout = left.min(STEP).to_string();
        let mut parameters = vec![("for", args.statuses.as_str()), ("timeout", timeout.as_str())];
        parameters.extend(id.as_deref().map(|it| ("ids", it)));
        let reply: WaitReply = client.get(&path("/api/wait", &parameters))?;
        if let Some(session) = reply.session {
            return show(&session, args.json);
        }
        if end.is_some_and(|end| Instant::now() >= end) {
            return Err(CliError {
                kind: ErrorKind::TimedOut,
                message: format!("no session came to be {}", args.statuses),
                hint: None,
            });
        }
    }
}

fn show(session: &Session, json: bool) -> Result<(), CliError> {
    let mut out = Out::new();
    if json {
        return out.json(session);
    }
    out.line(&table::row(session, rim::now(), (usize::MAX, table::Shown::Nothing)))?;
    out.end()
}
