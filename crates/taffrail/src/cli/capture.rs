//! `taffrail capture`

use super::completions::session_ids;
use super::{Context, TEMPLATE};
use crate::error::CliError;
use crate::output::{Out, say};
use taffrail_api::{CaptureBody, CaptureReport, CapturedSession};
use taffrail_ingest::{Held, not_captured};
use taffrail_query::resolve::{capture_off, capture_on};
use taffrail_tui::numbers::counted;
use taffrail_tui::terminal::line;

/// Stop or continue capturing a session
#[derive(Debug, clap::Args)]
#[command(help_template = TEMPLATE, before_help = "\
Examples:
  taffrail capture off 3f2a
      read nothing new of it; keep what was captured
  taffrail capture off 3f2a --forget   also forget what was captured
  taffrail capture on 3f2a             read what was missed, and continue
  taffrail capture                     list sessions that are not captured
")]
pub(super) struct Args {
    #[command(subcommand)]
    action: Option<Action>,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// Stop capturing a session and its sub-agents
    Off {
        /// Session id or a prefix of it, the agent's own id, @last, @waiting, or . for this folder
        #[arg(value_name = "ID", add = session_ids())]
        id: String,
        /// Also forget what was captured of it
        #[arg(long)]
        forget: bool,
    },
    /// Capture a session again, and read what was missed
    On {
        /// Session id or a prefix of it, the agent's own id, @last, @waiting, or . for this folder
        #[arg(value_name = "ID", add = session_ids())]
        id: String,
    },
}

pub(super) fn run(args: &Args, context: &Context) -> Result<(), CliError> {
    let report = match &args.action {
        None => not_captured(&context.settings)?,
        Some(Action::Off { id, forget }) => changed(context, id, (false, *forget))?,
        Some(Action::On { id }) => changed(context, id, (true, false))?,
    };
    if context.json {
        return Out::new().json(&report);
    }
    let mut out = Out::new();
    out.lines(report.sessions.iter().map(row))?;
    say(&described(args.action.as_ref(), &report));
    Ok(())
}

fn changed(
    context: &Context,
    id: &str,
    (on, forget): (bool, bool),
) -> Result<CaptureReport, CliError> {
    if let Some(client) = &context.client {
        // Only the ledger knows a session that was forgotten.
        let id = context
            .id(client, id)
            .or_else(|error| if on { Ok(id.to_owned()) } else { Err(error) })?;
        let body = CaptureBody { id, on, forget };
        return Ok(client.with_timeout(None).post("/api/capture", &body)?);
    }
    let target = context.target(id)?;
    let held = if forget { Held::Goes } else { Held::Stays };
    Ok(match on {
        true => capture_on(&context.settings, &target)?,
        false => capture_off(&context.settings, &target, held)?,
    })
}

fn described(action: Option<&Action>, report: &CaptureReport) -> String {
    let count = counted(report.sessions.len() as u64, "session");
    match (action, report.sessions.is_empty()) {
        (None, true) => "every session is captured".to_owned(),
        (None, false) => format!("{count} not captured"),
        (Some(Action::On { .. }), true) => "the session was already captured".to_owned(),
        (Some(Action::On { .. }), false) => format!("{count} captured again"),
        (Some(Action::Off { forget: false, .. }), _) => {
            format!("{count} no longer captured; what was captured stays")
        }
        (Some(Action::Off { forget: true, .. }), _) => {
            format!("{count} no longer captured; what was captured is forgotten")
        }
    }
}

fn row(session: &CapturedSession) -> String {
    let agent = session.agent.as_deref().unwrap_or("?");
    let worker = if session.parent_id.is_some() { "└ " } else { "" };
    let title = session.title.as_deref().map_or("(no title)".to_owned(), line);
    let title = if session.forgotten { "(forgotten)".to_owned() } else { title };
    format!("{} {agent}  {worker}{title}", session.id)
}
