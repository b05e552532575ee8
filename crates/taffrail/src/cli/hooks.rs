//! `taffrail hooks`

use super::completions::agent_ids;
use super::{Context, TEMPLATE, confirmation};
use crate::error::CliError;
use crate::output::{Out, say};
use clap::ValueHint;
use serde_json::json;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use taffrail_env as env;
use taffrail_hooks::{
    Edits, HOOKS, HookChange, HookSettings, HookWish, Plugin, SERVERS, carry_out, hook_report,
    hook_status, unified, write_plugin,
};
use taffrail_tui::hooks::hook_lines;
use taffrail_tui::terminal::{clean, line};

/// Manage the hooks through which agents report to Taffrail
#[derive(Debug, clap::Args)]
#[command(help_template = TEMPLATE, before_help = "\
Examples:
  taffrail hooks
      which agents call Taffrail, and what prevents the others
  taffrail hooks install --dry-run     show the changes, file by file
  taffrail hooks install --agent claude-code
  taffrail hooks uninstall --yes       restore every file
")]
pub(super) struct Args {
    #[command(subcommand)]
    action: Option<Action>,
}

/// Record an agent's hook payload from stdin; prints nothing and never fails
#[derive(Debug, clap::Args)]
#[command(hide = true, help_template = TEMPLATE, before_help = "\
Examples:
  taffrail hook claude-code < payload.json
")]
pub(super) struct HookArgs {
    /// Agent that calls the hook
    #[arg(value_name = "AGENT")]
    _agent: String,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// Show for each agent whether it calls Taffrail
    Status {
        /// Only this agent, by its id (see `taffrail agents`)
        #[arg(long, value_name = "AGENT", add = agent_ids())]
        agent: Option<String>,
    },
    /// Add the hook to the agents' settings; shows the change and asks first
    Install(Change),
    /// Remove the hook; an otherwise unchanged file is restored byte for byte
    Uninstall(Change),
    /// Write a plugin folder: hooks, MCP server and skills, for agents that support plugins
    Plugin {
        /// Folder to write to; empty or new
        #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
        folder: PathBuf,
        /// Only this agent, by its id
        #[arg(long, value_name = "AGENT", add = agent_ids())]
        agent: Option<String>,
    },
}

#[derive(Debug, clap::Args)]
pub(super) struct Change {
    /// Only this agent, by its id (see `taffrail agents`)
    #[arg(long, value_name = "AGENT", add = agent_ids())]
    agent: Option<String>,
    /// Only show what would change
    #[arg(long, conflicts_with = "yes")]
    dry_run: bool,
    /// Make the change without asking
    #[arg(long, short)]
    yes: bool,
}

pub(super) fn run(args: &Args, context: &Context) -> Result<(), CliError> {
    with(context, "", |given| match &args.action {
        None => status(context.json, given, None),
        Some(Action::Status { agent }) => status(context.json, given, agent.as_deref()),
        Some(Action::Install(asked)) => change(context, asked, &HOOKS, HookWish::Install),
        Some(Action::Uninstall(asked)) => change(context, asked, &HOOKS, HookWish::Uninstall),
        Some(Action::Plugin { folder, agent }) => {
            plugin(given, (&context.env.here.join(folder), agent.as_deref()), context.json)
        }
    })
}

