//! `taffrail capture`

use super::{Context, TEMPLATE};
use crate::error::CliError;
use crate::numbers::counted;
use crate::output::{Out, say};
use crate::terminal::line;
use taffrail_api::{CaptureBody, CaptureReport, CapturedSession};
use taffrail_daemon::{Held, capture_off, capture_on, not_captured};

/// Stop capturing a session, or take it up again
#[derive(Debug, clap::Args)]
#[command(help_template = TEMPLATE, before_help = "\
Examples:
  taffrail capture off 3f2a            nothing new of it is read; what is held stays
  taffrail capture off 3f2a --forget   and what is held is forgotten
  taffrail capture on 3f2a             read what was missed, and go on
  taffrail capture                     the sessions that are not captured
")]
pub(super) struct Args {
    #[command(subcommand)]
    action: Option<Action>,
    /// Print JSON
    #[arg(long, global = true)]
    pub(super) json: bool,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// Capture a session and its workers no more
    Off {
        /// The beginning of its id, `@last` or `.`
        id: String,
        /// Forget what is held of it, too
        #[arg(long)]
        forget: bool,
    },
    /// Capture it again, and read what was missed
    On {
        /// The beginning of its id
        id: String,
    },
}

pub(super) fn run(args: &Args, context: &Context) -> Result<(), CliError> {
    let report = match &args.action {
        None => not_captured(&context.settings)?,
        Some(Action::Off { id, forget }) => changed(context, id, (false, *forget))?,
        Some(Action::On { id }) => changed(context, id, (true, false))?,
    };
    if args.json {
        return Out::new().json(&report);
    }
    let mut out = Out::new();
    for session in &report.sessions {
        out.line(&row(session))?;
    }
    out.end()?;
    say(&described(args.action.as_ref(), &report));
    Ok(())
}

fn changed(
    context: &Context,
    id: &str,
    (on, forget): (bool, bool),
) -> Result<CaptureReport, CliError> {
    if let Some(client) = &context.client {
        // One that was forgotten is known to the ledger alone.
        let id = context
            .id(client, id)
            .or_else(|error| if on { Ok(id.to_owned()) } else { Err(error) })?;
        let body = CaptureBody { id, on, forget };
        return Ok(client.with_patience(None).post("/api/capture", &body)?);
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
        (Some(Action::On { .. }), true) => "it was captured already".to_owned(),
        (Some(Action::On { .. }), false) => format!("{count} captured again"),
        (Some(Action::Off { forget: false, .. }), _) => {
            format!("{count} captured no more; what is held stays")
        }
        (Some(Action::Off { forget: true, .. }), _) => {
            format!("{count} captured no more; what was held is forgotten")
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
