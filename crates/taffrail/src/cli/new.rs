//! `taffrail new`

use super::handoff::{quoted, shell};
use super::{Context, TEMPLATE};
use crate::error::CliError;
use crate::output::{Out, is_terminal, say};
use clap::ValueHint;
use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::Command;
use taffrail_api::{StartBody, StartReply};
use taffrail_capture::with_users_mask;
use taffrail_daemon::Start;
use taffrail_tui::terminal::clean;

/// Start an agent, in tmux or in a git worktree of its own
#[derive(Debug, clap::Args)]
#[command(help_template = TEMPLATE, before_help = "\
Examples:
  taffrail new claude              in this terminal and this folder
  taffrail new codex 'fix the flaky login test' --tmux
  taffrail new claude 'try pnpm' --worktree try-pnpm --tmux
      on a new branch, in a folder beside the repository
  taffrail new claude --in ~/src/api --dry-run   only show the commands
It shows every command before it runs it. With --json it starts the agent
only with --tmux.
")]
pub(super) struct Args {
    /// Agent, by its id or its short name
    #[arg(value_name = "AGENT")]
    agent: String,
    /// First prompt
    #[arg(value_name = "PROMPT")]
    prompt: Option<String>,
    /// Start it in this folder
    #[arg(long = "in", value_name = "DIR", value_hint = ValueHint::DirPath)]
    folder: Option<PathBuf>,
    /// Start it in a new git worktree of this name, on a branch of this name
    #[arg(long, value_name = "NAME")]
    worktree: Option<String>,
    /// Start it in a new tmux session
    #[arg(long)]
    tmux: bool,
    /// Only print the commands
    #[arg(long)]
    dry_run: bool,
}

pub(super) fn run(args: &Args, context: &Context) -> Result<(), CliError> {
    let mut start = planned(args, context)?;
    if !args.tmux {
        start.plan.tmux = None;
    }
    let is_shown_only = args.dry_run || (context.json && !args.tmux);
    if !is_shown_only && !args.tmux && !is_terminal() {
        let hint = "add --tmux, or run it in a terminal";
        return Err(CliError::refused("there is no terminal to run the agent in", hint));
    }
    if !context.json {
        Out::new().lines(shown(&start.plan))?;
    }
    let plan = match (is_shown_only, args.tmux) {
        (true, _) => start.plan,
        (false, true) => start.in_tmux()?,
        (false, false) => {
            start.make_worktree()?;
            return Err(here(&start.plan));
        }
    };
    match (context.json, &plan.tmux) {
        (true, _) => Out::new().json(&plan),
        (false, Some(session)) if plan.started => {
            say(&format!("started in tmux; go there: tmux attach -t {}", session.name));
            Ok(())
        }
        (false, _) => Ok(()),
    }
}

fn planned(args: &Args, context: &Context) -> Result<Start, CliError> {
    let here = &context.env.here;
    let folder = args.folder.as_ref().map_or_else(|| here.clone(), |it| here.join(it));
    let body = StartBody {
        agent: args.agent.clone(),
        prompt: args.prompt.clone(),
        folder: folder.to_string_lossy().into_owned(),
        worktree: args.worktree.clone(),
        dry_run: args.dry_run,
    };
    Ok(Start::plan(&body)?)
}

/// The commands as a shell would be given them.
fn shown(start: &StartReply) -> Vec<String> {
    let mut out: Vec<_> = start.worktree.iter().map(|it| shell(&it.command)).collect();
    let command = start.tmux.as_ref().map_or(&start.command, |it| &it.command);
    out.push(format!("cd {} && {}", quoted(&start.cwd), shell(command)));
    out
}

/// Becomes the agent; returns only if that fails.
fn here(start: &StartReply) -> CliError {
    let words: Vec<OsString> = start.command.iter().map(OsString::from).collect();
    let Some((program, rest)) = words.split_first() else {
        return CliError::failure("the agent has no command that starts it");
    };
    let mut command = Command::new(program);
    command.args(rest).current_dir(&start.cwd).env("PWD", &start.cwd);
    let error = with_users_mask(|| command.exec());
    CliError::failure(format!("{} cannot be started: {error}", clean(&program.to_string_lossy())))
}
