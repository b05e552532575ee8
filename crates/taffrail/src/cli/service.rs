//! `taffrail service`

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

/// The first line of a file that is ours.
const MARK: &str = "Written by `taffrail service install`";

/// The note of what was made for it.
const NOTE: &str = "service";

/// What the daemon does without. tmux servers and agents that it starts inherit all of it, and their work outlives
/// a restart of it: `docs/install.md` has the reason of every line, and what is left out on purpose.
const LIMITS: &str = "\
# What the daemon starts inherits these; docs/install.md has the reasons.
KillMode=process
OOMPolicy=continue
NoNewPrivileges=yes
RestrictRealtime=yes
SystemCallFilter=~@module @obsolete @raw-io @reboot @swap
SystemCallErrorNumber=EPERM
RestrictAddressFamilies=~AF_APPLETALK AF_ATMPVC AF_ATMSVC AF_AX25 AF_CAIF AF_DECnet AF_ECONET AF_IPX AF_IRDA
RestrictAddressFamilies=~AF_LLC AF_NETROM AF_PHONET AF_RDS AF_ROSE AF_TIPC AF_WANPIPE AF_X25
LimitCORE=0:infinity
";

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

/// A file that makes a system start the daemon, and what to type afterwards.
struct Unit {
    path: PathBuf,
    text: String,
    then: String,
    /// Ends it when the file is gone: what needs the file, as `disable` does, fails then.
    end: String,
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
    Ok(match cfg!(target_os = "macos") {
        true => launchd(env, &program),
        false => systemd(env, &program),
    })
}

fn systemd(env: &Env, program: &Path) -> Unit {
    let program = quoted(&program.to_string_lossy());
    let text = format!(
        "# {MARK}\n[Unit]\nDescription=Taffrail: sees every coding-agent session\n\n[Service]\n\
         ExecStart={program} daemon run\nRestart=on-failure\n{LIMITS}\n\
         [Install]\nWantedBy=default.target\n"
    );
    Unit {
        path: env.user_units().join("taffrail.service"),
        text,
        then: "systemctl --user enable --now taffrail".to_owned(),
        end: "systemctl --user stop taffrail".to_owned(),
    }
}

/// A word of a unit file: quotes and what systemd would expand are made plain.
fn quoted(word: &str) -> String {
    let plain = word.replace('\\', "\\\\").replace('"', "\\\"");
    format!("\"{}\"", plain.replace('%', "%%").replace('$', "$$"))
}

fn launchd(env: &Env, program: &Path) -> Unit {
    let program = program.to_string_lossy();
    let program = program.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let text = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!-- {MARK} -->\n<plist version=\"1.0\"><dict>\n\
         <key>Label</key><string>taffrail</string>\n<key>ProgramArguments</key>\n\
         <array><string>{program}</string><string>daemon</string><string>run</string></array>\n\
         <key>RunAtLoad</key><true/>\n<key>KeepAlive</key>\n\
         <dict><key>SuccessfulExit</key><false/></dict>\n</dict></plist>\n"
    );
    let path = env.user_home.join("Library/LaunchAgents/taffrail.plist");
    let then = format!("launchctl load {}", path.display());
    Unit { path, text, then, end: "launchctl remove taffrail".to_owned() }
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
    if cfg!(target_os = "macos") {
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
    fn a_path_cannot_say_more_than_a_path() {
        let check = |word: &str, expected: &str| assert_eq!(quoted(word), expected);
        check("/usr/bin/taffrail", "\"/usr/bin/taffrail\"");
        check("/my dir/t\"af%f$rail", "\"/my dir/t\\\"af%%f$$rail\"");
    }

    #[test]
    fn no_limit_breaks_the_service_or_what_it_starts() {
        // Settings that fail in a user unit, hide the processes of agents, or break their shells.
        let never = "AmbientCapabilities CapabilityBoundingSet DevicePolicy IPAddress InaccessiblePaths KeyringMode \
                     LockPersonality Memory Private ProcSubset Protect ReadOnlyPaths RestrictNamespaces \
                     RestrictSUIDSGID SystemCallArchitectures TasksMax UMask";
        for line in LIMITS.lines() {
            assert!(!never.split_whitespace().any(|it| line.starts_with(it)), "{line}");
        }
    }

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
