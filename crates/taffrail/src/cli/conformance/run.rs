//! `taffrail conformance run`

use super::kit;
use super::program::{Ended, Program};
use crate::cli::TEMPLATE;
use crate::error::CliError;
use crate::output::{Out, say};
use clap::builder::PossibleValuesParser;
use serde::Serialize;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use taffrail_api::{ErrorKind, SCHEMA_VERSION};
use taffrail_contracts::kit::{Entry, Verdict};
use taffrail_contracts::{ALL, Strictness};
use taffrail_tui::numbers::counted;
use taffrail_tui::terminal::line;

/// How often progress is shown.
const STEP: Duration = Duration::from_secs(1);
/// The most processes at once.
const PROCESSES: usize = 8;

/// Run a validator on every document, and compare its verdicts with the manifest
#[derive(Debug, clap::Args)]
#[command(help_template = TEMPLATE, before_help = "\
Examples:
  taffrail conformance run --cmd 'your-validator {}'
  taffrail conformance run --cmd 'your-validator --kind {contract} {}' --json
  taffrail conformance run --cmd 'your-validator --strict {}' --strict
  taffrail conformance run --cmd \"sh -c 'your-validator < \\\"$1\\\"' _ {}\"
      with a shell of your own
The exit code is 0 if the validator agrees on every document, else 6.
")]
pub(super) struct Args {
    /// Command that exits with 0 for a valid document: {} is its file or folder, {contract} its
    /// contract; split into words like a shell does, run without a shell
    #[arg(long, value_name = "CMD")]
    cmd: String,
    /// Only documents of this contract
    #[arg(long, value_name = "CONTRACT", value_parser = names())]
    contract: Option<String>,
    /// Compare with the verdicts under the stricter rules for producers
    #[arg(long)]
    strict: bool,
    /// Seconds that the command may take for one document
    #[arg(long, value_name = "SECONDS", default_value_t = 10)]
    timeout: u64,
}

fn names() -> PossibleValuesParser {
    PossibleValuesParser::new(ALL.iter().map(|contract| contract.name))
}

/// What came of all documents.
#[derive(Debug, Serialize)]
struct Comparison {
    schema_version: u32,
    run: usize,
    agreed: usize,
    disagreed: Vec<Disagreement>,
}

/// A document on which the validator does not agree.
#[derive(Debug, Serialize)]
struct Disagreement {
    document: String,
    contract: &'static str,
    rule: Option<String>,
    strictness: &'static str,
    expected: Verdict,
    /// `valid`, `invalid`, `killed` by a signal, or `timed_out`.
    got: &'static str,
}

pub(super) fn run(args: &Args, json: bool) -> Result<(), CliError> {
    let program = Program::parse(&args.cmd)?;
    if !program.has("{}") {
        return Err(CliError::usage("--cmd has no {} for the document", "'your-validator {}'"));
    }
    let folder = tempfile::tempdir()?;
    let mut entries = kit::write(folder.path())?;
    entries.retain(|it| args.contract.as_deref().is_none_or(|name| name == it.contract));
    let compared = compare(&program, folder.path(), &entries, args)?;
    report(&compared, json)
}

fn compare(
    program: &Program,
    folder: &Path,
    entries: &[Entry],
    args: &Args,
) -> Result<Comparison, CliError> {
    let strictness = if args.strict { Strictness::Strict } else { Strictness::Lenient };
    let judge = |entry: &Entry| {
        let file = folder.join(&entry.document);
        let fill = [("{}", file.to_string_lossy()), ("{contract}", entry.contract.into())];
        let fill: Vec<_> = fill.iter().map(|(place, it)| (*place, it.as_ref())).collect();
        program.run(&fill, folder, Duration::from_secs(args.timeout))
    };
    let mut disagreed = Vec::new();
    for (entry, ended) in entries.iter().zip(each(entries, &judge)?) {
        disagreed.extend(disagreement(entry, strictness, ended));
    }
    let (run, schema_version) = (entries.len(), SCHEMA_VERSION);
    Ok(Comparison { schema_version, run, agreed: run - disagreed.len(), disagreed })
}

