//! Reports file changes for clients.

use crate::HookChange;
use similar::TextDiff;
use std::path::Path;
use taffrail_api::{HookEdit, HookReport, SCHEMA_VERSION};

/// The unified diff of a file.
#[must_use]
pub fn unified(path: &Path, before: Option<&str>, after: Option<&str>) -> String {
    let shown = path.to_string_lossy();
    let name = |text: Option<&str>| text.map_or("/dev/null", |_| &shown).to_owned();
    let diff = TextDiff::from_lines(before.unwrap_or_default(), after.unwrap_or_default());
    let heads = format!("--- {}\n+++ {}\n", name(before), name(after));
    heads + &diff.unified_diff().to_string()
}

/// The planned or applied changes.
#[must_use]
pub fn hook_report(changes: &[HookChange], done: bool) -> HookReport {
    let edit = |change: &HookChange| HookEdit {
        agent: change.agent.to_owned(),
        file: change.path.to_string_lossy().into_owned(),
        diff: unified(&change.path, change.before.as_deref(), change.after.as_deref()),
        notes: change.advice.clone(),
    };
    HookReport { schema_version: SCHEMA_VERSION, done, files: changes.iter().map(edit).collect() }
}
