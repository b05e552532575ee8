//! `taffrail conformance`

mod run;
mod torture;

use super::TEMPLATE;
use crate::error::CliError;
use crate::output::{Out, say};
use clap::ValueHint;
use serde::Serialize;
use serde_json::json;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use taffrail_api::SCHEMA_VERSION;
use taffrail_tui::numbers::counted;

/// Test another program against documents of open contracts
#[derive(Debug, clap::Args)]
#[command(help_template = TEMPLATE, before_help = "\
Examples:
  taffrail conformance run --cmd 'your-validator {}'
      run it on every document; it exits with 0 for a valid one
  taffrail conformance run --cmd 'check --kind {contract} {}' --contract state
  taffrail conformance torture --cmd 'your-tool log {entry}'
      two writers at once in one .ai-session directory
  taffrail conformance write kit      the documents and their manifest
")]
pub(super) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    Run(run::Args),
    Torture(torture::Args),
    Write(WriteArgs),
}

/// Write the documents and their manifest to a folder
#[derive(Debug, clap::Args)]
#[command(help_template = TEMPLATE, before_help = "\
Example:
  taffrail conformance write kit
")]
struct WriteArgs {
    /// Folder for the documents; it must be empty or absent
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    folder: PathBuf,
}

pub(super) fn run(args: &Args, json: bool) -> Result<(), CliError> {
    match &args.command {
        Command::Run(args) => run::run(args, json),
        Command::Torture(args) => torture::run(args, json),
        Command::Write(args) => write(&args.folder, json),
    }
}

fn write(folder: &Path, json: bool) -> Result<(), CliError> {
    if std::fs::read_dir(folder).is_ok_and(|mut it| it.next().is_some()) {
        let message = format!("{} is not empty", folder.display());
        return Err(CliError::refused(message, "name a folder that is empty or absent"));
    }
    let entries = taffrail_conformance::write(folder)?;
    if json {
        let document = json!({
            "schema_version": SCHEMA_VERSION, "folder": folder, "documents": entries.len(),
        });
        return Out::new().json(&document);
    }
    let all = counted(entries.len() as u64, "document");
    say(&format!("wrote {all} and manifest.json to {}", folder.display()));
    Ok(())
}

/// How often progress is shown.
const STEP: Duration = Duration::from_secs(1);

/// A reply with the version of all replies.
#[derive(Debug, Serialize)]
pub(super) struct Versioned<'r, T> {
    schema_version: u32,
    #[serde(flatten)]
    reply: &'r T,
}

impl<'r, T> Versioned<'r, T> {
    pub(super) fn new(reply: &'r T) -> Self {
        Self { schema_version: SCHEMA_VERSION, reply }
    }
}

/// Prints how far a run is, once a second.
fn progress(what: &'static str) -> impl FnMut(usize, usize) + Send {
    let mut last = Instant::now();
    move |done, all| {
        if last.elapsed() >= STEP {
            last = Instant::now();
            say(&format!("{done} of {all} {what}"));
        }
    }
}
