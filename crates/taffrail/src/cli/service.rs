//! `taffrail service`

use super::{Context, TEMPLATE};
use crate::error::CliError;
use crate::output::{Out, say};
use crate::rim::{self, Rim};
use anyhow::Context as _;
use std::fs;
use std::path::{Path, PathBuf};
use taffrail_api::ErrorKind;

/// The first line of a file that is ours.
const MARK: &str = "Written by `taffrail service install`";

/// Start the daemon whenever you log in
#[derive(Debug, clap::Args)]
#[command(help_template = TEMPLATE, before_help = "\
Examples:
  taffrail service install --dry-run   which file would be written, and what is in it
  taffrail service install             systemd's or launchd's, for this user only
  taffrail service uninstall
")]
pub(super) struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// Write the file that starts it
    Install {
        /// Only show it
        #[arg(long, short = 'n')]
        dry_run: bool,
    },
    /// Remove that file
    Uninstall,
}

/// A file that makes a system start the daemon, and what to type afterwards.
struct Unit {
    path: PathBuf,
    text: String,
    then: String,
    before_removal: String,
}

pub(super) fn run(args: &Args, context: &Context) -> Result<(), CliError> {
    let unit = unit(&context.rim)?;
    match args.action {
        Action::Install { dry_run } => install(&unit, dry_run),
        Action::Uninstall => uninstall(&unit),
    }
}

fn unit(rim: &Rim) -> Result<Unit, CliError> {
    let program = rim::own_path(rim)?;
    Ok(match cfg!(target_os = "macos") {
        true => launchd(rim, &program),
        false => systemd(rim, &program),
    })
}

fn systemd(rim: &Rim, program: &Path) -> Unit {
    let program = quoted(&program.to_string_lossy());
    let text = format!(
        "# {MARK}\n[Unit]\nDescription=Taffrail: sees every coding-agent session\n\n[Service]\n\
         ExecStart={program} daemon run\nRestart=on-failure\nNoNewPrivileges=yes\nUMask=0077\n\n\
         [Install]\nWantedBy=default.target\n"
    );
    Unit {
        path: rim.user_units().join("taffrail.service"),
        text,
        then: "systemctl --user enable --now taffrail".to_owned(),
        before_removal: "systemctl --user disable --now taffrail".to_owned(),
    }
}

/// A word of a unit file: quotes and what systemd would expand are made plain.
fn quoted(word: &str) -> String {
    let plain = word.replace('\\', "\\\\").replace('"', "\\\"");
    format!("\"{}\"", plain.replace('%', "%%").replace('$', "$$"))
}

fn launchd(rim: &Rim, program: &Path) -> Unit {
    let program = program.to_string_lossy();
    let program = program.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let text = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!-- {MARK} -->\n<plist version=\"1.0\"><dict>\n\
         <key>Label</key><string>taffrail</string>\n<key>ProgramArguments</key>\n\
         <array><string>{program}</string><string>daemon</string><string>run</string></array>\n\
         <key>RunAtLoad</key><true/>\n<key>KeepAlive</key>\n\
         <dict><key>SuccessfulExit</key><false/></dict>\n</dict></plist>\n"
    );
    let path = rim.user_home.join("Library/LaunchAgents/taffrail.plist");
    let then = format!("launchctl load {}", path.display());
    let before_removal = format!("launchctl unload {}", path.display());
    Unit { path, text, then, before_removal }
}

fn install(unit: &Unit, dry_run: bool) -> Result<(), CliError> {
    let mut out = Out::new();
    out.line(&format!("{}:", unit.path.display()))?;
    for line in unit.text.lines() {
        out.line(&format!("+{line}"))?;
    }
    out.end()?;
    if dry_run {
        return Ok(());
    }
    refuse_foreign(&unit.path)?;
    let folder = unit.path.parent().unwrap_or(Path::new("/"));
    fs::create_dir_all(folder).with_context(|| format!("{} cannot be made", folder.display()))?;
    let written = fs::write(&unit.path, &unit.text);
    written.with_context(|| format!("{} cannot be written", unit.path.display()))?;
    say(&format!("written; now: {}", unit.then));
    Ok(())
}

fn uninstall(unit: &Unit) -> Result<(), CliError> {
    if !unit.path.exists() {
        say("no service is installed");
        return Ok(());
    }
    refuse_foreign(&unit.path)?;
    let removed = fs::remove_file(&unit.path);
    removed.with_context(|| format!("{} cannot be removed", unit.path.display()))?;
    say(&format!("removed; if it was started: {}", unit.before_removal));
    Ok(())
}

/// A file that others wrote is left alone.
fn refuse_foreign(path: &Path) -> Result<(), CliError> {
    let is_link = fs::symlink_metadata(path).is_ok_and(|it| it.is_symlink());
    let is_ours = fs::read_to_string(path).map_or(true, |text| text.contains(MARK));
    if is_ours && !is_link {
        return Ok(());
    }
    Err(CliError {
        kind: ErrorKind::Refused,
        message: format!("{} was not written by taffrail", path.display()),
        hint: Some("move it away first".to_owned()),
    })
}

/// Removes the service where one is installed; for `taffrail uninstall`.
pub(super) fn remove(context: &Context) -> Result<(), CliError> {
    uninstall(&unit(&context.rim)?)
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
}
