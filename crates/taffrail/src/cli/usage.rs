//! `taffrail usage`

use super::index::Bar;
use super::ls::{CATCH_UP, bold, warn};
use super::which::Which;
use super::{Context, TEMPLATE};
use crate::error::CliError;
use crate::output::Out;
use clap::builder::PossibleValuesParser;
use std::time::Instant;
use taffrail_ingest::Budget;
use taffrail_model::Ahead;
use taffrail_query::usage::{UsageBy, usage};
use taffrail_tui::stats::Row;
use taffrail_tui::usage::{csv, rows};

/// Show tokens and cost; see also `budgets` and `prices`
#[derive(Debug, clap::Args)]
#[command(help_template = TEMPLATE, before_help = "\
Examples:
  taffrail usage                         by day
  taffrail usage --by model --since 7d   of the last seven days
  taffrail usage --by project --csv      for a spreadsheet
  taffrail usage --by session --json | jq '.rows[0]'
  taffrail budgets                       how much of each budget is spent
  taffrail prices claude-sonnet-5-5      what a model costs

A cost is what the agent reported, or else the list price, marked ≈.
")]
pub(super) struct Args {
    /// Group by this key
    #[arg(long, value_name = "KEY", default_value = "day",
        value_parser = PossibleValuesParser::new(UsageBy::ALL.map(UsageBy::as_str)))]
    by: String,
    /// Print comma-separated values
    #[arg(long, conflicts_with = "json")]
    csv: bool,
    /// Show at most N rows
    #[arg(long, short = 'n', value_name = "N", default_value_t = 30)]
    limit: usize,
    #[command(flatten)]
    which: Which,
}

pub(super) fn run(args: &Args, context: &Context) -> Result<(), CliError> {
    let request = args.which.request(context)?;
    let is_data = context.json || args.csv;
    let soon = Budget::Until(Instant::now() + CATCH_UP);
    let budget = if is_data { Budget::Whole } else { soon };
    // Programs get days in UTC, people days in their own time zone.
    let ahead = if is_data { Ahead::default() } else { context.clock().ahead() };
    let by = UsageBy::parse(&args.by).unwrap_or(UsageBy::Day);
    let bar = Bar::new();
    let mut progress = |it| bar.show(it);
    let counted = usage(&context.settings, &request, (by, &ahead), budget, &mut progress)?;
    bar.end();
    let mut out = if is_data { Out::new() } else { Out::paged(context.pager.as_ref()) };
    if context.json {
        out.json(&counted.report)?;
    } else if args.csv {
        for line in csv(&counted.report) {
            out.line(&line)?;
        }
        out.end()?;
    } else {
        for row in rows(&counted.report, args.limit, &context.env.user_home) {
            match row {
                Row::Head(text) => out.line(&bold(&text))?,
                Row::Line(text) => out.line(&text)?,
            };
        }
        out.end()?;
    }
    warn(counted.waiting, &counted.problems);
    Ok(())
}
