//! `taffrail new`

use super::handoff::{quoted, shell};
use super::{Context, TEMPLATE};
use crate::error::CliError;
use crate::output::{Out, is_terminal, say};
use clap::ValueHint;
use serde::Serialize;
use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use taffrail_api::SCHEMA_VERSION;
use taffrail_capture::with_users_mask;
use taffrail_daemon::{start_in_tmux, tmux_command};
use taffrail_query::start_command;
use taffrail_run::{Worktree, WorktreeError};
use taffrail_tui::terminal::{clean, line};

/// How many names are tried for a tmux session.
const NAMES: u32 = 20;
/// The longest part of a folder's name in the name of a tmux session.
const LONGEST: usize = 40;

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

/// What is run, in this order, and what came of it.
#[derive(Debug, Serialize)]
struct Start {
    schema_version: u32,
    command: Vec<String>,
    cwd: String,
    worktree: Option<NewWorktree>,
    tmux: Option<NewSession>,
    started: bool,
}

#[derive(Debug, Serialize)]
struct NewWorktree {
    branch: String,
    command: Vec<String>,
}

#[derive(Debug, Serialize)]
struct NewSession {
    name: String,
    command: Vec<String>,
    /// Where it runs, once it does.
    executor: Option<String>,
}

pub(super) fn run(args: &Args, context: &Context) -> Result<(), CliError> {
    let folder = folder(args, context)?;
    let tree = args.worktree.as_deref().map(|it| Worktree::plan(&folder, it));
    let tree = tree.transpose().map_err(|it| refused(&it))?;
    let mut start = planned(args, tree.as_ref().map_or(folder.as_path(), |it| &it.folder))?;
    start.worktree = tree
        .as_ref()
        .map(|it| NewWorktree { branch: it.branch.clone(), command: it.command.clone() });
    let is_shown_only = args.dry_run || (context.json && !args.tmux);
    if !is_shown_only && !args.tmux && !is_terminal() {
        let hint = "add --tmux, or run it in a terminal";
        return Err(CliError::refused("there is no terminal to run the agent in", hint));
    }
    if !context.json {
        Out::new().lines(shown(&start))?;
    }
    if !is_shown_only {
        if let Some(tree) = &tree {
            tree.make().map_err(|it| refused(&it))?;
        }
        match start.tmux.take() {
            Some(session) => in_tmux(&mut start, session)?,
            None => return Err(here(&start)),
        }
    }
    match (context.json, &start.tmux) {
        (true, _) => Out::new().json(&start),
        (false, Some(session)) if start.started => {
            say(&format!("started in tmux; go there: tmux attach -t {}", session.name));
            Ok(())
        }
        (false, _) => Ok(()),
    }
}

fn folder(args: &Args, context: &Context) -> Result<PathBuf, CliError> {
    let here = &context.env.here;
    let folder = args.folder.as_ref().map_or_else(|| here.clone(), |it| here.join(it));
    match folder.canonicalize().ok().filter(|it| it.is_dir()) {
        Some(folder) => Ok(folder),
        None => {
            let message = format!("{} is not a folder", clean(&folder.to_string_lossy()));
            Err(CliError::usage(message, "--in takes a folder that exists"))
        }
    }
}

fn planned(args: &Args, folder: &Path) -> Result<Start, CliError> {
    let Some(command) = start_command(&args.agent, args.prompt.as_deref())? else {
        let (message, hint) = match args.prompt.as_deref().is_some_and(|it| it.starts_with('-')) {
            true => ("a prompt that starts with `-` would be an option", "put a word before it"),
            false => (
                "this agent takes no prompt on its command line",
                "start it without one, and type the prompt there",
            ),
        };
        return Err(CliError::usage(message, hint));
    };
    let name = session_name(&args.agent, folder);
    let tmux = args.tmux.then(|| NewSession {
        command: tmux_command(&name, &command),
        name,
        executor: None,
    });
    let cwd = folder.to_string_lossy().into_owned();
    let (schema_version, worktree, started) = (SCHEMA_VERSION, None, false);
    Ok(Start { schema_version, command, cwd, worktree, tmux, started })
}

/// A name that tmux takes as it is: it reads `.` and `:` as places.
fn session_name(agent: &str, folder: &Path) -> String {
    let last = folder.file_name().map(|it| it.to_string_lossy()).unwrap_or_default();
    let plain = |it: char| if it.is_ascii_alphanumeric() || it == '_' { it } else { '-' };
    let agent: String = agent.chars().map(plain).collect();
    let last: String = last.chars().map(plain).take(LONGEST).collect();
    format!("taffrail-{agent}-{last}")
}

/// The commands as a shell would be given them.
fn shown(start: &Start) -> Vec<String> {
    let mut out: Vec<_> = start.worktree.iter().map(|it| shell(&it.command)).collect();
    let command = start.tmux.as_ref().map_or(&start.command, |it| &it.command);
    out.push(format!("cd {} && {}", quoted(&start.cwd), shell(command)));
    out
}

/// Starts it in tmux. A name that is taken gets a number.
fn in_tmux(start: &mut Start, session: NewSession) -> Result<(), CliError> {
    let mut why = String::new();
    for number in 1..=NAMES {
        let name = match number {
            1 => session.name.clone(),
            _ => format!("{}-{number}", session.name),
        };
        match start_in_tmux(&name, Path::new(&start.cwd), &start.command) {
            Ok(pane) => {
                let command = tmux_command(&name, &start.command);
                let executor = Some(pane.executor);
                start.tmux = Some(NewSession { name, command, executor });
                start.started = true;
                return Ok(());
            }
            Err(said) => why = said,
        }
        if !why.contains("duplicate session") {
            break;
        }
    }
    Err(CliError::failure(line(&why)))
}

/// Becomes the agent; returns only if that fails.
fn here(start: &Start) -> CliError {
    let words: Vec<OsString> = start.command.iter().map(OsString::from).collect();
    let Some((program, rest)) = words.split_first() else {
        return CliError::failure("the agent has no command that starts it");
    };
    let mut command = Command::new(program);
    command.args(rest).current_dir(&start.cwd).env("PWD", &start.cwd);
    let error = with_users_mask(|| command.exec());
    CliError::failure(format!("{} cannot be started: {error}", clean(&program.to_string_lossy())))
}

fn refused(error: &WorktreeError) -> CliError {
    let message = clean(&error.to_string()).into_owned();
    match error {
        WorktreeError::Name(_) => CliError::usage(message, "taffrail new --help"),
        WorktreeError::NoRepository(_) => {
            CliError::refused(message, "leave out --worktree, or name a repository with --in")
        }
        WorktreeError::Exists(_) => {
            CliError::refused(message, "start the agent there with --in, or choose another name")
        }
        WorktreeError::Git(_) => CliError::failure(message),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tmux_reads_no_place_in_a_name() {
        let check = |agent: &str, folder: &str, expected: &str| {
            assert_eq!(session_name(agent, Path::new(folder)), expected);
        };
        check("claude", "/src/api", "taffrail-claude-api");
        check("codex", "/src/my.site:2 #(x)", "taffrail-codex-my-site-2---x-");
        check("codex", "/", "taffrail-codex-");
    }
}
