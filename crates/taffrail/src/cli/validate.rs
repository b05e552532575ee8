//! `taffrail validate`

use super::TEMPLATE;
use super::conformance::Versioned;
use crate::error::CliError;
use crate::output::Out;
use clap::ValueHint;
use clap::builder::PossibleValuesParser;
use std::path::PathBuf;
use taffrail_conformance::{Checked, Placed, check_directory, check_documents, documents};
use taffrail_contracts::{ALL, Contract, Strictness, find};
use taffrail_tui::numbers::counted;
use taffrail_tui::terminal::line;

/// The contract of directories, whose documents belong together.
const DIRECTORIES: &str = "ai-session";

/// Check whether a document conforms to an open contract
#[derive(Debug, clap::Args)]
#[command(help_template = TEMPLATE, before_help = "\
Examples:
  taffrail document validate --contract ecc snapshot.json
  taffrail document validate --contract state --strict ~/exports
      every .json file in the folder
  taffrail document validate --contract ai-session .
      the project's .ai-session directory
  taffrail events @last --json | taffrail document validate --contract event -
")]
pub(super) struct Args {
    /// Contract that the document must conform to
    #[arg(long, value_name = "CONTRACT", value_parser = names())]
    contract: String,
    /// Apply the stricter rules for producers
    #[arg(long)]
    strict: bool,
    /// File, folder of files, or - for stdin
    #[arg(value_name = "FILE|DIR|-", value_hint = ValueHint::AnyPath)]
    path: PathBuf,
}

/// Check a session state; the same as `document validate --contract state`
#[derive(Debug, clap::Args)]
#[command(help_template = TEMPLATE, before_help = "\
Examples:
  taffrail state validate session.json
  taffrail state validate session.json --strict --json
")]
pub(super) struct StateArgs {
    /// Apply the stricter rules for producers
    #[arg(long)]
    strict: bool,
    /// File, folder of files, or - for stdin
    #[arg(value_name = "FILE|DIR|-", value_hint = ValueHint::AnyPath)]
    path: PathBuf,
}

/// What `--contract` takes: the contracts there are.
fn names() -> PossibleValuesParser {
    PossibleValuesParser::new(ALL.iter().map(|contract| contract.name))
}

pub(super) fn run(args: &Args, json: bool) -> Result<(), CliError> {
    let contract = find(&args.contract).ok_or_else(|| {
        CliError::usage(format!("no contract is called `{}`", args.contract), "see --help")
    })?;
    let strictness = if args.strict { Strictness::Strict } else { Strictness::Lenient };
    let checked = match contract.name {
        DIRECTORIES => check_directory(&args.path, strictness)?,
        _ => check_documents(contract, &documents(contract, &args.path)?, strictness),
    };
    let mut out = Out::new();
    if json {
        out.json(&Versioned::new(&checked))?;
    } else {
        show(&mut out, &checked)?;
    }
    if checked.valid {
        if !json {
            out.line(&format!("✓ {}", verdict(&checked, contract)))?;
        }
        return out.end();
    }
    out.end()?;
    Err(CliError::refused(
        format!("{}: {}", name_of(args), verdict(&checked, contract)),
        format!(
            "`taffrail document schema {}` prints what it must conform to",
            contract.schema_name
        ),
    ))
}

/// Checks session states.
pub(super) fn state(args: &StateArgs, json: bool) -> Result<(), CliError> {
    let StateArgs { strict, path } = args;
    let contract = "state".to_owned();
    run(&Args { contract, strict: *strict, path: path.clone() }, json)
}

/// Faults first, then warnings; each with the place, the rule and what to do.
fn show(out: &mut Out, checked: &Checked) -> Result<(), CliError> {
    let faults = checked.faults.iter().map(|it| ("✕", it));
    let warnings = checked.warnings.iter().map(|it| ("!", it));
    for (mark, it) in faults.chain(warnings) {
        out.line(&format!("{mark} {}  [{}]", place(it), line(&it.fault.rule)))?;
        out.line(&format!("    {}", line(&it.fault.message)))?;
        if !it.fault.hint.is_empty() {
            out.line(&format!("    → {}", line(&it.fault.hint)))?;
        }
    }
    if !(checked.faults.is_empty() && checked.warnings.is_empty()) {
        out.line("")?;
    }
    Ok(())
}

fn place(it: &Placed) -> String {
    let file = it.file.as_deref().map(|file| format!("{} ", line(file))).unwrap_or_default();
    let number = it.line.map(|number| format!("line {number} ")).unwrap_or_default();
    let pointer = match it.fault.pointer.as_str() {
        "" => "the document".to_owned(),
        pointer => line(pointer),
    };
    format!("{file}{number}{pointer}")
}

/// Who conforms, or who does not, and with how many faults.
fn verdict(checked: &Checked, contract: &Contract) -> String {
    let all = counted(checked.documents as u64, "document");
    let who = match (checked.failing, checked.documents) {
        (0, 1) => format!("{all} conforms"),
        (0, _) => format!("{all} conform"),
        (1, 1) => format!("{all} does not conform"),
        (1, _) => format!("1 of {all} does not conform"),
        (failing, of) if failing == of => format!("{all} do not conform"),
        (failing, _) => format!("{failing} of {all} do not conform"),
    };
    let found = [(checked.faults.len(), "fault"), (checked.warnings.len(), "warning")];
    let found = found.iter().filter(|(count, _)| *count > 0);
    let found: Vec<_> = found.map(|(count, what)| counted(*count as u64, what)).collect();
    let found = if found.is_empty() { String::new() } else { format!(": {}", found.join(", ")) };
    format!("{who} to {}{found}", contract.title)
}

fn name_of(args: &Args) -> String {
    match args.path.to_string_lossy().as_ref() {
        "-" => "stdin".to_owned(),
        path => path.to_owned(),
    }
}
