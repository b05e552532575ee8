//! `taffrail validate`

mod documents;

use super::TEMPLATE;
use crate::error::CliError;
use crate::output::Out;
use clap::ValueHint;
use clap::builder::PossibleValuesParser;
use documents::{Document, documents};
use serde::Serialize;
use std::path::{Path, PathBuf};
use taffrail_api::SCHEMA_VERSION;
use taffrail_contracts::{ALL, Contract, Fault, Strictness, find, validate_text};
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

/// The document for programs.
#[derive(Debug, Serialize)]
struct Report {
    schema_version: u32,
    valid: bool,
    /// How many documents were read.
    documents: usize,
    /// How many of them have a fault.
    #[serde(skip)]
    failing: usize,
    faults: Vec<Placed>,
    warnings: Vec<Placed>,
}

/// A fault, and in which document.
#[derive(Debug, Serialize)]
struct Placed {
    /// The file, where a folder was read.
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    /// The line, where every line is a document.
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
    #[serde(flatten)]
    fault: Fault,
}

pub(super) fn run(args: &Args, json: bool) -> Result<(), CliError> {
    let contract = find(&args.contract).ok_or_else(|| {
        CliError::usage(format!("no contract is called `{}`", args.contract), "see --help")
    })?;
    let told = match contract.name {
        DIRECTORIES => whole(&args.path, args.strict)?,
        _ => told(contract, &documents(contract, &args.path)?, args.strict),
    };
    let mut out = Out::new();
    if json {
        out.json(&told)?;
    } else {
        show(&mut out, &told)?;
    }
    if told.valid {
        if !json {
            out.line(&format!("✓ {}", verdict(&told, contract)))?;
        }
        return out.end();
    }
    out.end()?;
    Err(CliError::refused(
        format!("{}: {}", name_of(args), verdict(&told, contract)),
        format!(
            "`taffrail document schema {}` prints what it must conform to",
            contract.schema_name
        ),
    ))
}

/// Checks a directory, a feature in it, or one of its files.
fn whole(path: &Path, strict: bool) -> Result<Report, CliError> {
    let strictness = if strict { Strictness::Strict } else { Strictness::Lenient };
    let report = if path == Path::new("-") {
        taffrail_workspace::validate_text(
            "",
            &std::io::read_to_string(std::io::stdin())?,
            strictness,
        )
    } else {
        taffrail_workspace::validate_path(path, strictness)?
    };
    let placed = |fault| Placed { file: None, line: None, fault };
    let (valid, failing) = (report.is_valid(), usize::from(!report.is_valid()));
    Ok(Report {
        schema_version: SCHEMA_VERSION,
        valid,
        documents: 1,
        failing,
        faults: report.faults.into_iter().map(placed).collect(),
        warnings: report.warnings.into_iter().map(placed).collect(),
    })
}

/// Checks session states.
pub(super) fn state(args: &StateArgs, json: bool) -> Result<(), CliError> {
    let StateArgs { strict, path } = args;
    let contract = "state".to_owned();
    run(&Args { contract, strict: *strict, path: path.clone() }, json)
}

/// Checks every document.
fn told(contract: &Contract, documents: &[Document], strict: bool) -> Report {
    let strictness = if strict { Strictness::Strict } else { Strictness::Lenient };
    let (mut faults, mut warnings, mut failing) = (Vec::new(), Vec::new(), 0);
    for document in documents {
        let report = validate_text(contract, &document.text, strictness);
        failing += usize::from(!report.is_valid());
        let placed = |fault| Placed { file: document.file.clone(), line: document.line, fault };
        faults.extend(report.faults.into_iter().map(placed));
        warnings.extend(report.warnings.into_iter().map(placed));
    }
    let (valid, documents) = (failing == 0, documents.len());
    Report { schema_version: SCHEMA_VERSION, valid, documents, failing, faults, warnings }
}

/// Faults first, then warnings; each with the place, the rule and what to do.
fn show(out: &mut Out, told: &Report) -> Result<(), CliError> {
    let faults = told.faults.iter().map(|it| ("✕", it));
    let warnings = told.warnings.iter().map(|it| ("!", it));
    for (mark, it) in faults.chain(warnings) {
        out.line(&format!("{mark} {}  [{}]", place(it), line(&it.fault.rule)))?;
        out.line(&format!("    {}", line(&it.fault.message)))?;
        if !it.fault.hint.is_empty() {
            out.line(&format!("    → {}", line(&it.fault.hint)))?;
        }
    }
    if !(told.faults.is_empty() && told.warnings.is_empty()) {
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
fn verdict(told: &Report, contract: &Contract) -> String {
    let all = counted(told.documents as u64, "document");
    let who = match (told.failing, told.documents) {
        (0, 1) => format!("{all} conforms"),
        (0, _) => format!("{all} conform"),
        (1, 1) => format!("{all} does not conform"),
        (1, _) => format!("1 of {all} does not conform"),
        (failing, of) if failing == of => format!("{all} do not conform"),
        (failing, _) => format!("{failing} of {all} do not conform"),
    };
    let found = [(told.faults.len(), "fault"), (told.warnings.len(), "warning")];
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
