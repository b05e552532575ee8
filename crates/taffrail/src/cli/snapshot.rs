//! `taffrail snapshot`

use super::completions::session_ids;
use super::events::{catch_up, refresh};
use super::{Context, TEMPLATE};
use crate::error::CliError;
use crate::output::Out;
use clap::builder::PossibleValuesParser;
use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;
use taffrail_api::SCHEMA_VERSION;
use taffrail_api::client::escaped;
use taffrail_ingest::Scope;
use taffrail_model::Timestamp;
use taffrail_query::contracts::{SnapshotAdapter, SnapshotTarget, snapshot, snapshot_history};
use taffrail_query::resolve::resolve;
use taffrail_store::Taken;

/// Print a session and its sub-agents now, as ecc.session.v1
#[derive(Debug, clap::Args)]
#[command(help_template = TEMPLATE, before_help = "\
Examples:
  taffrail document snapshot @last              any captured session
  taffrail document snapshot plan.json          tmux worktrees, by their plan
  taffrail document snapshot workflow-visual-proof
      the same, by the name of the tmux session
  taffrail document snapshot claude-history:latest
      a session file in Markdown
  taffrail document snapshot @last --history
      every distinct snapshot so far
")]
pub(super) struct Args {
    /// Session, plan, tmux session, or session file by its short id, alias or path
    #[arg(value_name = "TARGET", add = session_ids())]
    target: String,
    /// Adapter that takes the snapshot [default: the first that knows the target]
    #[arg(long, value_name = "ADAPTER", value_parser = adapters())]
    adapter: Option<String>,
    /// Print every distinct snapshot so far, the oldest first
    #[arg(long)]
    history: bool,
}

fn adapters() -> PossibleValuesParser {
    PossibleValuesParser::new(SnapshotAdapter::ALL.map(SnapshotAdapter::id))
}

#[derive(Debug, Serialize)]
struct History {
    schema_version: u32,
    snapshots: Vec<Entry>,
}

#[derive(Debug, Serialize)]
struct Entry {
    /// When it was first so.
    taken_at: Timestamp,
    snapshot: Value,
}

pub(super) fn run(args: &Args, context: &Context) -> Result<(), CliError> {
    let word = args.adapter.as_deref();
    let adapter = SnapshotAdapter::ALL.into_iter().find(|it| Some(it.id()) == word);
    let target = SnapshotTarget { text: &args.target, here: &context.env.here, adapter };
    let is_ours = adapter.is_none_or(|it| it == SnapshotAdapter::Captured);
    if is_ours {
        bring_up(context, &args.target)?;
    }
    if args.history {
        let snapshots = snapshot_history(&context.settings, target)?;
        let snapshots = snapshots.iter().map(entry).collect();
        return Out::new().json(&History { schema_version: SCHEMA_VERSION, snapshots });
    }
    let taken = match of_daemon(context, &args.target, is_ours)? {
        Some(taken) => taken,
        None => snapshot(&context.settings, target)?,
    };
    Out::new().raw_json(&taken)
}

/// Reads what is new of the session that is meant, if one is.
fn bring_up(context: &Context, word: &str) -> Result<(), CliError> {
    match context.target(word) {
        Ok(target) if resolve(&context.settings, &target).is_ok() => refresh(context, &target),
        Ok(_) => catch_up(context, &Scope::All),
        // Only a daemon knows which session waits.
        Err(error) if context.client.is_none() => Err(error),
        Err(_) => Ok(()),
    }
}

/// A daemon knows the status of a captured session.
fn of_daemon(
    context: &Context,
    word: &str,
    is_ours: bool,
) -> Result<Option<Box<RawValue>>, CliError> {
    let Some(client) = context.client.as_ref().filter(|_| is_ours) else { return Ok(None) };
    match context.id(client, word) {
        Ok(id) => Ok(Some(client.get(&format!("/api/sessions/{}/snapshot", escaped(&id)))?)),
        // Another adapter may know it.
        Err(error) if error.kind == taffrail_api::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

fn entry(taken: &Taken) -> Entry {
    let snapshot = serde_json::from_str(&taken.body).unwrap_or_default();
    Entry { taken_at: taken.at, snapshot }
}
