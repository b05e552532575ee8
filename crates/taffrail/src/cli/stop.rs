//! `taffrail stop`

use super::completions::session_ids;
use super::confirmation::{agreed, not_agreed};
use super::resume::planned;
use super::{Context, TEMPLATE};
use crate::error::CliError;
use crate::output::Out;
use taffrail_api::{SCHEMA_VERSION, StopReply};
use taffrail_daemon::{DaemonError, Running};
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

pub(super) fn run(args: &Args, context: &Context) -> Result<(), CliError> {
    let target = context.found(&args.id)?;
    let session = context.session(&target)?;
    // Without a daemon, only the plan knows in which pane it runs.
    let executor = planned(&args.id, context)?.executor.or(session.executor.clone());
    let running = Running {
        agent: &session.agent,
        is_sub_agent: session.parent_id.is_some(),
        pid: session.pid,
        executor: executor.as_deref(),
    };
    let pid = running.stoppable().map_err(DaemonError::from)?;
    let id: String = session.id.to_string().chars().take(8).collect();
    let what = format!("{} {id} (process {pid})", line(&session.agent));
    let mut stopped = false;
    if !args.dry_run {
        if !args.yes && !agreed(&format!("End {what}?")) {
            return Err(not_agreed());
        }
        running.stop().map_err(DaemonError::from)?;
        stopped = true;
    }
    if context.json {
        let (schema_version, session_id) = (SCHEMA_VERSION, session.id.to_string());
        return Out::new().json(&StopReply { schema_version, session_id, pid, stopped });
    }
    let said = if stopped { "asked to end" } else { "would be asked to end" };
    Out::print(&format!("{what} {said}; resume it with: taffrail resume {id}"))
}
