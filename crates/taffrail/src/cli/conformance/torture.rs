//! `taffrail conformance torture`

use super::{Versioned, progress};
use crate::cli::TEMPLATE;
use crate::error::CliError;
use crate::output::Out;
use std::time::Duration;
use taffrail_api::ErrorKind;
use taffrail_conformance::{Outcome, Program, Writers, torture};
use taffrail_tui::terminal::line;

/// Let two writers change one .ai-session directory at once, and look for lost writes
#[derive(Debug, clap::Args)]
#[command(help_template = TEMPLATE, before_help = "\
Examples:
  taffrail conformance torture --cmd 'your-tool log {entry}'
  taffrail conformance torture --cmd 'one log {entry}' --cmd 'two log {entry}'
      one writer each
Each run of the command appends one line with {entry} in it to history.jsonl of
the feature ai-orchestrator-2025-01-09, in the project {}, the current folder.
The exit code is 0 if nothing was lost, doubled, torn or rewritten, else 6.
")]
pub(super) struct Args {
    /// Command of both writers, or one of each: {} is the project, {entry} the entry to log,
    /// {writer} 1 or 2; split into words like a shell does, run without a shell
    #[arg(long, value_name = "CMD", required = true)]
    cmd: Vec<String>,
    /// Entries of each writer
    #[arg(long, value_name = "N", default_value_t = 100)]
    rounds: usize,
    /// Seconds that one command may take
    #[arg(long, value_name = "SECONDS", default_value_t = 30)]
    timeout: u64,
}

pub(super) fn run(args: &Args, json: bool) -> Result<(), CliError> {
    let programs = args.cmd.iter().map(|it| Program::parse(it)).collect::<Result<Vec<_>, _>>()?;
    let programs = match programs.as_slice() {
        [one] => [one, one],
        [one, other] => [one, other],
        _ => return Err(CliError::usage("--cmd is given once or twice", "see --help")),
    };
    let limit = Duration::from_secs(args.timeout);
    let writers = Writers { programs, rounds: args.rounds, limit };
    report(&torture(&writers, &mut progress("lines"))?, json)
}

fn report(outcome: &Outcome, json: bool) -> Result<(), CliError> {
    let Outcome { run, succeeded, readings, lost, doubled, faults } = outcome;
    let is_good = outcome.is_good();
    let mut out = Out::new();
    if json {
        out.json(&Versioned::new(outcome))?;
    } else {
        for (what, all) in [("lost", lost), ("doubled", doubled), ("fault", faults)] {
            out.lines(all.iter().map(|it| format!("✕ {what}: {}", line(it))))?;
        }
        let mark = if is_good { "✓" } else { "✕" };
        let all = format!("{succeeded} of {run} commands succeeded, beside {readings} readings");
        out.line(&format!("{mark} {all}: {} lost, {} doubled", lost.len(), doubled.len()))?;
    }
    out.end()?;
    if is_good { Ok(()) } else { Err(CliError::silent(ErrorKind::Refused)) }
}
