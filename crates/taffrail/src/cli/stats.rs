//! `taffrail stats`

use super::index::Bar;
use super::ls::{CATCH_UP, warn};
use super::usage::print;
use super::which::Which;
use super::{Context, TEMPLATE};
use crate::error::CliError;
use crate::output::Out;
use std::time::Instant;
use taffrail_ingest::Budget;
use taffrail_model::Ahead;
use taffrail_query::stats;
use taffrail_tui::stats::rows;

/// Rows of a table unless more are asked for.
const ROWS: usize = 10;

/// Count sessions, time, turns, tokens and cost
#[derive(Debug, clap::Args)]
#[command(help_template = TEMPLATE, before_help = "\
Examples:
  taffrail stats                      by agent, project, model and day
  taffrail stats --since 7d
      sessions with an event in the last seven days
  taffrail stats --project . -n 30    of this folder, 30 rows per table
  taffrail stats --json | jq '.totals'
")]
pub(super) struct Args {
    /// Show at most N rows in each table
    #[arg(long, short = 'n', value_name = "N", default_value_t = ROWS)]
    limit: usize,
    #[command(flatten)]
    which: Which,
}

pub(super) fn run(args: &Args, context: &Context) -> Result<(), CliError> {
    let request = args.which.request(context)?;
    let soon = Budget::Until(Instant::now() + CATCH_UP);
    let budget = if context.json { Budget::Whole } else { soon };
    let bar = Bar::new();
    // Programs get days in UTC, people days in their own time zone.
    let ahead = if context.json { Ahead::default() } else { context.clock().ahead() };
    let counted = stats(&context.settings, &request, &ahead, budget, &mut |it| bar.show(it))?;
    bar.end();
    if context.json {
        Out::new().json(&counted.stats)?;
    } else {
        print(rows(&counted.stats, args.limit, &context.env.user_home), context)?;
    }
    warn(counted.waiting, &counted.problems);
    Ok(())
}
