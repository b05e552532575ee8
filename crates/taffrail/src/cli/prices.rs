//! `taffrail prices`

use super::{Context, TEMPLATE};
use crate::error::CliError;
use crate::output::{Out, say};
use anyhow::Context as _;
use clap::{Subcommand, ValueHint};
use jiff::civil::Date;
use jiff::tz::Offset;
use std::path::{Path, PathBuf};
use taffrail_api::{PriceImport, SCHEMA_VERSION};
use taffrail_config::IMPORTED_PRICES;
use taffrail_context::atomic_write;
use taffrail_env as env;
use taffrail_model::Timestamp;
use taffrail_prices::{Changes, ImportedTable, Listed, read_import};
use taffrail_query::prices::described;
use taffrail_tui::prices::{import_line, lines};
use taffrail_tui::terminal::line;

/// Show what a model costs, or import a table of prices
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true, help_template = TEMPLATE, before_help = "\
Examples:
  taffrail prices claude-sonnet-5-5
      the price today, from when it applies, and where it comes from
  taffrail prices gpt-5 --at 2026-03-01 --json
  taffrail prices import model_prices_and_context_window.json
      a table of LiteLLM, or a TOML file with [[prices]]
")]
pub(super) struct Args {
    #[command(subcommand)]
    action: Option<Action>,
    /// Model, as an agent names it
    #[arg(required = true)]
    model: Option<String>,
    /// Show the price on this UTC day
    #[arg(long, value_name = "DATE")]
    at: Option<Date>,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Import a table of prices in place of the one imported before
    Import {
        /// LiteLLM's JSON, or TOML with `[[prices]]`
        #[arg(value_hint = ValueHint::FilePath)]
        file: PathBuf,
        /// Only show what would change
        #[arg(long)]
        dry_run: bool,
    },
}

pub(super) fn run(args: &Args, context: &Context) -> Result<(), CliError> {
    match &args.action {
        Some(Action::Import { file, dry_run }) => import(file, *dry_run, context),
        None => show(args.model.as_deref().unwrap_or_default(), args.at, context),
    }
}

fn show(model: &str, day: Option<Date>, context: &Context) -> Result<(), CliError> {
    if context.settings.prices.imported().is_some_and(|it| !it.is_whole()) {
        say("warning: the imported table cannot be read and does not count; import it again");
    }
    let now = env::now();
    let at = day.map_or(Ok(now), midnight)?;
    let rule = context.settings.prices.rule(model, at);
    let price = described(&rule.ok_or_else(|| unknown(model, at, context))?);
    if context.json {
        return Out::new().json(&price);
    }
    Out::new().lines(lines(&price))
}

fn midnight(day: Date) -> Result<Timestamp, CliError> {
    let at = Offset::UTC.to_timestamp(day.at(0, 0, 0, 0));
    at.map_err(|_| CliError::usage(format!("{day} is out of range"), "taffrail prices --help"))
}

fn unknown(model: &str, at: Timestamp, context: &Context) -> CliError {
    let (name, day) = (line(model), Offset::UTC.to_datetime(at).date());
    CliError::not_found(
        format!("no price of `{name}` is known on {day}"),
        format!(
            "add to {}: [[prices]] with model = \"{name}\", input = DOLLARS and output = DOLLARS for a million tokens",
            context.env.config_path().display()
        ),
    )
}

fn import(file: &Path, dry_run: bool, context: &Context) -> Result<(), CliError> {
    let text = std::fs::read_to_string(file);
    let text = text.with_context(|| format!("cannot read {}", file.display()))?;
    let incoming = read_import(&text).map_err(|error| {
        let message = format!("{}: {}", file.display(), line(&error.to_string()));
        CliError::usage(message, "give LiteLLM's JSON, or TOML with [[prices]]: docs/prices.md")
    })?;
    let before = context.settings.prices.imported().map(ImportedTable::prices).unwrap_or_default();
    let changes = Changes::between(before, &incoming.prices);
    if !dry_run {
        keep(incoming.prices, context)?;
    }
    report(changes, incoming.skipped, context)
}

fn keep(prices: Vec<Listed>, context: &Context) -> Result<(), CliError> {
    let day = Offset::UTC.to_datetime(env::now()).date();
    let text = ImportedTable::write(day, prices).map_err(anyhow::Error::from)?;
    let folder = context.env.data_folder();
    std::fs::create_dir_all(&folder)?;
    Ok(atomic_write(&folder.join(IMPORTED_PRICES), text.as_bytes())?)
}

fn report(changes: Changes, skipped: usize, context: &Context) -> Result<(), CliError> {
    let Changes { added, changed, removed, same } = changes;
    let version = SCHEMA_VERSION;
    let done = PriceImport { schema_version: version, added, changed, removed, same, skipped };
    if context.json {
        return Out::new().json(&done);
    }
    say(&import_line(&done));
    Ok(())
}
