//! `taffrail` without a command: the board.

use super::service::is_service_installed;
use super::{Context, daemon};
use crate::error::CliError;
use crate::output::say;
use taffrail_capture::with_users_mask;
use taffrail_env as env;
use taffrail_tui::{Options, Service};

/// Shows the board, and starts the daemon first where none runs.
pub(super) fn run(context: &Context) -> Result<(), CliError> {
    let client = daemon::ensured(context)?;
    Ok(taffrail_tui::run(&client, &options(context)?)?)
}

fn options(context: &Context) -> Result<Options, CliError> {
    let env = &context.env;
    let is_installed = is_service_installed(env);
    Ok(Options {
        state_folder: env.state_folder(),
        program: env::own_path(env)?,
        home: env.user_home.clone(),
        variables: env.variables.clone(),
        zone: env.zone.clone(),
        theme: context.board.theme,
        service: if is_installed { Service::Installed } else { Service::Absent },
        now: env::now,
        spawn: |command| with_users_mask(|| command.spawn()),
        say,
    })
}
