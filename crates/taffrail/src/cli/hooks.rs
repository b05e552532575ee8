//! `taffrail hooks`

use super::completions::agent_ids;
use super::{Context, TEMPLATE, confirmation};
use crate::env;
use crate::error::CliError;
use crate::output::{Out, say};
use clap::ValueHint;
use serde_json::json;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use taffrail_api::{HookList, HookRow, HookState};
use taffrail_hooks::{
    HookChange, HookSettings, HookWish, carry_out, hook_report, hook_status, plan_hooks, unified,
    write_plugin,
};
use taffrail_tui::terminal::{clean, line, pad};

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
    /// Write the hooks as a plugin, for agents that support plugins
    Plugin {
        /// Folder to write to; empty or new
        #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
        folder: PathBuf,
        /// Agent, by its id
        #[arg(long, value_name = "AGENT", add = agent_ids())]
        agent: Option<String>,
    },
}

#[derive(Debug, clap::Args)]
struct Change {
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
    let (state, program) = (context.env.state_folder(), env::own_path(&context.env)?);
    let given = HookSettings {
        settings: &context.settings,
        state: &state,
        program: &program,
        system: Path::new("/"),
    };
    match &args.action {
        None => status(context.json, &given, None),
        Some(Action::Status { agent }) => status(context.json, &given, agent.as_deref()),
        Some(Action::Install(asked)) => change(context.json, asked, &given, HookWish::Install),
        Some(Action::Uninstall(asked)) => change(context.json, asked, &given, HookWish::Uninstall),
        Some(Action::Plugin { folder, agent }) => {
            plugin(&given, (&context.env.here.join(folder), agent.as_deref()), context.json)
        }
    }
}

/// Takes our hooks out of every agent's settings; for `taffrail uninstall`, which asked already.
pub(super) fn remove_all(context: &Context, quiet: bool) -> Result<(), CliError> {
    let (state, program) = (context.env.state_folder(), env::own_path(&context.env)?);
    let system = Path::new("/");
    let given =
        HookSettings { settings: &context.settings, state: &state, program: &program, system };
    let changes = plan_hooks(&given, HookWish::Uninstall, None)?;
    if !quiet {
        show(&changes)?;
    }
    changes.iter().try_for_each(|it| carry_out(&given, it))?;
    told(&changes, HookWish::Uninstall, !changes.is_empty());
    Ok(())
}

fn status(json: bool, given: &HookSettings<'_>, agent: Option<&str>) -> Result<(), CliError> {
    let list = hook_status(given, agent)?;
    let mut out = Out::new();
    if json {
        return out.json(&list);
    }
    out.lines(described(&list))
}

fn described(list: &HookList) -> Vec<String> {
    let mut out = Vec::new();
    for row in &list.agents {
        let file = row.file.as_deref().map(line).unwrap_or_default();
        let text = format!("{} {} {file}", pad(&row.agent, 16), pad(state(row.state), 15));
        out.push(text.trim_end().to_owned());
        out.extend(remarks(row).into_iter().map(|it| format!("{} {}", pad("", 16), line(&it))));
    }
    out
}

fn state(state: HookState) -> &'static str {
    match state {
        HookState::Installed => "installed",
        HookState::Partly => "partly",
        HookState::OtherProgram => "another program",
        HookState::Absent => "not installed",
        HookState::Unknown => "unknown",
        HookState::NoHome => "not here",
        HookState::Unsupported => "no hooks",
    }
}

fn remarks(row: &HookRow) -> Vec<String> {
    let mut out = Vec::new();
    match row.state {
        HookState::OtherProgram => {
            let other = row.program.as_deref().unwrap_or_default();
            out.push(format!("it calls {other}; `taffrail hooks install` changes that"));
        }
        HookState::Partly if row.missing.is_empty() => {
            out.push("not as this version asks; `taffrail hooks install` changes that".to_owned());
        }
        HookState::Partly => out.push(format!("missing: {}", row.missing.join(", "))),
        HookState::Installed
        | HookState::Absent
        | HookState::Unknown
        | HookState::NoHome
        | HookState::Unsupported => {}
    }
    let is_silent = row.state == HookState::Absent;
    out.extend(row.notes.iter().filter(|_| !is_silent).cloned());
    out
}

fn change(
    json: bool,
    asked: &Change,
    given: &HookSettings<'_>,
    wish: HookWish,
) -> Result<(), CliError> {
    let changes = plan_hooks(given, wish, asked.agent.as_deref())?;
    let can_ask = !json && io::stdin().is_terminal() && io::stderr().is_terminal();
    if !changes.is_empty() && !asked.dry_run && !asked.yes && !can_ask {
        let command = match wish {
            HookWish::Install => "install",
            HookWish::Uninstall => "uninstall",
        };
        return Err(CliError::usage(
            "this changes files of your agents, and there is no terminal to ask at",
            format!("taffrail hooks {command} --dry-run shows the change, --yes makes it"),
        ));
    }
    if !json {
        show(&changes)?;
    }
    let is_wanted = asked.yes
        || (!asked.dry_run && !json && !changes.is_empty() && confirmation::asked("Write this?"));
    let done = is_wanted && !changes.is_empty();
    if done {
        changes.iter().try_for_each(|it| carry_out(given, it))?;
    }
    if json {
        return Out::new().json(&hook_report(&changes, done));
    }
    told(&changes, wish, done);
    Ok(())
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

fn told(changes: &[HookChange], wish: HookWish, done: bool) {
    if changes.is_empty() {
        say(match wish {
            HookWish::Install => "nothing to change: no agent here lacks the hook",
            HookWish::Uninstall => "no agent here calls Taffrail",
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
    let (files, advice) = write_plugin(given, folder, agent)?;
    let mut out = Out::new();
    if json {
        return out.json(&json!({"schema_version": 1, "files": files, "advice": advice}));
    }
    out.lines(files.iter().map(|file| line(&file.to_string_lossy())))?;
    say(advice);
    Ok(())
}
