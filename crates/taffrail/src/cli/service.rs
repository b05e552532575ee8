//! `taffrail service`

mod unit;

use super::setup::file_change::{self, Note, Undone};
use super::setup::{Ended, Walk};
use super::{Context, TEMPLATE};
use crate::env::{self, Env};
use crate::error::CliError;
use crate::output::{Out, say};
use anyhow::Context as _;
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use taffrail_tui::terminal::line;
use unit::{MARK, Manager, Unit};

/// The note of what was made for it.
const NOTE: &str = "service";

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
                write(&unit, context)?;
            }
            Out::new().json(&document(&unit, !dry_run, &unit.then))
        }
        Action::Install { dry_run } => install(&unit, context, dry_run),
        Action::Uninstall => {
            let was_there = unit.path.exists();
            let text = uninstall(&unit, context)?;
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
        Manager::Systemd => unit::systemd(&env.user_units(), &program),
        Manager::Launchd => unit::launchd(&env.user_home, &program),
    })
}

fn install(unit: &Unit, context: &Context, dry_run: bool) -> Result<(), CliError> {
    let mut out = Out::new();
    out.line(&format!("{}:", unit.path.display()))?;
    out.lines(unit.text.lines().map(|text| format!("+{text}")))?;
    if dry_run {
        return Ok(());
    }
    write(unit, context)?;
    say(&format!("written; start it now with: {}", unit.then));
    Ok(())
}

fn write(unit: &Unit, context: &Context) -> Result<(), CliError> {
    refuse_foreign(&unit.path)?;
    let note = Note::new(&unit.path, unit.text.clone(), true);
    note.keep(&file_change::folder(&context.env), NOTE)?;
    file_change::replace(&unit.path, &unit.text)
}

/// The command that starts the service once its file is there.
pub(super) fn start_command(env: &Env) -> Result<String, CliError> {
    Ok(unit(env)?.then)
}

/// The step of `taffrail setup`.
pub(super) fn step(context: &Context, walk: Walk) -> Result<Ended, CliError> {
    if !is_managed(&context.env, Path::new("/")) {
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
        return walk.trouble("", &error);
    }
    walk.tell(&format!("  {path}"))?;
    walk.show(&unit.path, before.as_deref(), Some(&unit.text))?;
    if !walk.agree("Write this?")? {
        return Ok(Ended::Left);
    }
    if let Err(error) = write(&unit, context) {
        return walk.trouble("", &error);
    }
    walk.tell(&format!("  written; start it now with: {}", unit.then))?;
    Ok(Ended::Done)
}

/// A manager of the user's services runs: launchd does always.
fn is_managed(env: &Env, system: &Path) -> bool {
    if Manager::here() == Manager::Launchd {
        return true;
    }
    let folders = env.variables.get("PATH").map(|it| it.split(':')).into_iter().flatten();
    let mut programs = folders.map(|it| Path::new(it).join("systemctl"));
    system.join("run/systemd/system").is_dir() && programs.any(|it| it.exists())
}

/// Removes the file, and returns what to tell the user.
fn uninstall(unit: &Unit, context: &Context) -> Result<String, CliError> {
    if !unit.path.exists() {
        drop_wanted(&unit.path);
        return Ok("no service is installed".to_owned());
    }
    refuse_foreign(&unit.path)?;
    drop_wanted(&unit.path);
    // Also removes the folders created for the unit; an earlier version left no note.
    let note = file_change::take(&file_change::folder(&context.env), NOTE)?;
    if note.map(|it| it.undo()).transpose()? != Some(Undone::Removed) {
        let removed = fs::remove_file(&unit.path);
        removed.with_context(|| format!("cannot remove {}", unit.path.display()))?;
    }
    Ok(format!("removed; if the service runs, stop it with: {}", unit.end))
}

/// Removes the link by which systemd starts the service at login: `systemctl disable` finds it only while
/// the unit is there.
fn drop_wanted(unit: &Path) {
    let Some(folder) = unit.parent() else { return };
    let wants = folder.join("default.target.wants");
    let link = wants.join("taffrail.service");
    // systemd writes the absolute path, other tools a relative one.
    let is_ours = |it: PathBuf| it == unit || it == Path::new("../taffrail.service");
    if fs::read_link(&link).is_ok_and(is_ours) {
        // Best effort: systemd reports a dangling link, and a folder with other files stays.
        fs::remove_file(&link).ok();
        fs::remove_dir(&wants).ok();
    }
}

/// A file that others wrote is left alone.
fn refuse_foreign(path: &Path) -> Result<(), CliError> {
    let is_link = fs::symlink_metadata(path).is_ok_and(|it| it.is_symlink());
    let is_ours = fs::read_to_string(path).map_or(true, |text| text.contains(MARK));
    if is_ours && !is_link {
        return Ok(());
    }
    Err(CliError::refused(
        format!("{} was not written by taffrail", path.display()),
        "move that file away first",
    ))
}

/// Removes the service where one is installed; for `taffrail uninstall`.
pub(super) fn remove(context: &Context) -> Result<(), CliError> {
    say(&uninstall(&unit(&context.env)?, context)?);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_link_that_starts_it_goes_and_links_of_others_stay() {
        let check = |target: &str, expected: bool| {
            let folder = tempfile::tempdir().unwrap();
            let unit = folder.path().join("taffrail.service");
            let wants = folder.path().join("default.target.wants");
            fs::create_dir(&wants).unwrap();
            let target = target.replace("HERE", &folder.path().to_string_lossy());
            std::os::unix::fs::symlink(&target, wants.join("taffrail.service")).unwrap();
            // Also if the unit is already gone: then the link is dangling.
            drop_wanted(&unit);
            assert_eq!(wants.exists(), expected, "{target}");
        };
        check("HERE/taffrail.service", false);
        check("../taffrail.service", false);
        check("/usr/lib/systemd/user/taffrail.service", true);
        check("HERE/mine.service", true);
    }
}
