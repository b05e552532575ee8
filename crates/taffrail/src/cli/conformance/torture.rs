//! `taffrail conformance torture`

mod watch;

use super::kit;
use super::program::{Ended, Program};
use crate::cli::TEMPLATE;
use crate::error::CliError;
use crate::output::{Out, say};
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use taffrail_api::{ErrorKind, SCHEMA_VERSION};
use taffrail_contracts::Strictness;
use taffrail_tui::terminal::line;
use taffrail_workspace::validate_path;
use watch::Watch;

/// The directory of the kit in which the writers write, and its feature.
const DIRECTORY: &str = "ai-session/good/directory";
const FEATURE: &str = "ai-orchestrator-2025-01-09";
/// How often progress is shown.
const STEP: Duration = Duration::from_secs(1);

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

/// What came of both writers.
#[derive(Debug, Default, Serialize)]
struct Outcome {
    schema_version: u32,
    run: usize,
    /// Commands that ended with 0.
    succeeded: usize,
    /// Readings of the directory meanwhile.
    readings: usize,
    /// Entries whose command succeeded, and that the history does not have.
    lost: Vec<String>,
    /// Entries that the history has more than once.
    doubled: Vec<String>,
    /// What a reader met that must never be there.
    faults: Vec<String>,
}

pub(super) fn run(args: &Args, json: bool) -> Result<(), CliError> {
    let programs = args.cmd.iter().map(|it| Program::parse(it)).collect::<Result<Vec<_>, _>>()?;
    let (first, second) = match programs.as_slice() {
        [one] => (one, one),
        [one, other] => (one, other),
        _ => return Err(CliError::usage("--cmd is given once or twice", "see --help")),
    };
    if !(first.has("{entry}") && second.has("{entry}")) {
        return Err(CliError::usage("--cmd has no {entry}", "'your-tool log {entry}'"));
    }
    let folder = tempfile::tempdir()?;
    let project = made(folder.path())?;
    let outcome = tortured(&project, [first, second], args)?;
    report(&outcome, json)
}

/// A project with the directory of the kit.
fn made(folder: &Path) -> Result<PathBuf, CliError> {
    kit::write(&folder.join("kit"))?;
    let project = folder.join("project");
    std::fs::create_dir(&project)?;
    std::fs::rename(folder.join("kit").join(DIRECTORY), project.join(".ai-session"))?;
    Ok(project.canonicalize()?)
}

fn tortured(project: &Path, programs: [&Program; 2], args: &Args) -> Result<Outcome, CliError> {
    let directory = project.join(".ai-session");
    let mut watch = Watch::new(&directory, FEATURE)?;
    let stop = AtomicBool::new(false);
    let ended = std::thread::scope(|scope| {
        let [first, second] = programs;
        let one = scope.spawn(|| write(first, (project, "1"), args, &stop));
        let other = scope.spawn(|| write(second, (project, "2"), args, &stop));
        let mut told = Instant::now();
        while !(one.is_finished() && other.is_finished()) {
            watch.look();
            if told.elapsed() >= STEP {
                told = Instant::now();
                say(&format!("{} lines of {}", watch.added(), 2 * args.rounds));
            }
        }
        let early = || Err(CliError::failure("a writer's thread ended early"));
        [one.join().unwrap_or_else(|_| early()), other.join().unwrap_or_else(|_| early())]
    });
    let [one, other] = ended;
    let succeeded: Vec<_> = one?.into_iter().chain(other?).collect();
    watch.look();
    Ok(judged(watch, &succeeded, (&directory, 2 * args.rounds)))
}

/// Writes every entry of one writer; returns those whose command succeeded.
fn write(
    program: &Program,
    (project, writer): (&Path, &str),
    args: &Args,
    stop: &AtomicBool,
) -> Result<Vec<String>, CliError> {
    let mut succeeded = Vec::new();
    let folder = project.to_string_lossy();
    for round in 0..args.rounds {
        if stop.load(Ordering::SeqCst) {
            break;
        }
        let entry = format!("entry-{writer}-{round:06}");
        let fill = [("{}", folder.as_ref()), ("{entry}", entry.as_str()), ("{writer}", writer)];
        let ended = program.run(&fill, project, Duration::from_secs(args.timeout));
        let ended = ended.inspect_err(|_| stop.store(true, Ordering::SeqCst))?;
        if ended == Ended::Code(0) {
            succeeded.push(entry);
        }
    }
    Ok(succeeded)
}

fn judged(watch: Watch, succeeded: &[String], (directory, run): (&Path, usize)) -> Outcome {
    let mut outcome = Outcome { schema_version: SCHEMA_VERSION, run, ..Outcome::default() };
    for entry in succeeded {
        match watch.count(entry) {
            0 => outcome.lost.push(entry.clone()),
            1 => {}
            _ => outcome.doubled.push(entry.clone()),
        }
    }
    (outcome.succeeded, outcome.readings) = (succeeded.len(), watch.readings);
    outcome.faults = watch.faults;
    match validate_path(directory, Strictness::Lenient) {
        Ok(report) => {
            let told =
                report.faults.into_iter().map(|it| format!("{}: {}", it.pointer, it.message));
            outcome.faults.extend(told);
        }
        Err(error) => outcome.faults.push(error.to_string()),
    }
    if succeeded.is_empty() {
        outcome.faults.push("no command succeeded, so nothing was tested".to_owned());
    }
    outcome
}

fn report(outcome: &Outcome, json: bool) -> Result<(), CliError> {
    let Outcome { run, succeeded, readings, lost, doubled, faults, .. } = outcome;
    let is_good = lost.is_empty() && doubled.is_empty() && faults.is_empty();
    let mut out = Out::new();
    if json {
        out.json(outcome)?;
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
