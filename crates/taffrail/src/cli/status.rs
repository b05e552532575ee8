//! `taffrail status`

use super::TEMPLATE;
use crate::error::CliError;
use crate::output::Out;
use crate::rim::Rim;
use crate::terminal::{fit, line};
use clap::ValueEnum;
use serde_json::json;
use std::path::Path;
use taffrail_api::{GLANCE_FILE, Glance};

/// The longest text of a bar.
const LONGEST: usize = 80;

/// Say who needs you in an agent's own status line
#[derive(Debug, clap::Args)]
#[command(help_template = TEMPLATE, before_help = "\
Examples:
  taffrail statusline claude-code                            as the command of its status line
  taffrail statusline claude-code --then '~/bin/my-line.sh'  after the line you have already
What the agent says on standard input is noted for the daemon and given to your own command.
")]
pub(super) struct LineArgs {
    /// The agent that calls
    #[arg(value_name = "AGENT")]
    _agent: String,
    /// Your own command, whose line stands before ours
    #[arg(long, value_name = "COMMAND")]
    _then: Option<String>,
}

/// Say in one line how many sessions need you, for a status bar
#[derive(Debug, clap::Args)]
#[command(help_template = TEMPLATE, before_help = "\
Examples:
  taffrail status                      1 needs you · 3 working · 2 your turn
  set -g status-right '#(taffrail status --format tmux)'     in tmux.conf
  taffrail status --format waybar      text, tooltip and class as JSON
")]
pub(super) struct Args {
    /// For whom
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

pub(super) fn run(args: &Args, rim: &Rim) -> Result<(), CliError> {
    let glance = read(&rim.state_folder());
    let mut out = Out::new();
    out.line(&written(glance.as_ref(), args.format))?;
    out.end()
}

/// One line for an agent's own screen, whether a daemon runs or not.
pub(crate) fn one_line(state: Option<&Path>) -> String {
    let glance = state.and_then(read);
    match glance.as_ref() {
        None => "? taffrail is off".to_owned(),
        Some(it) => pointed(it),
    }
}

/// Shapes, and who waits longest.
fn pointed(it: &Glance) -> String {
    match &it.first {
        Some(first) => {
            let text = format!("{} {}: {}", shapes(it), line(&first.project), line(&first.what));
            fit(&text, LONGEST)
        }
        None => shapes(it),
    }
}

/// What the daemon wrote, if it is the one that runs.
fn read(state: &Path) -> Option<Glance> {
    let bytes = std::fs::read(state.join(GLANCE_FILE)).ok()?;
    let glance: Glance = serde_json::from_slice(&bytes).ok()?;
    let pid = i32::try_from(glance.pid).ok().and_then(rustix::process::Pid::from_raw)?;
    rustix::process::test_kill_process(pid).is_ok().then_some(glance)
}

fn written(glance: Option<&Glance>, format: Format) -> String {
    match (glance, format) {
        (None, Format::Waybar) => json!({"text": "?", "tooltip": OFF, "class": "off"}).to_string(),
        (None, Format::Plain) => OFF.to_owned(),
        (None, _) => "?".to_owned(),
        (Some(it), Format::Plain) => words(it),
        (Some(it), Format::Tmux) => coloured(it),
        (Some(it), Format::Starship | Format::Zellij) => shapes(it),
        (Some(it), Format::Waybar) => {
            json!({"text": shapes(it), "tooltip": tooltip(it), "class": class(it)}).to_string()
        }
    }
}

const OFF: &str = "no daemon runs: taffrail daemon start";

fn words(it: &Glance) -> String {
    let needs = if it.needs_you == 1 { "needs you" } else { "need you" };
    let parts = [(it.needs_you, needs), (it.working, "working"), (it.your_turn, "your turn")];
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

fn shapes(it: &Glance) -> String {
    let parts = [('●', it.needs_you), ('◐', it.working), ('◇', it.your_turn)];
    let parts: Vec<_> =
        parts.iter().filter(|it| it.1 > 0).map(|(a, n)| format!("{a}{n}")).collect();
    if parts.is_empty() { "○".to_owned() } else { parts.join(" ") }
}

fn coloured(it: &Glance) -> String {
    match it.needs_you {
        0 => shapes(it),
        _ => format!("#[fg=red,bold]{}#[default]", shapes(it)),
    }
}

fn tooltip(it: &Glance) -> String {
    words(it)
}

fn class(it: &Glance) -> &'static str {
    match (it.needs_you, it.working, it.your_turn) {
        (1.., _, _) => "needs-you",
        (0, 1.., _) => "working",
        (0, 0, 1..) => "your-turn",
        _ => "idle",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use taffrail_api::GlanceFirst;
    use taffrail_model::SessionId;

    #[test]
    fn a_bar_is_one_line_that_is_never_empty() {
        let check = |glance: Option<&Glance>, expected: [&str; 5]| {
            let all =
                [Format::Plain, Format::Tmux, Format::Starship, Format::Zellij, Format::Waybar];
            let got = all.map(|format| written(glance, format));
            assert_eq!(got.each_ref().map(String::as_str), expected);
        };
        let off = r#"{"class":"off","text":"?","tooltip":"no daemon runs: taffrail daemon start"}"#;
        check(None, [OFF, "?", "?", "?", off]);
        let quiet = r#"{"class":"idle","text":"○","tooltip":"nothing needs you"}"#;
        check(Some(&Glance::default()), ["nothing needs you", "○", "○", "○", quiet]);
        let first = GlanceFirst {
            id: SessionId::from_bytes([1; 16]),
            project: "api\u{1b}[31m".to_owned(),
            what: "npm\ntest".to_owned(),
        };
        let busy = Glance { needs_you: 1, working: 3, first: Some(first), ..Glance::default() };
        let words = "1 needs you · 3 working: api�[31m npm test";
        let waybar = format!(r#"{{"class":"needs-you","text":"●1 ◐3","tooltip":"{words}"}}"#);
        let tmux = "#[fg=red,bold]●1 ◐3#[default]";
        check(Some(&busy), [words, tmux, "●1 ◐3", "●1 ◐3", &waybar]);
    }
}
