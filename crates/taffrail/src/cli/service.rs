//! `taffrail service`

use super::setup::{Ended, Walk, notes};
use super::{Context, TEMPLATE};
use crate::error::CliError;
use crate::output::{Out, say};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use taffrail_env::{self as env, Env};
use taffrail_setup as setup;
use taffrail_setup::{Manager, Unit, is_managed, launchd, refuse_foreign, systemd, uninstall};
use taffrail_tui::terminal::line;

/// Start the daemon at login, with systemd or launchd
#[derive(Debug, clap::Args)]
#[command(help_template = TEMPLATE, before_help = "\
Examples:
  taffrail service install --dry-run
      show the file and its path
  taffrail service install
      for this user only
  taffrail service uninstall
")]
pub(super) struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// Write the service file
    Install {
        /// Only show the file
        #[arg(long)]
        dry_run: bool,
    },
    /// Remove the service file
    Uninstall,
}

pub(super) fn run(args: &Args, context: &Context) -> Result<(), CliError> {
    let unit = unit(&context.env)?;
    match args.action {
        Action::Install { dry_run } if context.json => {
            if !dry_run {
                setup::install(&unit, &notes(&context.env))?;
            }
            Out::new().json(&document(&unit, !dry_run, &unit.then))
        }
        Action::Install { dry_run } => install(&unit, context, dry_run),
        Action::Uninstall => {
            let was_there = unit.path.exists();
            let text = removed(&unit, context)?;
            if context.json {
                return Out::new().json(&document(&unit, was_there, &unit.end));
            }
            say(&text);
            Ok(())
        }
    }
}

fn document(unit: &Unit, done: bool, then: &str) -> Value {
    let (file, text) = (&unit.path, &unit.text);
    json!({"schema_version": 1, "file": file, "text": text, "done": done, "then": then})
}

/// Whether the file that starts the daemon at login is there.
pub(super) fn is_service_installed(env: &Env) -> bool {
    unit(env).is_ok_and(|it| it.path.exists())
}

fn unit(env: &Env) -> Result<Unit, CliError> {
    let program = env::own_path(env)?;
    Ok(match Manager::here() {
        Manager::Systemd => systemd(&env.user_units(), &program),
        Manager::Launchd => launchd(&env.user_home, &program),
    })
}

fn install(unit: &Unit, context: &Context, dry_run: bool) -> Result<(), CliError> {
    let mut out = Out::new();
    out.line(&format!("{}:", unit.path.display()))?;
    out.lines(unit.text.lines().map(|text| format!("+{text}")))?;
    if dry_run {
        return Ok(());
    }
    setup::install(unit, &notes(&context.env))?;
    say(&format!("written; start it now with: {}", unit.then));
    Ok(())
}

/// The command that starts the service once its file is there.
pub(super) fn start_command(env: &Env) -> Result<String, CliError> {
    Ok(unit(env)?.then)
}

/// The step of `taffrail setup`.
pub(super) fn step(context: &Context, walk: Walk) -> Result<Ended, CliError> {
    if !is_here(&context.env) {
        walk.tell(
            "  systemd is not running here, so nothing can start the daemon when you log in",
        )?;
        walk.tell("    `taffrail daemon start` starts it by hand")?;
        return Ok(Ended::Left);
    }
    let unit = unit(&context.env)?;
    let path = line(&unit.path.to_string_lossy());
    // A file that cannot be read is not ours, and is refused below.
    let before = fs::read_to_string(&unit.path).ok();
    if before.as_ref() == Some(&unit.text) {
        walk.tell(&format!("  already done ({path})"))?;
        return Ok(Ended::Already);
    }
    if let Err(error) = refuse_foreign(&unit.path) {
        return walk.trouble("", &error.into());
    }
    walk.tell(&format!("  {path}"))?;
    walk.show(&unit.path, before.as_deref(), Some(&unit.text))?;
    if !walk.agree("Write this?")? {
        return Ok(Ended::Left);
    }
    if let Err(error) = setup::install(&unit, &notes(&context.env)) {
        return walk.trouble("", &error.into());
    }
    walk.tell(&format!("  written; start it now with: {}", unit.then))?;
    Ok(Ended::Done)
}

fn is_here(env: &Env) -> bool {
    let path = env.variables.get("PATH").map(String::as_str).unwrap_or_default();
    is_managed(path, Path::new("/"))
}

/// Removes the file, and returns what to tell the user.
fn removed(unit: &Unit, context: &Context) -> Result<String, CliError> {
    Ok(match uninstall(unit, &notes(&context.env))? {
        true => format!("removed; if the service runs, stop it with: {}", unit.end),
        false => "no service is installed".to_owned(),
    })
}

/// Removes the service where one is installed; for `taffrail uninstall`.
pub(super) fn remove(context: &Context) -> Result<(), CliError> {
    say(&removed(&unit(&context.env)?, context)?);
    Ok(())
}
