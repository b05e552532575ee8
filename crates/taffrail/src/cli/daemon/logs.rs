//! `taffrail daemon logs`

use super::super::{Context, TEMPLATE};
use crate::error::CliError;
use crate::output::Out;
use std::time::Duration;
use taffrail_api::ErrorKind;
use taffrail_server::logs::{Follower, old_lines, parse};

/// How often the log is looked at while it is followed.
const LOOK: Duration = Duration::from_millis(200);

#[derive(Debug, clap::Args)]
#[command(help_template = TEMPLATE, before_help = "\
Examples:
  taffrail daemon logs                the latest 100 lines
  taffrail daemon logs -n 1000        the latest 1000
  taffrail daemon logs -f             and every line that comes, until Ctrl-C
  taffrail daemon logs --json         one JSON object a line
  TAFFRAIL_LOG=debug taffrail daemon restart
                                      log more from now on
")]
pub(super) struct Args {
    /// How many lines
    #[arg(long, short = 'n', alias = "lines", value_name = "N", default_value_t = 100)]
    limit: usize,
    /// Follow the log until Ctrl-C
    #[arg(long, short)]
    follow: bool,
}

pub(super) fn run(args: &Args, context: &Context) -> Result<(), CliError> {
    let (state, json) = (context.env.state_folder(), context.json);
    let mut follower = Follower::new(&state);
    if !follower.has_log() {
        return Err(no_log());
    }
    let mut lines = follower.next_lines()?;
    if lines.len() < args.limit {
        lines.splice(..0, old_lines(&state)?);
    }
    let latest = lines.split_off(lines.len().saturating_sub(args.limit));
    let mut out = if args.follow { Out::new() } else { Out::paged(context.pager.as_ref()) };
    let mut goes_on = print(&mut out, &latest, json)?;
    while args.follow && goes_on {
        std::thread::sleep(LOOK);
        goes_on = print(&mut out, &follower.next_lines()?, json)?;
    }
    out.end()
}

/// Prints lines; `false` when nobody reads any more.
fn print(out: &mut Out, lines: &[String], json: bool) -> Result<bool, CliError> {
    for line in lines {
        let goes_on = match json {
            true => out.json_line(&parse(line))?,
            false => out.line(&taffrail_tui::terminal::line(line))?,
        };
        if !goes_on {
            return Ok(false);
        }
    }
    out.flush()
}

fn no_log() -> CliError {
    CliError {
        kind: ErrorKind::NotFound,
        message: "there is no log yet: the daemon has not run".to_owned(),
        hint: Some("taffrail daemon start".to_owned()),
    }
}
