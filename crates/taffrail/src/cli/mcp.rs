//! `taffrail mcp`

use super::{Context, TEMPLATE, hooks};
use crate::env;
use crate::error::CliError;
use crate::output::Out;
use anyhow::Context as _;
use taffrail_config::Config;
use taffrail_hooks::{HookWish, SERVERS};
use taffrail_mcp::{Options, lookups, serve};
use taffrail_server::http::up_to_date;

/// Let agents ask what every agent did before, over MCP
#[derive(Debug, clap::Args)]
#[command(help_template = TEMPLATE, before_help = "\
Examples:
  taffrail mcp install --dry-run     show the changes to agents' settings
  taffrail mcp install --agent codex
  taffrail mcp log                   which agents asked, and when
  taffrail mcp                       the server itself; agents start it
")]
pub(super) struct Args {
    #[command(subcommand)]
    action: Option<Action>,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// Register the server with agents; shows the change and asks first
    Install(hooks::Change),
    /// Remove the server; an otherwise unchanged file is restored byte for byte
    Uninstall(hooks::Change),
    /// List the look-ups of agents: when, which tool, by whom
    Log,
}

pub(super) fn run(args: &Args, context: &Context) -> Result<(), CliError> {
    match &args.action {
        None => answer(context),
        Some(Action::Install(asked)) => hooks::change(context, asked, &SERVERS, HookWish::Install),
        Some(Action::Uninstall(asked)) => {
            hooks::change(context, asked, &SERVERS, HookWish::Uninstall)
        }
        Some(Action::Log) => log(context),
    }
}

fn answer(context: &Context) -> Result<(), CliError> {
    let (config, home) = (context.env.config_path(), context.settings.user_home.clone());
    Config::read(&config)?;
    let settings = context.settings.clone();
    context.state_file("")?;
    let ours = (context.env.state_folder(), env::own_path(&context.env)?);
    let options = Options {
        state: ours.0.clone(),
        exclude: Box::new(move || {
            let config = Config::read(&config).map_err(|error| error.to_string())?;
            Ok(config.mcp.folders(&home))
        }),
        here: context.env.here.to_string_lossy().into_owned(),
        connect: Box::new(move || {
            up_to_date(&settings, ours.clone()).map_err(|error| error.to_string())
        }),
        random: Box::new(|| env::drawn().map(|it| *it).map_err(|error| error.to_string())),
        now: env::now,
        version: env!("TAFFRAIL_VERSION"),
    };
    Ok(serve(options, std::io::stdin(), std::io::stdout()).context("the MCP server ended")?)
}

fn log(context: &Context) -> Result<(), CliError> {
    let list = lookups(&context.env.state_folder()).context("cannot read the log of look-ups")?;
    let (mut out, clock) = (Out::new(), context.clock());
    match context.json {
        true => out.json(&list),
        false => out.lines(list.lookups.iter().map(|it| it.line(&clock.second(it.at)))),
    }
}
