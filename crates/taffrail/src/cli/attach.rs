//! `taffrail attach`

use super::completions::session_ids;
use super::handoff::shell;
use super::resume::planned;
use super::{Context, TEMPLATE};
use crate::error::CliError;
use crate::output::{Out, is_terminal};
use serde::Serialize;
use std::io::IsTerminal;
use std::os::unix::process::CommandExt;
use std::process::Command;
use taffrail_api::{ResumeReply, ResumeState, SCHEMA_VERSION};
use taffrail_run::{PanePlace, tmux_around};
use taffrail_tui::terminal::line;

/// Switch to the tmux pane in which a session runs
#[derive(Debug, clap::Args)]
#[command(help_template = TEMPLATE, before_help = "\
Examples:
  taffrail attach 3f2a           switch to its pane, or attach to its server
  taffrail attach @waiting       the session that needs you
  taffrail attach 3f2a --print   only print the tmux command
  taffrail attach 3f2a --json    only print the pane and the command
")]
pub(super) struct Args {
    /// Session id or a prefix of it, the agent's own id, @last, @waiting, or . for this folder
    #[arg(value_name = "ID", default_value = "@last", add = session_ids())]
    id: String,
    /// Print the tmux command and do not run it
    #[arg(long)]
    print: bool,
}

/// Where a session runs, and the way there.
#[derive(Debug, Serialize)]
struct Way {
    schema_version: u32,
    session_id: String,
    executor: String,
    socket: String,
    pane: String,
    command: Vec<String>,
}

pub(super) fn run(args: &Args, context: &Context) -> Result<(), CliError> {
    let way = way(&planned(&args.id, context)?, context)?;
    if context.json {
        return Out::new().json(&way);
    }
    if args.print {
        return Out::print(&shell(&way.command));
    }
    if !is_terminal() || !std::io::stdin().is_terminal() {
        let hint = format!("in a terminal: {}", shell(&way.command));
        return Err(CliError::refused("there is no terminal to show it on", hint));
    }
    go(&way)
}

fn way(reply: &ResumeReply, context: &Context) -> Result<Way, CliError> {
    let place = reply.executor.as_deref().and_then(PanePlace::of);
    let (Some(place), Some(executor)) = (place, &reply.executor) else {
        return Err(nowhere(reply));
    };
    let around = tmux_around(context.env.variables.get("TMUX").map(String::as_str));
    Ok(Way {
        schema_version: SCHEMA_VERSION,
        session_id: reply.session_id.clone(),
        executor: executor.clone(),
        socket: place.socket.to_string_lossy().into_owned(),
        command: place.command(around.as_deref()),
        pane: place.pane,
    })
}

/// Why the session has no pane, and what to do instead.
fn nowhere(reply: &ResumeReply) -> CliError {
    let id = reply.session_id.get(..8).unwrap_or(&reply.session_id);
    match (&reply.executor, reply.state) {
        (Some(executor), _) => {
            let at = line(executor);
            let hint = match executor.starts_with("pty:") {
                true => format!("see its terminal: taffrail show {id} --terminal"),
                false => format!(
                    "start agents inside tmux, or resume this one there once it has ended: taffrail \
                     resume {id} --tmux"
                ),
            };
            CliError::refused(format!("it is not running in tmux but at {at}"), hint)
        }
        (None, ResumeState::ResumeAvailable) => {
            CliError::refused("it is not running", format!("taffrail resume {id} --tmux"))
        }
        (None, _) => CliError::refused(line(&reply.reason), format!("taffrail show {id}")),
    }
}

/// Becomes tmux. A server around us that is another one must not keep it from attaching.
fn go(way: &Way) -> Result<(), CliError> {
    let Some((program, rest)) = way.command.split_first() else {
        return Err(CliError::refused("there is no command", "taffrail doctor"));
    };
    let mut command = Command::new(program);
    command.args(rest);
    if rest.iter().any(|it| it == "attach-session") {
        command.env_remove("TMUX");
    }
    // `exec` returns only if it fails.
    Err(CliError::failure(format!("tmux cannot be started: {}", command.exec())))
}
