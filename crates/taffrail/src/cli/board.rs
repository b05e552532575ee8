//! `taffrail` without a command: the board.

use super::service::is_service_installed;
use super::{Context, daemon};
use crate::error::CliError;
use crate::output::say;
use taffrail_api::client::Client;
use taffrail_capture::with_users_mask;
use taffrail_env as env;
use taffrail_tui::{Host, Options, Service};

/// Shows the board, and starts the daemon first where none runs.
pub(super) fn run(context: &Context) -> Result<(), CliError> {
    let client = daemon::ensured(context)?;
    Ok(taffrail_tui::run(&client, &options(context)?)?)
}

/// Shows the board of another host, which the client leads to.
pub(super) fn run_elsewhere(
    client: &Client,
    host: Host,
    context: &Context,
) -> Result<(), CliError> {
    let options = Options { host: Some(host), ..options(context)? };
    Ok(taffrail_tui::run(client, &options)?)
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
        host: None,
        now: env::now,
        spawn: |command| with_users_mask(|| command.spawn()),
        say,
    })
}
