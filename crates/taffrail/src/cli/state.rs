//! `taffrail state`

mod mode;
mod resume;

pub(super) use resume::{ResumeArgs, resume};

use super::completions::session_ids;
use super::events::catch_up;
use super::{Context, TEMPLATE, validate};
use crate::error::CliError;
use crate::output::{Out, say};
use clap::ValueHint;
use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use taffrail_api::client::Client;
use taffrail_api::{ErrorKind, SCHEMA_VERSION};
use taffrail_ingest::Scope;
use taffrail_model::SessionId;
use taffrail_query::contracts::{Imported, import_state, imported_session};
use taffrail_tui::numbers::counted;

/// How long a daemon may take to read what was imported.
const PATIENCE: Duration = Duration::from_secs(15);
/// The time between two looks.
const PAUSE: Duration = Duration::from_millis(50);

/// Export, import or check a session state 1.0.0
#[derive(Debug, clap::Args)]
#[command(help_template = TEMPLATE, before_help = "\
Examples:
  taffrail document export @last > session.json
  taffrail document validate --contract state session.json --strict
  taffrail document import session.json
      from another machine, or another tool
")]
pub(super) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    Export(ExportArgs),
    Validate(validate::StateArgs),
    Import(ImportArgs),
    Resume(ResumeArgs),
}

/// Print a session as a session state 1.0.0
#[derive(Debug, clap::Args)]
#[command(help_template = TEMPLATE, before_help = "\
Examples:
  taffrail document export @last
  taffrail document export 3f2a > session.json
")]
pub(super) struct ExportArgs {
    /// Session id or a prefix of it, the agent's own id, @last, @waiting, or . for this folder
    #[arg(value_name = "ID", add = session_ids())]
    id: String,
    /// Execution mode of the session, which no agent records
    #[arg(long, value_name = "MODE", value_parser = mode::MODES)]
    mode: Option<String>,
}

/// Import a session state 1.0.0 as a session
#[derive(Debug, clap::Args)]
#[command(help_template = TEMPLATE, before_help = "\
Examples:
  taffrail document import session.json
  taffrail document import session.json --json
")]
pub(super) struct ImportArgs {
    /// Document; Taffrail keeps a copy in its data folder
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    file: PathBuf,
}

#[derive(Debug, Serialize)]
struct StateDocument {
    schema_version: u32,
    session_id: SessionId,
}

pub(super) fn run(args: &Args, json: bool) -> Result<(), CliError> {
    match &args.command {
        Command::Validate(args) => validate::state(args, json),
        Command::Export(args) => export(args, &Context::new(json)?),
        Command::Import(args) => import(args, &Context::new(json)?),
        Command::Resume(args) => resume(args, &Context::new(json)?),
    }
}

pub(super) fn export(args: &ExportArgs, context: &Context) -> Result<(), CliError> {
    let state: Box<RawValue> = context.answer(&args.id, "state")?;
    match &args.mode {
        Some(mode) => Out::new().raw_json(&mode::with_mode(&state, mode)?),
        None => Out::new().raw_json(&state),
    }
}

pub(super) fn import(args: &ImportArgs, context: &Context) -> Result<(), CliError> {
    let file = context.env.here.join(&args.file);
    let Imported { session_id, warnings } = import_state(&context.settings, &file)?;
    match &context.client {
        Some(client) => wait_for(client, context, session_id)?,
        None => catch_up(context, &Scope::All)?,
    }
    if context.json {
        return Out::new().json(&StateDocument { schema_version: SCHEMA_VERSION, session_id });
    }
    Out::new().line(&session_id.to_string())?;
    let but = match warnings {
        0 => String::new(),
        many => format!("; {} (see `taffrail document validate`)", counted(many as u64, "warning")),
    };
    say(&format!("imported{but}. Its events are marked as untrusted"));
    Ok(())
}

/// A daemon finds it by itself, soon.
fn wait_for(client: &Client, context: &Context, id: SessionId) -> Result<(), CliError> {
    let end = Instant::now() + PATIENCE;
    while !imported_session(&context.settings, id)? {
        if Instant::now() >= end {
            return Err(CliError {
                kind: ErrorKind::TimedOut,
                message: "the daemon has not read it yet".to_owned(),
                hint: Some(format!("taffrail show {id}")),
            });
        }
        client.post::<Value>("/api/index", &serde_json::json!({}))?;
        std::thread::sleep(PAUSE);
    }
    Ok(())
}
