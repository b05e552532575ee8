//! `taffrail conformance run`

use super::{Versioned, progress};
use crate::cli::TEMPLATE;
use crate::error::CliError;
use crate::output::Out;
use clap::builder::PossibleValuesParser;
use std::time::Duration;
use taffrail_api::ErrorKind;
use taffrail_conformance::{Comparison, Program, Question, compare};
use taffrail_contracts::kit::Verdict;
use taffrail_contracts::{ALL, Strictness};
use taffrail_tui::numbers::counted;
use taffrail_tui::terminal::line;

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

pub(super) fn run(args: &Args, json: bool) -> Result<(), CliError> {
    let program = Program::parse(&args.cmd)?;
    let question = Question {
        program: &program,
        contract: args.contract.as_deref(),
        strictness: if args.strict { Strictness::Strict } else { Strictness::Lenient },
        limit: Duration::from_secs(args.timeout),
    };
    report(&compare(&question, &mut progress("documents"))?, json)
}

fn report(compared: &Comparison, json: bool) -> Result<(), CliError> {
    let mut out = Out::new();
    if json {
        out.json(&Versioned::new(compared))?;
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
