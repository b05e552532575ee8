//! The same hooks as a plugin: a folder for the agent, so that its settings stay untouched.

use crate::call::Ours;
use crate::plan::{named, program, wanted};
use crate::text::installed;
use crate::{HookSettings, HooksError};
use std::fs;
use std::path::{Path, PathBuf};
use taffrail_adapters::{Adapter, HookPlan, HookPlugin, Syntax, all};

const ABOUT: &str = "Tells Taffrail what a session is doing.";

/// Writes an agent's plugin into an empty folder; returns the files, and what to do with them.
///
/// # Errors
/// When the agent has no plugins, or the folder is not empty or cannot be written.
pub fn write_plugin(
    given: &HookSettings<'_>,
    folder: &Path,
    agent: Option<&str>,
) -> Result<(Vec<PathBuf>, &'static str), HooksError> {
    let (adapter, plan, plugin) = chosen(agent)?;
    let id = adapter.descriptor().id;
    let program = program(given.program, plan.call)?;
    let ours = Ours { agent: id, program, before: None };
    let start = format!("{{\n  \"description\": \"{ABOUT}\"\n}}\n");
    let (hooks, _, _) = installed(&start, Syntax::Json, &wanted(plan, id, program), ours)
        .map_err(|error| HooksError::refused(folder, &error))?;
    let version = env!("CARGO_PKG_VERSION");
    let manifest = format!(
        "{{\n  \"name\": \"taffrail\",\n  \"version\": \"{version}\",\n  \"description\": \"{ABOUT}\"\n}}\n"
    );
    let files = [(plugin.manifest, manifest), (plugin.hooks, hooks)];
    let files = files.map(|(below, text)| (folder.join(below), text));
    write(folder, &files)?;
    Ok((files.into_iter().map(|(path, _)| path).collect(), plugin.advice))
}

fn chosen(
    agent: Option<&str>,
) -> Result<(&'static dyn Adapter, &'static HookPlan, &'static HookPlugin), HooksError> {
    let parts = |it: &'static dyn Adapter| {
        let plan = it.hook_plan()?;
        Some((it, plan, plan.plugin?))
    };
    let Some(id) = agent else {
        let first = all().iter().find_map(|it| parts(*it));
        return first.ok_or(HooksError::NoHooks("any agent"));
    };
    let adapter = named(id)?;
    parts(adapter).ok_or(HooksError::NoHooks(adapter.descriptor().label))
}

fn write(folder: &Path, files: &[(PathBuf, String)]) -> Result<(), HooksError> {
    if fs::read_dir(folder).is_ok_and(|mut list| list.next().is_some()) {
        return Err(HooksError::NotEmpty(folder.to_owned()));
    }
    for (path, text) in files {
        let above = path.parent().unwrap_or(folder);
        let written = fs::create_dir_all(above).and_then(|()| fs::write(path, text));
        written.map_err(|error| HooksError::io(path, error))?;
    }
    Ok(())
}
