//! `taffrail wait`

use super::completions::session_ids;
use super::daemon::ensured;
use super::{Context, TEMPLATE};
use crate::error::CliError;
use crate::output::Out;
use std::time::{Duration, Instant};
use taffrail_api::client::{Client, escaped, path};
use taffrail_api::{ErrorKind, Session, WaitReply};
use taffrail_tui::table;
use taffrail_tui::when::Clock;

/// The daemon is asked for so many seconds at a time.
const STEP: f64 = 300.0;

/// Wait until a session reaches a status
#[derive(Debug, clap::Args)]
#[command(help_template = TEMPLATE, before_help = "\
Examples:
  taffrail wait 3f2a                        until it waits for you
  taffrail wait --any --for waiting_approval
  taffrail wait 3f2a --for exited --timeout 600 && notify-send done
")]
pub(super) struct Args {
    /// Session id or a prefix of it, the agent's own id, @last, @waiting, or . for this folder
    #[arg(value_name = "ID", add = session_ids(), required_unless_present = "any")]
    id: Option<String>,
    /// Wait for any session
    #[arg(long, conflicts_with = "id")]
    any: bool,
    /// Status: running, waiting, waiting_approval, idle, exited or unknown; separate several with
    /// commas
    #[arg(long = "for", value_name = "STATUS", default_value = "waiting,waiting_approval")]
    statuses: String,
    /// Exit with 4 after S seconds
    #[arg(long, value_name = "S")]
    timeout: Option<f64>,
}

pub(super) fn run(args: &Args, context: &Context) -> Result<(), CliError> {
    // Starting a daemon and resolving the session count, too.
    let end = args.timeout.map(|it| Instant::now() + Duration::from_secs_f64(it.clamp(0.0, 1e9)));
    let client = ensured(context)?.with_timeout(None);
    let id = args.id.as_deref().map(|it| context.id(&client, it)).transpose()?;
    loop {
        let left =
            end.map_or(STEP, |end| end.saturating_duration_since(Instant::now()).as_secs_f64());
        let timeout = left.min(STEP).to_string();
        let mut parameters = vec![("for", args.statuses.as_str()), ("timeout", timeout.as_str())];
        parameters.extend(id.as_deref().map(|it| ("ids", it)));
        let reply: WaitReply = client.get(&path("/api/wait", &parameters))?;
        if let Some(session) = reply.session {
            return show(&session, context.json, &context.clock());
        }
        if end.is_some_and(|end| Instant::now() >= end) {
            let message = late(id.as_deref(), &args.statuses, &client);
            return Err(CliError { kind: ErrorKind::TimedOut, message, hint: None });
        }
    }
}

/// What did not happen in time.
fn late(id: Option<&str>, wanted: &str, client: &Client) -> String {
    let session = id.map(|it| client.get::<Session>(&format!("/api/sessions/{}", escaped(it))));
    match session {
        Some(Ok(session)) => {
            let id: String = session.id.to_string().chars().take(8).collect();
            format!("timed out: {id} is still {}", session.status.as_str())
        }
        // If the daemon cannot report the session's status, only the wanted status can be named.
        Some(Err(_)) | None => format!("timed out: no session is {}", wanted.replace(',', " or ")),
    }
}

fn show(session: &Session, json: bool, clock: &Clock) -> Result<(), CliError> {
    let mut out = Out::new();
    if json {
        return out.json(session);
    }
    out.line(&table::row(session, clock, table::Shown::Nothing))?;
    out.end()
}
