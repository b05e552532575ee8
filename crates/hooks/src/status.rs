//! The status of the hooks of every agent.

use crate::plan::{Desk, named, places, program, wanted};
use crate::text::is_complete;
use crate::{HookSettings, HooksError};
use std::path::PathBuf;
use taffrail_adapters::{Adapter, HookPlan, agents};
use taffrail_api::{HookList, HookRow, HookState, SCHEMA_VERSION};

/// Whether each agent calls us, and what keeps it from doing so.
///
/// # Errors
/// When the agent is unknown.
pub fn hook_status(given: &HookSettings<'_>, agent: Option<&str>) -> Result<HookList, HooksError> {
    let asked = match agent {
        Some(word) => vec![named(word)?],
        None => worth_a_row(given),
    };
    let agents = asked.into_iter().flat_map(|adapter| rows(given, adapter)).collect();
    Ok(HookList { schema_version: SCHEMA_VERSION, agents })
}

/// The agents that have hooks of ours, and those that were found here.
fn worth_a_row(given: &HookSettings<'_>) -> Vec<&'static dyn Adapter> {
    let homes = given.settings.homes();
    let is_here = |id: &str| homes.iter().any(|it| it.adapter.descriptor().id == id);
    agents().filter(|it| it.hook_plan().is_some() || is_here(it.descriptor().id)).collect()
}

fn rows(given: &HookSettings<'_>, adapter: &'static dyn Adapter) -> Vec<HookRow> {
    let Some(plan) = adapter.hook_plan() else {
        let note = "Taffrail has no hooks for it; its sessions are seen by what it writes";
        return vec![bare(adapter, HookState::Unsupported, note.to_owned())];
    };
    let places = places(given, adapter, plan);
    if places.is_empty() {
        return vec![bare(adapter, HookState::NoHome, "no home of it was found".to_owned())];
    }
    places.into_iter().map(|it| row(given, adapter, plan, it)).collect()
}

fn row(
    given: &HookSettings<'_>,
    adapter: &'static dyn Adapter,
    plan: &'static HookPlan,
    (home, base): (PathBuf, PathBuf),
) -> HookRow {
    let path = home.to_string_lossy().into_owned();
    let desk = Desk { given, adapter, plan, base };
    let row = looked_at(&desk)
        .unwrap_or_else(|error| bare(adapter, HookState::Unknown, error.to_string()));
    HookRow { home: Some(path), ..row }
}

fn looked_at(desk: &Desk<'_>) -> Result<HookRow, HooksError> {
    let program = program(desk.given.program, desk.plan.call)?;
    let wanted = wanted(desk.plan, desk.adapter.descriptor().id, program);
    let Some(sheet) = desk.chosen()? else {
        return Err(HooksError::NoHooks(desk.adapter.descriptor().label));
    };
    let other = sheet.calls.iter().map(|(_, call)| &call.program).find(|it| *it != program);
    let has = |event: &str| sheet.calls.iter().any(|(name, _)| name == event);
    let missing = wanted.iter().map(|(event, _)| *event).filter(|event| !has(event));
    let state = match other {
        _ if sheet.calls.is_empty() => HookState::Absent,
        Some(_) => HookState::OtherProgram,
        None if is_complete(&sheet.calls, &wanted) => HookState::Installed,
        None => HookState::Partly,
    };
    let own = (!sheet.calls.is_empty()).then(|| program.to_owned());
    Ok(HookRow {
        program: other.cloned().or(own),
        file: Some(sheet.path.to_string_lossy().into_owned()),
        missing: missing.map(str::to_owned).collect(),
        notes: desk.advice(&sheet.calls),
        ..bare(desk.adapter, state, String::new())
    })
}

fn bare(adapter: &dyn Adapter, state: HookState, note: String) -> HookRow {
    let it = adapter.descriptor();
    HookRow {
        agent: it.id.to_owned(),
        label: it.label.to_owned(),
        state,
        home: None,
        file: None,
        program: None,
        missing: Vec::new(),
        notes: vec![note],
    }
}
