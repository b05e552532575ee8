//! `taffrail snapshot`

use super::completions::session_ids;
use super::events::{catch_up, refresh};
use super::{Context, TEMPLATE};
use crate::error::CliError;
use crate::output::{Out, columns};
use clap::builder::PossibleValuesParser;
use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use std::path::Path;
use taffrail_api::SCHEMA_VERSION;
use taffrail_api::client::escaped;
use taffrail_ingest::Scope;
use taffrail_model::Timestamp;
use taffrail_query::contracts::{
    SnapshotAdapter, SnapshotRow, SnapshotTarget, recorded_snapshots, snapshot, snapshot_history,
};
use taffrail_query::resolve::resolve;
use taffrail_store::Taken;
use taffrail_tui::terminal::{fit, line, pad};

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
  taffrail document snapshot theirs.json        a snapshot of another tool
  taffrail document snapshot @last --history
      every distinct snapshot so far
  taffrail document snapshot --list parser
      recorded snapshots that have this word
")]
pub(super) struct Args {
    /// Session, plan, tmux session, snapshot of another tool, or session file by its short id, alias or path
    #[arg(value_name = "TARGET", add = session_ids(), required_unless_present = "list")]
    target: Option<String>,
    /// Adapter that takes the snapshot [default: the first that knows the target]
    #[arg(long, value_name = "ADAPTER", value_parser = adapters())]
    adapter: Option<String>,
    /// Print every distinct snapshot so far, the oldest first
    #[arg(long)]
    history: bool,
    /// List the latest snapshot of every session; with words, those that have all of them
    #[arg(long, value_name = "WORDS", num_args = 0.., conflicts_with_all = ["target", "adapter", "history"])]
    list: Option<Vec<String>>,
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
    if let Some(words) = &args.list {
        return list(&recorded_snapshots(&context.settings, &words.join(" "))?, context);
    }
    let text = args.target.as_deref().unwrap_or_default();
    let word = args.adapter.as_deref();
    let adapter = SnapshotAdapter::ALL.into_iter().find(|it| Some(it.id()) == word);
    let target = SnapshotTarget { text, here: &context.env.here, adapter };
    let is_file = Path::new(text).extension().is_some_and(|it| it == "json");
    let is_ours = !is_file && adapter.is_none_or(|it| it == SnapshotAdapter::Captured);
    if is_ours {
        bring_up(context, text)?;
    }
    if args.history {
        let snapshots = snapshot_history(&context.settings, target)?;
        let snapshots = snapshots.iter().map(entry).collect();
        return Out::new().json(&History { schema_version: SCHEMA_VERSION, snapshots });
    }
    let taken = match of_daemon(context, text, is_ours)? {
        Some(taken) => taken,
        None => snapshot(&context.settings, target)?,
    };
    Out::new().raw_json(&taken)
}

/// The recorded snapshots, as a document or as a table.
fn list(rows: &[SnapshotRow], context: &Context) -> Result<(), CliError> {
    let mut out = Out::new();
    if context.json {
        let rows: Vec<_> = rows.iter().map(document).collect();
        return out.json(&json!({ "schema_version": SCHEMA_VERSION, "snapshots": rows }));
    }
    let clock = context.env.clock();
    let wide = rows.iter().map(|it| line(&it.adapter).chars().count()).max().unwrap_or(0);
    for it in rows {
        let (adapter, age) = (pad(&line(&it.adapter), wide), clock.age(it.taken_at));
        let (state, session) = (pad(&line(&it.state), 9), line(&it.session));
        let objective = line(it.objective.as_deref().unwrap_or("(no objective)"));
        out.line(&fit(&format!("{adapter}  {state} {age:>6}  {session}  {objective}"), columns()))?;
    }
    out.end()
}

fn document(it: &SnapshotRow) -> Value {
    json!({
        "adapter": it.adapter,
        "session": it.session,
        "kind": it.kind,
        "state": it.state,
        "workers": it.workers,
        "objective": it.objective,
        "taken_at": it.taken_at,
    })
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
