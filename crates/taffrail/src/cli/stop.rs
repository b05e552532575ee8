//! `taffrail stop`

use super::completions::session_ids;
use super::confirmation::{agreed, not_agreed};
use super::resume::planned;
use super::{Context, TEMPLATE};
use crate::error::CliError;
use crate::output::Out;
use serde::Serialize;
use taffrail_api::{SCHEMA_VERSION, Session};
use taffrail_daemon::{NotStopped, stop, stoppable};
use taffrail_tui::terminal::line;

/// End the agent of a session that runs in tmux or under `run`
#[derive(Debug, clap::Args)]
#[command(help_template = TEMPLATE, before_help = "\
Examples:
  taffrail stop 3f2a             ask, then end its agent (SIGTERM)
  taffrail stop 3f2a --dry-run   only show the process
`taffrail resume 3f2a` goes on with it later.
")]
pub(super) struct Args {
    /// Session id or a prefix of it, the agent's own id, @last, @waiting, or . for this folder
    #[arg(value_name = "ID", add = session_ids())]
    id: String,
    /// Do not ask
    #[arg(long)]
    yes: bool,
    /// Only show what would end
    #[arg(long)]
    dry_run: bool,
}

#[derive(Debug, Serialize)]
struct Stopped {
    schema_version: u32,
    session_id: String,
    pid: u32,
    stopped: bool,
}

pub(super) fn run(args: &Args, context: &Context) -> Result<(), CliError> {
    let target = context.found(&args.id)?;
    let mut session = context.session(&target)?;
    // Without a daemon, only the plan knows in which pane it runs.
    session.executor = planned(&args.id, context)?.executor.or(session.executor);
    let pid = stoppable(&session).map_err(|it| refused(&session, &it))?;
    let id: String = session.id.to_string().chars().take(8).collect();
    let what = format!("{} {id} (process {pid})", line(&session.agent));
    let mut stopped = false;
    if !args.dry_run {
        if !args.yes && !agreed(&format!("End {what}?")) {
            return Err(not_agreed());
        }
        stop(&session).map_err(|it| refused(&session, &it))?;
        stopped = true;
    }
    if context.json {
        let (schema_version, session_id) = (SCHEMA_VERSION, session.id.to_string());
        return Out::new().json(&Stopped { schema_version, session_id, pid, stopped });
    }
    let said = if stopped { "asked to end" } else { "would be asked to end" };
    Out::print(&format!("{what} {said}; resume it with: taffrail resume {id}"))
}

fn refused(session: &Session, why: &NotStopped) -> CliError {
    let id: String = session.id.to_string().chars().take(8).collect();
    let (message, hint) = match why {
        NotStopped::NotRunning => ("it is not running".to_owned(), format!("taffrail show {id}")),
        NotStopped::SubAgent => (
            "it is a sub-agent, and runs in the process of its session".to_owned(),
            session
                .parent_id
                .map_or_else(String::new, |it| format!("stop that: taffrail stop {it}")),
        ),
        NotStopped::Elsewhere(pid) => (
            format!("it runs as process {pid}, neither in tmux nor under `taffrail run`"),
            "end it in its own terminal".to_owned(),
        ),
        NotStopped::NotTheAgent(pid) => {
            (format!("process {pid} is not its agent any more"), "taffrail ls".to_owned())
        }
    };
    CliError::refused(message, hint)
}