/// Calls with the inputs for editing settings.
fn with<T>(
    context: &Context,
    notes: &str,
    work: impl FnOnce(&HookSettings<'_>) -> Result<T, CliError>,
) -> Result<T, CliError> {
    let (state, program) = (context.env.state_folder().join(notes), env::own_path(&context.env)?);
    let (settings, system) = (&context.settings, Path::new("/"));
    work(&HookSettings { settings, state: &state, program: &program, system })
}

/// Takes what we added out of every agent's settings; for `taffrail uninstall`, which asked already.
pub(super) fn remove_all(context: &Context, quiet: bool) -> Result<(), CliError> {
    for edits in [&SERVERS, &HOOKS] {
        with(context, edits.notes, |given| {
            let changes = (edits.plan)(given, HookWish::Uninstall, None)?;
            if !quiet {
                show(&changes)?;
            }
            changes.iter().try_for_each(|it| carry_out(given, it))?;
            if edits.command == HOOKS.command || !changes.is_empty() {
                told(&changes, edits, HookWish::Uninstall, true);
            }
            Ok(())
        })?;
    }
    Ok(())
}

fn status(json: bool, given: &HookSettings<'_>, agent: Option<&str>) -> Result<(), CliError> {
    let list = hook_status(given, agent)?;
    let mut out = Out::new();
    if json {
        return out.json(&list);
    }
    out.lines(hook_lines(&list))
}

/// Shows what would change, asks, and writes it.
pub(super) fn change(
    context: &Context,
    asked: &Change,
    edits: &Edits,
    wish: HookWish,
) -> Result<(), CliError> {
    with(context, edits.notes, |given| {
        let changes = (edits.plan)(given, wish, asked.agent.as_deref())?;
        let done = is_wanted(context.json, asked, (edits, wish), &changes)?;
        if done {
            changes.iter().try_for_each(|it| carry_out(given, it))?;
        }
        if context.json {
            return Out::new().json(&hook_report(&changes, done));
        }
        told(&changes, edits, wish, done);
        Ok(())
    })
}

/// Whether the changes are to be written, after they were shown.
fn is_wanted(
    json: bool,
    asked: &Change,
    (edits, wish): (&Edits, HookWish),
    changes: &[HookChange],
) -> Result<bool, CliError> {
    let can_ask = !json && io::stdin().is_terminal() && io::stderr().is_terminal();
    if !changes.is_empty() && !asked.dry_run && !asked.yes && !can_ask {
        let wish = match wish {
            HookWish::Install => "install",
            HookWish::Uninstall => "uninstall",
        };
        return Err(CliError::usage(
            "this changes files of your agents, and there is no terminal to ask at",
            format!("taffrail {} {wish} --dry-run shows the change, --yes makes it", edits.command),
        ));
    }
    if !json {
        show(changes)?;
    }
    if changes.is_empty() || asked.dry_run {
        return Ok(false);
    }
    Ok(asked.yes || (!json && confirmation::asked("Write this?")))
}

/// Shows every change as a diff.
fn show(changes: &[HookChange]) -> Result<(), CliError> {
    let mut out = Out::new();
    for change in changes {
        for text in diff(change).lines() {
            out.line(&clean(text))?;
        }
    }
    out.end()
}

fn diff(change: &HookChange) -> String {
    unified(&change.path, change.before.as_deref(), change.after.as_deref())
}

fn told(changes: &[HookChange], edits: &Edits, wish: HookWish, done: bool) {
    if changes.is_empty() {
        let [install, uninstall] = edits.nothing;
        say(match wish {
            HookWish::Install => install,
            HookWish::Uninstall => uninstall,
        });
    }
    for change in changes {
        let path = line(&change.path.to_string_lossy());
        let what = match (&change.after, done) {
            (_, false) => "not written",
            (Some(_), true) => "written",
            (None, true) => "removed",
        };
        say(&format!("{what}: {path}"));
        change.advice.iter().for_each(|it| say(&format!("{}: {}", change.label, line(it))));
    }
}

fn plugin(
    given: &HookSettings<'_>,
    (folder, agent): (&Path, Option<&str>),
    json: bool,
) -> Result<(), CliError> {
    let Plugin { files, advice } = write_plugin(given, folder, agent)?;
    let mut out = Out::new();
    if json {
        return out.json(&json!({"schema_version": 1, "files": files, "advice": advice}));
    }
    out.lines(files.iter().map(|file| line(&file.to_string_lossy())))?;
    advice.iter().for_each(|it| say(&line(it)));
    Ok(())
}