/// Runs the command for every entry, a few at once; the first that cannot be started ends it.
fn each(
    entries: &[Entry],
    judge: &(dyn Fn(&Entry) -> Result<Ended, CliError> + Sync),
) -> Result<Vec<Ended>, CliError> {
    let (next, done) = (AtomicUsize::new(0), Mutex::new(Progress::new(entries.len())));
    let worker = || -> Result<(), CliError> {
        while let Some((at, entry)) = taken(&next, entries) {
            let ended =
                judge(entry).inspect_err(|_| next.store(entries.len(), Ordering::SeqCst))?;
            if let Ok(mut done) = done.lock() {
                done.note(at, ended);
            }
        }
        Ok(())
    };
    let count = std::thread::available_parallelism().map_or(1, usize::from).min(PROCESSES);
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..count).map(|_| scope.spawn(worker)).collect();
        workers.into_iter().try_for_each(|it| {
            it.join().unwrap_or_else(|_| Err(CliError::failure("a worker thread ended early")))
        })
    })?;
    let done = done.into_inner().map_err(|_| CliError::failure("a worker thread ended early"))?;
    Ok(done.ended)
}

fn taken<'e>(next: &AtomicUsize, entries: &'e [Entry]) -> Option<(usize, &'e Entry)> {
    let at = next.fetch_add(1, Ordering::SeqCst);
    entries.get(at).map(|entry| (at, entry))
}

/// How far the run is.
struct Progress {
    ended: Vec<Ended>,
    count: usize,
    told: Instant,
}

impl Progress {
    fn new(count: usize) -> Self {
        Self { ended: vec![Ended::Killed; count], count: 0, told: Instant::now() }
    }

    fn note(&mut self, at: usize, ended: Ended) {
        if let Some(place) = self.ended.get_mut(at) {
            *place = ended;
        }
        self.count += 1;
        if self.told.elapsed() >= STEP {
            self.told = Instant::now();
            say(&format!("{} of {} documents", self.count, self.ended.len()));
        }
    }
}

fn disagreement(entry: &Entry, strictness: Strictness, ended: Ended) -> Option<Disagreement> {
    let expected = entry.expected.under(strictness);
    let (got, verdict) = match ended {
        Ended::Code(0) => ("valid", Some(Verdict::Valid)),
        Ended::Code(_) => ("invalid", Some(Verdict::Invalid)),
        Ended::Killed => ("killed", None),
        Ended::TimedOut => ("timed_out", None),
    };
    (verdict != Some(expected)).then(|| Disagreement {
        document: entry.document.clone(),
        contract: entry.contract,
        rule: entry.rule.clone(),
        strictness: match strictness {
            Strictness::Lenient => "lenient",
            Strictness::Strict => "strict",
        },
        expected,
        got,
    })
}

fn report(compared: &Comparison, json: bool) -> Result<(), CliError> {
    let mut out = Out::new();
    if json {
        out.json(compared)?;
    } else {
        for it in &compared.disagreed {
            let expected = match it.expected {
                Verdict::Valid => "valid",
                Verdict::Invalid => "invalid",
            };
            let got = it.got.replace('_', " ");
            out.line(&format!("✕ {}: {got}, expected {expected}", line(&it.document)))?;
        }
    }
    let all = counted(compared.run as u64, "document");
    match compared.disagreed.len() {
        0 if json => out.end(),
        0 => {
            out.line(&format!("✓ it agrees on {all}"))?;
            out.end()
        }
        count => {
            out.end()?;
            let message = format!("it disagrees on {count} of {all}");
            let hint = "`taffrail conformance write DIR` writes the documents";
            Err(if json {
                CliError::silent(ErrorKind::Refused)
            } else {
                CliError::refused(message, hint)
            })
        }
    }
}
