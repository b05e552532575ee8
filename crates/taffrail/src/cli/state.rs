//! `taffrail state`

use super::completions::session_ids;
use super::events::{catch_up, refresh};
use super::{Context, TEMPLATE, validate};
use crate::error::CliError;
use crate::numbers::counted;
use crate::output::{Out, say};
use clap::ValueHint;
use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use taffrail_api::client::{Client, escaped};
use taffrail_api::{ErrorKind, SCHEMA_VERSION};
use taffrail_daemon::{Imported, Scope, export_state, import_state, imported_session};
use taffrail_model::SessionId;

/// How long a daemon may take to read what was imported.
const PATIENCE: Duration = Duration::from_secs(15);
/// The time between two looks.
const PAUSE: Duration = Duration::from_millis(50);

/// Take a session out as a session state 1.0.0, or bring one in
#[derive(Debug, clap::Args)]
#[command(help_template = TEMPLATE, before_help = "\
Examples:
  taffrail state export @last > session.json
  taffrail state validate session.json --strict
  taffrail state import session.json          from another machine, or another tool
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
}

/// Print a session as a session state
#[derive(Debug, clap::Args)]
#[command(help_template = TEMPLATE, before_help = "\
Examples:
  taffrail state export @last
  taffrail state export 3f2a > session.json
")]
struct ExportArgs {
    /// The beginning of its id, its agent's own id, @last, or . for this folder
    #[arg(value_name = "ID", add = session_ids())]
    id: String,
}

/// Take a session state in; it is listed, searched and shown like any other session
#[derive(Debug, clap::Args)]
#[command(help_template = TEMPLATE, before_help = "\
Examples:
  taffrail state import session.json
  taffrail state import session.json --json
")]
struct ImportArgs {
    /// The document; a copy of it is kept in our own folder
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    file: PathBuf,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Serialize)]
struct Told {
    schema_version: u32,
    session_id: SessionId,
}

impl Args {
    pub(super) fn wants_json(&self) -> bool {
        match &self.command {
            Command::Export(_) => false,
            Command::Validate(args) => args.json,
            Command::Import(args) => args.json,
        }
    }
}

pub(super) fn run(args: &Args) -> Result<(), CliError> {
    match &args.command {
        Command::Validate(args) => validate::state(args),
        Command::Export(args) => export(args, &Context::new()?),
        Command::Import(args) => import(args, &Context::new()?),
    }
}

fn export(args: &ExportArgs, context: &Context) -> Result<(), CliError> {
    let state: Box<RawValue> = match &context.client {
        Some(client) => {
            let id = context.id(client, &args.id)?;
            client.get(&format!("/api/sessions/{}/state", escaped(&id)))?
        }
        None => {
            let target = context.target(&args.id)?;
            refresh(context, &target)?;
            export_state(&context.settings, &target)?
        }
    };
    Out::new().raw_json(&state)
}

fn import(args: &ImportArgs, context: &Context) -> Result<(), CliError> {
    let file = context.rim.here.join(&args.file);
    let Imported { session_id, warnings } = import_state(&context.settings, &file)?;
    match &context.client {
        Some(client) => wait_for(client, context, session_id)?,
        None => catch_up(context, &Scope::All)?,
    }
    if args.json {
        return Out::new().json(&Told { schema_version: SCHEMA_VERSION, session_id });
    }
    Out::new().line(&session_id.to_string())?;
    let but = match warnings {
        0 => String::new(),
        many => format!("; {} (see `taffrail state validate`)", counted(many as u64, "warning")),
    };
    say(&format!("imported{but}. It is another's word: its events are marked as untrusted"));
    Ok(())
}

/// A daemon finds it by itself, soon.
fn wait_for(client: &Client, context: &Context, id: SessionId) -> Result<(), CliError> {
    let end = Instant::now() + PATIENCE;
    while !imported_session(&context.settings, id)? {
        if Instant::now() >= end {
            return Err(CliError {
                kind: ErrorKind::TimedOut,
                message: "the daemon has not read it yet; it will".to_owned(),
                hint: Some(format!("taffrail show {id}")),
            });
        }
        client.post::<Value>("/api/index", &serde_json::json!({}))?;
        std::thread::sleep(PAUSE);
    }
    Ok(())
}
