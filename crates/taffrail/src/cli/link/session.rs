//! `taffrail link ID`: a session's link to its process and its files, and its repair.

use super::super::Context;
use super::super::completions::session_ids;
use crate::error::CliError;
use crate::output::{Out, say};
use serde_json::Value;
use serde_json::value::RawValue;
use taffrail_api::client::escaped;
use taffrail_api::{OperationRow, Operations, RepairBody, RepairReply};
use taffrail_tui::terminal::{line, pad};

#[derive(Debug, clap::Subcommand)]
pub(in crate::cli) enum Action {
    /// Replace a session by another; its id then names the other
    Join {
        /// Session that stays
        #[arg(value_name = "ID", add = session_ids())]
        id: String,
        /// Session that it replaces
        #[arg(value_name = "OTHER", add = session_ids())]
        other: String,
    },
    /// Undo the join of a session, or of the sessions joined to it
    Split {
        /// Session id or a prefix of it, the agent's own id, @last, @waiting, or . for this folder
        #[arg(value_name = "ID", add = session_ids())]
        id: String,
    },
    /// Keep a session for history only
    Archive {
        /// Session id or a prefix of it, the agent's own id, @last, @waiting, or . for this folder
        #[arg(value_name = "ID", add = session_ids())]
        id: String,
        /// Undo the archiving
        #[arg(long)]
        undo: bool,
    },
}

pub(super) fn show(id: &str, operations: bool, context: &Context) -> Result<(), CliError> {
    if operations {
        return list_operations(id, context);
    }
    let told: Box<RawValue> = context.answer(id, "binding")?;
    if context.json { Out::new().raw_json(&told) } else { fields(&told) }
}

pub(super) fn repair(action: &Action, context: &Context) -> Result<(), CliError> {
    let done = match action {
        Action::Join { id, other } => {
            let join = Some(context.found_id(other)?);
            repaired(context, id, &RepairBody { join, ..RepairBody::default() })?
        }
        Action::Split { id } => {
            repaired(context, id, &RepairBody { split: true, ..RepairBody::default() })?
        }
        Action::Archive { id, undo } => {
            let archive = Some(!undo);
            repaired(context, id, &RepairBody { archive, ..RepairBody::default() })?
        }
    };
    if context.json {
        return Out::new().json(&done);
    }
    say(&told(action, &done));
    Ok(())
}

fn list_operations(id: &str, context: &Context) -> Result<(), CliError> {
    let found: Operations = context.answer(id, "operations")?;
    if context.json {
        return Out::new().json(&found);
    }
    if found.operations.is_empty() {
        say("no attempt to resume it is recorded");
        return Ok(());
    }
    Out::new().lines(found.operations.iter().map(operation))
}

fn operation(it: &OperationRow) -> String {
    let how =
        it.via.as_ref().map_or(it.strategy.clone(), |via| format!("{} in {via}", it.strategy));
    let end = it.failure.as_ref().map(|it| &it.message).or(it.result.as_ref());
    let end = end.map(|it| format!(": {}", line(it))).unwrap_or_default();
    format!("{}  {}  {}{end}", it.began_at, line(&how), line(&it.state))
}

fn repaired(context: &Context, word: &str, body: &RepairBody) -> Result<RepairReply, CliError> {
    let id = context.found_id(word)?;
    Ok(context.questions()?.post(&format!("/api/sessions/{}/binding", escaped(&id)), body)?)
}

fn fields(told: &RawValue) -> Result<(), CliError> {
    let fields: serde_json::Map<String, Value> = serde_json::from_str(told.get())
        .map_err(|error| CliError::from(anyhow::Error::from(error)))?;
    let wide = fields.keys().map(String::len).max().unwrap_or(0);
    let mut out = Out::new();
    // The evidence is for programs; people see where, how far and when.
    let shown = fields.iter().filter(|(name, _)| *name != "provenance");
    out.lines(shown.map(|(name, value)| format!("{}  {}", pad(name, wide), plain(value))))
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
        (Action::Join { .. }, true) => "the sessions were already joined".to_owned(),
        (Action::Join { .. }, false) => {
            let by = done.binding.get("repowire_session_id").map(plain);
            format!("{ids} now means {}", by.unwrap_or_default())
        }
        (Action::Split { .. }, true) => "the session was not joined".to_owned(),
        (Action::Split { .. }, false) => format!("split again: {ids}"),
        (Action::Archive { undo: false, .. }, true) => {
            "the session was already archived".to_owned()
        }
        (Action::Archive { undo: false, .. }, false) => format!("{ids} is kept for history only"),
        (Action::Archive { undo: true, .. }, true) => "the session was not archived".to_owned(),
        (Action::Archive { undo: true, .. }, false) => format!("{ids} is no longer archived"),
    }
}
