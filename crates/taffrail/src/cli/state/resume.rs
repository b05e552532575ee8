//! `taffrail document resume`, also `taffrail state resume`

use crate::cli::completions::agent_ids;
use crate::cli::handoff::{quoted, shell};
use crate::cli::{Context, TEMPLATE};
use crate::error::CliError;
use crate::output::Out;
use clap::ValueHint;
use serde::Serialize;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use taffrail_api::SCHEMA_VERSION;
use taffrail_capture::with_users_mask;
use taffrail_env::Env;
use taffrail_model::SessionId;
use taffrail_query::contracts::{import_state, state_in_file};
use taffrail_query::{handoff_of_state, start_with};
use taffrail_setup::replace;
use taffrail_tui::terminal::clean;

/// Start an agent from a session state 1.0.0
#[derive(Debug, clap::Args)]
#[command(help_template = TEMPLATE, before_help = "\
Examples:
  taffrail document resume session.json --project ~/src/api --agent codex
      import the document, then start the agent there with a brief of it
  taffrail document resume session.json --project . --agent codex --dry-run
      print the command and its folder; nothing is written
With --json it prints the command and does not start it.
")]
pub(in crate::cli) struct ResumeArgs {
    /// Session state to start from
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    file: PathBuf,
    /// Folder in which the agent works
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    project: PathBuf,
    /// Agent to start, by its id (see `taffrail agents`)
    #[arg(long, value_name = "AGENT", add = agent_ids())]
    agent: String,
    /// Only print the command
    #[arg(long)]
    dry_run: bool,
}

/// How an agent starts from a document.
#[derive(Debug, Serialize)]
struct Start {
    schema_version: u32,
    /// The session that the document becomes.
    session_id: SessionId,
    /// The folder of the agent.
    cwd: PathBuf,
    /// The words of the command.
    command: Vec<String>,
    /// The file of the brief that the agent reads first.
    brief: PathBuf,
    #[serde(skip)]
    markdown: String,
}

pub(in crate::cli) fn resume(args: &ResumeArgs, context: &Context) -> Result<(), CliError> {
    let start = planned(args, context)?;
    if !args.dry_run {
        import_state(&context.settings, &context.env.here.join(&args.file))?;
        replace(&start.brief, &start.markdown)?;
    }
    if context.json {
        return Out::new().json(&start);
    }
    let folder = quoted(&start.cwd.to_string_lossy());
    Out::print(&format!("cd {folder} && {}", shell(&start.command)))?;
    if args.dry_run { Ok(()) } else { Err(become_agent(&start)) }
}

/// Checks everything that can be checked before anything is written.
fn planned(args: &ResumeArgs, context: &Context) -> Result<Start, CliError> {
    let (session_id, state) = state_in_file(&context.env.here.join(&args.file))?;
    let cwd = folder(&context.env.here.join(&args.project))?;
    let brief = context.env.state_folder().join("handoff").join(format!("{session_id}.md"));
    let command = start_with(&args.agent, &brief.to_string_lossy())?;
    if !command.first().is_some_and(|it| is_installed(it, &context.env)) {
        let program = command.first().map_or("", String::as_str);
        let message = format!("{} is not installed: `{program}` is not in PATH", args.agent);
        return Err(CliError::refused(message, "`taffrail agents` lists the agents"));
    }
    let markdown = handoff_of_state(session_id, &state).markdown;
    Ok(Start { schema_version: SCHEMA_VERSION, session_id, cwd, command, brief, markdown })
}

fn folder(path: &Path) -> Result<PathBuf, CliError> {
    let known = path.canonicalize().ok().filter(|it| it.is_dir());
    known.ok_or_else(|| {
        let message = format!("{} is not a folder", clean(&path.to_string_lossy()));
        CliError::refused(message, "name the folder of the project with --project")
    })
}

fn is_installed(program: &str, env: &Env) -> bool {
    let folders = env.variables.get("PATH").map(std::env::split_paths).into_iter().flatten();
    folders.into_iter().any(|it| is_executable(&it.join(program)))
}

fn is_executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata().is_ok_and(|it| it.is_file() && it.permissions().mode() & 0o111 != 0)
}

/// Becomes the agent; it returns only if that fails.
fn become_agent(start: &Start) -> CliError {
    let Some((program, rest)) = start.command.split_first() else {
        return CliError::failure("the agent has no command to start it");
    };
    let error = with_users_mask(|| Command::new(program).args(rest).current_dir(&start.cwd).exec());
    CliError::failure(format!("{program} cannot be started: {error}"))
}
