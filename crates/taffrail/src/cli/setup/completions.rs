//! The setup step that makes a shell complete our commands.

use super::super::completions::script;
use super::{Context, Ended, Walk, notes};
use crate::error::CliError;
use taffrail_env::Env;
use taffrail_setup::{Change, Homes, Planned, Shell, plan};
use taffrail_tui::terminal::line;

pub(super) fn step(context: &Context, walk: Walk) -> Result<Ended, CliError> {
    let env = &context.env;
    let variable = env.variables.get("SHELL").map(String::as_str).unwrap_or_default();
    let Some(shell) = Shell::of(variable) else {
        let named =
            if variable.is_empty() { "SHELL is not set".to_owned() } else { line(variable) };
        walk.tell(&format!("  for bash, fish and zsh only ({named})"))?;
        walk.tell("    `taffrail completions --help` shows what other shells need")?;
        return Ok(Ended::Left);
    };
    match plan(shell, &script(shell.name())?, &homes(env)) {
        Ok(Planned::Already(path)) => {
            walk.tell(&format!(
                "  {}: already done ({})",
                shell.name(),
                line(&path.to_string_lossy())
            ))?;
            Ok(Ended::Already)
        }
        Ok(Planned::Change(change)) => carried_out(shell, &change, context, walk),
        Err(error) => walk.trouble(&format!("{}: ", shell.name()), &error.into()),
    }
}

fn homes(env: &Env) -> Homes {
    Homes {
        user: env.user_home.clone(),
        config: env.config_home(),
        data: env.data_home(),
        zsh: env.named("ZDOTDIR"),
    }
}

fn carried_out(
    shell: Shell,
    change: &Change,
    context: &Context,
    walk: Walk,
) -> Result<Ended, CliError> {
    walk.tell(&format!("  {}: {}", shell.name(), line(&change.path.to_string_lossy())))?;
    walk.show(&change.path, change.before.as_deref(), Some(&change.after))?;
    if !walk.agree("Write this?")? {
        return Ok(Ended::Left);
    }
    if let Err(error) = change.write(shell, &notes(&context.env)) {
        return walk.trouble(&format!("{}: ", shell.name()), &error.into());
    }
    walk.tell("  written; shells that start from now on complete `taffrail`")?;
    Ok(Ended::Done)
}
