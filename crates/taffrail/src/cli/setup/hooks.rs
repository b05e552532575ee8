//! The setup step that installs our hook in the agents' settings.

use super::{Context, Ended, Walk};
use crate::error::CliError;
use std::path::Path;
use taffrail_api::{HookRow, HookState};
use taffrail_env as env;
use taffrail_hooks::{HookChange, HookSettings, HookWish, carry_out, hook_status, plan_hooks};
use taffrail_tui::terminal::line;

pub(super) fn step(context: &Context, walk: Walk) -> Result<Ended, CliError> {
    let (state, program) = (context.env.state_folder(), env::own_path(&context.env)?);
    let (settings, system) = (&context.settings, Path::new("/"));
    let given = HookSettings { settings, state: &state, program: &program, system };
    let rows = hook_status(&given, None)?.agents;
    let mut ended = None;
    for row in rows.iter().filter(|it| is_here(it.state)) {
        let one = match row.state == HookState::Installed {
            true => already(row, walk)?,
            false => of_agent(&given, row, walk)?,
        };
        ended = Some(worst(ended.unwrap_or(one), one));
    }
    if ended.is_none() {
        let known = rows.iter().filter(|it| it.state == HookState::NoHome);
        let known: Vec<_> = known.map(|it| it.label.as_str()).collect();
        walk.tell(&format!("  none of {} is on this machine yet", known.join(", ")))?;
        walk.tell("  run `taffrail setup` again when one is")?;
    }
    Ok(ended.unwrap_or(Ended::Left))
}

/// What is left counts before what was done, and that before what was there.
fn worst(one: Ended, other: Ended) -> Ended {
    match (one, other) {
        (Ended::Left, _) | (_, Ended::Left) => Ended::Left,
        (Ended::Done, _) | (_, Ended::Done) => Ended::Done,
        (Ended::Already, Ended::Already) => Ended::Already,
    }
}

fn is_here(state: HookState) -> bool {
    !matches!(state, HookState::NoHome | HookState::Unsupported)
}

fn already(row: &HookRow, walk: Walk) -> Result<Ended, CliError> {
    let file = row.file.as_deref().map(line).unwrap_or_default();
    walk.tell(&format!("  {}: already done ({file})", row.label))?;
    row.notes.iter().try_for_each(|it| walk.tell(&format!("    {}", line(it))))?;
    Ok(Ended::Already)
}

/// The changes for one agent, of which there is one for each of its homes.
fn of_agent(given: &HookSettings<'_>, row: &HookRow, walk: Walk) -> Result<Ended, CliError> {
    let changes = match plan_hooks(given, HookWish::Install, Some(&row.agent)) {
        Ok(changes) => changes,
        Err(error) => return walk.trouble(&format!("{}: ", row.label), &error.into()),
    };
    let at_home =
        |it: &&HookChange| row.home.as_deref().is_none_or(|home| it.path.starts_with(home));
    let mut ended = Ended::Already;
    for change in changes.iter().filter(at_home) {
        ended = worst(ended, one(given, change, walk)?);
    }
    Ok(ended)
}

fn one(given: &HookSettings<'_>, change: &HookChange, walk: Walk) -> Result<Ended, CliError> {
    walk.tell(&format!("  {}: {}", change.label, line(&change.path.to_string_lossy())))?;
    walk.show(&change.path, change.before.as_deref(), change.after.as_deref())?;
    if !walk.agree("Write this?")? {
        return Ok(Ended::Left);
    }
    if let Err(error) = carry_out(given, change) {
        return walk.trouble(&format!("{}: ", change.label), &error.into());
    }
    walk.tell("  written")?;
    change
        .advice
        .iter()
        .try_for_each(|it| walk.tell(&format!("  {}: {}", change.label, line(it))))?;
    Ok(Ended::Done)
}
