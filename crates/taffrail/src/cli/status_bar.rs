//! `taffrail status-bar`

use super::TEMPLATE;
use crate::error::CliError;
use crate::output::Out;
use clap::ValueEnum;
use serde_json::{Value, json};
use std::path::Path;
use taffrail_api::{SCHEMA_VERSION, STATUS_FILE, StatusFile};
use taffrail_devices::hubs;
use taffrail_env::{self as env, Env};
use taffrail_tui::status_bar::{BarFormat, bar, pointed};
use taffrail_tui::when;

/// Print the line for an agent's own status line
#[derive(Debug, clap::Args)]
#[command(help_template = TEMPLATE, before_help = "\
Examples:
  taffrail statusline claude-code
      set this as the command of the agent's status line
  taffrail statusline claude-code --then '~/bin/my-line.sh'
      put your own line first
Taffrail records the agent's input from stdin for the daemon, and passes it to
your own command.
")]
pub(super) struct LineArgs {
    /// Agent that calls the command
    #[arg(value_name = "AGENT")]
    _agent: String,
    /// Your own command; its line comes first
    #[arg(long, value_name = "COMMAND")]
    _then: Option<String>,
}

/// Print one line for a status bar: who needs you
#[derive(Debug, clap::Args)]
#[command(help_template = TEMPLATE, before_help = "\
Examples:
  taffrail status-bar       1 needs you · 3 working · 5h 64% (full 16:40)
  set -g status-right '#(taffrail status-bar --format tmux)'   in tmux.conf
  taffrail status-bar --format waybar  text, tooltip and class as JSON
`taffrail statusline AGENT` prints the same inside an agent's own status line.
")]
pub(super) struct Args {
    /// Program that shows the line
    #[arg(long, value_enum, default_value_t = Format::Plain)]
    format: Format,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Words
    Plain,
    /// Shapes with tmux's colours
    Tmux,
    /// Shapes
    Starship,
    /// Shapes
    Zellij,
    /// JSON
    Waybar,
}

impl From<Format> for BarFormat {
    fn from(format: Format) -> Self {
        match format {
            Format::Plain => Self::Words,
            Format::Tmux => Self::Tmux,
            Format::Starship | Format::Zellij => Self::Shapes,
            Format::Waybar => Self::Waybar,
        }
    }
}

pub(super) fn run(args: &Args, env: &Env, json: bool) -> Result<(), CliError> {
    let status = read(&env.state_folder());
    let mut out = Out::new();
    let mut text = bar(status.as_ref(), args.format.into(), &env.clock());
    if let (Some(status), Format::Plain) = (&status, args.format) {
        text += &hub_trouble(&env.data_folder(), status.pid);
    }
    if json {
        return out.json(&document(status.as_ref(), &text));
    }
    out.line(&text)?;
    out.end()
}

/// The counts, which are null where no daemon runs, and the line.
fn document(status: Option<&StatusFile>, text: &str) -> Value {
    json!({
        "schema_version": SCHEMA_VERSION,
        "running": status.is_some(),
        "reading": status.map(|it| it.reading),
        "needs_you": status.map(|it| it.needs_you),
        "working": status.map(|it| it.working),
        "your_turn": status.map(|it| it.your_turn),
        "failed": status.map(|it| it.failed),
        "quotas": status.map(|it| &it.quotas),
        "text": text,
    })
}

/// What the daemon that runs says is wrong with the hub: what other devices do is then not counted.
fn hub_trouble(data: &Path, pid: u32) -> String {
    // A bar shows what it can: if the note cannot be read, it omits the hub.
    let noted = hubs::noted(data).ok().flatten().filter(|it| it.pid == Some(pid));
    let trouble = noted.as_ref().and_then(|it| Some((it.trouble()?, it.since)));
    let said = |(what, since)| format!(" · {what} for {}", when::ago(since, env::now()));
    trouble.map(said).unwrap_or_default()
}

/// One line for an agent's own screen, whether a daemon runs or not.
pub(crate) fn one_line(state: Option<&Path>, agent: &str) -> String {
    let status = state.and_then(read);
    match status.as_ref() {
        None => "? taffrail is off".to_owned(),
        Some(it) => pointed(it, agent, &env::clock()),
    }
}

/// What the daemon wrote, if it is the one that runs.
fn read(state: &Path) -> Option<StatusFile> {
    let bytes = std::fs::read(state.join(STATUS_FILE)).ok()?;
    let status: StatusFile = serde_json::from_slice(&bytes).ok()?;
    let pid = i32::try_from(status.pid).ok().and_then(rustix::process::Pid::from_raw)?;
    rustix::process::test_kill_process(pid).is_ok().then_some(status)
}
