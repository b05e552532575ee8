//! `taffrail status-bar`

use super::TEMPLATE;
use crate::env::{self, Env};
use crate::error::CliError;
use crate::output::Out;
use clap::ValueEnum;
use serde_json::{Value, json};
use std::path::Path;
use taffrail_api::{SCHEMA_VERSION, STATUS_FILE, StatusFile};
use taffrail_devices::hubs;
use taffrail_tui::terminal::{fit, line};
use taffrail_tui::when;

/// The longest text of a bar.
const LONGEST: usize = 80;

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
  taffrail status-bar                  1 needs you · 3 working · 2 your turn
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

pub(super) fn run(args: &Args, env: &Env, json: bool) -> Result<(), CliError> {
    let status = read(&env.state_folder());
    let mut out = Out::new();
    let mut text = written(status.as_ref(), args.format);
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
pub(crate) fn one_line(state: Option<&Path>) -> String {
    let status = state.and_then(read);
    match status.as_ref() {
        None => "? taffrail is off".to_owned(),
        Some(it) => pointed(it),
    }
}

/// Shapes, and who waits longest.
fn pointed(it: &StatusFile) -> String {
    match &it.first {
        Some(first) => {
            let text = format!("{} {}: {}", shapes(it), line(&first.project), line(&first.what));
            fit(&text, LONGEST)
        }
        None => shapes(it),
    }
}

/// What the daemon wrote, if it is the one that runs.
fn read(state: &Path) -> Option<StatusFile> {
    let bytes = std::fs::read(state.join(STATUS_FILE)).ok()?;
    let status: StatusFile = serde_json::from_slice(&bytes).ok()?;
    let pid = i32::try_from(status.pid).ok().and_then(rustix::process::Pid::from_raw)?;
    rustix::process::test_kill_process(pid).is_ok().then_some(status)
}

fn written(status: Option<&StatusFile>, format: Format) -> String {
    match (status, format) {
        (None, Format::Waybar) => json!({"text": "?", "tooltip": OFF, "class": "off"}).to_string(),
        (None, Format::Plain) => OFF.to_owned(),
        (None, _) => "?".to_owned(),
        (Some(it), Format::Plain) => words(it),
        (Some(it), Format::Tmux) => coloured(it),
        (Some(it), Format::Starship | Format::Zellij) => shapes(it),
        (Some(it), Format::Waybar) => {
            json!({"text": shapes(it), "tooltip": words(it), "class": class(it)}).to_string()
        }
    }
}

const OFF: &str = "no daemon runs: taffrail daemon start";
const READING: &str = "reading your history";

fn words(it: &StatusFile) -> String {
    if it.reading {
        return READING.to_owned();
    }
    let needs = if it.needs_you == 1 { "needs you" } else { "need you" };
    let parts = [
        (it.needs_you, needs),
        (it.working, "working"),
        (it.your_turn, "your turn"),
        (it.failed, "failed"),
    ];
    let parts: Vec<_> =
        parts.iter().filter(|it| it.0 > 0).map(|(count, what)| format!("{count} {what}")).collect();
    let text = if parts.is_empty() { "nothing needs you".to_owned() } else { parts.join(" · ") };
    match &it.first {
        Some(first) => {
            fit(&format!("{text}: {} {}", line(&first.project), line(&first.what)), LONGEST)
        }
        None => text,
    }
}

fn shapes(it: &StatusFile) -> String {
    if it.reading {
        return "…".to_owned();
    }
    let parts = [('●', it.needs_you), ('◐', it.working), ('◇', it.your_turn), ('✕', it.failed)];
    let parts: Vec<_> =
        parts.iter().filter(|it| it.1 > 0).map(|(a, n)| format!("{a}{n}")).collect();
    if parts.is_empty() { "○".to_owned() } else { parts.join(" ") }
}

fn coloured(it: &StatusFile) -> String {
    match it.needs_you {
        0 => shapes(it),
        _ => format!("#[fg=red,bold]{}#[default]", shapes(it)),
    }
}

fn class(it: &StatusFile) -> &'static str {
    match (it.needs_you, it.failed, it.working, it.your_turn) {
        _ if it.reading => "reading",
        (1.., ..) => "needs-you",
        (0, 1.., ..) => "failed",
        (0, 0, 1.., _) => "working",
        (0, 0, 0, 1..) => "your-turn",
        _ => "idle",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use taffrail_api::LongestWait;
    use taffrail_model::SessionId;

    #[test]
    fn a_bar_is_one_line_that_is_never_empty() {
        let check = |status: Option<&StatusFile>, expected: [&str; 5]| {
            let all =
                [Format::Plain, Format::Tmux, Format::Starship, Format::Zellij, Format::Waybar];
            let got = all.map(|format| written(status, format));
            assert_eq!(got.each_ref().map(String::as_str), expected);
        };
        let off = r#"{"class":"off","text":"?","tooltip":"no daemon runs: taffrail daemon start"}"#;
        check(None, [OFF, "?", "?", "?", off]);
        let quiet = r#"{"class":"idle","text":"○","tooltip":"nothing needs you"}"#;
        check(Some(&StatusFile::default()), ["nothing needs you", "○", "○", "○", quiet]);
        let reading = StatusFile { reading: true, ..StatusFile::default() };
        let waybar = r#"{"class":"reading","text":"…","tooltip":"reading your history"}"#;
        check(Some(&reading), [READING, "…", "…", "…", waybar]);
        let first = LongestWait {
            id: SessionId::from_bytes([1; 16]),
            project: "api\u{1b}[31m".to_owned(),
            what: "npm\ntest".to_owned(),
        };
        let busy =
            StatusFile { needs_you: 1, working: 3, first: Some(first), ..StatusFile::default() };
        let words = "1 needs you · 3 working: api�[31m npm test";
        let waybar = format!(r#"{{"class":"needs-you","text":"●1 ◐3","tooltip":"{words}"}}"#);
        let tmux = "#[fg=red,bold]●1 ◐3#[default]";
        check(Some(&busy), [words, tmux, "●1 ◐3", "●1 ◐3", &waybar]);
        let failed = StatusFile { working: 1, failed: 2, ..StatusFile::default() };
        let words = "1 working · 2 failed";
        let waybar = format!(r#"{{"class":"failed","text":"◐1 ✕2","tooltip":"{words}"}}"#);
        check(Some(&failed), [words, "◐1 ✕2", "◐1 ✕2", "◐1 ✕2", &waybar]);
    }
}
