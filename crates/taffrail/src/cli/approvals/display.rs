//! `taffrail approvals show ID`: the full content of a request, so that people approve what they
//! have read.

use super::{one_line, project};
use crate::error::CliError;
use crate::output::Out;
use serde_json::Value;
use taffrail_api::{ApprovalRow, ToolInput};
use taffrail_tui::changes::{Change, changes};
use taffrail_tui::terminal::{clean, line};

/// Fields that are shown as what they are and not once more by name.
const SHOWN: &[&str] = &[
    "command",
    "old_string",
    "new_string",
    "old_str",
    "new_str",
    "content",
    "file_text",
    "edits",
    "patch",
];

pub(super) fn show(it: &ApprovalRow, out: &mut Out) -> Result<(), CliError> {
    out.line(&format!("{} {} asks in {}", it.id, line(it.agent.as_str()), project(it)))?;
    out.line(&format!("tool: {}", line(&it.tool)))?;
    out.line(&format!("risk: {}", line(&it.risk)))?;
    if let Some(device) = &it.device {
        out.line(&format!("device: {}", line(device)))?;
    }
    fields(it.input.as_ref(), out)?;
    out.line("")?;
    for text in it.command.split('\n') {
        out.line(&format!("  {}", clean(text)))?;
    }
    hidden(it, out)?;
    changed(it.input.as_ref(), out)
}

/// Every field beside the command, by the agent's own name.
fn fields(input: Option<&ToolInput>, out: &mut Out) -> Result<(), CliError> {
    let Some(Value::Object(all)) = input.map(|it| &it.fields) else { return Ok(()) };
    for (name, value) in all.iter().filter(|(name, _)| !SHOWN.contains(&name.as_str())) {
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        out.line(&format!("{}: {}", line(name), one_line(&text)))?;
    }
    Ok(())
}

/// What is not here is said to be missing.
fn hidden(it: &ApprovalRow, out: &mut Out) -> Result<(), CliError> {
    if it.truncated {
        out.line("  … the rest is too long to keep; the agent shows it")?;
    }
    if it.redacted {
        out.line("  … something that looks like a secret is hidden")?;
    }
    if it.input.as_ref().is_some_and(|it| it.cut) {
        out.line("  … part of the tool's input is too long to show")?;
    }
    Ok(())
}

/// What would change in a file.
fn changed(input: Option<&ToolInput>, out: &mut Out) -> Result<(), CliError> {
    let all = input.map(|it| changes(&it.fields)).unwrap_or_default();
    if !all.is_empty() {
        out.line("")?;
    }
    for it in all.iter().map(Change::marked) {
        out.line(&format!("  {it}"))?;
    }
    Ok(())
}
