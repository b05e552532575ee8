//! `taffrail binding`

use super::completions::session_ids;
use super::events::refresh;
use super::{Context, TEMPLATE};
use crate::error::CliError;
use crate::output::{Out, say};
use crate::terminal::{line, pad};
use serde_json::Value;
use serde_json::value::RawValue;
use taffrail_api::client::escaped;
use taffrail_api::{RepairBody, RepairReply};
use taffrail_daemon::{Repair, Target, binding, repair};

/// Say what ties a session to its agent, to who runs it and to its history; or repair that
#[derive(Debug, clap::Args)]
#[command(help_template = TEMPLATE, before_help = "\
Examples:
  taffrail binding @last                 who runs it, where its history is, can it be resumed
  taffrail binding 3f2a --json           as the binding contract has it
  taffrail binding join 3f2a 91c0        3f2a takes the place of 91c0
  taffrail binding split 91c0            they are two again
  taffrail binding archive 3f2a          kept for history only, never offered for resume
")]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(super) struct Args {
    #[command(subcommand)]
    action: Option<Action>,
    /// The beginning of its id, its agent's own id, @last, or . for this folder
    #[arg(value_name = "ID", required = true, add = session_ids())]
    id: Option<String>,
    /// Print JSON
    #[arg(long, global = true)]
    pub(super) json: bool,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// Have a session take the place of another, whose id then means it
    Join {
        /// The session that stays
        #[arg(value_name = "ID", add = session_ids())]
        id: String,
        /// The session whose place it takes
        #[arg(value_name = "OTHER", add = session_ids())]
        other: String,
    },
    /// Undo the join of a session, or of those that are joined to it
    Split {
        /// The session
        #[arg(value_name = "ID", add = session_ids())]
        id: String,
    },
    /// Keep a session for history only
    Archive {
        /// The session
        #[arg(value_name = "ID", add = session_ids())]
        id: String,
        /// No longer
        #[arg(long)]
        undo: bool,
    },
}

pub(super) fn run(args: &Args, context: &Context) -> Result<(), CliError> {
    let Some(action) = &args.action else {
        let told = looked_at(context, args.id.as_deref().unwrap_or_default())?;
        return if args.json { Out::new().raw_json(&told) } else { show(&told) };
    };
    let done = match action {
        Action::Join { id, other } => {
            let other = found(context, other)?;
            let body = RepairBody { join: Some(other.clone()), ..RepairBody::default() };
            repaired(context, id, (&Repair::Join(Target::Id(other)), &body))?
        }
        Action::Split { id } => {
            let body = RepairBody { split: true, ..RepairBody::default() };
            repaired(context, id, (&Repair::Split, &body))?
        }
        Action::Archive { id, undo } => {
            let how = if *undo { Repair::Unarchive } else { Repair::Archive };
            let body = RepairBody { archive: Some(!undo), ..RepairBody::default() };
            repaired(context, id, (&how, &body))?
        }
    };
    if args.json {
        return Out::new().json(&done);
    }
    say(&told(action, &done));
    Ok(())
}

fn looked_at(context: &Context, word: &str) -> Result<Box<RawValue>, CliError> {
    let id = found(context, word)?;
    match &context.client {
        Some(client) => Ok(client.get(&format!("/api/sessions/{}/binding", escaped(&id)))?),
        None => Ok(binding(&context.settings, &Target::Id(id))?),
    }
}

/// A daemon does it where one runs, so that all it shows has it at once.
fn repaired(
    context: &Context,
    word: &str,
    (how, body): (&Repair, &RepairBody),
) -> Result<RepairReply, CliError> {
    let id = found(context, word)?;
    match &context.client {
        Some(client) => Ok(client.post(&format!("/api/sessions/{}/binding", escaped(&id)), body)?),
        None => Ok(repair(&context.settings, &Target::Id(id), how)?),
    }
}

/// The whole id of the session that is meant, also if it is not indexed yet.
fn found(context: &Context, word: &str) -> Result<String, CliError> {
    if let Some(client) = &context.client {
        return context.id(client, word);
    }
    let target = context.target(word)?;
    refresh(context, &target)?;
    Ok(taffrail_daemon::session_of(&context.settings, &target)?.id.to_string())
}

fn show(told: &RawValue) -> Result<(), CliError> {
    let fields: serde_json::Map<String, Value> = serde_json::from_str(told.get())
        .map_err(|error| CliError::from(anyhow::Error::from(error)))?;
    let wide = fields.keys().map(String::len).max().unwrap_or(0);
    let mut out = Out::new();
    // What it rests on is for programs; people are told where, how far and when.
    for (name, value) in fields.iter().filter(|(name, _)| *name != "provenance") {
        out.line(&format!("{}  {}", pad(name, wide), plain(value)))?;
    }
    out.end()
}

fn plain(value: &Value) -> String {
    match value {
        Value::Null => "-".to_owned(),
        Value::String(text) => line(text),
        Value::Bool(_) | Value::Number(_) => value.to_string(),
        Value::Array(items) => items.iter().map(plain).collect::<Vec<_>>().join(", "),
        Value::Object(fields) if fields.is_empty() => "-".to_owned(),
        Value::Object(fields) => {
            let parts = fields.iter().map(|(name, it)| format!("{} {}", line(name), plain(it)));
            parts.collect::<Vec<_>>().join(", ")
        }
    }
}

fn told(action: &Action, done: &RepairReply) -> String {
    let ids: Vec<_> = done.changed.iter().map(ToString::to_string).collect();
    let ids = ids.join(", ");
    match (action, ids.is_empty()) {
        (Action::Join { .. }, true) => "they were joined already".to_owned(),
        (Action::Join { .. }, false) => {
            let by = done.binding.get("repowire_session_id").map(plain);
            format!("{ids} now means {}", by.unwrap_or_default())
        }
        (Action::Split { .. }, true) => "it was not joined".to_owned(),
        (Action::Split { .. }, false) => format!("of their own again: {ids}"),
        (Action::Archive { undo: false, .. }, true) => "it was archived already".to_owned(),
        (Action::Archive { undo: false, .. }, false) => format!("{ids} is kept for history only"),
        (Action::Archive { undo: true, .. }, true) => "it was not archived".to_owned(),
        (Action::Archive { undo: true, .. }, false) => format!("{ids} is archived no more"),
    }
}
